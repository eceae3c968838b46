"""Which page of a template to annotate next, and whether another one would change the rule at all.

The pages of the learning set are judged by their committees' votes, which cost nothing. The other pages of the template
are looked at as time allows, call by call: every rule that fits is run over them, and where two differ the page is
offered as well. When none differs anywhere, the pages annotated so far were enough.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from time import monotonic

from cachetools import LRUCache, cached

from extraction.algorithms.errors import PageError, XPathError
from extraction.algorithms.learning import teaching
from extraction.algorithms.learning.committee import Committee, Member
from extraction.algorithms.learning.teaching import Advice, Doubt, Known
from extraction.algorithms.rules import apply
from extraction.algorithms.rules.rule import AttributeRule, Selector
from extraction.algorithms.sampling import greedy
from extraction.models import Attribute, Cluster, RecordList
from extraction.services.core.stored_pages import StoredPage
from extraction.services.learning.list_lessons import ListLesson, attributes_of
from extraction.services.learning.workspaces import Labels, LoadedPage, Workspace, labels_of, open_workspace, row_labels_of
from extraction.services.rules.definitions import build_attribute_rule

MAX_OUTSIDE = 3
"""Pages offered that are no samples: those the rules disagree on most. More would only be in the way."""

MAX_DISPUTED = 50
"""Pages of the template kept as disputed; the count goes on."""

LITTLE = 0.005
"""Share of the template below which what a page shows first is not worth a word."""


__all__ = ["Doubt", "Offer", "Teaching", "advise", "reason"]


@dataclass(frozen=True, slots=True)
class Offer:
    """A page to annotate and why, in words; `doubts` say what is in dispute there."""

    snapshot_id: int
    reason: str
    doubts: tuple[Doubt, ...] = ()


@dataclass(frozen=True, slots=True)
class Teaching:
    """offers: pages of which not all is said yet, best first: all samples and up to MAX_OUTSIDE others.

    annotated: pages with something said. disputed: pages on which rules that fit differ, as far as `checked` of `total`
    pages were looked at; complete: all were. missing: pages on which nothing is found for an attribute that nobody has yet
    said to be missing anywhere. settled: all was looked at, every attribute can be learned, those of lists
    too, nothing is in dispute or missing. unlearned: of each list with marked rows that cannot be learned whole yet, why.
    covered: {page of the learning set: share of the template that it and those before it cover}, annotated ones first.
    """

    offers: tuple[Offer, ...]
    annotated: int
    disputed: int
    missing: int
    checked: int
    total: int
    complete: bool
    settled: bool
    unlearned: tuple[str, ...]
    covered: Mapping[int, float]


@dataclass(slots=True)
class _Jury:
    """How far the rules that fit were run over the pages outside the learning set."""

    order: list[StoredPage]
    rules: Mapping[str, list[tuple[AttributeRule, Member]]]
    expected: frozenset[str] = frozenset()  # attributes that nobody has said to be missing on a page
    at: int = 0
    disputed: int = 0
    missing: int = 0
    found: dict[int, Advice] = field(default_factory=dict)

    def go_on(self, space: Workspace, until: float) -> None:
        while self.at < len(self.order):
            source = self.order[self.at]
            self.at += 1
            advice = self._judge(space, source)
            if advice is not None:
                self.disputed += bool(advice.doubts)
                self.missing += not advice.doubts
                if len(self.found) < MAX_DISPUTED:
                    self.found[source.snapshot_id] = advice
            if monotonic() >= until:
                break

    def _judge(self, space: Workspace, source: StoredPage) -> Advice | None:
        """The page's advice where rules differ or find nothing; None where it, or a page that cannot be read, teaches nothing."""
        try:
            root = space.root(source)
            votes = {name: [apply.attribute_values(rule, root) for rule, _ in rows] for name, rows in self.rules.items()}
        except (PageError, XPathError):
            return None
        doubts = (teaching.doubt(name, [member for _, member in self.rules[name]], each) for name, each in votes.items())
        disputes = sorted((each for each in doubts if each.degree), key=lambda each: -each.degree)
        missing = tuple(name for name, each in votes.items() if name in self.expected and not each[0])
        score = sum(each.degree for each in disputes) + teaching.MISSING * len(missing)
        return Advice(0, score / len(self.rules), tuple(disputes), missing) if disputes or missing else None


_JURIES: LRUCache[object, _Jury] = LRUCache(50)
_JURIES_LOCK = Lock()


