"""Pages made to be expensive are read in bounded time or refused."""

import random

import pytest

from extraction.algorithms.alignment.roadrunner.infer import infer_wrapper
from extraction.algorithms.dom.parse import parse
from extraction.algorithms.errors import AlignmentError
from tests.algorithms.alignment.roadrunner.pages import inferred


def test_a_page_of_twenty_megabytes_is_refused_before_it_is_aligned() -> None:
    page = parse(b"<p>" + (b"<b>" + b"a" * 130 + b"</b>") * 150_000).root
    with pytest.raises(AlignmentError, match="page 1 has more than 100,000 tags and strings"):
        infer_wrapper([page, page])


def test_two_thousand_levels_are_cut() -> None:
    found = inferred("<div>" * 2000 + "a", "<div>" * 1999 + "b")
    assert len(found.wrapper.printed().splitlines()) < 130


def test_ten_thousand_equal_rows_are_one_iterator() -> None:
    row = "<tr><td>a</td></tr>"
    found = inferred(f"<table>{row * 10_000}</table>", f"<table>{row * 3}</table>")
    assert found.wrapper.printed().count("<td>") == 1


def test_tags_without_any_order_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("extraction.algorithms.alignment.roadrunner.infer.ALL_STEPS", 20_000)
    chance = random.Random(1)
    tags = ["<p>a</p>", "<b>x</b>", "<i>y</i>", "t", "<br>", "<div>", "</div>"]
    pages = ["".join(chance.choice(tags) for _ in range(1500)) for _ in range(3)]
    assert len(inferred(*pages).structure.rows) == 3
