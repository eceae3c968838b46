"""What algorithms and fetching raise for what a person typed or uploaded is shown in the reader's language."""

import io
import warnings
import zipfile
from collections.abc import Callable

import pytest
from django.utils import translation

from extraction.algorithms.dom.nodes import Location
from extraction.algorithms.dom.xpath import XPath
from extraction.algorithms.records.quality import patterns as quality_patterns
from extraction.algorithms.refresh import times
from extraction.algorithms.rules.rule import AttributeRule, ListRule, RuleDefinition, Selector
from extraction.algorithms.rules.url_patterns import UrlPattern
from extraction.algorithms.sketches.shingles import Mask
from extraction.algorithms.values.cleanup import patterns as cleanup_patterns
from extraction.algorithms.values.cleanup.chain import MAX_STEPS, CleanupStep, read_steps
from extraction.fetching import names, request_headers, sign_in_steps
from extraction.fetching.archives import Archive, ArchiveError, Limits, Refused
from extraction.fetching.manifest import parse_manifest
from extraction.fetching.search_terms import check_search
from extraction.fetching.url_safety import Guard
from extraction.services.core.stored_texts import tell
from tests.translations.catalogues import LANGUAGES


def step(kind: str, text: str = "", **fields: object) -> Callable[[], object]:
    return lambda: CleanupStep(kind, text, **fields)  # type: ignore[arg-type]


def search(fields: list[str], terms: list[str], address: str = "https://shop.example/") -> Callable[[], object]:
    return lambda: check_search(address, fields, terms)


def typed(function: Callable[..., object], *arguments: object) -> Callable[[], object]:
    return lambda: function(*arguments)


ROW = Selector("//tr")

RAISED: dict[str, Callable[[], object]] = {
    "zone": typed(times.read_zone, "Europe/Atlantis"),
    "five fields": typed(times.read_cron, "1 2 3"),
    "no time": typed(times.read_cron, "0 0 31 2 *"),
    "no cron": typed(times.read_cron, "99 0 * * *"),
    "which days": typed(times.read_times, ["Mon 08:00", "09:00"]),
    "days alone": typed(times.read_times, ["Mon"]),
    "no times": typed(times.read_times, []),
    "many times": typed(times.read_times, [f"{hour}:{minute:02}" for hour in range(24) for minute in (0, 1, 2)]),
    "not a time": typed(times.read_times, ["soon"]),
    "field": search(["= x"], ["a"]),
    "fields": search([f"f{number}" for number in range(99)], ["a"]),
    "parts": search(["a", "b"], ["one"]),
    "no address": search(["a"], ["one"], ""),
    "no terms": search(["a"], []),
    "terms": search(["a"], ["one"] * 200_000),
    "long term": search(["a"], ["x" * 5_000]),
    "stars": typed(UrlPattern.from_text, "a.example/*a*"),
    "empty pattern": typed(UrlPattern.from_text, ""),
    "mask": typed(Mask.from_text, "3f.zz"),
    "location": typed(Location.from_json, {"node": "x"}),
    "attribute": typed(AttributeRule, ""),
    "list": typed(ListRule, "", (ROW,)),
    "type": typed(AttributeRule, "price", "prize"),
    "rows": typed(ListRule, "offers", ()),
    "absolute": lambda: ListRule("offers", (ROW,), (AttributeRule("price", alternatives=(ROW,)),)),
    "attribute twice": lambda: RuleDefinition((AttributeRule("price"), AttributeRule("price"))),
    "list twice": lambda: RuleDefinition((), (ListRule("offers", (ROW,)), ListRule("offers", (ROW,)))),
    "no rule": typed(RuleDefinition.from_json, {"format": 1}),
    "format of a rule": typed(RuleDefinition.from_json, {"format": 9}),
    "empty XPath": typed(XPath, " "),
    "long XPath": typed(XPath, "//a" * 20_000),
    "no XPath": typed(XPath, "//h1["),
    "yes or no": typed(XPath, "1=1"),
    "number": typed(XPath, "count(//a)"),
    "string": typed(XPath, "string(//a)"),
    "function": typed(XPath, "//a[lower(.)]"),
    "prefix": typed(XPath, "//svg:a"),
    "variable": typed(XPath, "//a[$x]"),
    "wide XPath": typed(XPath, "//a[//b[//c[//d[//e]]]]"),
    "long pattern": typed(quality_patterns.compile_pattern, "a" * 5_000),
    "bad pattern": typed(quality_patterns.compile_pattern, "("),
    "half a character": typed(quality_patterns.compile_pattern, "\ud800"),
    "no clean-up pattern": typed(cleanup_patterns.compile_pattern, ""),
    "long clean-up pattern": typed(cleanup_patterns.compile_pattern, "a" * 5_000),
    "bad clean-up pattern": typed(cleanup_patterns.compile_pattern, "("),
    "empty matches": typed(cleanup_patterns.refuse_empty_matches, "a*"),
    "trim": step("trim"),
    "split": step("split"),
    "replace": step("replace"),
    "unit": step("unit"),
    "long text": step("replace", "x" * 5_000),
    "control character": step("replace", "\x01"),
    "no group": step("replace", "(a)", by="\\2", pattern=True),
    "no pairs": step("map"),
    "many pairs": step("map", pairs=tuple((str(number), "x") for number in range(10_000))),
    "nothing before": step("map", pairs=(("", "x"),)),
    "long pair": step("map", pairs=(("x" * 5_000, "x"),)),
    "pair twice": step("map", pairs=(("a", "x"), ("a", "y"))),
    "many steps": typed(read_steps, [{}] * (MAX_STEPS + 1)),
    "port": typed(Guard().check_url, "http://shop.example:22/"),
    "private": typed(Guard().check_url, "http://127.0.0.1/"),
    "private name": typed(Guard().check_url, "http://2130706433/"),
    "long address": typed(Guard().check_url, "http://shop.example/" + "x" * 9_000),
    "no address of a site": typed(Guard().check_url, "http://[x/"),
    "scheme": typed(Guard().check_url, "ftp://shop.example/"),
    "no host": typed(Guard().check_url, "http:///x"),
    "space": typed(Guard().check_url, "http://a b.example/"),
    "dots": typed(Guard().check_url, "http://a..example/"),
    "long label": typed(Guard().check_url, f"http://{'x' * 70}.example/"),
    "header": typed(request_headers.check_header, "a b", "x"),
    "connection": typed(request_headers.check_header, "Upgrade", "x"),
    **{name: typed(request_headers.check_header, name, "x") for name in request_headers.OWN_HEADERS},
    "line break": typed(request_headers.check_header, "X-Key", "a\nb"),
    "no value": typed(request_headers.check_header, "X-Key", " "),
    "long value": typed(request_headers.check_header, "X-Key", "x" * 5_000),
    "cookie": typed(request_headers.check_cookie, "a b", "x"),
    "value of a cookie": typed(request_headers.check_cookie, "session", "a b"),
    "proxy": typed(request_headers.read_proxy, "http://"),
    "scheme of a proxy": typed(request_headers.read_proxy, "socks5://proxy.example"),
    "user of a proxy": typed(request_headers.read_proxy, "http://%C3%BC:x@proxy.example"),
    "many lines": typed(sign_in_steps.read_steps, "wait #a\n" * 99),
    "first step": typed(sign_in_steps.read_steps, "wait #a"),
    "two steps": typed(sign_in_steps.read_steps, "open https://a.example\nfill #a = 1\nfill #a = 2"),
    "word": typed(sign_in_steps.read_steps, "press #a"),
    "what to fill": typed(sign_in_steps.read_steps, "fill #a"),
    "which address": typed(sign_in_steps.read_steps, "open"),
    "which element": typed(sign_in_steps.read_steps, "click"),
    "absolute name": typed(names.make_safe_name, "/etc/passwd"),
    "name outside": typed(names.make_safe_name, "../x"),
    "no name": typed(names.make_safe_name, "./"),
    "long name": typed(names.make_safe_name, "x" * 9_000),
    "long address of a page": typed(names.make_safe_url, "https://a.example/\x01"),
    "no web address": typed(names.make_safe_url, "file:///etc/passwd"),
}


