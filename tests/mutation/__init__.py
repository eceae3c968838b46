"""Mutation testing of the algorithms: `make mutation SECONDS_LIMIT=600 SEED=1`."""
