"""From clusters to their templates and wrappers, as the command prints and writes them."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from extraction.models import Clustering, Run, Site
from extraction.services.lab import group_templates
from tests.services import factory

pytestmark = pytest.mark.django_db

FRAME = "<html><body><nav><a href=/>Start</a></nav>{}<footer>All rights reserved</footer></body></html>"


@pytest.fixture
def shop() -> Site:
    site = factory.site("Shop")
    for number in range(6):
        content = f"<article><h1>Lamp {number}</h1><b>Price</b><p>{number} EUR</p></article>"
        factory.snapshot(site, f"https://shop.example/lamp/{number}", FRAME.format(content).encode())
    for number in range(4):
        rows = "".join(f"<li>Item {number}{row}</li>" for row in range(3 + number))
        factory.snapshot(site, f"https://shop.example/list/{number}", FRAME.format(f"<h2>Range</h2><ul>{rows}</ul>").encode())
    factory.snapshot(site, "https://shop.example/broken", b"")
    return site


@pytest.mark.parametrize("method", ["masked-shingles", "rtdm"])
def test_one_command_leads_from_clusters_to_a_wrapper_for_each(shop: Site, method: str, tmp_path: Path) -> None:
    out = StringIO()
    call_command("roadrunner", "shop", "--clusters", method, "--output", str(tmp_path / "out"), stdout=out)
    heads = [line for line in out.getvalue().splitlines() if line.startswith("# group")]
    assert heads and heads[0].startswith("# group 1: 6 pages") and "the wrapper has 2 fields and matches 6 of 6 pages" in heads[0]
    written = {path.name: path.read_text() for path in (tmp_path / "out").iterdir()}
    assert {"001-pages.txt", "001-paths.txt", "001-wrapper.txt", "001-data.tsv"} <= set(written)
    assert sorted(written["001-pages.txt"].split()) == [f"https://shop.example/lamp/{number}" for number in range(6)]
    assert "html/body/article/b/#Price" in written["001-paths.txt"].splitlines()
    rows = [line.split("\t") for line in written["001-data.tsv"].splitlines()]
    assert sorted(row[1:] for row in rows[1:]) == [[f"Lamp {number}", f"{number} EUR"] for number in range(6)]


def test_without_a_folder_the_wrappers_are_printed(shop: Site) -> None:
    out = StringIO()
    call_command("roadrunner", "shop", "--clusters", "rtdm", stdout=out)
    assert "#PCDATA" in out.getvalue() and "<article>" in out.getvalue()


def test_the_templates_of_the_site_serve_as_clusters(shop: Site) -> None:
    cluster = factory.cluster(shop)
    for number in range(3):
        factory.snapshot(shop, f"https://shop.example/new/{number}", FRAME.format(f"<h3>New {number}</h3>").encode(), cluster=cluster)
    (found,) = group_templates.find_wrappers(shop, group_templates.TEMPLATES)
    assert len(found.urls) == 3 and found.found and found.paths == ("html/body/h3",)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["1", "--clusters", "lsh"], "leave the template out"),
        (["--output", "folder"], "--output needs --clusters"),
    ],
)
def test_arguments_that_contradict_each_other_are_refused(shop: Site, arguments: list[str], said: str) -> None:
    factory.cluster(shop)
    with pytest.raises(CommandError, match=said):
        call_command("roadrunner", "shop", *arguments)


def test_a_site_without_pages_has_no_clusters() -> None:
    factory.site("Bare")
    with pytest.raises(CommandError, match="no pages that can be compared"):
        call_command("roadrunner", "bare", "--clusters", "lsh")


def test_template_paths_are_exported_for_each_group(shop: Site) -> None:
    pages = list(shop.pages.order_by("pk").values_list("pk", flat=True))
    run = factory.run(shop, Run.Kind.LAB, Run.State.DONE)
    clustering = Clustering.objects.create(site=shop, run=run, method="lsh", groups=[pages[:6], pages[6:10], pages[10:]])
    lines = [line.split("\t") for line in group_templates.write_templates(clustering).splitlines()]
    assert lines[0] == ["group", "pages", "path"]
    assert ["0", "11", "html/body/nav/a/#Start"] in lines and ["1", "6", "html/body/article/b"] in lines
    assert ["2", "4", "html/body/h2/#Range"] in lines and not [line for line in lines if line[0] == "3"]
