"""Sites as files with the API, the client and the command line: from a folder alone, the same records."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from extraction.models import Cluster, Decision, Page, RecordType, Rule, Site
from extraction.services.core.person_names import COMMAND_LINE
from extraction.services.sites import sites
from tests.api.test_client import do_with_client, shop
from vertex.client import Vertex, VertexError
from vertex.command_line import local
from vertex.command_line.__main__ import main

__all__ = ["shop"]

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def ready(monkeypatch: pytest.MonkeyPatch, transactional_db: None, sent: list[int]) -> None:
    """The tests have loaded Django already."""
    monkeypatch.setattr(local, "set_up", lambda: None)


@pytest.fixture
def vertex() -> Iterator[Vertex]:
    with local.LocalVertex(here=True) as client:
        yield client


def run(*arguments: str, code: int = 0) -> Result:
    done = CliRunner().invoke(main, ["--here", *arguments])
    assert done.exit_code == code, (arguments, done.output)
    return done


def empty() -> None:
    sites.delete_site(Site.objects.get())
    RecordType.objects.all().delete()


def test_from_a_folder_alone_an_empty_installation_extracts_the_same_csv(vertex: Vertex, shop: Path, tmp_path: Path) -> None:
    before, after, folder = tmp_path / "before.csv", tmp_path / "after.csv", tmp_path / "shop"
    do_with_client(vertex, shop, before)
    run("site", "export", "shop", str(folder), "--pages", "all")
    empty()
    dry = run("site", "import", str(folder), "--dry-run")
    assert "+ template 1: its rule (added)" in dry.output and "8 new pages" in dry.output and not Site.objects.exists()
    run("site", "import", str(folder))
    rule = Rule.objects.serving().get()
    assert Decision.objects.get(rule=rule).by_name == COMMAND_LINE
    run("extract", "shop", "1")
    run("export", "shop", "1", "--output", str(after))
    assert after.read_bytes() == before.read_bytes()
    files = {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    run("site", "export", "shop", str(folder), "--pages", "all")
    assert {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()} == files


def test_without_pages_the_rule_works_on_pages_that_come_later(vertex: Vertex, shop: Path, tmp_path: Path) -> None:
    before, after, folder = tmp_path / "before.csv", tmp_path / "after.csv", tmp_path / "shop"
    do_with_client(vertex, shop, before)
    run("site", "export", "shop", str(folder))
    empty()
    run("site", "import", str(folder))
    assert Page.objects.count() == 2  # those with marks
    run("import", "shop", str(shop))
    assert [each.number for each in Cluster.objects.all()] == [1]
    run("extract", "shop", "1")
    run("export", "shop", "1", "--output", str(after))
    assert sorted(after.read_text().splitlines()) == sorted(before.read_text().splitlines())


def test_a_new_site_goes_to_the_team_that_is_named(vertex: Vertex, shop: Path, tmp_path: Path) -> None:
    do_with_client(vertex, shop, tmp_path / "before.csv")
    folder = tmp_path / "shop"
    run("site", "export", "shop", str(folder))
    empty()
    vertex.create_team("Others")
    run("site", "import", str(folder), "--team", "others")
    assert [each.team for each in vertex.list_sites()] == ["others"]


def test_a_zip_file_goes_through_the_client_and_says_what_it_changes(vertex: Vertex, shop: Path, tmp_path: Path) -> None:
    do_with_client(vertex, shop, tmp_path / "before.csv")
    archive = tmp_path / "shop.zip"
    vertex.download_site_files("shop", archive)
    assert vertex.import_site_files(archive, dry_run=True).summary == "Nothing changes."
    Cluster.objects.update(name="Novels")
    newer = vertex.import_site_files(archive)
    assert [(each["kind"], each["subject"]) for each in newer.changes] == [("newer here", "template 1")]
    assert newer.imported and newer.site == "shop" and Cluster.objects.get().name == "Novels"
    assert vertex.import_site_files(archive, prefer="folder").changes[0]["details"] == ["name: Novels → not set"]


def test_conflicts_and_mistakes_have_exit_codes_and_places(vertex: Vertex, shop: Path, tmp_path: Path) -> None:
    do_with_client(vertex, shop, tmp_path / "before.csv")
    folder = tmp_path / "shop"
    run("site", "export", "shop", str(folder))
    template = folder / "templates" / "1" / "template.yaml"
    template.write_text(template.read_text().replace("number: 1\n", "number: 1\nname: Theirs\n"))
    Cluster.objects.update(name="Ours")
    refused = run("site", "import", str(folder), code=7)
    assert "! template 1 was changed in the files and here (templates/1/template.yaml:1)" in refused.output
    run("site", "import", str(folder), "--dry-run", code=7)
    assert Cluster.objects.get().name == "Ours"
    template.write_text("number: one\n")
    wrong = run("site", "import", str(folder), code=1)
    assert "templates/1/template.yaml:1: 'number' must be a whole number, not 'one'" in wrong.output
    with pytest.raises(VertexError, match="not a zip file") as caught:
        vertex.import_site_files(_write(tmp_path / "x.zip", b"nothing"))
    assert (caught.value.status, caught.value.errors[0][0]) == (422, "file")


def test_a_folder_with_a_link_is_not_sent(vertex: Vertex, tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "site.yaml").symlink_to("/etc/passwd")
    assert "symbolic link" in run("site", "import", str(tmp_path / "site"), code=1).output


def test_a_command_prints_json_for_scripts(vertex: Vertex, tmp_path: Path) -> None:
    made = vertex.create_site(name="Empty")
    said: Any = json.loads(run("--json", "site", "export", made.slug, str(tmp_path / "empty.zip")).stdout)
    assert said["size_bytes"] == (tmp_path / "empty.zip").stat().st_size
    assert json.loads(run("--json", "site", "import", str(tmp_path / "empty.zip"), "--dry-run").stdout)["summary"] == "Nothing changes."


def _write(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def test_a_client_without_an_installation_says_in_english_what_is_wrong_with_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "site.yaml").symlink_to("elsewhere")
    command = [sys.executable, "-m", "vertex.command_line", "--url", "http://127.0.0.1:9", "--token", "x", "site", "import", str(folder)]
    variables = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"} | {"LANG": "de_DE.UTF-8"}
    done = subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True, check=False)
    assert done.stderr == "Error: site.yaml: it is a symbolic link; links are not followed.\n"
