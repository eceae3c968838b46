"""Found fields are paired with the attributes of a record type: by name, by meaning, and by the only kind of value that is left."""

from hypothesis import given
from hypothesis import strategies as st

from extraction.algorithms.suggestion.known_names import NamedField, pair_fields

FIELDS = st.lists(
    st.builds(
        NamedField,
        st.sampled_from(["name", "title", "price", "preis", "stars", "rating", "link", "x1"]),
        st.sampled_from(["", "price", "url"]),
    ),
    max_size=6,
)


def test_a_listing_in_other_words_is_the_known_list() -> None:
    found = [NamedField("title"), NamedField("buybox_now", "price"), NamedField("stars"), NamedField("title_link", "url")]
    known = [NamedField("name"), NamedField("price", "price"), NamedField("rating"), NamedField("address", "url")]
    assert pair_fields(found, known) == {0: 0, 1: 1, 2: 2, 3: 3}


def test_the_same_name_goes_before_the_same_meaning() -> None:
    found = [NamedField("title"), NamedField("name")]
    assert pair_fields(found, [NamedField("name"), NamedField("heading")]) == {0: 1, 1: 0}


def test_two_left_of_a_kind_are_not_guessed() -> None:
    found = [NamedField("a", "price"), NamedField("b", "price")]
    assert pair_fields(found, [NamedField("c", "price")]) == {}


def test_a_name_of_the_same_meaning_with_another_kind_of_value_is_another_attribute() -> None:
    assert pair_fields([NamedField("cost", "url")], [NamedField("price", "price")]) == {}


@given(FIELDS, FIELDS)
def test_each_is_paired_once_and_a_record_type_with_itself(found: list[NamedField], known: list[NamedField]) -> None:
    pairs = pair_fields(found, known)
    assert len(set(pairs.values())) == len(pairs)
    own = [NamedField(f"{each.name}_{place}", each.kind) for place, each in enumerate(known)]
    assert pair_fields(own, own) == {place: place for place in range(len(own))}
