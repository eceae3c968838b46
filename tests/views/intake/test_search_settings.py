"""The settings of a search: entered on the screen, sent by the API, and carried by a site's files."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from extraction.models import Source
from extraction.services.sites import sources
from tests.views.intake.test_crawls import USUAL, internet  # noqa: F401 - the fixture is used by its name
from tests.views.world import World

pytestmark = pytest.mark.django_db

SEARCH = {"search_address": "https://www.shop.example/find", "search_terms": "lamp\nchair\nlamp"}


def save(signed_in: Any, world: World, **entered: Any) -> Any:
    return signed_in("editor").post(reverse("source_edit", args=[world.site.slug]), USUAL | {"addresses": ""} | entered)


def test_a_search_alone_is_a_source(signed_in: Any, world: World) -> None:
    assert save(signed_in, world, **SEARCH, search_fields="q\nin = books").status_code == 302
    source = Source.objects.get(site=world.site)
    assert (source.search_terms, source.search_fields, source.search_pages) == (["lamp", "chair"], ["q", "in = books"], 20)
    assert source.is_set and "www.shop.example" in sources.list_hosts(source) and sources.is_secure(source)


def test_terms_can_be_uploaded(signed_in: Any, world: World) -> None:
    file = SimpleUploadedFile("terms.txt", "\ufefflamp\r\nStühle\n\n".encode())
    save(signed_in, world, **SEARCH | {"search_terms": "desk"}, terms_file=file)
    assert Source.objects.get(site=world.site).search_terms == ["desk", "lamp", "Stühle"]


@pytest.mark.parametrize(
    ("entered", "said"),
    [
        ({"search_terms": "lamp"}, "Enter the address of the page with the search form."),
        ({"search_address": "https://www.shop.example/find"}, "Enter the terms to search for"),
        ({"search_address": "http://127.0.0.1/", "search_terms": "lamp"}, "not an address of the public internet"),
        (SEARCH | {"search_fields": "q\nq = 1"}, "q stands there twice."),
        (SEARCH | {"search_fields": "= 1"}, "does not begin with the name of a field"),
        (SEARCH | {"search_fields": "q\ntown"}, "“lamp” must have 2 parts with | between them"),
        (SEARCH | {"search_terms": "x" * 201}, "is too long"),
        (SEARCH | {"search_terms": "\n".join(f"term {n}" for n in range(10_001))}, "There are 10,001 terms; at most 10,000"),
        (SEARCH | {"search_pages": "1001"}, "at most 1000"),
        (SEARCH | {"terms_file": SimpleUploadedFile("terms.txt", b"\xff\xfe\x00")}, "terms.txt is not a text file in UTF-8."),
    ],
)
def test_a_search_that_cannot_be_asked_is_refused(signed_in: Any, world: World, entered: Any, said: str) -> None:
    answer = save(signed_in, world, **entered)
    assert answer.status_code == 400 and said in answer.content.decode().replace("&quot;", '"')
