"""The main job with the client, with commands, and from a folder of files gives the CSV that the dashboard gives, byte for byte."""

import csv
import zipfile
from collections.abc import Callable, Iterator
from html import escape
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from extraction.models import RecordType, Site, Source
from extraction.services.sites import sites
from tests.services import factory
from vertex.client import Vertex
from vertex.command_line import local
from vertex.command_line.__main__ import main

PAGES = 8
MARKED = (1, 2, 5)
ATTRIBUTES: list[dict[str, Any]] = [
    {"name": "name", "mandatory": True},
    {"name": "price", "type": "price"},
    {"name": "since", "type": "date"},
    {"name": "materials", "multiple": True},
    {"name": "who", "list": "reviews"},
    {"name": "stars", "type": "number", "list": "reviews"},
]


@pytest.fixture(autouse=True)
def ready(monkeypatch: pytest.MonkeyPatch, transactional_db: None, sent: list[int]) -> None:
    """The tests have loaded Django already."""
    monkeypatch.setattr(local, "set_up", lambda: None)


@pytest.fixture
def vertex() -> Iterator[Vertex]:
    with local.LocalVertex(here=True) as client:
        yield client


def get_url(number: int) -> str:
    return f"https://tools.example/item/{number}"


def list_values(number: int) -> dict[str, list[str]]:
    """The values of a page; of lists, one for each row."""
    return {
        "name": [f"Müller & Sons saw, no. {number}"],
        "price": [f"£{number},204.50"] if number % 4 else [],
        "since": [f"{number + 1} April 2026"],
        "materials": [f"oak of {number}", f"brass of {number}", f"ash of {number}"][: 1 + number % 3],
        "who": [f"Ann {number}{row}" for row in range(number % 3)],
        "stars": [f"{number}{row}" for row in range(number % 3)],
    }


def write_page(number: int) -> str:
    values = list_values(number)
    price = "".join(f"<b class=price>{each}</b>" for each in values["price"])
    materials = "".join(f"<li>{each}</li>" for each in values["materials"])
    pairs = zip(values["who"], values["stars"], strict=True)
    reviews = "".join(f"<article><b class=who>{who}</b><i class=stars>{stars}</i></article>" for who, stars in pairs)
    facts = f"<div class=buy>{price}<button>Buy</button></div><p class=since>{values['since'][0]}</p><ul class=materials>{materials}</ul>"
    return (
        "<html><head><meta charset=utf-8><title>Tools</title></head><body><nav><a href=/>Home</a></nav>"
        f"<main><h1>{escape(values['name'][0])}</h1>{facts}<section class=reviews><h2>Reviews</h2>{reviews}</section></main>"
        "<footer><p>Tools Ltd.</p></footer></body></html>"
    )


def pack(path: Path, numbers: Iterator[int] | range) -> Path:
    """An archive with the pages in this order."""
    with zipfile.ZipFile(path, "w") as archive:
        lines = ["file,url"]
        for number in numbers:
            archive.writestr(f"{number}.html", write_page(number))
            lines.append(f"{number}.html,{get_url(number)}")
        archive.writestr("manifest.csv", "\n".join(lines))
    return path


def list_marks() -> list[tuple[str, str, list[str], int]]:
    """(address, attribute, values, row) of all marks. Without values, the attribute is not there."""
    marks = []
    for number in MARKED:
        for attribute, values in list_values(number).items():
            if attribute in ("who", "stars"):
                marks += [(get_url(number), attribute, [value], row) for row, value in enumerate(values, 1)]
            else:
                marks.append((get_url(number), attribute, values, 0))
    return marks


def run(*arguments: str) -> None:
    done = CliRunner().invoke(main, ["--here", *arguments])
    assert done.exit_code == 0, (arguments, done.output)


