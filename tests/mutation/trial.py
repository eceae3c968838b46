"""Tries mutants of a package: which tests run a line, and whether one of them fails when it is changed."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.mutation.mutants import Mutant
from tests.mutation.runner import Answer, Request

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("sketches", "clustering", "sampling", "rules", "monitoring")
MEASURE_S = 1800.0
LEAST_S = 20.0
"""Seconds of the processor that tests may take with a mutant, besides several times what they take without."""
TIMES = 4
LINKS = (".data", "annotations", "docs", "manage.py", "pyproject.toml", "static", "templates", "vertex", "vertex_spark", ".venv")


class Trial:
    """The tests of a package, on a copy of the code in a folder."""

    def __init__(self, folder: Path, package: str) -> None:
        """Find the tests, and see that they pass on the code as it is and fail on a module that cannot be loaded."""
        self.folder, self.package = folder, f"extraction/algorithms/{package}"
        self.files = find_tests(package)
        self.tried = 0
        variables = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_PLUGINS": "_hypothesis_pytestplugin"}
        variables |= {"OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": str(folder)}
        command = [sys.executable, "-m", "tests.mutation.runner"]
        self.runner = subprocess.Popen(command, cwd=folder, env=variables, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        calm = self._ask(Request(files=self.files, only={}, measure=self.package, cpu_s=MEASURE_S, wall_s=MEASURE_S))
        if calm["outcome"] != "passed":
            raise SystemExit(f"{package}: {calm['by'] or 'the tests'} {calm['outcome']} without a mutant")
        self.seconds = calm["seconds"]
        self.tests = {
            Path(path).resolve().relative_to(folder.resolve()): {int(line): set(names) for line, names in lines.items()}
            for path, lines in calm["lines"].items()
        }
        for path in self.find_modules():
            if self.try_mutant(Mutant(path, 1, range(1, 2), "canary", "raise SystemError"))["outcome"] != "failed":
                print(f"no test loads {path}", flush=True)

    def find_modules(self) -> list[Path]:
        """Return the modules of the package, relative to the root."""
        return sorted(path.relative_to(self.folder) for path in (self.folder / self.package).rglob("[a-z]*.py"))

    def try_mutant(self, mutant: Mutant) -> Answer:
        """Run the tests that run the changed statement, and if they pass the others that have to do with the module."""
        path = self.folder / mutant.path
        original, stamp = path.read_bytes(), path.stat()
        path.write_text(mutant.source)
        # Python must take it neither for the module nor for another mutant of that size, which a process of a test may have compiled.
        self.tried += 1
        os.utime(path, (stamp.st_atime, stamp.st_mtime + 100 * self.tried))
        try:
            answer = Answer(outcome="passed", by="", seconds={}, lines={})
            first = self._find_covering(mutant)
            for chosen in (first, self._find_naming(mutant.path) - first):
                if chosen and answer["outcome"] == "passed":
                    answer = self._run({name: self.seconds[name] for name in chosen})
            return answer
        finally:
            path.write_bytes(original)
            os.utime(path, (stamp.st_atime, stamp.st_mtime))

    def close(self) -> None:
        """End the process that runs the tests."""
        if self.runner.stdin:
            self.runner.stdin.close()
        self.runner.wait()

    def _find_covering(self, mutant: Mutant) -> set[str]:
        lines = self.tests.get(mutant.path, {})
        names = set().union(*(lines.get(line, set()) for line in mutant.lines))
        if "" in names:  # An import runs the line: any test of the module may depend on it.
            names = set().union(*lines.values())
        return names & self.seconds.keys()

    def _find_naming(self, module: Path) -> set[str]:
        """Return the tests that run any line of a module, and those whose file names it: a fixture or another process may run it."""
        running = set().union(*self.tests.get(module, {}).values())
        files = {each for each in self.files if module.stem in (ROOT / each).read_text()}
        return {name for name in self.seconds if name in running or name.partition("::")[0] in files}

    def _run(self, chosen: dict[str, float]) -> Answer:
        files = [each for each in self.files if any(name.startswith(f"{each}::") for name in chosen)]
        cpu_s = LEAST_S + TIMES * sum(chosen.values())
        return self._ask(Request(files=files, only=chosen, measure="", cpu_s=cpu_s, wall_s=5 * cpu_s))

    def _ask(self, request: Request) -> Answer:
        assert self.runner.stdin is not None
        assert self.runner.stdout is not None
        self.runner.stdin.write(json.dumps(request) + "\n")
        self.runner.stdin.flush()
        return json.loads(self.runner.stdout.readline())  # type: ignore[no-any-return]


def copy_tree(folder: Path) -> None:
    """Copy the code that is changed and the tests, and link what they read."""
    for name in ("extraction", "tests"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "node_modules"))
    for name in LINKS:
        if (ROOT / name).exists():
            (folder / name).symlink_to((ROOT / name).resolve())


def find_tests(package: str) -> list[str]:
    """Return the files of tests of a package: its folder, and the others of the algorithms that import from it."""
    folder = ROOT / "tests/algorithms"
    return [
        str(path.relative_to(ROOT))
        for path in sorted(folder.rglob("test_*.py"))
        if path.is_relative_to(folder / package) or f"extraction.algorithms.{package}" in path.read_text()
    ]
