"""What the documents tell people to type and to press is there: commands, addresses of the API, code, names on screens."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from extraction.api.application import api
from extraction.models import RecordType, Site
from tests.test_docs import DOCUMENTS, ROOT
from tests.translations.catalogues import list_texts, read_catalogue
from tests.views import world as worlds
from vertex import client
from vertex.command_line import local
from vertex.command_line.__main__ import main

GUIDES = [ROOT / "docs" / "start.md", *sorted((ROOT / "docs" / "guides").glob("*.md")), *sorted((ROOT / "docs" / "recipes").glob("*.md"))]

NOT_ON_SCREENS = {
    *("Inkhorn Lane", "Article", "Job", "Product"),  # what somebody calls a site or a record type
    *("watched pages", "refresh", "target", "latest files", "back"),  # words that are explained where they stand
}

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
_NAME = re.compile(r"(?<![*\w])\*([^*\n]+?)\*(?!\*)")


def list_blocks(document: Path, language: str) -> list[str]:
    """The blocks of a language in a document, with lines that go on joined."""
    return [text.replace("\\\n", " ") for found, text in _BLOCK.findall(document.read_text()) if found == language]


def list_commands(name: str) -> Iterator[tuple[str, list[str]]]:
    """Yield (document, words after the name) of each command of a program in the documents."""
    for document in DOCUMENTS:
        for block in list_blocks(document, "sh"):
            lexer = shlex.shlex(re.sub(r"\s+# .*$", "", block, flags=re.MULTILINE), posix=True, punctuation_chars="&|;\n<>")
            lexer.whitespace, lexer.whitespace_split, lexer.commenters = " \t", True, ""
            words: list[str] = []
            for word in [*lexer, "\n"]:
                if set(word) <= set("&|;\n<>"):
                    while words and re.match(r"\w+=", words[0]):
                        words.pop(0)
                    if words and Path(words[0]).name == name:
                        yield document.name, words[1:]
                    words = []
                else:
                    words.append(word)


def check_words(command: click.Command, words: list[str], context: click.Context | None = None) -> None:
    """Fail unless a command takes the words: its options are there, and no argument is missing or too many."""
    # With its settings, as when it runs: a command remembers the names of the first help that it was asked for.
    context = click.Context(command, parent=context, info_name=command.name, **command.context_settings)
    values, left, _ = command.make_parser(context).parse_args(list(words))
    if isinstance(command, click.Group):
        inner = command.get_command(context, left[0])
        assert inner is not None, left
        check_words(inner, left[1:], context)
        return
    assert not left or context.allow_extra_args, left
    for each in command.params:
        assert not isinstance(each, click.Argument) or not each.required or values.get(each.name or ""), (each.name, words)


def test_every_command_of_the_documents_is_one() -> None:
    found = list(list_commands("vertex"))
    assert len(found) > 80
    for document, words in found:
        if words[:1] == ["manage"]:  # gives its words to a management command
            continue
        try:
            check_words(main, words)
        except (click.UsageError, AssertionError) as error:
            pytest.fail(f"{document}: vertex {' '.join(words)}: {error}")


@pytest.mark.django_db(transaction=True)
def test_every_record_type_of_the_documents_can_be_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "set_up", lambda: None)
    found = [words for _, words in list_commands("vertex") if words[0] == "add-type"]
    assert found
    for words in found:
        RecordType.objects.all().delete()
        done = CliRunner().invoke(main, words)
        assert done.exit_code == 0, (words, done.output)
        assert RecordType.objects.get().attributes.count() == len(words) - 2


def test_every_request_of_the_documents_is_an_operation() -> None:
    operations = api.get_openapi_schema()["paths"]
    found = list(list_commands("curl"))
    requests = [words for _, words in found if any("$api/" in word for word in words)]
    assert len(requests) > 25
    for words in requests:
        path = "/api/v1/" + next(word for word in words if "$api/" in word).partition("$api/")[2].partition("?")[0]
        sent = "post" if {"-d", "-F"} & set(words) else "get"
        method = words[words.index("-X") + 1].lower() if "-X" in words else sent
        fitting = [each for each in operations if re.fullmatch(re.sub(r"\{[^}]+\}", "[^/]+", each), path)]
        assert any(method in operations[each] for each in fitting), f"{method} {path}"


def test_code_of_the_documents_calls_what_the_client_has() -> None:
    blocks = [block for document in DOCUMENTS if document.parent.name != "reference" for block in list_blocks(document, "python")]
    assert len(blocks) >= 3
    for block in blocks:
        compile(block, "documents", "exec")
        if "from vertex.client import" in block:
            for name in re.findall(r"\bvertex\.(\w+)\(", block):
                assert hasattr(client.Vertex, name), name


@pytest.mark.django_db(transaction=True)
def test_the_code_for_data_users_prints_their_records(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], sent: list[int]
) -> None:
    Site.objects.filter(pk=worlds.make().site.pk).update(slug="inkhorn-lane")

    def connect(_url: str, *, token: str) -> local.LocalVertex:
        assert token.startswith("vxa_")
        return local.LocalVertex(here=False)

    monkeypatch.setattr(client, "Vertex", connect)
    (block,) = list_blocks(ROOT / "docs" / "guides" / "data-user.md", "python")
    names: dict[str, Any] = {}
    exec(block, names)
    assert "Book 0" in capsys.readouterr().out


@pytest.mark.parametrize("document", GUIDES, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_names_in_the_guides_are_on_the_screens(document: Path) -> None:
    shown = {
        re.sub(r"\s+", " ", form).strip()
        for domain in ("django", "djangojs")
        for text, _ in list_texts(read_catalogue("de", domain))
        for form in text
    }
    prose = re.sub(r"`[^`]*`", "", re.sub(r"^```.*?^```", "", document.read_text(), flags=re.MULTILINE | re.DOTALL))
    assert not [name for name in _NAME.findall(prose) if name not in shown | NOT_ON_SCREENS]
