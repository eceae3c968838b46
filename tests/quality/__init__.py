"""Scores on real pages: one module a task, `python -m tests.quality.TASK DATA --predictions OUT`."""