def explain(raising: Callable[[], object]) -> str:
    with pytest.raises(Exception) as caught:
        raising()
    return str(caught.value)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", RAISED)
def test_what_is_raised_is_told_in_the_language_of_the_reader(name: str, language: str) -> None:
    text = explain(RAISED[name])
    with translation.override(language):
        told = tell(text)
    assert told != text
    assert not {"the", "is", "has", "must"} & set(told.replace("fill #a", "").split()), told


def list_refused(content: bytes) -> list[str]:
    """Return why an archive or its files cannot be read."""
    limits = Limits(pages=10, page_bytes=1_000, total_bytes=10_000, expansion=10)
    try:
        return [each.reason for each in Archive(io.BytesIO(content), name="pages", limits=limits) if isinstance(each, Refused)]
    except ArchiveError as error:
        return [str(error)]


def zipped(*files: tuple[str, bytes]) -> bytes:
    found = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(found, "w", zipfile.ZIP_DEFLATED) as archive:
        warnings.simplefilter("ignore")  # a name twice
        for name, content in files:
            archive.writestr(name, content)
    return found.getvalue()


PAGE = b"<!doctype html><title>x</title>"
MANIFEST = b"file,url\n../x,https://a.example\na.html,ftp://x\nb.html,\nb.html,\nc.html,https://a.example\n"


@pytest.mark.parametrize("language", LANGUAGES)
def test_why_an_archive_or_its_files_are_left_out_is_told(language: str) -> None:
    texts = [reason for content in (b"", b"nothing", b"7z\xbc\xaf\x27\x1c" + bytes(100)) for reason in list_refused(content)]
    texts += list_refused(zipped(("a.html", PAGE), ("a.html", PAGE), ("../b.html", PAGE), ("c.html", PAGE + b"x" * 2_000), ("d.zip", PAGE)))
    texts += list_refused(zipped(("manifest.csv", MANIFEST), ("a.html", PAGE)))
    assert len(texts) >= 10
    with translation.override(language):
        assert [text for text in texts if tell(text) == text] == []


def test_joined_reasons_are_told_one_by_one() -> None:
    (problem,) = parse_manifest(b"name\nx\n").problems
    with translation.override("de"):
        assert tell(problem.reason) == "die erste Zeile nennt nicht die Spalten file und url; die übrigen Zeilen wurden nicht gelesen"
