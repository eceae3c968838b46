"""The parts of a template's pages that each detector counts as template, as the command prints them."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from extraction.models import Cluster
from extraction.services.templates import boilerplate, boilerplate_detectors, boilerplate_parts
from extraction.services.templates.boilerplate_detectors import METHODS, DetectorOptions
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
    whole = boilerplate_detectors._within("ab cd ef", [0, 3], 0, 8)
    assert (whole.size_bytes, whole.words, whole.links) == (8, 3, 2)
    cut = boilerplate_detectors._within("ab cd ef", [0, 3], 1, 7)
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


def marked(cluster: Cluster, method: str, html: str, **options: int) -> list[tuple[str, str]]:
    page = boilerplate_parts.mark_page(cluster, method, html.encode(), DetectorOptions(**options))
    return [("template" if each.template else "content", each.text) for each in page.segments]


NEW = (
    "<html lang=en><body><div id=menu><a href=/a>Home</a></div><div id=story><h1>clock shows hours</h1></div>"
    f"<div id=foot>{FOOT}</div></html>"
)


@pytest.mark.parametrize("method", METHODS)
def test_each_detector_marks_a_page_that_it_never_saw(stories: Cluster, method: str) -> None:
    found = marked(stories, method, NEW)
    assert ("template", FOOT[-32:]) in [(kind, text[-32:]) for kind, text in found]
    assert "clock shows hours" in "".join(text for kind, text in found if kind == "content")
    assert " ".join(text for _, text in found).split() == ["Home", "clock", "shows", "hours", *FOOT.split()]


def test_a_label_beside_a_value_is_template_though_its_element_is_not(stories: Cluster) -> None:
    group = factory.cluster(stories.site, number=2)
    for number in range(4):
        content = f"<p>Made by <b>maker {number}</b> in {1990 + number}<br>Free shipping</p>"
        factory.snapshot(group.site, f"https://news.example/p{number}", content.encode(), cluster=group)
    assert marked(group, "gibson-elements", "<p>Made by <b>nobody</b> in 2024<br>Free shipping</p>") == [
        ("template", "Made by"),
        ("content", "nobody in 2024"),
        ("template", "Free shipping"),
    ]
    report = boilerplate_parts.report(group, "gibson-elements")
    assert report and [(part.text, part.place, part.pages) for part in report.parts if part.text] == [
        ("Free shipping", "br", 4),
        ("Made by", "p", 4),
    ]


def test_the_options_of_the_text_detector_decide_what_is_template(stories: Cluster) -> None:
    assert marked(stories, "gibson-text", NEW, window=len(FOOT) + 60)[0][0] == "content", "no text is as long as the window"
    assert ("template", "Home") not in marked(stories, "gibson-text", NEW)
    assert marked(stories, "gibson-text", NEW, window=4)[0] == ("template", "Home")
    assert {kind for kind, _ in marked(stories, "gibson-text", NEW, frequency=5)} == {"content"}, "there are only four pages"
    fewer = marked(stories, "gibson-text", NEW, divisor=7)
    assert sum(len(text) for kind, text in fewer if kind == "template") <= len(FOOT) + 4
    shares = boilerplate_parts.mark_page(stories, "gibson-text", NEW.encode(), DetectorOptions(pages=2)).shares
    assert shares.pages == 2 and 0 < shares.size < 1


def test_a_page_of_the_sample_is_marked_by_the_other_pages(stories: Cluster) -> None:
    first = stories.snapshots.order_by("pk").first()
    assert first
    page = boilerplate_parts.mark_page(stories, "gibson-text", first, DetectorOptions(frequency=4))
    assert page.shares.pages == 3 and not any(each.template for each in page.segments)


def test_the_command_marks_pages_of_the_site_and_files(stories: Cluster, tmp_path: Path) -> None:
    file = tmp_path / "new.html"
    file.write_text(NEW)
    out = StringIO()
    address = "https://news.example/1"
    call_command("boilerplate", "news", "1", "--mark", str(file), "--mark", address, "--low", "3", stdout=out)
    lines = out.getvalue().splitlines()
    assert lines[0].startswith(f"{file}: ") and lines[0].endswith("are template, by 4 other pages")
    assert lines[1:4] == ["template  Home", "content   clock shows hours", f"template  {FOOT}"]
    assert lines[4].startswith(f"{address}: ") and lines[4].endswith("by 3 other pages") and lines[6] == "content   lamp lights rooms"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--method", "gibson-elements", "--window", "5"], "--window is an option of --method gibson-text"),
        (["--method", "gibson-text", "--frequency", "1"], "whole number of at least 2"),
        (["--method", "gibson-text", "--divisor", "x"], "whole number of at least 0"),
        (["--low", "9", "--high", "3"], "2 ≤ low ≤ high is needed, got 9 and 3"),
        (["--mark", "nowhere.html"], "neither a page of News nor a file that can be read"),
    ],
)
def test_options_without_sense_are_refused(stories: Cluster, arguments: list[str], said: str) -> None:
    with pytest.raises(CommandError, match=said):
        call_command("boilerplate", "news", "1", *arguments)


def test_marking_needs_a_template_and_other_pages(stories: Cluster) -> None:
    with pytest.raises(CommandError, match="--mark needs a template"):
        call_command("boilerplate", "news", "--mark", "x.html")
    alone = factory.snapshot(stories.site, "https://news.example/x", b"<p>x", cluster=factory.cluster(stories.site, number=2))
    with pytest.raises(CommandError, match="fewer than two other readable pages"):
        call_command("boilerplate", "news", "2", "--mark", alone.page.url)
