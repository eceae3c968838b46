"""The command that says whether the dashboard can listen where the settings want it to."""

import errno
import socket
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError


class Command(BaseCommand):
    help = "Fail with one line if the dashboard cannot listen on VERTEX_BIND and VERTEX_PORT."

    def handle(self, **_: Any) -> None:
        with socket.socket(socket.AF_INET6 if ":" in settings.BIND else socket.AF_INET) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((settings.BIND.strip("[]"), settings.PORT))
            except OSError as error:
                taken = error.errno == errno.EADDRINUSE
                why = f"Port {settings.PORT} is taken" if taken else f"{settings.BIND}:{settings.PORT} cannot be used ({error.strerror})"
                again = f"VERTEX_PORT={settings.PORT + 1} {settings.START_COMMAND}"
                raise CommandError(f"{why}. Set VERTEX_PORT to a free port, as in: {again}") from error
