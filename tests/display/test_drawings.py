"""An SVG file as a picture and nothing else."""

import re

import pytest
from lxml import etree

from extraction.display import drawings

HEAD = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 9 9">'


def clean(inside: str) -> str:
    made = drawings.make_drawing_inert(f"{HEAD}{inside}</svg>".encode())
    assert made is not None
    etree.fromstring(made)
    return made.decode()


@pytest.mark.parametrize(
    "inside",
    [
        "<script>alert(1)</script>",
        '<script href="http://evil.example/x.js"/>',
        '<rect width="1" onload="alert(1)" onclick="alert(1)"/>',
        '<a xlink:href="javascript:alert(1)"><rect/></a>',
        '<image href="http://evil.example/x.png"/>',
        '<use href="http://evil.example/x.svg#a"/>',
        '<foreignObject><body xmlns="http://www.w3.org/1999/xhtml"><script>alert(1)</script></body></foreignObject>',
        '<animate attributeName="href" values="javascript:alert(1)"/><set attributeName="onload" to="alert(1)"/>',
        "<style>@import 'http://evil.example/x.css'; rect{fill:url(http://evil.example/y)}</style>",
        '<rect style="fill:url(http://evil.example/x)" fill="url(http://evil.example/x)" filter="url(http://evil.example/x)"/>',
        '<h:script xmlns:h="http://www.w3.org/1999/xhtml">alert(1)</h:script>',
        '<handler xmlns="http://www.w3.org/2001/xml-events">alert(1)</handler>',
    ],
)
def test_nothing_runs_and_nothing_is_loaded(inside):
    assert not re.search(r"evil|alert|script|\son\w+=|foreign|animate|import", clean(inside))


def test_shapes_gradients_texts_and_copies_stay():
    made = clean(
        '<style>.a{fill:url(#g)}</style><defs><linearGradient id="g"><stop offset="0" stop-color="#fff"/></linearGradient>'
        '<path id="p" d="M0 0"/></defs><use xlink:href="#p"/><rect class="a" transform="rotate(4)" fill="url(#g)"/>'
        "<text>a<tspan>b</tspan>c</text>"
    )
    for kept in ('url("#g")', "stop-color", '<use href="#p"/>', 'transform="rotate(4)"', 'fill="url(#g)"', "a<tspan>b</tspan>c"):
        assert kept in made


def test_copies_of_copies_are_not_kept():
    lines = "".join(f'<g id="n{n}"><use href="#n{n + 1}"/><use href="#n{n + 1}"/></g>' for n in range(40)) + '<g id="n40"><rect/></g>'
    made = clean(lines)
    assert set(re.findall(r'href="(#n\d+)"', made)) == {"#n40"}


def test_entities_do_not_multiply():
    entities = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10 if n else "x" * 10}">' for n in range(9))
    made = drawings.make_drawing_inert(f"<!DOCTYPE svg [{entities}]>{HEAD}<text>&e8;</text></svg>".encode())
    assert made is None or len(made) < 10_000


@pytest.mark.parametrize(
    "content",
    [b"", b"<html/>", b"no xml", f"{HEAD}{'<g>' * 500}".encode(), f"{HEAD}{'<g/>' * 30_000}</svg>".encode()],
    ids=["empty", "html", "text", "deep", "many"],
)
def test_a_file_that_is_not_a_drawing_or_is_too_large_is_refused(content):
    assert drawings.make_drawing_inert(content) is None
