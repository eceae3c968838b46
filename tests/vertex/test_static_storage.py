"""Collected static files: every name has the hash of its content, and modules import each other by such names."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command

HASHED = re.compile(r"\.[0-9a-f]{12}\.js$")


@pytest.fixture
def collected(tmp_path: Path, settings: Any) -> Path:
    """The folder that collectstatic filled."""
    settings.STATIC_ROOT = tmp_path
    settings.STORAGES = {**settings.STORAGES, "staticfiles": {"BACKEND": "vertex.static_storage.ModuleStorage"}}
    call_command("collectstatic", "--noinput", verbosity=0)
    return tmp_path


def test_modules_import_each_other_by_hashed_names(collected: Path) -> None:
    paths: dict[str, str] = json.loads((collected / "staticfiles.json").read_text())["paths"]
    ours = {name for name in paths if name.startswith("js/")}
    assert {str(path.relative_to(settings.BASE_DIR / "static")) for path in (settings.BASE_DIR / "static" / "js").rglob("*.js")} == ours
    count = 0
    for name in ours:
        stored = collected / paths[name]
        for target in re.findall(r'^import .* from "(.*)";', stored.read_text(), re.MULTILINE):
            assert HASHED.search(target) and (stored.parent / target).exists(), f"{name} imports {target}"
            count += 1
    assert count > 50
    assert (collected / f"{paths['js/annotations/host.js']}.gz").exists()
