"""What pyproject.toml cannot say: templates, static files, documentation, catalogues and the Procfile stand beside the packages."""

import shutil
from pathlib import Path

from setuptools import find_packages, setup
from setuptools.command.build_py import build_py

BESIDE = {f"vertex_files.{name}": name for name in ("templates", "static", "docs", "locale")}

ROOT = Path(__file__).parent

if (ROOT / "build" / "help" / "index.html").exists():  # `make docs` has built the documentation as a site
    BESIDE["vertex_files.help"] = "build/help"


class BuildWithProcfile(build_py):
    """Puts the Procfile beside the templates."""

    def run(self) -> None:
        """Build the packages."""
        super().run()
        shutil.copy(ROOT / "Procfile", Path(self.build_lib) / "vertex_files" / "Procfile")


def list_files(folder: str) -> list[str]:
    """Return the files below a folder, relative to it."""
    return [str(path.relative_to(ROOT / folder)) for path in sorted((ROOT / folder).rglob("*")) if path.is_file()]


data = {name: list_files(folder) for name, folder in BESIDE.items()}
data["vertex_files.docs"] = [name for name in data["vertex_files.docs"] if name.endswith(".md")]
data["vertex_files.locale"] = [name for name in data["vertex_files.locale"] if name.endswith(".mo")]
data["extraction.demo"] = ["data/*", "fragments/*", "*.css"]
data["extraction.fetching.crawl"] = ["*.js"]
setup(
    packages=[*find_packages(include=["vertex", "vertex.*", "vertex_spark*", "extraction*", "annotations*"]), *BESIDE],
    package_dir=BESIDE,
    package_data=data,
    cmdclass={"build_py": BuildWithProcfile},
)
