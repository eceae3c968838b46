"""Each fuzzer for a moment; with VERTEX_FUZZ_SECONDS, which `python -m tests.fuzz` sets, for so long and with new inputs each time."""

import json
import os
import re
import time
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest
from django.db import transaction
from django.urls import reverse
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st
from lxml import html

from tests.annotations.requests import address, attribute, page
from tests.fuzz import checks, inputs
from tests.services import factory
from tests.views.core.test_access import ACT, BOTH, LOOK
from tests.views.world import World, make

SECONDS = float(os.environ.get("VERTEX_FUZZ_SECONDS") or 0)
SEED = int(os.environ.get("VERTEX_FUZZ_SEED") or 1)
QUIET = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture, HealthCheck.data_too_large, HealthCheck.large_base_example]
ROOT = Path(__file__).resolve().parents[2]
NAMES = sorted(
    {
        name
        for folder in ("extraction/views", "extraction/forms", "annotations")
        for path in (ROOT / folder).rglob("*.py")
        for name in re.findall(r'(?:GET|POST|data|asked|query)(?:\.get|\.getlist)?[(\[]"([\w-]+)"', path.read_text())
    }
)
"""Names that views and forms ask for in requests."""

NETWORK = {"alert_channel_test", "delivery_target_test", "delivery_target_preview"}
"""Addresses whose views connect to other machines."""


def run(check: Callable[..., None], *strategies: st.SearchStrategy[Any], examples: int) -> None:
    """Try a check on so many inputs, or until VERTEX_FUZZ_SECONDS are over."""
    if not SECONDS:
        settings(max_examples=examples, suppress_health_check=QUIET, database=None)(given(*strategies)(check))()
        return
    end, tried = time.monotonic() + SECONDS, 0
    while time.monotonic() < end:
        again = seed(SEED * 1_000_000 + tried)(given(*strategies)(_copy(check)))
        settings(max_examples=200, derandomize=False, suppress_health_check=QUIET, database=None)(again)()
        tried += 200
    print(f"\n{check.__name__}: {tried:,} inputs in {SECONDS:,.0f} s, seed {SEED}")


def _copy(check: Callable[..., None]) -> Callable[..., None]:
    """Return the check as a function of its own, because hypothesis seeds a function only once."""
    return FunctionType(check.__code__, check.__globals__, check.__name__, check.__defaults__, check.__closure__)


def test_reading_pages() -> None:
    run(checks.check_reading, inputs.pages(), examples=40)


def test_sanitising_pages() -> None:
    run(checks.check_sanitising, inputs.pages(), examples=40)


def test_style_sheets() -> None:
    run(checks.check_sheet, inputs.sheets, examples=50)


def test_archives() -> None:
    run(checks.check_archive, inputs.archives(), examples=40)


def test_files_of_rules() -> None:
    run(checks.check_bundle, inputs.bundles(), examples=30)


@pytest.fixture
def world(db: None, sent: list[int]) -> World:
    return make()


def find_fields(client: Any, world: World) -> dict[str, list[str]]:
    """Return the names of the fields of each address that takes a form."""
    fields: dict[str, list[str]] = {}
    for name in (*LOOK, *ACT):
        shown = client.get(reverse(name, args=world.address(name))) if name in BOTH else None
        text = shown.content.decode() if shown and shown.status_code == 200 and not shown.streaming else ""
        found = (
            [str(each.get("name")) for each in html.fromstring(text).iter("input", "select", "textarea") if each.get("name")]
            if text
            else []
        )
        if name in ACT or name in BOTH:
            fields[name] = sorted({*found, *(NAMES if not found else [])})
    return fields


def test_forms(signed_in: Any, world: World) -> None:
    client = signed_in("admin")
    fields = {name: each for name, each in find_fields(client, world).items() if name not in NETWORK}

    def check(data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(sorted(fields)))
        names = data.draw(st.lists(st.sampled_from(fields[name]), max_size=8))
        body = {each: data.draw(st.one_of(inputs.form_values, st.lists(inputs.form_values, max_size=3))) for each in names}
        with transaction.atomic():
            status = client.post(reverse(name, args=world.address(name)), body).status_code
            transaction.set_rollback(True)
        assert status < 500, (name, body)

    run(check, st.data(), examples=30)


def test_addresses_with_any_query(signed_in: Any, world: World) -> None:
    client = signed_in("admin")

    def check(data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(sorted({*LOOK} - NETWORK)))
        query = data.draw(st.dictionaries(st.sampled_from(NAMES), inputs.form_values, max_size=5))
        answer = client.get(reverse(name, args=world.address(name)), query)
        assert answer.status_code < 500, (name, query)
        if answer.streaming:
            b"".join(answer.streaming_content)

    run(check, st.data(), examples=25)


JSON_POSTS = (
    "workbench_label",
    "workbench_undo",
    "workbench_redo",
    "workbench_record_type",
    "workbench_publish",
    "workbench_learn",
    "workbench_load_looks",
)
JSON_NAMES = (
    "page",
    "changes",
    "attribute",
    "locations",
    "row",
    "node",
    "kind",
    "text",
    "start",
    "end",
    "step",
    "name",
    "list",
    "rule",
    "version",
    "slug",
)


def test_json_of_the_workbench(signed_in: Any, db: None, sent: list[int]) -> None:
    from extraction.services.learning import workspaces

    workspaces.forget_workspaces()
    shop = factory.shop(4)
    client, pk = signed_in("editor"), page(shop).pk

    def check(name: str, value: Any, change: Any) -> None:
        value = (
            {"page": pk, "changes": [{"attribute": attribute().pk, "locations": [change]}]} if change and isinstance(value, int) else value
        )
        with transaction.atomic():
            answer = client.post(address(name), json.dumps(value), content_type="application/json")
            transaction.set_rollback(True)
        assert answer.status_code < 500, (name, value)

    values = inputs.json_values(*JSON_NAMES)
    run(check, st.sampled_from(JSON_POSTS), values, values, examples=40)
