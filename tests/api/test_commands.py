"""The commands that are not part of the main job: each does what the API does, prints rows or JSON, and tells scripts by its exit code."""

import json
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from extraction.models import ApiToken, AuditEntry, AuditKind, Correction, QualityRule, RunRelease
from tests.services.joins.shop import Shop
from tests.views import world as worlds
from tests.views.world import World
from vertex.client_rows import Run, read_row
from vertex.command_line import local, output
from vertex.command_line.__main__ import main

DOCUMENT = Path(__file__).parents[2] / "docs" / "command-line.md"


@pytest.fixture(autouse=True)
def ready(monkeypatch: pytest.MonkeyPatch, transactional_db: None, sent: list[int]) -> None:
    """The tests have loaded Django already."""
    monkeypatch.setattr(local, "set_up", lambda: None)


@pytest.fixture
def shop() -> World:
    return worlds.make()


def run(command: str, *more: str, code: int = 0) -> str:
    """What a command prints."""
    done = CliRunner().invoke(main, [*command.split(), *more])
    assert done.exit_code == code, (command, done.output, done.exception)
    return done.output


def read(command: str, *more: str) -> list[Any]:
    """The objects that a command prints with --json."""
    done = CliRunner().invoke(main, ["--json", *command.split(), *more])
    assert done.exit_code == 0, (command, done.output, done.exception)
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_a_value_is_corrected_listed_and_given_back(shop: World) -> None:
    url = shop.page.url
    assert "Book 0" in run(f"values books 1 {url}")
    made = read(f"correction set books 1 {url} title", "Emma and others")[0]
    assert made["values"] == ["Emma and others"]
    title = next(each for each in read(f"values books 1 {url}") if each["attribute"] == "title")
    assert (title["values"][0]["raw"], title["page"]) == ("Emma and others", ["Book 0"])
    assert str(made["id"]) in run("correction list books 1")
    run(f"correction set books 1 {url} title", code=2)  # neither a value nor --reject
    assert "no page" in run("correction set books 1 https://shop.example/none title Emma", code=1)
    assert "in use" in run(f"correction keep books 1 {made['id']}", code=1)
    assert read(f"correction end books 1 {made['id']}")[0]["state"] == "ended"
    assert read(f"correction set books 1 {url} title --reject")[0]["kind"] == "rejected"
    assert Correction.objects.open().count() == 1


def test_cells_are_for_people(shop: World) -> None:
    assert "title!" in run("types")
    run(f"correction set books 1 {shop.page.url} title", "Emma and others")
    for command in (
        "types",
        f"values books 1 {shop.page.url}",
        "correction list books 1",
        "runs",
        "add-type Film title! actors* takings.year:number",
    ):
        assert not set(run(command)) & set('[]{}"'), command
    assert "title! actors* takings.year:number" in run("types")


def test_the_token_of_a_command_is_not_in_the_log(shop: World) -> None:
    run("types")
    assert not ApiToken.objects.filter(user__username="command-line").exists()
    assert not AuditEntry.objects.filter(kind=AuditKind.TOKEN_CREATED, what__startswith="vertex (").exists()


