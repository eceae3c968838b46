"""The client and the command line: the main job with either gives the CSV of the dashboard."""

import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from django.test import Client

from extraction.models import AlertChannel, ApiScope, Breakage, Cluster, Rule, Site
from extraction.services.core import api_tokens
from tests.services import factory
from tests.views.world import World
from vertex.client import RunFailed, Vertex, VertexError
from vertex.client_rows import Record, read_row
from vertex.client_upload import Upload
from vertex.command_line import local, mcp_server, mcp_tools
from vertex.command_line.__main__ import main
from vertex.command_line.annotations import FileError, read_marks

PAGES = 8


@pytest.fixture(autouse=True)
def ready(monkeypatch: pytest.MonkeyPatch, transactional_db: None, sent: list[int]) -> None:
    """The tests have loaded Django already."""
    monkeypatch.setattr(local, "set_up", lambda: None)


@pytest.fixture
def vertex() -> Iterator[Vertex]:
    with local.LocalVertex(here=True) as client:
        yield client


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """An archive of a shop's pages, with their addresses."""
    import zipfile

    path = tmp_path / "shop.zip"
    with zipfile.ZipFile(path, "w") as archive:
        lines = ["file,url"]
        for number in range(PAGES):
            page = factory.book_html(f"Novel {number}", price=f"£{number}.50", authors=[f"Ann {number}"], pad=number % 3)
            archive.writestr(f"{number}.html", page)
            lines.append(f"{number}.html,https://shop.example/book/{number}")
        archive.writestr("manifest.csv", "\n".join(lines))
    return path


def do_with_client(vertex: Vertex, shop: Path, target: Path) -> None:
    site = vertex.create_site(name="Shop").slug
    vertex.wait(vertex.upload_archive(site, shop))
    (template,) = vertex.list_templates(site)
    kind = vertex.create_record_type("Novel", [{"name": "title", "mandatory": True}, {"name": "price", "type": "price"}])
    vertex.change_template(site, template.number, record_type=kind.slug)
    for page in list(vertex.list_pages(site))[:2]:
        number = page.url.rpartition("/")[2]
        vertex.mark(site, template.number, page.id, "title", [{"xpath": "//h1/text()", "text": f"Novel {number}"}])
        vertex.mark(site, template.number, page.id, "price", [f"£{number}.50"])
    run = vertex.wait(vertex.learn_rule(site, template.number))
    vertex.publish_rule(site, template.number, run.summary["version"])
    vertex.wait(vertex.extract(site, template.number))
    vertex.export(site, template.number, target)


def do_with_commands(shop: Path, target: Path) -> None:
    marks = target.with_suffix(".marks.csv")
    marks.write_text(
        "url,attribute,value,xpath\n"
        + "".join(
            f"https://shop.example/book/{n},title,Novel {n},//h1/text()\nhttps://shop.example/book/{n},price,£{n}.50,\n" for n in range(2)
        )
    )
    for command in (
        "site add --name Shop",
        f"import shop {shop}",
        "add-type Novel title! price:price",
        "template shop 1 --type novel",
        f"annotate shop 1 {marks}",
        "learn shop 1 --publish",
        "extract shop 1",
        f"export shop 1 --output {target}",
    ):
        done = CliRunner().invoke(main, ["--here", *command.split(" ")])
        assert done.exit_code == 0, (command, done.output)


@pytest.mark.parametrize("by", ["client", "commands"])
def test_the_main_job_gives_the_csv_of_the_dashboard(by: str, vertex: Vertex, shop: Path, tmp_path: Path, signed_in: Any) -> None:
    target = tmp_path / "novels.csv"
    if by == "client":
        do_with_client(vertex, shop, target)
    else:
        do_with_commands(shop, target)
    answer = signed_in("viewer").get("/sites/shop/templates/1/records.csv")
    assert b"".join(answer.streaming_content) == target.read_bytes()
    lines = target.read_text().splitlines()
    assert lines[0] == "title,price,source_url"
    assert sorted(lines[1:]) == [f"Novel {n},{n}.50 GBP,https://shop.example/book/{n}" for n in range(PAGES)]