def do_with_client(vertex: Vertex, folder: Path) -> None:
    site = vertex.create_site(name="Tools").slug
    vertex.wait(vertex.upload_archive(site, pack(folder / "pages.zip", range(PAGES))))
    tool = vertex.create_record_type("Tool", ATTRIBUTES)
    vertex.change_template(site, 1, record_type=tool.slug)
    pages = {page.url: page.id for page in vertex.list_pages(site, part="1")}
    for url, attribute, values, row in list_marks():
        vertex.mark(site, 1, pages[url], attribute, values or None, row=row)
    vertex.wait(vertex.learn_rule(site, 1))
    vertex.publish_rule(site, 1, next(vertex.list_rules(site, 1)).version)
    vertex.wait(vertex.extract(site, 1))
    vertex.export(site, 1, folder / "pages.csv", sort="url")
    vertex.export(site, 1, folder / "reviews.csv", sort="url", list="reviews")


def do_with_commands(folder: Path) -> None:
    marks = folder / "marks.csv"
    with marks.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["url", "attribute", "value", "row"])
        for url, attribute, values, row in list_marks():
            writer.writerows((url, attribute, value, row or "") for value in values or [""])
    run("site", "add", "--name", "Tools")
    run("import", "tools", str(pack(folder / "pages.zip", reversed(range(PAGES)))))
    run("add-type", "Tool", "name!", "price:price", "since:date", "materials*", "reviews.who", "reviews.stars:number")
    run("template", "tools", "1", "--type", "tool")
    run("annotate", "tools", "1", str(marks))
    run("learn", "tools", "1", "--publish")
    extract_and_export(folder)


def do_with_files(files: Path, folder: Path) -> None:
    """files: of the site, with the marked pages only."""
    run("site", "import", str(files))
    run("import", "tools", str(pack(folder / "pages.zip", range(PAGES))))
    extract_and_export(folder)


def extract_and_export(folder: Path) -> None:
    run("extract", "tools")
    run("export", "tools", "1", "--sort", "url", "--output", str(folder / "pages.csv"))
    run("export", "tools", "1", "--sort", "url", "--list", "reviews", "--output", str(folder / "reviews.csv"))


def download(signed_in: Callable[[str], Any], folder: Path) -> None:
    """Export in the dashboard."""
    for name, options in (("pages", ""), ("reviews", "&list=reviews")):
        answer = signed_in("viewer").get(f"/sites/tools/templates/1/records.csv?sort=url{options}")
        (folder / f"{name}.csv").write_bytes(b"".join(answer.streaming_content))


def empty() -> None:
    sites.delete_site(Site.objects.get())
    RecordType.objects.all().delete()


def test_all_ways_to_do_the_main_job_give_the_same_csv(vertex: Vertex, tmp_path: Path, signed_in: Callable[[str], Any]) -> None:
    client, commands, files, dashboard = (tmp_path / name for name in ("client", "commands", "files", "dashboard"))
    for folder in (client, commands, files, dashboard):
        folder.mkdir()
    do_with_client(vertex, client)
    download(signed_in, dashboard)
    run("site", "export", "tools", str(tmp_path / "tools"))
    empty()
    do_with_commands(commands)
    empty()
    do_with_files(tmp_path / "tools", files)
    for name in ("pages.csv", "reviews.csv"):
        expected = (dashboard / name).read_bytes()
        for folder in (client, commands, files):
            assert (folder / name).read_bytes() == expected, (folder.name, name)
    rows = list(csv.DictReader((client / "pages.csv").read_text().splitlines()))
    for number, row in enumerate(rows):
        values = list_values(number)
        assert row["name"] == values["name"][0]
        assert row["price"] == (f"{number}204.50 GBP" if values["price"] else "")
        assert row["since"] == f"2026-04-{number + 1:02}"
        assert row["materials"].split("; ") == values["materials"]
        assert row["source_url"] == get_url(number)
    reviews = list(csv.DictReader((client / "reviews.csv").read_text().splitlines()))
    expected_rows = [(who, stars) for n in range(PAGES) for who, stars in zip(list_values(n)["who"], list_values(n)["stars"], strict=True)]
    assert [(row["who"], row["stars"]) for row in reviews] == expected_rows


@pytest.mark.parametrize("whole", [False, True])
def test_a_crawl_says_when_it_takes_a_sample(whole: bool) -> None:
    site = factory.site("Tools")
    Source.objects.create(site=site, addresses=["https://tools.example/"], whole=whole)
    done = CliRunner().invoke(main, ["--no-wait", "crawl", "tools"])
    assert done.exit_code == 0 and ("sample" in done.output) is not whole, done.output
