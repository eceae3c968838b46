"""The worker of the web server with limits that a test can wait for."""

from vertex.web_worker import LimitedSocket, LimitedWorker


class HastySocket(LimitedSocket):
    GRACE_S = 1.0


class HastyWorker(LimitedWorker):
    connection = HastySocket
