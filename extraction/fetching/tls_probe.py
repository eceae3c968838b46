"""Finds out whether a host speaks HTTPS, for an address that was typed without its scheme."""

import socket
import ssl
from collections.abc import Sequence

TIMEOUT_S = 3.0


def refuses_tls(addresses: Sequence[str], port: int, host: str) -> bool:
    """Return whether a port refuses connections or answers without TLS. False if nothing is certain, such as when it is slow.

    addresses: the host's addresses; only the first is tried.
    """
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE  # nothing is sent; the crawl judges the certificate
    try:
        with socket.create_connection((addresses[0], port), TIMEOUT_S) as plain, context.wrap_socket(plain, server_hostname=host):
            return False
    except TimeoutError:
        return False
    except (ConnectionError, ssl.SSLError):
        return True
    except OSError:
        return False


def accepts_connections(addresses: Sequence[str], port: int) -> bool:
    """Return whether a port accepts connections."""
    try:
        with socket.create_connection((addresses[0], port), TIMEOUT_S):
            return True
    except OSError:
        return False
