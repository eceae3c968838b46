"""The JSON-LD of a page is read although templates make mistakes in it."""

import pytest
from lxml import html

from extraction.algorithms.markup.json_ld import read_block, read_json_ld

GOOD = '{"@type": "Product", "name": "Pot", "price": 20.00}'


@pytest.mark.parametrize(
    "block",
    [
        GOOD,
        f"{GOOD};",
        f"//<![CDATA[\n{GOOD}\n//]]>",
        f"/*<![CDATA[*/ {GOOD} /*]]>*/",
        f"<!-- {GOOD} -->",
        f"<![CDATA[{GOOD}]]>",
        GOOD.replace("}", ", }"),
    ],
)
def test_mistakes_around_a_block_do_no_harm(block: str) -> None:
    assert read_block(block) == {"@type": "Product", "name": "Pot", "price": "20.00"}


def test_strings_are_as_a_person_reads_them() -> None:
    assert read_block('{"name": "Salt &amp; Pepper, }", "text": "two\nlines"}') == {"name": "Salt & Pepper, }", "text": "two\nlines"}


def test_a_broken_block_leaves_the_others() -> None:
    broken, good = "<script type='application/ld+json'>{'a</script>", f"<script type='Application/LD+JSON; charset=utf-8'>{GOOD}</script>"
    root = html.document_fromstring(f"<html><body>{broken}{good}")
    assert [thing["name"] for thing in read_json_ld(root).things] == ["Pot"]


@pytest.mark.parametrize("block", ["", "{", "[" * 100_000, '"' + "\\" * 99_999, "{,}" * 1000])
def test_what_is_no_json_gives_nothing(block: str) -> None:
    with pytest.raises((ValueError, RecursionError)):
        read_block(block)
