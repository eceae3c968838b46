"""How pages are fetched, by the API: secrets go in and never come out."""

import json
from collections.abc import Callable
from typing import Any

from django.test import Client

from extraction.fetching.hidden_texts import HIDDEN
from extraction.services.sites.fetching import get_fetching, read_private
from tests.views.world import World


def test_headers_and_cookies_are_set_and_hidden(program: Callable[..., Client], world: World) -> None:
    client, address = program("editor"), f"/api/v1/sites/{world.site.slug}/fetching"
    body = {"headers": {"X-Api-Key": "k3y-of-api", "Accept-Language": "de"}, "cookies": {"session": "c00kie"}}
    answer = client.patch(address, json.dumps(body), "application/json")
    expected = {
        "headers": {"X-Api-Key": HIDDEN, "Accept-Language": "de"},
        "cookies": {"session": HIDDEN},
        "proxy": "",
        "unreadable": "",
    }
    assert answer.status_code == 200, answer.content
    assert {name: answer.json()[name] for name in expected} == expected
    assert client.get(address).json() == answer.json()
    back = client.patch(address, json.dumps({"headers": answer.json()["headers"]}), "application/json")
    assert back.status_code == 200
    assert read_private(get_fetching(world.site)).headers == body["headers"]


def test_what_cannot_be_set_is_named_and_not_repeated(program: Callable[..., Client], world: World) -> None:
    address = f"/api/v1/sites/{world.site.slug}/fetching"
    for headers in ({"Host": "s3cret"}, {"X-Key": "s3cret\nHost: x"}):
        answer: Any = program("editor").patch(address, json.dumps({"headers": headers}), "application/json")
        assert answer.status_code == 422
        assert answer.json()["errors"][0]["field"] == "body.headers"
        assert "s3cret" not in answer.content.decode()
