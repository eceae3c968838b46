"""Modules are joined into one script that a page can hold."""

import shutil
import subprocess
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders

from extraction.display import framing, static_text


@pytest.fixture
def static(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder of static files."""
    monkeypatch.setattr(finders, "find", lambda name: str(tmp_path / name) if (tmp_path / name).exists() else None)
    return tmp_path


def test_a_module_is_included_once_and_after_those_it_imports(static: Path) -> None:
    (static / "a").mkdir()
    (static / "main.js").write_text('import { one } from "./a/one.js";\nimport { two } from "./a/two.js";\none(two);\n')
    (static / "a" / "one.js").write_text('import { two } from "./two.js";\n\nexport function one() {}\n')
    (static / "a" / "two.js").write_text("export const two = 2;\n")
    assert static_text.join_modules("main.js") == "const two = 2;\n\nfunction one() {}\none(two);\n"


def test_a_name_that_two_modules_declare_is_refused(static: Path) -> None:
    (static / "main.js").write_text('import { one } from "./one.js";\n/** @type {number | null} */ let here = null;\nconst there = one;\n')
    (static / "one.js").write_text("export const one = 1;\nfunction there() {}\nlet here = 1;\n")
    with pytest.raises(ValueError, match="declare here, there"):
        static_text.join_modules("main.js")


@pytest.mark.parametrize("line", ['import all from "./one.js";', 'export * from "./one.js";', "export default 1;", "export { one };"])
def test_an_import_or_export_of_another_form_is_refused(static: Path, line: str) -> None:
    (static / "main.js").write_text(f"{line}\n")
    with pytest.raises(ValueError, match="cannot be joined"):
        static_text.join_modules("main.js")


def test_a_missing_file_is_named_in_the_error(static: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"none\.css"):
        static_text.read_static("none.css")


def test_the_script_of_the_frame_is_one_and_the_same_each_time() -> None:
    first = static_text.join_modules(framing.SCRIPT)
    assert first == static_text.join_modules(framing.SCRIPT) and "import " not in first.replace("import(", "")


@pytest.mark.skipif(not shutil.which("node"), reason="Node is not installed")
def test_the_script_of_the_frame_can_be_parsed(tmp_path: Path) -> None:
    script = tmp_path / "frame.cjs"
    script.write_text(f"(() => {{\n{static_text.join_modules(framing.SCRIPT)}}})();")
    assert subprocess.run(["node", "--check", script], check=False).returncode == 0
