import pytest

from extraction.algorithms.dom.nodes import value
from extraction.algorithms.monitoring.places import SoughtValue, ValueFinder, find_value
from extraction.algorithms.values.comparing import loosen_text
from extraction.algorithms.values.evidence import ColumnEvidence
from tests.algorithms.monitoring.shops import page

PAGE = page(
    "<html><head><title>Only here</title></head><body><p>Grüße &amp;  Co</p><div><p>Grüße <i>&amp;</i> Co</p></div>"
    "<p>12,90 €</p><p>ISBN-13: 978-3</p><img src='/a.png'><script>Grüße & Co</script><p>THE RED, book!</p></body></html>"
)


def texts(sought, stage="exact"):
    return [value(PAGE.nodes, place) for place in find_value(PAGE, sought, stage)]


def test_finds_a_text_and_an_element_of_several_texts_but_nothing_in_scripts():
    places = find_value(PAGE, SoughtValue("Grüße & Co"))
    assert [(PAGE.nodes[place.node].tag, place.kind) for place in places] == [("p", "text"), ("p", "element")]
    assert texts(SoughtValue("Grüße & Co")) == ["Grüße & Co"] * 2


def test_the_innermost_of_equal_elements_is_the_place():
    above = PAGE.nodes[find_value(PAGE, SoughtValue("Grüße & Co"))[1].node].getparent()
    assert above is not None and above.tag == "div"


def test_the_title_is_a_place_only_where_readers_see_no_other():
    assert [PAGE.nodes[place.node].tag for place in find_value(PAGE, SoughtValue("Only here"))] == ["title"]


@pytest.mark.parametrize(
    ("sought", "stage", "expected"),
    [
        (SoughtValue("EUR 12.90", "price"), "typed", ["12,90 €"]),
        (SoughtValue("EUR 13.90", "price"), "typed", []),
        (SoughtValue("EUR 12.90"), "typed", []),
        (SoughtValue("the red book"), "loose", ["THE RED, book!"]),
        (SoughtValue("978-3"), "part", ["978-3"]),
        (SoughtValue("78-3"), "part", []),
        (SoughtValue("Co"), "part", []),
        (SoughtValue("/a.png", attribute="src"), "exact", ["/a.png"]),
        (SoughtValue("/a.png", attribute="href"), "exact", []),
        (SoughtValue(""), "exact", []),
    ],
)
def test_each_stage_finds_its_own_kind_of_writing(sought, stage, expected):
    assert texts(sought, stage) == expected


def test_a_value_stands_on_a_page_only_as_a_whole():
    assert ValueFinder(PAGE).stands("Grüße & Co")
    assert not ValueFinder(PAGE).stands("THE RED")


def test_loose_text_is_letters_and_digits_in_lower_case():
    assert loosen_text("Straße — 12,90 €!") == "strasse 12 90"


def test_values_and_texts_are_read_as_the_rule_reads_its_records():
    both = page("<body><p>3 April 2024</p><p>4 March 2024</p><p>1234 €</p><p>1.234,00 €</p><p>1,234 €</p></body>")

    def found(value_, kind, **column):
        places = find_value(both, SoughtValue(value_, kind, column=ColumnEvidence(**column)), "typed")
        return [value(both.nodes, place) for place in places]

    assert found("03/04/2024", "date", date_order="DMY") == ["3 April 2024"]
    assert found("03/04/2024", "date", date_order="MDY") == ["4 March 2024"]
    assert found("03/04/2024", "date") == [], "nothing says which of the two it is"
    assert found("1.234 €", "price", decimal=",") == ["1234 €"]
    assert found("1.234 €", "price", decimal=".") == []
    assert found("1.234,00 €", "price", decimal=",") == ["1.234,00 €"]


def test_a_value_is_read_in_the_language_of_the_page():
    german = page("<html lang='de'><body><p>1234 €</p></body></html>")
    assert [value(german.nodes, place) for place in find_value(german, SoughtValue("1.234 €", "price"), "typed")] == ["1234 €"]
