"""Requests to the workbench that no workbench sends: each is answered with a 400 that says what is wrong."""

import json
import random
from typing import Any

import pytest

from extraction.models import Label
from tests.annotations.requests import address, attribute, page

pytestmark = pytest.mark.django_db

NUMBERS = ["9" * 10, "9" * 19, "9" * 20, "9" * 5_000, "-1", "1e9", "0x1", "１２", "²", "\x00", "NaN"]
BODIES = [
    b"[" * 5_000,
    b'{"page":' * 100_000,
    b'{"page": ' + b"[" * 900 + b"]" * 900 + b"}",
    b'{"page": 1, "changes": [' + b"[" * 850 + b"]" * 850 + b"]}",
    b'{"page": ' + b"9" * 5_000 + b"}",
    b'{"page": 1e999, "changes": []}',
    b'{"page": "\\ud800"}',
    b"\xff\xfe",
    b"",
    b"null",
]


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize(
    ("name", "parameter"),
    [
        ("workbench_state", "also"),
        ("workbench_without", "pages"),
        ("workbench_advice", "begun"),
        ("workbench_dimmed", "page"),
        ("workbench_draft", "attribute"),
        ("workbench_tree", "after"),
        ("workbench_tree", "node"),
    ],
)
def test_a_number_that_cannot_be_one_is_a_bad_request(signed_in, shop, name: str, parameter: str, number: str) -> None:
    query = {"page": page(shop).pk, "attribute": attribute().pk, parameter: number}
    response = signed_in("editor").get(address(name), query)
    assert response.status_code in ({200, 400} if number in {"１２", "9" * 10} else {400})
    if number == "\x00":  # refused before a view sees it
        assert "NUL" in response.text
    else:
        assert "error" in response.json() or response.status_code == 200


@pytest.mark.parametrize("body", BODIES, ids=range(len(BODIES)))
def test_a_body_that_is_no_change_is_a_bad_request(signed_in, shop, body: bytes) -> None:
    response = signed_in("editor").post(address("workbench_label"), body, content_type="application/json")
    assert response.status_code == 400
    assert 0 < len(response.json()["error"]) < 600


def make_value(source: random.Random, depth: int = 0) -> Any:
    """Return a JSON value: numbers at the edges, names that a change has, nested up to five levels."""
    simple: list[Any] = [None, True, -1, 0, 1, 2**31, 2**63, 10**30, 1.5, "", "text", "\x00", "node", "9" * 30]
    if depth > 4 or source.random() < 0.4:
        return source.choice(simple)
    values = [make_value(source, depth + 1) for _ in range(source.randrange(4))]
    return values if source.random() < 0.5 else dict(zip(("node", "kind", "text", "start"), values, strict=False))


def test_generated_changes_are_saved_or_refused(signed_in, shop) -> None:
    client, source = signed_in("editor"), random.Random(5)
    for _ in range(300):
        change = {"attribute": attribute().pk, "locations": [make_value(source)], "row": source.choice([0, 1, make_value(source)])}
        change[source.choice(list(change))] = make_value(source)
        body = {"page": page(shop).pk, "changes": [change]}
        response = client.post(address("workbench_label"), json.dumps(body), content_type="application/json")
        assert response.status_code in {200, 400}, (change, response.content)
    assert Label.objects.count() < 300
