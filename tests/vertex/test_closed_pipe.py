"""A command whose output nobody reads to the end, as in `vertex export … | head -1`, ends without a traceback."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.conftest import environment

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    "command", [("manage.py", "help"), ("-m", "vertex.command_line", "--help"), ("-m", "vertex.command_line", "doctor")]
)
def test_a_command_ends_without_a_word_when_its_pipe_is_closed(command: tuple[str, ...], tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, *command], cwd=ROOT, env=environment(tmp_path), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout and process.stderr
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 1