def test_errors_say_what_is_wrong_and_exit_codes_tell_scripts(vertex: Vertex) -> None:
    with pytest.raises(VertexError, match="There is nothing at /api/v1/") as missing:
        vertex.get_site("nowhere")
    assert missing.value.status == 404
    with pytest.raises(VertexError, match="required") as wrong:
        vertex.create_site()
    assert (wrong.value.status, wrong.value.errors[0][0]) == (422, "body.name")

    def run(*arguments: str, **environment: str) -> int:
        return CliRunner(env=environment).invoke(main, arguments).exit_code

    assert run("site", "show", "nowhere") == 1
    assert run("site", "show") == 2
    assert run("--url", "http://127.0.0.1:9", "site", "list") == 2  # no token
    Site.objects.create(name="Empty", slug="empty")
    assert run("extract", "empty") == 1
    assert run("publish", "empty", "1") == 1


def test_a_run_that_fails_is_an_error_with_its_reason(vertex: Vertex) -> None:
    site = factory.site()
    run = factory.run(site, "cluster", "failed", error="there are no pages")
    with pytest.raises(RunFailed, match="there are no pages"):
        vertex.wait(vertex.get_run(run.pk))
    done = CliRunner().invoke(main, ["run", str(run.pk)])
    assert (done.exit_code, "there are no pages" in done.output) == (3, True)


def test_local_commands_leave_no_token(vertex: Vertex) -> None:
    from extraction.models import ApiToken

    before = ApiToken.objects.count()
    assert CliRunner().invoke(main, ["--json", "site", "list"]).exit_code == 0
    assert ApiToken.objects.count() == before


def test_json_output_is_an_object_a_line(vertex: Vertex) -> None:
    for name in ("Books", "Films"):
        factory.site(name)
    said = CliRunner().invoke(main, ["--json", "site", "list"]).output.splitlines()
    assert [json.loads(line)["slug"] for line in said] == ["books", "films"]


def test_an_upload_can_be_read_in_any_pieces_and_again() -> None:
    for size in (1, 7, 10_000):
        upload = Upload(io.BytesIO(b"x" * 100), name='a"b.zip', fields={"url": "https://shop.example/é"})
        first = b"".join(iter(lambda: upload.read(size), b""))  # noqa: B023 - used at once
        assert len(first) == upload.size_bytes == upload.tell()
        upload.seek(0)
        assert upload.read() == first
    assert b'filename="a_b.zip"' in first


def test_fields_of_a_newer_server_are_left_out_and_times_are_read() -> None:
    row = {
        "id": 1, "site": "s", "template": 1, "page": 1, "url": "u", "state": "complete", "reason": "", "version": 1, "rows": {},
        "extracted_at": "2026-11-29T08:00:00.123456+00:00", "values": {"title": [{"raw": "A", "value": "a", "problem": ""}]}, "new": 1,
    }  # fmt: skip
    record = read_row(Record, row)
    assert (record.value("title"), record.value("price"), record.extracted_at.microsecond) == ("a", None, 123456)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("url,attribute\n", "no marks"),
        ("url,attribute,colour\na,b,c\n", "no column 'colour'"),
        ("url,attribute,value\n,title,x\n", "line 2: url and attribute"),
        ("url,attribute,value,row\na,title,x,first\n", "whole numbers"),
        ("url,attribute,value\na,title,x\na,title,\n", "empty value beside others"),
    ],
)
def test_a_file_of_marks_that_cannot_be_read_says_where(tmp_path: Path, text: str, reason: str) -> None:
    path = tmp_path / "marks.csv"
    path.write_text(text)
    with pytest.raises(FileError, match=reason):
        read_marks(path)


def test_marks_of_an_attribute_stay_together_and_in_their_order(tmp_path: Path) -> None:
    path = tmp_path / "marks.jsonl"
    lines = [("b", "author", "Ann"), ("a", "title", "X"), ("b", "author", "Ben"), ("b", "price", "")]
    path.write_text("\n".join(json.dumps({"url": url, "attribute": name, "value": value}) for url, name, value in lines))
    found = {(each.url, each.attribute): each.values for each in read_marks(path)}
    assert [each["text"] for each in found["b", "author"] or ()] == ["Ann", "Ben"]
    assert found["b", "price"] is None


