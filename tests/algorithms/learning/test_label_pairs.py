"""Labels of two languages are paired by their order and their values, or not at all."""

from extraction.algorithms.learning.label_pairs import LabelledPages, find_partner, sort_labels

FINISH, COLOUR, WEIGHT, OTHER_FINISH, OTHER_COLOUR, OTHER_WEIGHT = 1, 2, 3, 11, 12, 13
VALUES = {FINISH: ["matt", "brushed"], COLOUR: ["red", "navy"], WEIGHT: ["1.5 kg", "80 g"]}
OTHERS = {OTHER_FINISH: ["poliert", "lackiert"], OTHER_COLOUR: ["rot", "oliv"], OTHER_WEIGHT: ["2,4 kg", "350 g"]}
MINE = LabelledPages([[FINISH, COLOUR], [COLOUR, WEIGHT], [FINISH, WEIGHT]], VALUES)


def others(*rows: list[int]) -> LabelledPages:
    return LabelledPages(rows, {label: texts for label, texts in OTHERS.items() if any(label in row for row in rows)})


def test_labels_at_the_same_places_of_the_order_are_partners() -> None:
    theirs = others([OTHER_COLOUR, OTHER_WEIGHT], [OTHER_FINISH, OTHER_COLOUR], [OTHER_FINISH, OTHER_WEIGHT])
    assert [find_partner(label, MINE, theirs) for label in VALUES] == [OTHER_FINISH, OTHER_COLOUR, OTHER_WEIGHT]


def test_a_label_whose_place_is_not_certain_has_no_partner() -> None:
    """One of two labels is missing in the other language, and either could be the one."""
    theirs = others([OTHER_COLOUR, OTHER_WEIGHT], [OTHER_COLOUR, OTHER_WEIGHT])
    assert [find_partner(label, MINE, theirs) for label in VALUES] == [None, None, OTHER_WEIGHT]


def test_labels_in_changing_order_have_no_partner() -> None:
    theirs = others([OTHER_COLOUR, OTHER_WEIGHT, OTHER_FINISH], [OTHER_FINISH, OTHER_COLOUR], [OTHER_WEIGHT, OTHER_COLOUR])
    assert sort_labels(theirs.rows) is None
    assert find_partner(FINISH, MINE, theirs) is None


def test_values_with_figures_are_no_partner_of_words() -> None:
    mine = LabelledPages([[FINISH], [FINISH]], {FINISH: VALUES[FINISH]})
    theirs = others([OTHER_WEIGHT], [OTHER_WEIGHT])
    assert find_partner(FINISH, mine, theirs) is None
    assert find_partner(COLOUR, mine, theirs) is None


def test_a_lone_label_needs_values_that_both_languages_have() -> None:
    mine = LabelledPages([[FINISH], [FINISH]], {FINISH: ["GU10", "E14"]})
    assert find_partner(FINISH, mine, LabelledPages([[OTHER_FINISH]] * 2, {OTHER_FINISH: ["GU10", "E27"]})) == OTHER_FINISH
    assert find_partner(FINISH, mine, LabelledPages([[OTHER_FINISH]] * 2, {OTHER_FINISH: ["X 1", "Y 2"]})) is None


def test_the_labels_are_sorted_though_rows_are_missing() -> None:
    assert sort_labels([[3, 4], [1, 4], [1, 2], [2, 3]]) == [1, 2, 3, 4]
