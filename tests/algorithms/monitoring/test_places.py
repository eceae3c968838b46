import pytest

from extraction.algorithms.dom.nodes import value
from extraction.algorithms.monitoring import places
from extraction.algorithms.monitoring.places import SoughtValue, Stage, ValueFinder, find_value
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


def count(body: str, sought: SoughtValue, stage: Stage = "exact") -> int:
    return len(find_value(page(f"<html><body>{body}</body></html>"), sought, stage))


@pytest.mark.parametrize(("length", "read"), [(40, 1), (41, 0)])
def test_a_text_of_forty_characters_is_read_as_a_price_and_a_longer_one_is_not(length: int, read: int) -> None:
    text = f"{'Preis:':<{length - 7}}12,90 €".replace("  ", " .")
    assert len(text) == length
    assert count(f"<p>{text}</p>", SoughtValue("EUR 12.90", "price"), "typed") == read


def test_what_is_not_seen_is_found_in_no_way() -> None:
    hidden = "<script>12,90 €</script><style>THE RED, book!</style><script>the ISBN 978-3</script><p>x</p>"
    assert count(hidden, SoughtValue("EUR 12.90", "price"), "typed") == 0
    assert count(hidden, SoughtValue("the red book"), "loose") == 0
    assert count(hidden, SoughtValue("978-3"), "part") == 0


@pytest.mark.parametrize(("more", "found"), [(4 + 8, 1), (4 + 9, 0)])
def test_a_loose_text_may_have_twice_as_many_characters_and_eight(more: int, found: int) -> None:
    """“a b c” has five characters, and its text at most 2 · 5 + 8 = 18."""
    text = f"a b c{'!' * (more + 1)}"
    assert len(text) == (18 if found else 19)
    assert count(f"<p>{text}</p>", SoughtValue("a b c"), "loose") == found


@pytest.mark.parametrize(("text", "found"), [("x abc", 1), ("abc", 0), (f"abc {'x' * 396}", 1), (f"abc {'x' * 397}", 0)])
def test_a_part_is_shorter_than_its_text_which_has_at_most_four_hundred_characters(text: str, found: int) -> None:
    assert count(f"<p>{text}</p>", SoughtValue("abc"), "part") == found
    assert count(f"<p>{text}</p>", SoughtValue("ab"), "part") == 0


def test_a_part_has_its_place_within_the_text() -> None:
    (place,) = find_value(page("<body><p>Title: The red Book!</p></body>"), SoughtValue("The red Book"), "part")
    assert (place.start, place.end) == (7, 19)


def test_an_element_is_found_from_the_text_that_its_value_begins_with() -> None:
    body = "<div><p><b>The</b> <i>red</i> Book</p></div><div><p><b>The</b> <i>blue</i> Book</p></div>"
    assert count(body, SoughtValue("The red Book")) == 1
    assert count(body, SoughtValue("The red")) == 0 and count(body, SoughtValue("red Book")) == 0
    assert count(body, SoughtValue("THE RED BOOK"), "loose") == 1
    assert count(body.replace("The", "T"), SoughtValue("T red Book")) == 1


def test_the_search_climbs_from_so_many_texts_and_not_from_more(monkeypatch: pytest.MonkeyPatch) -> None:
    body = "<p><b>The</b></p>" * 3 + "<p><b>The</b> <i>red</i></p>"
    monkeypatch.setattr(places, "MAX_CLIMBS", 4)
    assert count(body, SoughtValue("The red")) == 1
    monkeypatch.setattr(places, "MAX_CLIMBS", 3)
    assert count(body, SoughtValue("The red")) == 0


def test_each_element_is_found_once_and_in_the_order_of_the_page() -> None:
    both = page("<body><p><b>The</b> <i>red</i></p><h1>The red</h1><p><b>The</b> <i>red</i></p></body>")
    assert [both.nodes[place.node].tag for place in find_value(both, SoughtValue("The red"))] == ["p", "h1", "p"]


def test_a_value_in_the_title_and_in_a_script_only_is_found_in_the_title() -> None:
    both = page("<html><head><title>Emma</title><script>Emma</script><style>Emma</style></head><body><p>x</p></body></html>")
    assert [both.nodes[place.node].tag for place in find_value(both, SoughtValue("Emma"))] == ["title"]
    hidden = page("<html><head><title>x</title><script>Emma</script></head><body><p>x</p></body></html>")
    assert find_value(hidden, SoughtValue("Emma")) == []
