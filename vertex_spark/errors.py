"""The error of a job that cannot be done."""


class SparkJobError(Exception):
    """A job cannot start or go on. The message is for the person who started it and says why."""
