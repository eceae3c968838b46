"""Scores on real pages, with a module for each task: `python -m tests.quality.TASK DATA --predictions OUT`."""
