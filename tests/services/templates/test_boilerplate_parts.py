"""The parts of a template's pages that each detector counts as template, as the command prints them."""

from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from extraction.models import Cluster
from extraction.services.templates import boilerplate, boilerplate_parts
from extraction.services.templates.boilerplate_parts import METHODS
from tests.services import factory

pytestmark = pytest.mark.django_db

FOOT = "All rights reserved by the makers of this page, whoever they are"
STORIES = ("kettle boils tea", "lamp lights rooms", "chair carries people", "shelf holds wool")


@pytest.fixture
def stories() -> Cluster:
    group = factory.cluster(factory.site("News"))
    for number, words in enumerate(STORIES):
        content = f"<html lang=en><body><div id=menu><a href=/a>Home</a></div><div id=story><h1>{words}</h1></div><div id=foot>{FOOT}</div>"
        factory.snapshot(
            group.site, f"https://news.example/{number}", f"{content}<script>go()</script></body></html>".encode(), cluster=group
        )
    return group


@pytest.mark.parametrize("method", METHODS)
def test_each_detector_finds_the_footer_and_leaves_the_story(stories: Cluster, method: str) -> None:
    found = boilerplate_parts.report(stories, method)
    assert found and found.shares.pages == 4
    foot = next(part for part in found.parts if FOOT[-32:] in part.text)
    assert foot.pages == 4 and foot.size_bytes >= 4 * len(FOOT)
    assert not any(words in part.text for part in found.parts for words in STORIES)
    assert 0 < found.shares.size < 1
    assert found.shares.words == pytest.approx(len(FOOT.split()) / (len(FOOT.split()) + 4), abs=0.08)


def test_elements_have_the_shares_of_the_dashboard(stories: Cluster) -> None:
    found, shown = boilerplate_parts.report(stories, "gibson-elements"), boilerplate.measure_shares(stories)
    assert found and found.shares == shown and shown.links == 1


def test_links_and_words_of_text_are_counted_where_they_begin() -> None:
    whole = boilerplate_parts._within("ab cd ef", [0, 3], 0, 8)
    assert (whole.size_bytes, whole.words, whole.links) == (8, 3, 2)
    cut = boilerplate_parts._within("ab cd ef", [0, 3], 1, 7)
    assert (cut.size_bytes, cut.words, cut.links) == (6, 2, 1), "ab began before, ef begins within"


def test_the_command_prints_shares_and_parts(stories: Cluster) -> None:
    out = StringIO()
    call_command("boilerplate", "news", "1", "--method", "infodiscoverer", "--parts", "1", stdout=out)
    first, part, *rest = out.getvalue().splitlines()
    assert first.startswith("Template 1: ") and first.endswith("of 4 pages are template") and "of the links" in first
    assert part.startswith("    4 pages") and "All rights" in part and rest == ["and 1 more"]


def test_without_a_template_all_are_printed_and_a_single_page_has_no_parts(stories: Cluster) -> None:
    factory.snapshot(stories.site, "https://news.example/x", b"<p>x", cluster=factory.cluster(stories.site, number=2))
    out = StringIO()
    call_command("boilerplate", "news", stdout=out)
    assert [line.split(":")[0] for line in out.getvalue().splitlines()] == ["Template 1", "Template 2"]
    assert "takes at least two pages" in out.getvalue()
    with pytest.raises(CommandError, match="fewer than two pages"):
        call_command("boilerplate", "news", "2")
