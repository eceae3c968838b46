"""A scripted day on a temporary installation whose processes are killed at random: `make chaos SEED=7 SECONDS_LIMIT=120`."""
