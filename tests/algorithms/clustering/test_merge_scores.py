"""What a step says of the pages that have it, and what a merge of two groups costs: the same as with plain sets and loops."""

import random
from collections import Counter

import numpy as np
import pytest

from extraction.algorithms.clustering import site_questions
from extraction.algorithms.clustering.merge_scores import PageGroups
from extraction.algorithms.clustering.page_steps import PageSteps
from extraction.algorithms.clustering.site_questions import SiteQuestions
from tests.algorithms.clustering.plain_merges import PlainGroup, PlainPage, PlainPair, PlainSite


def page(*steps: int) -> PageSteps:
    rows = np.array(sorted(steps), np.uint64)
    return PageSteps(rows, np.zeros(len(rows), np.uint64), np.zeros(len(rows), np.uint64))


def test_the_sites_frame_says_nothing_also_where_a_few_pages_lack_it() -> None:
    pages = [page(1, 2, 3)] * 19 + [page(3)]
    questions = SiteQuestions(pages)
    assert questions.steps.tolist() == [1, 2, 3]
    assert questions.bits.tolist() == [0, 0, 0]


def test_a_page_type_that_has_the_frame_and_little_else_is_no_bare_form_of_another() -> None:
    frame = range(1, 121)
    one, other, odd = page(*frame, 150, 151, 152), page(*frame, 160), page(170, 171)
    questions = SiteQuestions([one] * 20 + [other] * 18 + [odd] * 2)
    groups = PageGroups(questions, [np.array([questions.row(each)] * 5) for each in (one, other)])
    assert groups.score_optional_merges(0, np.array([1]))[0] == -1, (
        "120 steps of the frame in common do not make up for the one that is not there"
    )


def test_of_too_many_steps_the_most_frequent_are_kept_and_of_equal_ones_the_smaller(monkeypatch: pytest.MonkeyPatch) -> None:
    pages = [page(1, 2, 3, 4, 5)] * 2 + [page(2, 4, 5)] + [page(5)]
    for most, kept in ((5, [1, 2, 3, 4, 5]), (4, [1, 2, 4, 5]), (2, [2, 5]), (1, [5])):
        monkeypatch.setattr(site_questions, "MOST_STEPS", most)
        assert SiteQuestions(pages).steps.tolist() == kept


def draw_site(seed: int) -> tuple[list[PlainPage], list[list[PlainPage]]]:
    """A small site by chance: a frame, kinds of pages that share some of their steps, options, and steps below others.

    Returns (its pages, the same in groups, each of one kind).
    """
    chance = random.Random(seed)
    frame = range(1, chance.randint(3, 12))
    parents = {step: 0 if step == 1 else chance.randint(1, step - 1) for step in frame}
    parents |= {step: chance.choice([0, 1, *range(20, step)]) for step in range(20, 60)}
    varied = {step for step in frame if chance.random() < 0.5}
    kinds: list[dict[int, float]] = []
    for _ in range(chance.randint(2, 3)):
        own = {*chance.sample(range(20, 60), chance.randint(3, 25)), *(kinds[-1] if kinds and chance.random() < 0.6 else ())}
        kinds.append({step: chance.choice((1.0, 0.97, 0.95, 0.6, 0.15)) for step in sorted(own)})
    groups = []
    for kind in kinds * chance.randint(1, 2):
        likely = dict.fromkeys(frame, chance.choice((1.0, 0.98, 0.5))) | kind
        groups.append([_draw_page(chance, likely, parents, varied) for _ in range(chance.choice((1, 2, 5, 12, 25)))])
    return [page for group in groups for page in group], groups


def _draw_page(chance: random.Random, likely: dict[int, float], parents: dict[int, int], varied: set[int]) -> PlainPage:
    steps: dict[int, tuple[int, int]] = {}
    for step, share in sorted(likely.items()):
        if chance.random() < share and (parents[step] == 0 or parents[step] in steps):
            steps[step] = parents[step], chance.randint(1, 60) if step in varied else chance.choice((0, 5))
    return PlainPage(steps)


def test_scores_of_merges_are_those_of_plain_sets_and_loops() -> None:
    """On 150 small sites, before and after a merge; each way to be refused or allowed comes up."""
    seen: Counter[tuple[str, bool]] = Counter()
    for seed in range(150):
        pages, drawn = draw_site(seed)
        site, questions = PlainSite(pages), SiteQuestions([page.packed() for page in pages])
        groups = PageGroups(questions, [np.array([questions.row(page.packed()) for page in group]) for group in drawn])
        if len(drawn) > 3:
            groups.merge(1, 3)
            drawn = [drawn[0], drawn[1] + drawn[3], drawn[2], []]
        others = np.array([n for n in range(1, len(drawn)) if drawn[n]])
        pairs = [PlainPair(PlainGroup(site, drawn[0]), PlainGroup(site, drawn[n])) for n in others]
        for name, found, wanted in (
            ("saving", groups.score_saving_merges(0, others), [pair.score_saving() for pair in pairs]),
            ("optional", groups.score_optional_merges(0, others), [pair.score_optional(single=False) for pair in pairs]),
            ("single", groups.score_optional_merges(0, others, single=True), [pair.score_optional(single=True) for pair in pairs]),
        ):
            assert found.tolist() == pytest.approx(wanted), (seed, name)
            seen.update((name, score > 0) for score in wanted)
    assert min(seen[name, merged] for name in ("saving", "optional", "single") for merged in (False, True)) >= 10, seen


def test_questions_of_a_site_are_those_of_plain_counting() -> None:
    lone: Counter[bool] = Counter()
    for seed in range(80):
        pages, _ = draw_site(seed)
        site, questions = PlainSite(pages), SiteQuestions([page.packed() for page in pages])
        assert questions.steps.tolist() == site.steps
        assert questions.bits.tolist() == pytest.approx([site.bits[step] for step in site.steps])
        assert questions.content.tolist() == [step in site.content for step in site.steps]
        for page in [*pages[:5], PlainPage({1: (0, 1), 99: (0, 0), 98: (0, 0), 20: (0, 0)}), PlainPage({97: (0, 0)})]:
            known = {step for step in page.steps if step in site.steps}
            has_content = bool(site.content) and len(known & site.content) >= 0.9 * len(site.content)
            comparable = len(known) >= 0.75 * max(len(page.steps), 1)
            is_lone = not comparable and not has_content and len(known - site.frame) < 0.25 * len(page.steps)
            packed = page.packed()
            assert (questions.comparable(packed), questions.has_content(packed)) == (comparable, has_content)
            assert questions.is_lone(packed) == is_lone
            lone[is_lone] += 1
    assert min(lone[True], lone[False]) >= 20
