"""`python -m vertex.command_line`, and what the command `vertex` starts."""

from vertex.command_line import life, server
from vertex.command_line.main import main

__all__ = ["life", "main", "server"]

if __name__ == "__main__":
    main()
