"""`python -m tests.js.check` checks the types of static/js with TypeScript. Without Node it only says so, but fails in CI."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
COMPILER = ROOT / "node_modules" / "typescript" / "bin" / "tsc"
INSTALLED = ROOT / "node_modules" / ".package-lock.json"
LOCK = ROOT / "package-lock.json"


def main() -> int:
    """Installs the pinned TypeScript when it is missing or old, and runs it."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if not node or not npm:
        print("Node and npm are not installed, so the types of static/js were not checked.")
        return 1 if os.environ.get("CI") == "true" else 0
    if not COMPILER.exists() or INSTALLED.stat().st_mtime < LOCK.stat().st_mtime:
        print("Installing the pinned TypeScript into node_modules …", flush=True)
        if subprocess.run([npm, "ci", "--silent"], cwd=ROOT, check=False).returncode:
            return 1
    return subprocess.run([node, str(COMPILER), "--project", "jsconfig.json"], cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
