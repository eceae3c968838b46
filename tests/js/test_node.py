"""The unit tests of static/js, by Node's own test runner. Without Node they are skipped, but not in CI."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent


def test_the_unit_tests_of_modules_without_a_browser_pass() -> None:
    node = shutil.which("node")
    if not node:
        message = "Node is not installed, so the unit tests of static/js did not run"
        assert os.environ.get("CI") != "true", message
        pytest.skip(message)
    files = sorted(str(path) for path in FOLDER.rglob("*.test.js"))
    done = subprocess.run([node, "--test", *files], capture_output=True, text=True, check=False, timeout=120)
    assert files and done.returncode == 0, done.stdout + done.stderr
