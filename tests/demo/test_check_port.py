"""A port that is taken ends `make run` with one line."""

import socket
from typing import Any

import pytest
from django.core.management import CommandError, call_command


def test_a_taken_port_is_named_and_a_free_one_passes(settings: Any) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        settings.BIND, settings.PORT = "127.0.0.1", taken.getsockname()[1]
        with pytest.raises(CommandError, match=f"Port {settings.PORT} is taken. Set VERTEX_PORT to a free port"):
            call_command("check_port")
    call_command("check_port")


def test_messages_name_the_command_that_is_there(settings: Any) -> None:
    settings.START_COMMAND = "vertex serve"
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        settings.BIND, settings.PORT = "127.0.0.1", taken.getsockname()[1]
        with pytest.raises(CommandError, match=r"VERTEX_PORT=\d+ vertex serve$"):
            call_command("serve")
