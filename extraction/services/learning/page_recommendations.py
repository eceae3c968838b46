"""Which page of a template to annotate next, and whether another page would change the rule at all.

The pages of the learning set are judged by their committees' votes, which cost nothing. The other pages of the template are looked at
as time allows, some in each call: every rule that fits is run over them, and a page where two of them differ is offered as well. When none
differ anywhere, the pages annotated so far are enough.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import Lock
from time import monotonic

from cachetools import LRUCache, cached
from django.utils.translation import gettext
from lxml import etree

from extraction.algorithms.dom.page_language import detect_language
from extraction.algorithms.errors import PageError, XPathError
from extraction.algorithms.learning.committee import Committee, Member
from extraction.algorithms.learning.page_groups import PageFacts, group_pages
from extraction.algorithms.learning.page_selection import (
    MISSING,
    AttributeState,
    Disagreement,
    PageScore,
    measure_disagreement,
    rank_pages,
    score_page,
)
from extraction.algorithms.learning.stray_values import find_stray_values, list_texts
from extraction.algorithms.learning.value_doubts import find_empty_languages
from extraction.algorithms.rules import apply
from extraction.algorithms.rules.rule import AttributeRule, Selector
from extraction.algorithms.sampling import greedy
from extraction.models import Attribute, Cluster, RecordList
from extraction.services.core.percent import write_percent
from extraction.services.core.stored_pages import StoredPage
from extraction.services.learning.lessons import ListLesson, list_row_attributes
from extraction.services.learning.workspaces import AttributeLabels, LoadedPage, Workspace, open_workspace, read_labels, read_row_labels
from extraction.services.rules.cleanup_chains import find_newest_chain
from extraction.services.rules.definitions import build_attribute_rule
from extraction.services.rules.doubts import judge_values, shorten_values

MAX_OUTSIDE = 3
"""The largest number of pages offered that are no samples: those the rules disagree on most. More would only be in the way."""

MAX_DISPUTED = 50
"""The largest number of pages of the template kept as disputed; the count goes on."""

LITTLE = 0.005
"""Share of the template below which what a page shows first is not worth a word."""


@dataclass(frozen=True, slots=True)
class PageOffer:
    """A page to annotate and why, in words. disagreements: the attributes that are in dispute there."""

    snapshot_id: int
    reason: str
    disagreements: tuple[Disagreement, ...] = ()


@dataclass(frozen=True, slots=True)
class PageDoubt:
    """Values of an attribute that look wrong: in words, and the page on which to look."""

    attribute: str
    words: str
    snapshot_id: int


@dataclass(frozen=True, slots=True)
class Recommendations:
    """What to annotate next.

    offers: pages that are not completely annotated, best first: all such samples and up to MAX_OUTSIDE other pages.
    annotated: pages on which something is annotated.
    disputed: pages on which rules that fit differ, among the `checked` of `total` pages looked at so far.
    missing: pages on which nothing is found for an attribute that nobody has yet said to be missing anywhere.
    complete: whether all pages were looked at.
    settled: whether all pages were looked at, every attribute (also of lists) can be learned, and nothing is in dispute, missing or in
        doubt.
    unlearned: for each list with marked rows that cannot be learned completely yet, the reason.
    doubts: what looks wrong on pages that nobody has looked at, once all were read; then the rules may agree and all be wrong.
    covered: {page of the learning set: share of the template that it and those before it cover}, annotated ones first.
    """

    offers: tuple[PageOffer, ...]
    annotated: int
    disputed: int
    missing: int
    checked: int
    total: int
    complete: bool
    settled: bool
    unlearned: tuple[str, ...]
    doubts: tuple[PageDoubt, ...]
    covered: Mapping[int, float]


@dataclass(slots=True)
class _OutsideVotes:
    """How far the pages outside the learning set have been read with all rules that fit, and what was found.

    order: the pages outside the learning set, in the order in which they are looked at.
    rules: {attribute: its committee's members and equivalents, as rules}.
    expected: attributes that nobody has said to be missing on a page.
    facts, values: what tells the group of each page that was read, and {attribute: {page: what its best rule gives there}}.
    """

    order: list[StoredPage]
    rules: Mapping[str, list[tuple[AttributeRule, Member]]]
    expected: frozenset[str] = frozenset()
    at: int = 0
    disputed: int = 0
    missing: int = 0
    found: dict[int, PageScore] = field(default_factory=dict)
    facts: dict[int, PageFacts] = field(default_factory=dict)
    values: dict[str, dict[int, tuple[str, ...]]] = field(default_factory=dict)

    def continue_until(self, space: Workspace, until: float) -> None:
        """Looks at more pages until the given time, but at least at one page."""
        while self.at < len(self.order):
            source = self.order[self.at]
            self.at += 1
            score = self._score(space, source)
            if score is not None:
                self.disputed += bool(score.disagreements)
                self.missing += not score.disagreements
                if len(self.found) < MAX_DISPUTED:
                    self.found[source.snapshot_id] = score
            if monotonic() >= until:
                break

    def _score(self, space: Workspace, source: StoredPage) -> PageScore | None:
        """Return the page's score if rules differ or find nothing there; None if the page teaches nothing or cannot be read."""
        try:
            root = space.read_root(source)
            votes = {name: [apply.read_attribute(rule, root) for rule, _ in rows] for name, rows in self.rules.items()}
        except (PageError, XPathError):
            return None
        self.facts[source.snapshot_id] = PageFacts(source.url, detect_language(root, source.url))
        for name, each in votes.items():
            self.values.setdefault(name, {})[source.snapshot_id] = shorten_values(each[0])
        found = (measure_disagreement(name, [member for _, member in self.rules[name]], each) for name, each in votes.items())
        disputes = sorted((each for each in found if each.degree), key=lambda each: -each.degree)
        missing = tuple(name for name, each in votes.items() if name in self.expected and not each[0])
        score = sum(each.degree for each in disputes) + MISSING * len(missing)
        return PageScore(0, score / len(self.rules), tuple(disputes), missing) if disputes or missing else None


_OUTSIDE_VOTES: LRUCache[object, _OutsideVotes] = LRUCache(50)
_OUTSIDE_VOTES_LOCK = Lock()


def recommend_pages(cluster: Cluster, samples: Sequence[int], *, begun: Sequence[int] = (), budget_s: float = 0.2) -> Recommendations:
    """What to annotate next. Looks at further pages of the template for about `budget_s`; call it again until it is complete.

    samples: ids of the sample pages in their order.
    begun: ids of pages worked on, in the order in which they are shown.
    """
    space, labels = open_workspace(cluster), read_labels(cluster)
    if not space.filling.complete:
        space.fill(budget_s)  # whoever waits for this to be complete may be the only one who asks
    attributes = list(Attribute.objects.of_cluster(cluster).of_page())
    committees = {each: space.train_committee(each, labels[each.pk]) for each in attributes if any(labels.get(each.pk, {}).values())}
    ids = list(space.pages)
    known = {each.name: _make_state(ids, found, labels[each.pk]) for each, found in committees.items()}
    done = _find_done(attributes, labels)
    outside = _find_outside_votes(space, committees, known)
    outside.continue_until(space, monotonic() + budget_s)
    table = greedy.PathTable.build([_read_paths(space, pk) for pk in ids])
    ranked = _rank(table, ids, known, samples, done, labels)
    inside = [score_page(known, page, 0.0) for page in range(len(ids))]
    disputed = sum(bool(found.disagreements) for found in inside) + outside.disputed
    missing = sum(bool(found.missing and not found.disagreements) for found in inside) + outside.missing
    complete = outside.at == len(outside.order) and space.filling.complete
    learnable = len(known) == len(attributes) > 0 and all(each.committee.members for each in known.values())
    whole, unlearned = _check_lists(cluster, space)
    unlearned = (*(f"{name}: no rule fits all its marks" for name, each in known.items() if not each.committee.members), *unlearned)
    doubts = _find_doubts(space, committees, labels, outside) if complete and not disputed and not missing else ()
    offers = _make_offers(ranked, ids, samples, {pk: score for pk, score in outside.found.items() if pk not in done}, done)
    offers = _offer_doubtful(doubts, offers)
    order = [pk for pk in dict.fromkeys([*begun, *(offer.snapshot_id for offer in offers)]) if pk in space.pages]
    return Recommendations(
        offers=offers,
        annotated=len({pk for pages in labels.values() for pk in pages}),
        disputed=disputed,
        missing=missing,
        checked=len(ids) + outside.at,
        total=len(ids) + len(outside.order),
        complete=complete,
        settled=complete and learnable and whole and not disputed and not missing and not doubts,
        unlearned=unlearned,
        doubts=doubts,
        covered=dict(zip(order, greedy.measure_coverage(table, [ids.index(pk) for pk in order]), strict=True)),
    )


def explain_score(score: PageScore, *, begun: bool = True) -> str:
    """Why a page would teach something, in words; empty where it would teach nothing.

    begun: whether a page is annotated. Before that, each page shows nearly all of the template for the first time.
    """
    if score.disagreements:
        return gettext("the rules that fit so far disagree here on %(names)s") % {
            "names": _list_names([each.attribute for each in score.disagreements])
        }
    if score.missing:
        return gettext("the rule finds no %(names)s here") % {"names": _list_names(score.missing)}
    if begun and score.fresh >= LITTLE:
        return (
            gettext("shows %(fresh)s of the template for the first time") % {"fresh": write_percent(score.fresh)}
            if score.fresh >= 0.01
            else gettext("shows something new")
        )
    return ""


def _find_doubts(
    space: Workspace, committees: Mapping[Attribute, Committee], labels: Mapping[int, AttributeLabels], outside: _OutsideVotes
) -> tuple[PageDoubt, ...]:
    """Return what looks wrong among the values that the best rules give on all pages."""
    pages = {pk: PageFacts(page.url, detect_language(page.root, page.url)) for pk, page in space.pages.items()}
    groups = group_pages(pages | outside.facts)
    sources = {source.snapshot_id: source for source in space.sources}
    found = []
    for attribute, committee in committees.items():
        if not committee.members:
            continue
        best = committee.members[0]
        values = {pk: shorten_values(vote) for pk, vote in zip(space.pages, best.votes, strict=True)}
        rule = replace(_make_rule(attribute, best), cleanup=find_newest_chain(space.cluster_id, attribute.name))
        said = labels.get(attribute.pk, {})
        values |= outside.values.get(attribute.name, {})
        strays = (find_stray_values(values, each, said=said, read_texts=lambda pk: _read_texts(space, sources[pk])) for each in groups)
        doubts = [each for each in strays if each] or judge_values(rule, values, groups, said)
        for doubt in [*doubts, *find_empty_languages(values, groups, said=said, besides=doubts)]:
            found.append(PageDoubt(attribute.name, doubt.words, doubt.pages[0]))
    return tuple(found)


@cached(LRUCache(1_000), key=lambda _, source: source.sha256, lock=Lock())
def _read_texts(space: Workspace, source: StoredPage) -> frozenset[str]:
    try:
        return list_texts(list(space.read_root(source).itertext(etree.Element)))
    except PageError:
        return frozenset()


def _offer_doubtful(doubts: Sequence[PageDoubt], offers: tuple[PageOffer, ...]) -> tuple[PageOffer, ...]:
    """Put a page of each doubt before the other offers."""
    first = {each.snapshot_id: PageOffer(each.snapshot_id, f"{each.attribute}: {each.words}") for each in reversed(doubts[:MAX_OUTSIDE])}
    return (*reversed(first.values()), *(each for each in offers if each.snapshot_id not in first))


def _check_lists(cluster: Cluster, space: Workspace) -> tuple[bool, tuple[str, ...]]:
    """Return (whether every attribute of every list can be learned, why lists with marked rows cannot)."""
    whole, reasons, marked = True, [], read_row_labels(cluster)
    for each in RecordList.objects.filter(record_type_id=cluster.record_type_id):
        lesson = space.learn_list(each, marked[each.pk]) if marked.get(each.pk) else None
        if isinstance(lesson, ListLesson):
            whole = whole and len(lesson.rule.attributes) == len(list_row_attributes(each))
            reasons += [problem.message for problem in lesson.failed]
        else:
            whole = False
            reasons += [lesson.message] if lesson else []
    return whole, tuple(reasons)


def _make_state(ids: Sequence[int], found: Committee, labels: AttributeLabels) -> AttributeState:
    place = {pk: number for number, pk in enumerate(ids)}
    return AttributeState(found, not all(labels.values()), frozenset(place[pk] for pk in labels if pk in place))


def _find_done(attributes: Sequence[Attribute], labels: Mapping[int, AttributeLabels]) -> set[int]:
    """Return the pages on which every attribute is annotated."""
    pages = [set(labels.get(attribute.pk, {})) for attribute in attributes]
    return set.intersection(*pages) if pages else set()


def _rank(
    table: greedy.PathTable,
    ids: Sequence[int],
    known: Mapping[str, AttributeState],
    samples: Sequence[int],
    done: set[int],
    labels: Mapping[int, AttributeLabels],
) -> list[PageScore]:
    """Scores the learning set's pages that are not done. Of pages that teach the same, samples come first."""
    place = {pk: number for number, pk in enumerate(ids)}
    order = [*(place[pk] for pk in samples if pk in place), *(place[pk] for pk in ids if pk not in set(samples))]
    shown = {place[pk] for pages in labels.values() for pk in pages if pk in place}
    return rank_pages(known, [page for page in order if ids[page] not in done], greedy.measure_unseen(table, sorted(shown)))


def _read_paths(space: Workspace, snapshot_id: int) -> greedy.PagePaths:
    return _read_page_paths(space.pages[snapshot_id])


@cached(LRUCache(2_000), key=lambda page: page.sha256, lock=Lock())
def _read_page_paths(page: LoadedPage) -> greedy.PagePaths:
    return greedy.read_paths(page.root)


def _find_outside_votes(space: Workspace, committees: Mapping[Attribute, Committee], known: Mapping[str, AttributeState]) -> _OutsideVotes:
    """Return the progress of running these committees, which is kept between calls."""
    rules = {
        attribute.name: [(_make_rule(attribute, member), member) for member in (*found.members, *found.equivalents)]
        for attribute, found in committees.items()
        if found.members
    }
    expected = frozenset(name for name, each in known.items() if not each.absent)
    key = (
        space.cluster_id,
        tuple(space.pages),
        len(space.sources),
        expected,
        repr([[rule for rule, _ in rows] for rows in rules.values()]),
    )
    outside = [source for source in space.sources if source.snapshot_id not in space.pages] if rules else []
    with _OUTSIDE_VOTES_LOCK:
        return _OUTSIDE_VOTES.setdefault(key, _OutsideVotes(outside, rules, expected))


def _make_rule(attribute: Attribute, member: Member) -> AttributeRule:
    return build_attribute_rule(attribute, tuple(Selector(each.xpath, each.part) for each in member.alternatives))


def _make_offers(
    ranked: Sequence[PageScore], ids: Sequence[int], samples: Sequence[int], outside: Mapping[int, PageScore], done: set[int]
) -> tuple[PageOffer, ...]:
    rows = [(ids[score.page], score) for score in ranked] + [(pk, score) for pk, score in outside.items() if pk not in ids]
    rows.sort(key=lambda row: (-row[1].score, row[0] not in samples))
    rows += [
        (pk, PageScore(0, 0.0)) for pk in samples if pk not in ids and pk not in outside and pk not in done
    ]  # not read yet, or not readable
    others = [pk for pk, score in rows if pk not in samples and score.disagreements][:MAX_OUTSIDE]
    return tuple(
        PageOffer(pk, explain_score(score, begun=bool(done)), score.disagreements) for pk, score in rows if pk in samples or pk in others
    )


def _list_names(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:2])} and {len(names) - 2} more" if len(names) > 2 else " and ".join(names)
