"""Exported rules, run by themselves, give what Vertex gives."""

import ast
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from extraction.algorithms.dom.page_language import detect_language
from extraction.algorithms.dom.parse import parse
from extraction.algorithms.errors import PageError
from extraction.algorithms.learning.text_range import TextPart
from extraction.algorithms.rules import exports, outside
from extraction.algorithms.rules.apply import extract_values
from extraction.algorithms.rules.exports import FORMS, name_file, write_export
from extraction.algorithms.rules.rule import AttributeRule, ListRule, RuleDefinition, Selector
from extraction.algorithms.rules.xslt import Stylesheet, write_stylesheet
from extraction.algorithms.values.read import read_value
from extraction.demo import site as demo
from tests.quality import extraction as quality
from tests.quality import sites

DATA = Path(__file__).parents[3] / ".data" / "extraction"

BOOK = RuleDefinition(
    (
        AttributeRule("title", alternatives=(Selector("//h1/text()[1]"),)),
        AttributeRule("authors", multiple=True, alternatives=(Selector("//p[@class='byline']/a"),)),
        AttributeRule("price", "price", alternatives=(Selector("//p[@class='offer']"), Selector("//p[@class='price']/text()"))),
        AttributeRule("the “published” year: 'x'", "number", alternatives=(Selector("//tr[@class='spec spec-published']/td"),)),
        AttributeRule("catalogued", "date", alternatives=(Selector("//tr[@class='spec spec-catalogued']/td"),)),
        AttributeRule("illustrated", "boolean", alternatives=(Selector("//tr[@class='spec spec-illustrated']/td"),)),
        AttributeRule("url", "image", alternatives=(Selector("//div[@class='cover']/img/@src"),)),
        AttributeRule("mark", alternatives=(Selector("//p[@class='shelf']", TextPart(prefix=": ")),)),
        AttributeRule("first", alternatives=(Selector("//h1", TextPart(pattern=r"(\w+)\s")),)),
        AttributeRule("words", multiple=True, alternatives=(Selector("//h1", TextPart(separator=r"\s|\bof\b")),)),
    ),
    (
        ListRule(
            "reviews",
            (Selector("//div[@class='none']"), Selector("//div[@class='review']")),
            (
                AttributeRule("by", alternatives=(Selector("./p[1]/b"),)),
                AttributeRule("on", "date", alternatives=(Selector("./p[1]/span[@class='on']"),)),
            ),
        ),
        ListRule(
            "details",
            (Selector("//table[@class='specs']/descendant::tr/th"),),
            (
                AttributeRule("label", alternatives=(Selector("self::*"),)),
                AttributeRule("text", alternatives=(Selector("following-sibling::td"),)),
            ),
        ),
    ),
)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Some book pages of the demo site in several languages, and one that is damaged, as files."""
    folder = tmp_path_factory.mktemp("pages")
    found = []
    for number, page in enumerate([page for page in demo.pages() if page.template == "book"][::9]):
        found.append(folder / f"{number}.html")
        found[-1].write_bytes(page.content)
    found.append(folder / "bad.html")
    found[-1].write_bytes(b"<h1>Bad \xe9 <?php x ?> page\x00 \x0b</h1><p class='price'>Price: 1.234,50 \x80</p><html lang=de>")
    return found


def expected(rule: RuleDefinition, content: bytes, url: str) -> dict[str, Any]:
    """The record that Vertex makes of a page."""
    root = parse(content).root
    found = extract_values(Stylesheet.compile(write_stylesheet(rule)), root)

    def typed(attribute: AttributeRule, raw: tuple[str, ...]) -> Any:
        known = [read_value(text, attribute.type, base_url=url, language=detect_language(root, url)) for text in raw]
        values = [each.raw if each.value is None else each.value for each in known]
        return values if attribute.multiple else values[0] if values else None

    record: dict[str, Any] = {each.name: typed(each, found.values[each.name]) for each in rule.attributes}
    for each in rule.lists:
        record[each.name] = [{one.name: typed(one, row.get(one.name, ())) for one in each.attributes} for row in found.rows[each.name]]
    return record


def run(*command: str, folder: Path) -> str:
    """The output of a command that does not find Vertex."""
    environment = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "DJANGO_SETTINGS_MODULE")}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def spider_items(rule: RuleDefinition, pages: list[Path], folder: Path) -> dict[str, dict[str, Any]]:
    """{page: item} of the exported spider."""
    spider, addresses, items = folder / name_file("scrapy", name="Book"), folder / "addresses.txt", folder / "items.json"
    spider.write_text(write_export(rule, "scrapy", name="Book"))
    addresses.write_text("\n".join(page.as_uri() for page in pages))
    run(sys.executable, "-m", "scrapy", "runspider", str(spider), "-a", f"urls={addresses}", "-O", str(items), "-L", "ERROR", folder=folder)
    key = exports._url_key(rule)
    return {item.pop(key): item for item in json.loads(items.read_text())}


def page_items(rule: RuleDefinition, pages: list[Path], folder: Path) -> dict[str, dict[str, Any]]:
    """{page: item} of the exported page object."""
    (folder / "exported.py").write_text(write_export(rule, "web-poet", name="Book"))
    (folder / "main.py").write_text(
        "import asyncio, json, sys\nfrom pathlib import Path\nfrom web_poet import HttpResponse\nfrom exported import BookPage\n"
        "out = {}\nfor name in json.loads(sys.argv[1]):\n"
        "    page = BookPage(HttpResponse(Path(name).as_uri(), Path(name).read_bytes()))\n"
        "    out[Path(name).as_uri()] = asyncio.run(page.to_item())\nprint(json.dumps(out))\n"
    )
    return dict(json.loads(run(sys.executable, "main.py", json.dumps([str(page) for page in pages]), folder=folder)))


@pytest.mark.parametrize("runs", [spider_items, page_items])
def test_exports_give_the_same_values_as_vertex(runs: Any, pages: list[Path], tmp_path: Path) -> None:
    found = runs(BOOK, pages, tmp_path)
    wanted = {page.as_uri(): expected(BOOK, page.read_bytes(), page.as_uri()) for page in pages}
    assert found == wanted
    assert any(record["reviews"] for record in wanted.values())
    assert all(any(record[each.name] is not None for record in wanted.values()) for each in BOOK.attributes)


@pytest.mark.data
@pytest.mark.skipif(not DATA.is_dir(), reason="the evaluation pages are not in .data/")
@pytest.mark.parametrize("name", ["job-dice"])
def test_exports_of_learned_rules_give_the_same_values_on_real_pages(name: str, tmp_path: Path) -> None:
    site = sites.read_site(DATA / name)
    rule = RuleDefinition(quality.learned(site, 2))
    pages = [DATA / name / "pages" / f"{page}.html" for page in site.pages]
    pages = [page.resolve() for page in pages]
    wanted = {page.as_uri(): expected(rule, page.read_bytes(), page.as_uri()) for page in pages}
    assert spider_items(rule, pages, tmp_path) == wanted
    assert page_items(rule, pages, tmp_path) == wanted
    assert any(any(record.values()) for record in wanted.values())


def test_the_exported_stylesheet_says_what_it_needs_and_gives_the_same(pages: list[Path]) -> None:
    text = write_export(BOOK, "xslt", name="Book")
    assert "EXSLT" in text.split("-->")[0]
    assert "Plain XSLT 1.0" in write_export(RuleDefinition(BOOK.attributes[:8]), "xslt", name="--> <evil/>").split("-->")[0]
    for page in pages:
        root = parse(page.read_bytes()).root
        assert extract_values(Stylesheet.compile(text), root) == extract_values(Stylesheet.compile(write_stylesheet(BOOK)), root)
        assert isinstance(etree.XSLT(etree.fromstring(text.encode()))(root).getroot(), etree._Element)


@pytest.mark.skipif(not shutil.which("xsltproc"), reason="xsltproc is not installed")
def test_xsltproc_gives_the_same_where_no_regular_expression_is_needed(pages: list[Path], tmp_path: Path) -> None:
    rule = RuleDefinition(BOOK.attributes[:8], BOOK.lists)
    (tmp_path / "rule.xsl").write_text(write_export(rule, "xslt", name="Book"))
    for page in pages[:-1]:
        given = etree.fromstring(run("xsltproc", "--html", "--encoding", "utf-8", "rule.xsl", str(page), folder=tmp_path).encode())
        own = Stylesheet.compile(write_stylesheet(rule)).transform(parse(page.read_bytes()).root).getroot()
        assert etree.tostring(given) == etree.tostring(own)


HOSTILE = (
    'x"""; import os #',
    "'); import os; ('",
    "{name}",
    "\\",
    "class",
    "1st",
    "é",
    "é'",
    "response",
    "to_item",
    "__init__",
    "a\u2028b",
    "naïve \\N{BULLET}",
)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", HOSTILE)
def test_names_and_xpaths_stand_in_code_as_what_they_are(form: exports.Form, name: str) -> None:
    rule = RuleDefinition(
        tuple(AttributeRule(each, alternatives=(Selector(f'//p[. = "{each.replace(chr(34), "")}"]'),)) for each in HOSTILE)
    )
    text = write_export(rule, form, name=name)
    assert name_file(form, name=name).isascii() and "/" not in name_file(form, name=name)
    if form == "xslt":
        Stylesheet.compile(text)
        return
    known: dict[str, Any] = {"__name__": "exported"}
    exec(compile(text, "exported.py", "exec"), known)
    assert [each["name"] for each in known["ATTRIBUTES"]] == list(HOSTILE)
    assert [each["places"][0]["xpath"] for each in known["ATTRIBUTES"]] == [each.alternatives[0].xpath for each in rule.attributes]


