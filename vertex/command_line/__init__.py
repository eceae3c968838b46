"""The command `vertex`. docs/command-line.md describes it."""
