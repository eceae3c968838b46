"""Ports for the servers of tests."""

import socket


def find_port() -> int:
    """Return a free port of this machine.

    The system chooses it. Two runs of tests that start at the same moment would find the same first free port from a fixed number, and both
    would talk to the server that is faster.
    """
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
