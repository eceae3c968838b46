"""Fuzzers: inputs made by hypothesis for everything that reads what strangers or browsers send.

The suite runs each for a moment (`test_fuzz`). `python -m tests.fuzz` runs them for as long as you say. What they find is mended and
added to the corpus in `tests/hostile`.
"""
