"""A cluster that is found again keeps its names, labels and rules."""

from extraction.algorithms.sketches.shingles import Mask
from extraction.services.templates.cluster_match import Group, Old, keep_masks, match_groups

A, B, C = (Mask(value).text() for value in (1, 2, 3))


def test_a_group_is_the_old_cluster_it_shares_most_pages_with() -> None:
    groups = [Group((A,), (1, 2, 3, 4)), Group((B,), (5, 6))]
    olds = [Old(10, 1, (C,)), Old(11, 2, ("x",))]
    assert match_groups(groups, olds, {1: 11, 2: 11, 3: 11, 4: 10, 5: 10, 6: 10}) == [11, 10]


def test_of_two_groups_from_one_cluster_the_larger_keeps_it_and_the_other_is_new() -> None:
    groups = [Group((A,), (1, 2, 3)), Group((B,), (4, 5))]
    assert match_groups(groups, [Old(10, 1, (C,))], dict.fromkeys(range(1, 6), 10)) == [10, None]


def test_a_cluster_merged_by_a_person_takes_all_its_groups() -> None:
    groups = [Group((A,), (1, 2, 3)), Group((B,), (4, 5))]
    assert match_groups(groups, [Old(10, 1, (A, B), merged=True)], dict.fromkeys(range(1, 6), 10)) == [10, 10]


def test_a_few_strayed_pages_do_not_make_a_cluster_the_same() -> None:
    groups = [Group((A,), tuple(range(100)))]
    old_of_page = dict.fromkeys(range(97, 107), 10) | dict.fromkeys(range(60), 11)
    assert match_groups(groups, [Old(10, 1, (B,)), Old(11, 2, (C,))], old_of_page) == [11]
    assert match_groups(groups, [Old(10, 1, (B,))], dict.fromkeys(range(97, 107), 10) | dict.fromkeys(range(60), 12)) == [None]


def test_a_cluster_without_pages_is_recognised_by_its_mask() -> None:
    assert match_groups([Group((A,), (1, 2))], [Old(10, 1, (A,))], {}) == [10]


def test_ties_go_to_the_smaller_number_and_the_earlier_group() -> None:
    groups = [Group((A,), (1, 2)), Group((B,), (3, 4))]
    olds = [Old(10, 7, ("x",)), Old(11, 3, ("y",))]
    assert match_groups(groups, olds, {1: 10, 2: 11, 3: 10, 4: 11}) == [None, None], "half is not more than half"
    assert match_groups(groups, olds, {1: 11, 3: 11}) == [11, None]


def test_a_merged_cluster_keeps_the_mask_of_a_group_that_fell_under_the_threshold() -> None:
    old = Old(10, 1, (A, B, C), merged=True)
    assert keep_masks(old, [A], {7: 2, 8: 9}) == ((A, B), (7,))
    assert keep_masks(Old(10, 1, (A, C)), [B], {7: 1}) == ((B,), ()), "one that nobody merged does not"
