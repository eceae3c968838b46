"""The command line ends without a word when nobody reads on."""

import subprocess
import sys
from pathlib import Path

MANAGE = Path(__file__).resolve().parents[1] / "manage.py"


def test_a_command_whose_output_nobody_reads_ends_quietly() -> None:
    with subprocess.Popen([sys.executable, MANAGE, "help"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as command:
        assert command.stdout and command.stderr
        command.stdout.close()
        assert command.stderr.read() == b""
