#!/usr/bin/env python
"""Django's command line."""

import os
import sys


def main() -> None:
    """Run a command. If nobody reads its output to the end (``export_csv … | head``), it ends without a word."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "vertex.settings")
    from django.core.management import execute_from_command_line

    try:
        execute_from_command_line(sys.argv)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is left is flushed when Python ends
        sys.exit(1)


if __name__ == "__main__":
    main()
