"""Ports of test servers."""

from tests.ports import find_port


def test_two_servers_that_start_at_the_same_moment_get_two_ports() -> None:
    assert len({find_port() for _ in range(8)}) > 1
