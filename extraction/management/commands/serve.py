"""The command that runs the dashboard, a worker and the clock on this machine, as `make run` does in a checkout."""

import os
import sys
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand

from extraction.management.processes import ROOT


class Command(BaseCommand):
    help = "Start web, worker and beat; Ctrl-C stops them."

    def handle(self, **_: Any) -> None:
        call_command("check_port")
        environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"}
        command = [sys.executable, "-m", "honcho", "start", "-f", str(settings.FILES_DIR / "Procfile"), "-d", str(ROOT)]
        self.stdout.write(f"The dashboard: http://{settings.BIND}:{settings.PORT}/ (Ctrl-C stops it)")
        self.stdout.flush()
        os.chdir(ROOT)
        os.execve(sys.executable, command, environment)  # noqa: S606 - our own command line; it gets Ctrl-C itself
