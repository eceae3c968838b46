"""`python -m vertex.command_line`, and what the command `vertex` starts."""

# isort: off
# The help lists commands in this order.
from vertex.command_line.main import main
from vertex.command_line import life
from vertex.command_line import placing
from vertex.command_line import values
from vertex.command_line import quality
from vertex.command_line import joins
from vertex.command_line import schedules
from vertex.command_line import deliveries
from vertex.command_line import site_files
from vertex.command_line import teams
from vertex.command_line import administration
from vertex.command_line import server
# isort: on

__all__ = [
    "administration",
    "deliveries",
    "joins",
    "life",
    "main",
    "placing",
    "quality",
    "schedules",
    "server",
    "site_files",
    "teams",
    "values",
]

if __name__ == "__main__":
    main()
