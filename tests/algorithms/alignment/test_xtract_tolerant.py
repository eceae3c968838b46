"""The tolerant model keeps the order that was seen, and allows children to be missing."""

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from extraction.algorithms.alignment.xtract.dtd import infer_document_type
from extraction.algorithms.alignment.xtract.models import collect_names, write_model
from extraction.algorithms.alignment.xtract.positions import Positions
from extraction.algorithms.alignment.xtract.tolerant import infer_tolerant_model
from extraction.algorithms.dom.parse import parse

SEQUENCES = st.lists(st.text("abcde", max_size=6), min_size=1, max_size=5)


@pytest.mark.parametrize(
    ("sequences", "model"),
    [
        (["tpc", "tp"], "t?p?c?"),
        (["tp", "tc"], "t?c?p?"),
        (["ab", "abab", "ababab"], "(a|b)*"),
        (["abbbc", "ac"], "a?b*c?"),
        (["tabd", "tbad", "td"], "t?(a|b)*d?"),
        (["a"], "a?"),
        (["", ""], ""),
    ],
)
def test_the_order_stays_where_all_sequences_agree_on_it(sequences: list[str], model: str) -> None:
    assert write_model(infer_tolerant_model([tuple(each) for each in sequences])) == model


@settings(deadline=None)
@given(SEQUENCES, st.data())
def test_each_sequence_fits_and_so_does_any_with_children_left_out(sequences: list[str], data: st.DataObject) -> None:
    model = infer_tolerant_model([tuple(each) for each in sequences])
    positions = Positions.of_model(model)
    assert positions.deterministic
    for sequence in sequences:
        keep = data.draw(st.lists(st.booleans(), min_size=len(sequence), max_size=len(sequence)))
        assert positions.accept(tuple(sequence))
        assert positions.accept(tuple(name for name, kept in zip(sequence, keep, strict=True) if kept))
    assert collect_names(model) == set("".join(sequences))


@settings(deadline=None)
@given(SEQUENCES)
def test_names_that_were_never_seen_in_this_order_do_not_fit(sequences: list[str]) -> None:
    positions = Positions.of_model(infer_tolerant_model([tuple(each) for each in sequences]))
    seen = {(one, other) for each in sequences for n, one in enumerate(each) for other in each[n + 1 :]}
    names = {name for each in sequences for name in each}
    for one in names:
        if not any(pair[0] == one or pair[1] == one for pair in seen):
            continue
        for other in names:
            if (one, other) in seen:
                assert positions.accept((one, other))
            elif (other, one) in seen and not _leads(seen, one, other):
                assert not positions.accept((one, other))


def _leads(seen: set[tuple[str, str]], one: str, other: str) -> bool:
    """Whether a chain of orders that were seen leads from one name to another."""
    found, waiting = {one}, [one]
    while waiting:
        at = waiting.pop()
        for first, second in seen:
            if first == at and second not in found:
                found.add(second)
                waiting.append(second)
    return other in found


def test_a_further_page_that_lacks_something_is_valid_only_against_the_tolerant_document_type() -> None:
    pages = ["<p id='1'><t>a</t><c>1</c><d/></p>", "<p id='2'><t>b</t><c>2</c><d/></p>"]
    roots = [parse(f"<?xml version='1.0'?>{page}".encode()).root for page in pages]
    found = infer_document_type(roots)
    later = parse(b"<?xml version='1.0'?><p><t>c</t><d/></p>").root
    strict, tolerant = (etree.DTD(io.StringIO(found.text(tolerant=each))) for each in (False, True))
    assert all(strict.validate(root) and tolerant.validate(root) for root in roots)
    assert tolerant.validate(later) and not strict.validate(later)
    assert "<!ELEMENT p (t?, c?, d?)>" in found.text(tolerant=True)
    disordered = parse(b"<?xml version='1.0'?><p><d/><t>c</t></p>").root
    assert not tolerant.validate(disordered)