def test_a_page_without_an_element_is_refused_with_the_reason() -> None:
    with pytest.raises(PageError, match=r"no element|not HTML"):
        outside.read_record(b"<!-- -->", url="", content_type=None, attributes=[], lists=[])


def test_what_is_put_together_from_several_modules_defines_no_name_twice() -> None:
    for node, source in ((form, write_export(BOOK, form, name="book")) for form in FORMS if form != "xslt"):
        names = [each.name for each in ast.parse(source).body if isinstance(each, ast.FunctionDef | ast.ClassDef)]
        for each in ast.parse(source).body:
            targets = each.targets if isinstance(each, ast.Assign) else [each.target] if isinstance(each, ast.AnnAssign) else []
            names += [name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)]
        assert sorted(names) == sorted(set(names)), node


def test_attributes_may_have_any_name_that_a_page_object_or_its_code_uses(tmp_path: Path) -> None:
    import web_poet

    names = [*(name for name in dir(web_poet.WebPage) if not name.startswith("__")), "field", "validate_input", "dict", "cached_property"]
    names += ["record", "read_record", "ATTRIBUTES", "self", "class", "Path", "WebPage"]
    names = list(dict.fromkeys(names))
    rule = RuleDefinition(tuple(AttributeRule(name, alternatives=(Selector("//h1/text()"),)) for name in names))
    (tmp_path / "exported.py").write_text(write_export(rule, "web-poet", name="Book"))
    (tmp_path / "run.py").write_text(
        "import asyncio, json\nfrom web_poet import HttpResponse\nfrom web_poet.fields import get_fields_dict\n"
        "from exported import BookPage\n"
        "page = BookPage(HttpResponse('http://e.com/', body=b'<html><body><h1>T</h1></body></html>'))\n"
        "values = [getattr(page, name) for name in get_fields_dict(BookPage)]\n"
        "print(json.dumps([asyncio.run(page.to_item()), values]))\n"
    )
    told = subprocess.run([sys.executable, "run.py"], cwd=tmp_path, capture_output=True, text=True)
    assert told.returncode == 0, told.stderr
    item, values = json.loads(told.stdout)
    assert list(item) == names and set(item.values()) == {"T"}
    assert values == ["T"] * len(names)


@pytest.mark.parametrize("size", [1, 5, 20, 40])
def test_a_rule_is_written_on_one_line_if_it_fits_and_else_with_a_line_for_each_entry(size: int) -> None:
    value = {"name": "x" * size, "places": [{"xpath": f"//p[{n}]" * size} for n in range(size // 5)], "none": []}
    written = exports._literal(value)
    assert ast.literal_eval(written) == value
    lines = written.splitlines()
    assert (len(lines) == 1) == (len(repr(value)) <= exports.LINE)
    if len(lines) > 1:
        assert [line[4] for line in lines[1:-1] if line[4] not in " ]"] == ["'"] * 3
        assert lines[-1] == "}"


@pytest.mark.parametrize("spare", [0, 1])
def test_a_literal_of_just_the_length_of_a_line_stays_on_it(spare: int) -> None:
    value = ["x" * (exports.LINE - 4 + spare)]
    assert len(exports._literal(value).splitlines()) == (3 if spare else 1)
    assert len(exports._literal(["x" * (exports.LINE - 8 + spare)], "    ").splitlines()) == (3 if spare else 1)