def ask(vertex: Vertex, *messages: Any, allow_changes: bool = False) -> list[Any]:
    answers = io.StringIO()
    lines = io.StringIO("".join(f"{each if isinstance(each, str) else json.dumps(each)}\n" for each in messages))
    mcp_server.serve(vertex, lines, answers, allow_changes=allow_changes)
    return [json.loads(line) for line in answers.getvalue().splitlines()]


def test_assistants_read_records_and_change_nothing_unless_allowed(world: World, vertex: Vertex) -> None:
    def call(name: str, **arguments: Any) -> Any:
        return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}

    begun, listed = ask(
        vertex,
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18"}},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    )
    assert begun["result"]["protocolVersion"] == "2025-06-18"
    assert all(each["annotations"]["readOnlyHint"] for each in listed["result"]["tools"])
    records, wrong, missing = ask(
        vertex, call("list_records", site="books", template=1, limit=2), call("list_records", site="books"), call("show_site", site="no")
    )
    found = json.loads(records["result"]["content"][0]["text"])
    assert (found["rows"][0]["values"]["title"], found["more"]) == (["Book 0"], True)
    assert wrong["result"]["isError"] and missing["result"]["isError"]
    assert ask(vertex, call("start_extraction", site="books", template=1))[0]["error"]["code"] == mcp_server.INVALID_PARAMS
    (allowed,) = ask(vertex, call("start_extraction", site="books", template=1), allow_changes=True)
    assert json.loads(allowed["result"]["content"][0]["text"])["kind"] == "extract"
    assert Rule.objects.live().count() == 1


ARGUMENTS = {
    "site": "books",
    "template": 1,
    "version": 1,
    "record_type": "book",
    "text": "Look at this",
}


def test_every_tool_is_answered_by_the_api(world: World, vertex: Vertex) -> None:
    known = ARGUMENTS | {
        "release": world.release().pk,
        "join": world.joined.join_id,
        "target": world.delivery.target_id,
        "breakage": world.breakage.pk,
    }
    wrong = []
    for tool in mcp_tools.TOOLS:
        given = {name: known[name] for name in tool.takes if name in known}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool.name, "arguments": given}}
        (answer,) = ask(vertex, message, allow_changes=True)
        refused, said = answer["result"].get("isError", False), answer["result"]["content"][0]["text"]
        if refused != (tool.name in REFUSED) or (REFUSED[tool.name] not in said if refused else not json.loads(said)):
            wrong.append((tool.name, said))
    assert not wrong


REFUSED = {
    "accept_breakage": "no longer a repair",
    "dismiss_breakage": "closed",
    "release_run": "does not count",
    "reject_run": "does not count",
    "make_join": "no longer has the list",
}
"""What the API refuses in this world, and a word of the reason, which the assistant reads."""


def test_what_is_no_request_is_answered_with_an_error_and_the_server_goes_on(vertex: Vertex) -> None:
    given = ["{", "[]", {"id": 1, "method": "nothing"}, {"id": 2, "method": "tools/list", "params": []}, {"id": 3, "method": "ping"}]
    assert [each.get("error", {}).get("code") for each in ask(vertex, *given)] == [-32700, -32600, -32601, None, None]


def test_a_client_talks_to_a_server_over_http(live_server: Any, person: Callable[[str], Any], tmp_path: Path) -> None:
    site = factory.site("Distant")
    token = api_tokens.create_token(person("editor"), "test", list(ApiScope), sites=[site])
    with Vertex(live_server.url, token, retries=0) as client:
        assert [each.name for each in client.list_sites()] == ["Distant"]
        page = tmp_path / "page.html"
        page.write_bytes(factory.book_html("Emma"))
        assert client.upload_page(site.slug, "https://shop.example/emma", page).kind == "import"
        with pytest.raises(VertexError, match="limited to some sites"):
            client.create_site(name="Another")
    with Vertex(live_server.url, "vxa_wrong", retries=0) as client, pytest.raises(VertexError) as refused:
        list(client.list_sites())
    assert refused.value.status == 401
    assert Client().get("/").status_code == 302


