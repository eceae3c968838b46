"""JSON that is nested without end, or holds NUL or halves of characters, is refused at every door."""

import ast
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from extraction.algorithms.json_texts import parse_json
from extraction.forms.corrections import CorrectionForm
from extraction.models import ApiScope
from extraction.services.core import api_tokens
from extraction.services.deliveries.senders import other
from extraction.services.deliveries.senders.reach import DeliveryError
from tests.services import factory
from vertex.client import Vertex
from vertex.command_line import mcp_server

DEEP = "[" * 7_500
BAD = [
    DEEP,
    '{"name":' * 2_000,
    '"\\ud800"',
    '{"name": "a\\uDFFF"}',
    '{"\\udc00": 1}',
    b'"\xed\xa0\x80"',
    b"\xff",
    "9" * 5_000,
    '"a\\u0000"',
    '{"\\u0000": 1}',
    '"\\\\\\u0000"',
]

OWN_PROCESSES = {
    "extraction/fetching/crawl/messages.py",
    "extraction/fetching/crawl/render.py",
    "extraction/fetching/crawl/session.py",
    "extraction/services/lab/method_process.py",
    "extraction/services/rules/xpath_trial.py",
    "extraction/services/suggestions/markup_process.py",
    "extraction/services/suggestions/page_data.py",
    "extraction/services/templates/boilerplate.py",
    "extraction/services/joins/pairing.py",
    "extraction/services/core/sandbox.py",
    "extraction/services/core/sandbox_child.py",
    "extraction/services/core/sealed_secrets.py",
    "extraction/services/core/careful_calls.py",
    "extraction/services/core/backup/tables.py",
    "extraction/services/core/backup/archive.py",
    "extraction/management/commands/fetching.py",
}
"""They read what Vertex or the administrator of the machine has written."""

CATCHES_ITSELF = {
    "extraction/algorithms/json_texts.py",
    "extraction/algorithms/bundles/bundle.py",
    "extraction/algorithms/bundles/crawl_templates.py",
    "extraction/algorithms/markup/json_ld.py",
}


@pytest.mark.parametrize("text", BAD, ids=lambda text: repr(text[:12]))
def test_it_is_no_json(text: str | bytes) -> None:
    with pytest.raises(ValueError):
        parse_json(text)


@pytest.mark.parametrize("text", ['"\\ud83d\\ude00"', '"\\\\ud800"', '"\\\\u0000"', '{"name": "é"}', '"\\u0065"'])
def test_whole_characters_are_read(text: str) -> None:
    assert parse_json(text) == parse_json(text.encode()) == json.loads(text)


def test_every_door_reads_json_that_way() -> None:
    found = set()
    for folder in ("extraction", "annotations"):
        for path in Path(settings.BASE_DIR, folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Attribute) and node.attr in ("loads", "load") and ast.unparse(node.value) == "json":
                    found.add(str(path.relative_to(settings.BASE_DIR)))
    assert found == OWN_PROCESSES | CATCHES_ITSELF


def test_the_api_refuses_it(db: None, person: Callable[[str], Any]) -> None:
    client = Client(headers={"Authorization": f"Bearer {api_tokens.create_token(person('operator'), 'test', list(ApiScope))}"})
    for text in (DEEP, '{"name": "\\ud800"}', '{"name": "a\\u0000"}', b'{"name": "\xed\xa0\x80"}', '{"name": ' + "9" * 5_000 + "}"):
        assert client.post("/api/v1/sites", text, content_type="application/json").status_code == 400


def test_the_api_refuses_nul_in_fields_of_forms(db: None, person: Callable[[str], Any]) -> None:
    client = Client(headers={"Authorization": f"Bearer {api_tokens.create_token(person('operator'), 'test', list(ApiScope))}"})
    for data in ({"team": "a\0"}, {"into": "\0", "file": io.BytesIO(b"x")}):
        answer = client.post("/api/v1/site-files", data)
        assert (answer.status_code, answer.json()["detail"]) == (400, "A text cannot contain the character NUL.")


def test_the_dashboard_refuses_it(db: None, signed_in: Callable[[str], Client]) -> None:
    page = factory.snapshot(factory.site("Books"), "https://shop.example/1", b"<p>1", cluster=None)
    shown = signed_in("viewer").get(f"/frames/{page.pk}/", {"mark": DEEP})
    assert shown.status_code != 500 and b"nested too deeply" in shown.content
    assert "seen" in CorrectionForm({"attribute": "title", "seen": DEEP, "values": "Emma"}).errors
    with pytest.raises(DeliveryError, match="not JSON"):
        other.read_options(DEEP)


def test_the_server_for_assistants_refuses_it_and_goes_on() -> None:
    answers = io.StringIO()
    mcp_server.serve(Vertex("http://127.0.0.1:1", "token"), io.StringIO(f'{DEEP}\n{{"id": 1, "method": "ping"}}\n'), answers)
    first, second = map(json.loads, answers.getvalue().splitlines())
    assert first["error"]["code"] == mcp_server.PARSE_ERROR and second["result"] == {}
