"""Addresses are resolved as the URL Standard says."""

import time

import pytest
from lxml import html

from extraction.algorithms.dom.urls import find_base_address, first_of_srcset, join_address, split_srcset

BASE = "http://x.de/a/"


@pytest.mark.parametrize(
    ("address", "joined"),
    [
        ("b//c", "http://x.de/a/b//c"),
        ("\\\\y.de\\z", "http://y.de/z"),
        ("///y.de/z", "http://y.de/z"),
        (" b\nc\t", "http://x.de/a/bc"),
        ("http:b", "http://x.de/a/b"),
        ("../..//d?q=1#f", "http://x.de//d?q=1#f"),
        ("ü", "http://x.de/a/%C3%BC"),
        ("http://MÜNCHEN.de", "http://xn--mnchen-3ya.de/"),
        ("http://a b/", None),
        ("http://x:99999/", None),
        ("http://256.1.1.1/", None),
        ("http://[::1", None),
    ],
)
def test_an_address_is_joined_as_in_a_browser(address: str, joined: str | None) -> None:
    assert join_address(BASE, address) == joined


def test_a_relative_address_without_a_base_is_none() -> None:
    assert join_address("", "a") is None


@pytest.mark.parametrize(
    ("markup", "base"),
    [
        ("<base href='/b/'><base href='/c/'>", "http://x.de/b/"),
        ("<base target=x><base href='/c/'>", "http://x.de/c/"),
        ("<base href='javascript:1'>", BASE),
        ("<base href='http://a b/'>", BASE),
        ("<template><base href='/b/'></template><base href='/c/'>", "http://x.de/c/"),
        ("<base href='\\\\y.de\\b\\'>", "http://y.de/b/"),
        ("<p>", BASE),
    ],
)
def test_the_base_is_that_of_a_browser(markup: str, base: str) -> None:
    assert find_base_address(html.document_fromstring(markup), BASE) == base


@pytest.mark.parametrize(
    ("text", "listed"),
    [
        ("a.jpg, b.jpg 2x", [("a.jpg", ""), ("b.jpg", "2x")]),
        ("a.jpg 1x,b.jpg 2x", [("a.jpg", "1x"), ("b.jpg", "2x")]),
        ("a,b.jpg 480w, c.jpg 800w 600h", [("a,b.jpg", "480w"), ("c.jpg", "800w 600h")]),
        (" , a.jpg ,", [("a.jpg", "")]),
        (",", []),
    ],
)
def test_a_srcset_is_split_as_in_a_browser(text: str, listed: list[tuple[str, str]]) -> None:
    assert split_srcset(text) == listed


def test_a_text_that_is_no_srcset_stays() -> None:
    assert first_of_srcset("pic 1.jpg") == "pic 1.jpg"
    assert first_of_srcset("a.jpg, b.jpg 2x") == "a.jpg"


@pytest.mark.parametrize("text", ["a(," * 100_000, ", " * 100_000, "a " * 100_000, "a (" * 100_000])
def test_a_hostile_srcset_takes_linear_time(text: str) -> None:
    began = time.process_time()
    split_srcset(text)
    assert time.process_time() - began < 2