def test_the_client_corrects_templates_and_compares_clusterings(world: World, vertex: Vertex) -> None:
    proposal = world.merge_proposal()
    assert vertex.refuse_merge_proposal("books", proposal.pk).state == "refused"
    assert [each.id for each in vertex.list_merge_proposals("books", state="refused")] == [proposal.pk]
    moved = vertex.move_pages("books", [world.page.pk], "new")
    assert moved.pages == 1
    assert vertex.merge_templates("books", 1, [moved.into or 0]).number == 1
    vertex.wait(vertex.start_comparison("books", ["lsh"]))
    found = vertex.get_clustering("books", next(iter(vertex.list_clusterings("books"))).id)
    assert [len(each) for each in found.members] == found.sizes


def test_the_client_administers_channels_and_reads_the_log(world: World, vertex: Vertex) -> None:
    made = vertex.create_alert_channel("Night", "json://user:secret@127.0.0.1:9/", ["break"], sites=["books"])
    assert (made.service, made.sites, made.enabled) == ("json://••••", ["books"], True)
    changed = vertex.change_alert_channel(made.id, events=["run_failed"], enabled=False)
    assert (changed.name, changed.events, changed.sites, changed.enabled) == ("Night", ["run_failed"], ["books"], False)
    assert AlertChannel.objects.get(pk=made.id).url == "json://user:secret@127.0.0.1:9/"  # it was left out, so it stays
    for wrong, words in ({"url": "nothing://x"}, "cannot use"), ({"sites": ["nowhere"]}, "no site nowhere"), ({"events": ["x"]}, "x"):
        with pytest.raises(VertexError, match=words) as refused:
            vertex.change_alert_channel(made.id, **wrong)
        assert refused.value.status == 422 and "secret" not in str(refused.value)
    with pytest.raises(VertexError, match="already a channel"):
        vertex.create_alert_channel("Night", "json://127.0.0.1:9/", ["break"])
    assert vertex.test_alert_channel(made.id)  # nobody listens there
    vertex.delete_alert_channel(made.id)
    assert made.id not in {each.id for each in vertex.list_alert_channels()}
    entries = list(vertex.list_audit_entries(kind="alert.saved", q="Night"))
    assert [(each.source, each.what) for each in entries] == [("command", "Night"), ("command", "Night")]
    assert "secret" not in str(entries)
    assert not list(vertex.list_audit_entries(until="2001-01-01"))
    with pytest.raises(VertexError, match="valid date"):
        list(vertex.list_audit_entries(since="yesterday"))


def test_the_client_cleans_up_values_in_a_new_draft(world: World, vertex: Vertex) -> None:
    draft = vertex.clean_up_rule("books", 1, 1, "title", [{"kind": "replace", "text": "Book", "by": "Volume"}, {"kind": "upper"}])
    assert (draft.version, draft.state) == (2, "draft")
    (title,) = [each for each in (draft.definition or {})["attributes"] if each["name"] == "title"]
    assert [each["kind"] for each in title["cleanup"]] == ["replace", "upper"]
    for steps, words in (([{"kind": "part", "text": "("}], "pattern"), ([{"kind": "split"}], "split")):
        with pytest.raises(VertexError, match=words):
            vertex.clean_up_rule("books", 1, 1, "title", steps)
    with pytest.raises(VertexError, match="colour"):
        vertex.clean_up_rule("books", 1, 1, "colour", [])


def test_the_client_comments_and_assigns(world: World, vertex: Vertex) -> None:
    said = vertex.comment("books", 1, "Who looks at this, @nobody?")
    assert (said.text, said.unknown) == ("Who looks at this, @nobody?", ["nobody"])
    assert vertex.comment_breakage(world.breakage.pk, "I do").breakage == world.breakage.pk
    assert {"Who looks at this, @nobody?", "I do"} <= {each.text for each in vertex.list_comments("books", 1)}
    assert "I do" in {each.text for each in vertex.list_breakage_comments(world.breakage.pk)}
    assert vertex.assign("books", 1, said.by).number == 1
    assert vertex.assign_breakage(world.breakage.pk, said.by).id == world.breakage.pk
    assigned = {"assignee__username": said.by}
    assert Cluster.objects.filter(pk=world.cluster.pk, **assigned).exists()
    assert Breakage.objects.filter(pk=world.breakage.pk, **assigned).exists()