def advise(cluster: Cluster, samples: Sequence[int], *, begun: Sequence[int] = (), budget_s: float = 0.2) -> Teaching:
    """What to annotate next; looks at further pages of the template for about `budget_s`.

    samples: ids of the sample pages in their order. begun: ids of pages worked on, in the order in which they are shown.
    Call it again until it is complete.
    """
    space, labels = open_workspace(cluster), labels_of(cluster)
    if not space.filling.complete:
        space.fill(budget_s)  # whoever waits for this to be complete may be the only one who asks
    attributes = list(Attribute.objects.of_cluster(cluster).of_page())
    committees = {each: space.committee(each, labels[each.pk]) for each in attributes if any(labels.get(each.pk, {}).values())}
    ids = list(space.pages)
    known = {each.name: _known(ids, found, labels[each.pk]) for each, found in committees.items()}
    done = _done(attributes, labels)
    jury = _jury(space, committees, known)
    jury.go_on(space, monotonic() + budget_s)
    table = greedy.PathTable.build([_paths(space, pk) for pk in ids])
    ranked = _ranked(table, ids, known, samples, done, labels)
    inside = [teaching.advise(known, page, 0.0) for page in range(len(ids))]
    disputed = sum(bool(found.doubts) for found in inside) + jury.disputed
    missing = sum(bool(found.missing and not found.doubts) for found in inside) + jury.missing
    complete = jury.at == len(jury.order) and space.filling.complete
    learnable = len(known) == len(attributes) > 0 and all(each.committee.members for each in known.values())
    whole, unlearned = _lists(cluster, space)
    offers = _offers(ranked, ids, samples, {pk: advice for pk, advice in jury.found.items() if pk not in done}, done)
    order = [pk for pk in dict.fromkeys([*begun, *(offer.snapshot_id for offer in offers)]) if pk in space.pages]
    return Teaching(
        offers=offers,
        annotated=len({pk for pages in labels.values() for pk in pages}),
        disputed=disputed,
        missing=missing,
        checked=len(ids) + jury.at,
        total=len(ids) + len(jury.order),
        complete=complete,
        settled=complete and learnable and whole and not disputed and not missing,
        unlearned=unlearned,
        covered=dict(zip(order, greedy.measure_coverage(table, [ids.index(pk) for pk in order]), strict=True)),
    )


def _lists(cluster: Cluster, space: Workspace) -> tuple[bool, tuple[str, ...]]:
    """(every attribute of every list can be learned, why those with marked rows cannot)."""
    whole, reasons, marked = True, [], row_labels_of(cluster)
    for each in RecordList.objects.filter(record_type_id=cluster.record_type_id):
        lesson = space.list_lesson(each, marked[each.pk]) if marked.get(each.pk) else None
        if isinstance(lesson, ListLesson):
            whole = whole and len(lesson.rule.attributes) == len(attributes_of(each))
            reasons += [problem.message for problem in lesson.failed]
        else:
            whole = False
            reasons += [lesson.message] if lesson else []
    return whole, tuple(reasons)


def _known(ids: Sequence[int], found: Committee, labels: Labels) -> Known:
    place = {pk: number for number, pk in enumerate(ids)}
    return Known(found, not all(labels.values()), frozenset(place[pk] for pk in labels if pk in place))


def _done(attributes: Sequence[Attribute], labels: Mapping[int, Labels]) -> set[int]:
    """Pages of which every attribute is said."""
    pages = [set(labels.get(attribute.pk, {})) for attribute in attributes]
    return set.intersection(*pages) if pages else set()


def _ranked(
    table: greedy.PathTable,
    ids: Sequence[int],
    known: Mapping[str, Known],
    samples: Sequence[int],
    done: set[int],
    labels: Mapping[int, Labels],
) -> list[Advice]:
    """Advice on the learning set's pages that are not done, samples before others where they teach the same."""
    place = {pk: number for number, pk in enumerate(ids)}
    order = [*(place[pk] for pk in samples if pk in place), *(place[pk] for pk in ids if pk not in set(samples))]
    shown = {place[pk] for pages in labels.values() for pk in pages if pk in place}
    return teaching.rank(known, [page for page in order if ids[page] not in done], greedy.measure_unseen(table, sorted(shown)))


def _paths(space: Workspace, snapshot_id: int) -> greedy.PagePaths:
    return _page_paths(space.pages[snapshot_id])


@cached(LRUCache(2_000), key=lambda page: page.sha256, lock=Lock())
def _page_paths(page: LoadedPage) -> greedy.PagePaths:
    return greedy.read_paths(page.root)


def _jury(space: Workspace, committees: Mapping[Attribute, Committee], known: Mapping[str, Known]) -> _Jury:
    rules = {
        attribute.name: [(_rule(attribute, member), member) for member in (*found.members, *found.twins)]
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
    with _JURIES_LOCK:
        return _JURIES.setdefault(key, _Jury(outside, rules, expected))


def _rule(attribute: Attribute, member: Member) -> AttributeRule:
    return build_attribute_rule(attribute, tuple(Selector(each.xpath, each.part) for each in member.alternatives))


def _offers(
    ranked: Sequence[Advice], ids: Sequence[int], samples: Sequence[int], outside: Mapping[int, Advice], done: set[int]
) -> tuple[Offer, ...]:
    rows = [(ids[advice.page], advice) for advice in ranked] + [(pk, advice) for pk, advice in outside.items() if pk not in ids]
    rows.sort(key=lambda row: (-row[1].score, row[0] not in samples))
    rows += [
        (pk, Advice(0, 0.0)) for pk in samples if pk not in ids and pk not in outside and pk not in done
    ]  # not read yet, or not readable
    others = [pk for pk, advice in rows if pk not in samples and advice.doubts][:MAX_OUTSIDE]
    return tuple(Offer(pk, reason(advice), advice.doubts) for pk, advice in rows if pk in samples or pk in others)


def reason(advice: Advice) -> str:
    """Why a page would teach something, in words; "" where it would teach nothing."""
    if advice.doubts:
        return f"the rules that fit so far disagree here on {_listed([each.attribute for each in advice.doubts])}"
    if advice.missing:
        return f"no {_listed(advice.missing)} is found here"
    if advice.fresh >= LITTLE:
        return f"shows {100 * advice.fresh:.0f} % of the template for the first time" if advice.fresh >= 0.01 else "shows something new"
    return ""


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:2])} and {len(names) - 2} more" if len(names) > 2 else " and ".join(names)
