"""The worker class of the web server, which slow clients cannot hold: gunicorn's with threads, and limits for each request.

A thread reads a request until it is complete. Without limits, a client that sends a byte now and then holds one thread for as long as it
likes, and eight such clients stop the dashboard.
"""

import errno
import gc
import socket
import time
from typing import Any

from gunicorn.workers.gthread import ThreadWorker


class LimitedSocket:
    """A connection whose requests and answers may take GRACE_S seconds and one more for each SLOWEST bytes.

    Reading or writing later than that fails as if the client had closed the connection.
    """

    GRACE_S = 30.0
    SLOWEST = 2_000

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        self._late = False
        self.begin()

    def begin(self) -> None:
        """Begin to count for another request of the same connection."""
        self._waited, self._received = 0.0, 0

    def recv(self, size: int) -> bytes:
        """Return what has arrived, as a socket does. Raises ConnectionResetError when the request is too late."""
        if self._socket.gettimeout() is not None:  # gunicorn waits with a limit of its own
            return self._socket.recv(size)
        began = time.monotonic()
        found = self._limited(self.GRACE_S + self._received / self.SLOWEST - self._waited, self._socket.recv, size)
        self._waited += time.monotonic() - began  # what we do in between is not the client's time
        self._received += len(found)
        return bytes(found)

    def sendall(self, content: bytes) -> None:
        """Send all of it. Raises ConnectionResetError when the client takes too long to receive it."""
        piece = int(self.GRACE_S * self.SLOWEST)
        for start in range(0, len(content), piece):
            self._limited(self.GRACE_S, self._socket.sendall, content[start : start + piece])
        self.begin()  # a client that waits for the answer, or for leave to go on, is not slow

    def sendfile(self, *arguments: Any, **options: Any) -> int:
        """Send a file. Raises ConnectionResetError when the client receives nothing of it for a while."""
        return int(self._limited(self.GRACE_S, self._socket.sendfile, *arguments, **options))

    def shutdown(self, how: int) -> None:
        """End one direction. A client that was too slow is not waited for: gunicorn takes the error for a closed connection."""
        if self._late:
            raise OSError(errno.ENOTCONN, "the client is too slow")
        self._socket.shutdown(how)

    def _limited(self, seconds: float, call: Any, *arguments: Any, **options: Any) -> Any:
        before = self._socket.gettimeout()
        self._socket.settimeout(max(seconds, 0.001))
        try:
            return call(*arguments, **options)
        except TimeoutError as error:
            self._late = True
            raise ConnectionResetError(errno.ECONNRESET, "the client is too slow") from error
        finally:
            self._socket.settimeout(before)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._socket, name)


class LimitedWorker(ThreadWorker):  # type: ignore[misc]  # gunicorn has no types
    """Gunicorn's worker with threads, on such connections. For plain HTTP behind a proxy that has the certificate."""

    connection = LimitedSocket

    def load_wsgi(self) -> None:
        """Load the application, and leave all that belongs to it out of later collections of garbage.

        It has some 300,000 objects. To look at them all stops every thread for as long as a dozen pages take.
        """
        super().load_wsgi()
        gc.collect()
        gc.freeze()

    def handle(self, conn: Any) -> Any:
        """Read a request and answer it, in one of the threads."""
        if isinstance(conn.sock, LimitedSocket):
            conn.sock.begin()
        elif not conn.cfg.is_ssl:
            conn.sock = self.connection(conn.sock)
        return super().handle(conn)
