"""The demo's shop keeps its address. If the port is taken, the command says what to do."""

import socket
from collections.abc import Iterator

import pytest

from extraction.management import processes
from extraction.management.commands import demo
from extraction.models import Site


@pytest.fixture
def taken() -> Iterator[int]:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        held.listen()
        yield held.getsockname()[1]


@pytest.mark.django_db
def test_if_the_port_of_a_known_shop_is_taken_the_command_says_what_to_do(taken: int) -> None:
    Site.objects.create(name=demo.SITE_NAME, slug="inkhorn-lane", address=f"http://127.0.0.1:{taken}/")
    with pytest.raises(processes.ProcessError, match=f"port {taken} is taken") as error, demo._served():
        pass
    assert "delete the site Inkhorn Lane" in str(error.value) and "VERTEX_PORT" not in str(error.value)


def test_another_port_is_taken_for_the_dashboard(taken: int) -> None:
    assert processes.free_port(taken) > taken
    with pytest.raises(processes.ProcessError, match="VERTEX_PORT"):
        processes.free_port(taken, tries=1)
