"""What a page needs to look right, by its addresses."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.algorithms.dom import references
from extraction.algorithms.dom.parse import parse
from extraction.algorithms.dom.references import NeededResource, ResourceKind

HERE = "http://shop.example/a"
BASE = f"{HERE}/page.html"


def found(html: str, base: str = BASE) -> list[tuple[str, str]]:
    root = parse(html.encode()).root
    return [
        (need.url, need.kind.value)
        for need in references.resolve_references(references.find_references(root), references.find_base(root, base))
    ]


@pytest.mark.parametrize(
    ("html", "needed"),
    [
        ('<link rel="stylesheet" href="/s.css">', [("http://shop.example/s.css", "style")]),
        ('<link rel="alternate stylesheet" href="/s.css"><link rel=icon href=i.png>', []),
        ('<link rel="preload" as="style" href="s.css" onload="this.rel=\'stylesheet\'">', [("http://shop.example/a/s.css", "style")]),
        ('<base href="//cdn.example/x/"><img src="i.png">', [("http://cdn.example/x/i.png", "image")]),
        ('<img src="i.png#top"><img src=" i.png ">', [("http://shop.example/a/i.png", "image")]),
        ('<img src="data:image/gif;base64,R0" data-src="/real.jpg">', [("http://shop.example/real.jpg", "image")]),
        ('<img src="/img/placeholder.svg" data-original="/real.jpg">', [("http://shop.example/real.jpg", "image")]),
        ('<img src="/photo.jpg" data-src="/real.jpg">', [("http://shop.example/photo.jpg", "image")]),
        ('<img srcset="/s.jpg 320w, /m.jpg 800w, /l.jpg 2400w">', [("http://shop.example/m.jpg", "image")]),
        ('<img srcset="/2.jpg 2x, /1.jpg">', [("http://shop.example/1.jpg", "image")]),
        ('<picture><source srcset="/p.webp 1x"><img alt=""></picture>', [("http://shop.example/p.webp", "image")]),
        ('<video poster="p.jpg"></video><table background="b.gif">', [(f"{HERE}/p.jpg", "image"), (f"{HERE}/b.gif", "image")]),
        ('<p style="background: url(\'x y.png\')">', [("http://shop.example/a/x%20y.png", "image")]),
        (
            "<style>@import 'i.css'; @font-face{src:url(f.woff2)} a{b:url(b.png)}</style>",
            [(f"{HERE}/i.css", "style"), (f"{HERE}/f.woff2", "font"), (f"{HERE}/b.png", "image")],
        ),
        ('<img src="javascript:1"><img src="data:image/png;base64,AA"><img src="blob:x"><img src="http://[bad"><img src="">', []),
    ],
)  # fmt: skip
def test_what_is_needed(html, needed):
    assert found(html) == needed


def test_names_in_an_archive_are_relative_to_the_page_and_stay_in_the_archive():
    html = '<img src="../img/a.png"><img src="/img/b.png"><img src="../../../c.png"><img src="http://x.example/d.png">'
    assert [url for url, _ in found(html, "book/1.html")] == ["img/a.png", "img/b.png", "c.png", "http://x.example/d.png"]


@pytest.mark.parametrize(
    "css", [r"a{b:u\72l(x.png)}", "a{b:/*url(y)*/url(x.png)}", "@media print{a{b:URL('x.png')}}", "a{b:image-set('x.png' 1x)}"]
)
def test_escapes_and_comments_hide_nothing(css):
    assert references.resolve_references(references.find_style_references(css), BASE) == [
        NeededResource("http://shop.example/a/x.png", ResourceKind.IMAGE)
    ]


def test_an_import_is_a_style_in_each_way_of_writing_it():
    css = "@import 'a'; @import \"b\" screen; @import url(c); @import url('d') layer(x); e{f:g}"
    needs = references.resolve_references(references.find_style_references(css), BASE)
    assert [need.url[-1] for need in needs] == list("abcd") and {need.kind for need in needs} == {ResourceKind.STYLE}


def test_a_page_that_names_very_many_is_cut():
    html = "".join(f'<img src="/{n}.png">' for n in range(references.MAX_PER_PAGE + 50))
    assert len(found(html)) == references.MAX_PER_PAGE


def test_brackets_nested_without_end_are_no_recursion():
    assert list(references.find_style_references("a{b:" + "(" * 50_000 + "url(x)")) is not None


@given(st.text(max_size=40), st.text(max_size=40))
def test_any_address_resolves_to_a_web_address_or_to_nothing(base, address):
    url = references.resolve_address("http://a.example/" + base, address)
    assert url is None or url.startswith(("http://", "https://"))


def test_styles_are_looked_through_up_to_a_number_of_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(references, "MAX_STYLE_CHARS", 100)
    page = "<style>a{background:url(1.png)}</style><p style='color:red'>" + "<p style='background:url(2.png)'>" * 9 + "<img src='3.png'>"
    found = [each.address for each in references.find_references(parse(f"<html><body>{page}".encode()).root)]
    assert found == ["1.png", *["2.png"] * 3, "3.png"]