def test_a_run_that_no_worker_takes_says_so(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    now = 0.0
    monkeypatch.setattr("vertex.command_line.output.time.monotonic", lambda: now)
    queued = read_row(
        Run, dict.fromkeys(Run.__dataclass_fields__) | {"id": 3, "kind": "crawl", "state": "queued", "done": 0, "message": ""}
    )
    show = output.RunPrinter()
    for now in (0.0, 5.0, 11.0, 30.0):
        assert (output.NO_WORKER in capsys.readouterr().err) is (now == 30.0)
        show(queued)
    assert output.NO_WORKER not in capsys.readouterr().err


def test_a_rule_holds_back_a_run_until_it_is_released(shop: World) -> None:
    limits = ("--limit", "low=50", "--limit", "high=90")
    assert read("quality add book range price --try", *limits)[0]["failing"] == 5
    rule = read("quality add book range price --weight block", *limits)[0]
    assert (rule["limits"], rule["weight"]) == ({"low": "50", "high": "90"}, "block")
    assert read("quality rules book")[0]["id"] == rule["id"]
    release = RunRelease.objects.get(run=worlds.extract(shop.cluster))
    assert [each["id"] for each in read("quality runs --state held")] == [release.pk]
    assert read(f"quality show {release.pk}")[0]["results"][0]["failing"] == 5
    assert len(read(f"quality failures {release.pk}")) == 5
    assert read(f"quality release {release.pk} --note Right")[0]["state"] == "released"
    assert "already decided" in run(f"quality reject {release.pk}", code=1)
    assert read(f"quality change {rule['id']} --off")[0]["enabled"] is False
    assert read(f"quality change {rule['id']} --limit low=1 --weight note")[0]["limits"] == {"low": "1"}
    run(f"quality change {rule['id']}", code=2)
    run(f"quality delete {rule['id']}")
    assert not QualityRule.objects.exists()


def test_limits_of_rules_are_read_by_their_names(shop: World) -> None:
    made = read("quality add book values title", "--limit", "values=Emma, and more", "--limit", "values=Sanditon")[0]
    assert made["limits"] == {"values": ["Emma, and more", "Sanditon"]}
    made = read("quality add book count --limit least=0.5 --limit most=2 --limit runs=3")[0]
    assert (made["limits"], made["attribute"]) == ({"least": 0.5, "most": 2.0, "runs": 3}, "")
    assert "NAME=VALUE" in run("quality add book range price --limit low", code=1)
    assert "given twice" in run("quality add book range price --limit low=1 --limit low=2", code=1)
    assert "is a number" in run("quality add book length title --limit shortest=few", code=1)
    assert read("quality suggest book") == []


def list_commands(group: click.Group, path: str = "") -> list[str]:
    """All commands with the names of their groups: "site add"."""
    found = []
    for name, each in group.commands.items():
        found += list_commands(each, f"{path}{name} ") if isinstance(each, click.Group) else [f"{path}{name}"]
    return found


def test_every_command_is_in_the_document_and_explains_itself() -> None:
    text = DOCUMENT.read_text()
    missing = [name for name in list_commands(main) if f"vertex {name}" not in text]
    assert not missing
    for name in list_commands(main):
        if name != "manage":  # it gives --help to the management command
            assert "Usage:" in run(f"{name} --help")


def test_a_target_is_added_tried_and_delivered_to(shop: World, tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.VERTEX_DELIVERY_DIRS = [str(tmp_path)]
    (made,) = read(f"delivery add Files book folder --place folder={tmp_path} --content columns=title --content described=no --by-hand")
    assert (made["mode"], made["content"]["columns"], made["content"]["described"]) == ("hand", ["title"], False)
    assert "6 lines" in run(f"delivery preview {made['id']}")
    assert "reached" in run(f"delivery test {made['id']}")
    queued = read(f"delivery now {made['id']}")[0]
    assert [each["id"] for each in read(f"delivery list --target {made['id']} --state queued")] == [queued["id"]]
    changed = read(f"delivery change {made['id']} --off --zone Europe/Berlin", "--at", "Mon 08:00")[0]
    assert (changed["enabled"], changed["times"], changed["zone"]) == (False, ["Mon 08:00"], "Europe/Berlin")
    assert read(f"delivery retry {shop.delivery.pk}")[0]["state"] == "queued"
    run(f"delivery change {made['id']} --every 3 --after-runs", code=2)
    run(f"delivery change {made['id']} --every 3 --at 08:00", code=2)
    monkeypatch.setenv("HOOK_URL", "http://127.0.0.1:8999/path")
    monkeypatch.setenv("HOOK_KEY", "whsec_c2VjcmV0IHNlY3JldCBzZWNyZXQ=")
    hook = read("delivery add Hook book webhook --secret address=HOOK_URL --secret key=HOOK_KEY --from-now")[0]
    assert "not allowed" in run(f"delivery test {hook['id']}", code=1)
    assert "no environment variable" in run("delivery add Other book webhook --secret key=NOWHERE", code=1)
    run(f"delivery delete {hook['id']} --confirm Files", code=1)
    run(f"delivery delete {hook['id']} --confirm Hook")
    assert sorted(each["name"] for each in read("delivery targets")) == ["Files", "Shop"]


def test_schedules_are_set_and_controlled(shop: World) -> None:
    assert read("schedule show books")[0]["set"] is False
    made = read("schedule set books --zone Europe/Berlin --pages 50 --at 06:30")[0]
    assert (made["mode"], made["times"], made["zone"], made["max_pages"]) == ("times", ["06:30"], "Europe/Berlin", 50)
    assert read("schedule control books pause")[0]["next_due_at"] is None
    run("schedule control books skip", code=1)
    assert read("schedule set books --template 1 --after-checks")[0]["mode"] == "checks"
    run("schedule set books", code=2)
    run("schedule set books --every 3 --after-checks", code=2)
    run("schedule control books remove")
    assert read("schedule refreshes books") == []
    assert read("schedule checks books --every 6 --no-auto-repair")[0]["every_hours"] == 6
    assert read("schedule checks books")[0]["every_hours"] == 6


def test_a_join_is_added_made_and_exported(transactional_db: None, sent: list[int], tmp_path: Path) -> None:
    site = Shop()
    site.list_books("category/1", [("Tea 1", "£1", "/book/1")])
    site.show_book("book/1", "Tea 1", "£2")
    site.extract()
    assert read("join propose shop")[0]["shares"] == [1.0]
    made = read("join add shop 2 1:books:link --name Offers --winner listing")[0]
    run(f"--here join make shop {made['id']}")
    assert read(f"join show shop {made['id']}")[0]["figures"]["joined"] == 1
    assert read(f"join records shop {made['id']} --part conflicts")[0]["conflicts"] == ["price"]
    run(f"join export shop {made['id']} --output {tmp_path / 'offers.csv'}")
    assert "Tea 1" in (tmp_path / "offers.csv").read_text()
    assert "form 1:books:url" in run("join add shop 2 books", code=1)
    run(f"join delete shop {made['id']}")
    assert read("join list shop") == []


def test_pages_are_moved_and_templates_merged(shop: World) -> None:
    pages = read("page list books")
    assert {each["template"] for each in pages if each["id"] == shop.page.pk} == {1}
    assert [each["url"] for each in read(f"page move books new {shop.page.pk} --dry-run")] == [shop.page.url]
    moved = read(f"page move books new {shop.page.pk}")[0]
    assert (moved["pages"], moved["into"] not in (None, 1)) == (1, True)
    assert [each["id"] for each in read(f"page list books --part {moved['into']}")] == [shop.page.pk]
    assert read(f"merge books 1 {moved['into']}")[0]["number"] == 1
    assert [each["template"] for each in read("page list books") if each["id"] == shop.page.pk] == [1]
    assert read("page move books none --find /book/1")[0]["into"] is None
    assert "unclustered" in run("page list --help")
    assert shop.page.pk not in {each["id"] for each in read("page list books --part unclustered")}
    assert "no page 999999" in run("page move books new 999999", code=1)
    assert "No page" in run("page move books new --find /nothing/", code=1)
    for wrong in ("page move books new", f"page move books x {shop.page.pk}", f"page move books 1 {shop.page.pk} --find x"):
        run(wrong, code=2)


def test_merge_proposals_are_decided(shop: World) -> None:
    proposal = shop.merge_proposal()
    assert [each["id"] for each in read("merge-proposals books")] == [proposal.pk]
    run(f"merge-proposals books --accept {proposal.pk} --refuse {proposal.pk}", code=2)
    assert read(f"merge-proposals books --refuse {proposal.pk}")[0]["state"] == "refused"
    assert read("merge-proposals books") == []
    assert "answered already" in run(f"merge-proposals books --accept {proposal.pk}", code=1)


def test_clusterings_are_compared_and_adopted(shop: World) -> None:
    assert read("--no-wait lab compare books lsh")[0]["kind"] == "lab"
    assert "lsh" in run("lab compare books nothing", code=1)  # the answer names the methods
    assert shop.clustering.pk in {each["id"] for each in read("lab list books")}


def test_channels_are_added_tested_and_deleted_and_the_log_says_so(shop: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERTEX_ALERT_ADDRESS", "json://user:secret@127.0.0.1:9/")
    made = read("alert add Night break run_failed --site books")[0]
    assert (made["service"], made["events"], made["sites"]) == ("json://••••", ["break", "run_failed"], ["books"])
    assert "Night" in run("alert list")
    assert "not sent" in run(f"alert test {made['id']}", code=1)
    run(f"alert delete {made['id']}")
    assert "secret" not in run("log")
    assert [each["kind"] for each in read("log --find Night")] == ["alert.deleted", "alert.saved"]
    assert len(read("log --limit 1")) == 1
    assert "valid date" in run("log --since yesterday", code=1)
