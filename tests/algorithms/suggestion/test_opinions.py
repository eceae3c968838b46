"""Which methods found a suggested column, too."""

from extraction.algorithms.alignment.methods import collect_opinions
from extraction.algorithms.alignment.schema import SchemaField, Structure, Tuple, Value
from extraction.algorithms.dom.nodes import Location
from extraction.algorithms.errors import AlignmentError
from extraction.algorithms.suggestion.opinions import find_agreeing_methods, name_fields
from extraction.algorithms.suggestion.suggest import SuggestedColumn, suggest_columns
from tests.algorithms.suggestion.pages import roots


def column(*texts: str) -> SuggestedColumn:
    return SuggestedColumn("x", "", 1.0, {page: (value(text),) for page, text in enumerate(texts) if text}, False)


def value(text: str) -> Value:
    return Value(text, Location(0, "text", 1))


def structure(*texts: str) -> Structure:
    return Structure(
        Tuple((SchemaField("A"), SchemaField("B"))), tuple({"A": value(text), "B": value("same")} if text else {} for text in texts)
    )


def test_a_method_agrees_with_a_column_of_the_same_values() -> None:
    assert find_agreeing_methods([column("a", "b", "c", "d", "e")], {"M": structure("a", "b", "c", "d", "e")}) == [("M",)]
    assert find_agreeing_methods([column("a", "b", "c", "d", "e")], {"M": structure("a", "b", "c", "d", "x")}) == [("M",)], (
        "F1 of 0.8 is enough"
    )
    assert find_agreeing_methods([column("a", "b", "c", "d", "e")], {"M": structure("a", "b", "c", "y", "x")}) == [()]


def test_pages_that_a_method_could_not_read_say_nothing() -> None:
    assert find_agreeing_methods([column("a", "b", "c")], {"M": structure("a", "b", "")}) == [("M",)]
    assert find_agreeing_methods([column("a", "b", "c")], {"M": structure("", "", "")}) == [()]


def test_roadrunner_and_exalg_agree_with_the_fields_of_a_bookshop() -> None:
    columns = {each.name: each for each in suggest_columns(roots())}
    found = dict(zip(columns, find_agreeing_methods(list(columns.values()), collect_opinions(roots())), strict=True))
    assert {found[name] for name in ("title", "price", "isbn")} == {("ExAlg", "RoadRunner")}
    assert found["pages"] == ("RoadRunner",)


def test_fields_are_called_as_the_column_of_the_same_values() -> None:
    assert name_fields([column("a", "b"), column("same", "same")], structure("a", "b")) == {"A": "x"}
    assert name_fields([column("a", "b")], structure("c", "d")) == {}


def test_a_method_that_gives_up_has_no_opinion() -> None:
    def gives_up(pages: object) -> Structure:
        raise AlignmentError("page 1 is too long")

    assert collect_opinions(roots(), methods={"M": gives_up}) == {}
