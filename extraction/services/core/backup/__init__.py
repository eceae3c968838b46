"""Backups: the database and the stored bytes in one archive, and back from it into an empty installation."""
