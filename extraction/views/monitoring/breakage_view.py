"""Breakages as operators see them: the queue, worst first, and one breakage with its pages and what its repair would give."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from threading import Condition

from cachetools import LRUCache, cached
from django.contrib.auth.models import AnonymousUser, User
from django.db.models import QuerySet
from django.utils.translation import gettext
from lxml import etree

from extraction.algorithms.dom.nodes import Location, elements
from extraction.algorithms.errors import PageError, RuleError, XPathError
from extraction.algorithms.rules import apply
from extraction.algorithms.rules.rule import RuleDefinition
from extraction.models import Attribute, Breakage, Check, RecordCount, Rule, Run, Snapshot
from extraction.models.rule_report import RelearnedReport, RuleReport
from extraction.services.core import stored_pages
from extraction.services.core.access import visible_to
from extraction.services.core.comments import count_by_breakage
from extraction.services.labels import proofs
from extraction.services.labels.proofs import Proof
from extraction.services.rules import rule_xpaths
from extraction.views.schema.shown_attributes import choose_attributes, find_attributes, read_schema

MAX_MARKS = 40
"""How many places are outlined on a page. They are passed in an address, and nobody could tell more of them apart."""

OPEN_SHOWN = 100
"""How many open breakages are shown. The next ones follow as these are closed."""

CLOSED_SHOWN = 50
"""How many closed breakages are shown under the open ones."""

Places = Mapping[str, Sequence[tuple[Location, str]]]


@dataclass(frozen=True, slots=True)
class BreakageRow:
    """A breakage in the queue. attributes: those that broke. records: how many its template has. proof: how certain its repair is."""

    breakage: Breakage
    attributes: list[Attribute]
    records: int
    proof: Proof | None
    comments: int

    @property
    def ending(self) -> str:
        """How much was repaired, if the repair did not find everything that broke: "13 of 14 repaired"; else empty."""
        return describe_ending(self.breakage, self.proof)


@dataclass(frozen=True, slots=True)
class PagePair:
    """One page of the check, then and now. old, new: snapshot ids; new None where the page did not answer."""

    url: str
    outcome: str
    old: int
    new: int | None


@dataclass(frozen=True, slots=True)
class Sides:
    """The page looked at, with what to outline on its old and its new version, in the form that the frame's address takes."""

    pair: PagePair
    old: Snapshot | None
    new: Snapshot | None
    old_marks: str = ""
    new_marks: str = ""


@dataclass(frozen=True, slots=True)
class BrokenValue:
    """A broken attribute on one page.

    before, now: what the old rule gave, and what it gives now.
    repaired: what the repair gives.
    reason: why it counts as broken.
    """

    place: int
    url: str
    before: tuple[str, ...]
    now: tuple[str, ...]
    repaired: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class AttributeEffect:
    """A broken attribute over the check's pages.

    relearned: the learner's figures, None where there is no repair of it.
    failure: why.
    proven: whether the repair is proven.
    old, new: the XPaths.
    values: pages with a value before, now, and by the repair.
    """

    attribute: Attribute
    lines: list[BrokenValue]
    relearned: RelearnedReport | None = None
    failure: str = ""
    old: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    values: tuple[int, int, int] = (0, 0, 0)
    proven: bool = False


@dataclass(frozen=True, slots=True)
class _Read:
    """The places on one page: the old rule's on the old and the new page, and the repair's on the new page."""

    before: Places
    now: Places
    repaired: Places


def count_open(user: User | AnonymousUser) -> int:
    """How many breakages are open in a person's teams."""
    return visible_to(Breakage.objects.open(), user).count()


def is_preparing(breakage: Breakage) -> bool:
    """Whether a repair of an open breakage is still being looked for."""
    return breakage.state == Breakage.State.OPEN and breakage.proposal_id is None and not breakage.note


def list_open(user: User | AnonymousUser, *, most: int = OPEN_SHOWN, assignee: User | None = None) -> list[BreakageRow]:
    """The open breakages in a person's teams, those that affect most records first.

    most: how many are wanted.
    assignee: whose breakages are wanted; None for those of everybody.
    """
    found = visible_to(Breakage.objects.open(), user)
    return _rows((found.filter(assignee=assignee) if assignee else found)[:most])


def list_closed(user: User | AnonymousUser) -> list[BreakageRow]:
    """The closed breakages in a person's teams, the latest first."""
    found = visible_to(Breakage.objects.filter(closed_at__isnull=False), user)
    return _rows(found.order_by("-closed_at", "-importance", "pk")[:CLOSED_SHOWN])


def find_next(breakage: Breakage, user: User | AnonymousUser) -> Breakage | None:
    """The open breakage of a person's teams to look at after this one, None where no other is open."""
    return visible_to(Breakage.objects.open(), user).exclude(pk=breakage.pk).select_related("cluster__site").first()


def list_pages(check: Check) -> list[PagePair]:
    """The pages of a check, those that answered first."""
    rows = [PagePair(each.url, each.outcome, each.old, each.new) for each in check.read_pages()]
    return sorted(rows, key=lambda pair: pair.new is None)


def show_page(breakage: Breakage, pair: PagePair) -> Sides:
    """Return both sides of a page: the old places, and the places where the repair finds values now. Without a repair, the old rule is
    used."""
    found = Snapshot.objects.select_related("page").in_bulk([pk for pk in (pair.old, pair.new) if pk])
    old, new = found.get(pair.old), found.get(pair.new or 0)
    hues = {each.name: each.hue for each in find_attributes(breakage.cluster, breakage.attributes)}
    read = _evaluated(breakage).get(pair.url)
    if read is None:
        return Sides(pair, old, new)
    return Sides(pair, old, new, _marks(read.before, hues), _marks(read.repaired if breakage.proposal else read.now, hues))


def show_effects(breakage: Breakage) -> list[AttributeEffect]:
    """What broke and what the repair gives, attribute by attribute and page by page. Attributes that are not proven come first."""
    read, pages = _evaluated(breakage), list_pages(breakage.check_found)
    reasons = {(each.attribute, each.url): each.reason for each in breakage.check_found.read_evidence()}
    report = breakage.proposal.read_report() if breakage.proposal else RuleReport()
    figures, failures = report.relearned, report.failures
    old, new = _xpaths(breakage.rule), _xpaths(breakage.proposal) if breakage.proposal else {}
    sure = judge_proposal(breakage)
    proven, found = sure.proven if sure else (), []
    for attribute in find_attributes(breakage.cluster, breakage.attributes):
        lines = [_line(n, pair.url, read[pair.url], attribute.name, reasons) for n, pair in enumerate(pages, 1) if pair.url in read]
        counts = (
            sum(bool(each.before) for each in lines),
            sum(bool(each.now) for each in lines),
            sum(bool(each.repaired) for each in lines),
        )
        relearned = figures.get(attribute.name)
        xpaths = old.get(attribute.name, ()), new.get(attribute.name, ())
        found.append(
            AttributeEffect(attribute, lines, relearned, failures.get(attribute.name, ""), *xpaths, counts, attribute.name in proven)
        )
    return sorted(found, key=lambda each: each.proven)


def judge_proposal(breakage: Breakage) -> Proof | None:
    """How certain the repair of each attribute is, None where there is no repair."""
    return proofs.read_proof(breakage.proposal.read_report(), breakage.attributes) if breakage.proposal else None


def list_unbroken(breakage: Breakage) -> tuple[list[str], list[str]]:
    """Return the attributes that did not break: those that watched pages had a value of, and those of which nothing is known."""
    found = {name: each for name, each in breakage.check_found.read_attributes().items() if name not in breakage.attributes}
    names = [each.name for each in find_attributes(breakage.cluster, list(found))]
    return [name for name in names if found[name].pages], [name for name in names if not found[name].pages]


def describe_ending(breakage: Breakage, proof: Proof | None) -> str:
    """How much an accepted repair repaired, in words, if it left something out; else empty."""
    accepted = breakage.state == Breakage.State.REPAIRED and breakage.proposal is not None and breakage.proposal.published_at is not None
    if not accepted or proof is None or not proof.lost:
        return ""
    return gettext("%(attributes)s of %(attributes_2)s repaired") % {
        "attributes": len(breakage.attributes) - len(proof.lost),
        "attributes_2": len(breakage.attributes),
    }


def find_renewal(breakage: Breakage) -> Run | None:
    """The unfinished run that renews the records after the repair was accepted, if there is one."""
    runs = Run.objects.unfinished().filter(site=breakage.cluster.site).order_by("pk")
    return runs.filter(kind__in=(Run.Kind.CRAWL, Run.Kind.CLUSTER, Run.Kind.EXTRACT)).first()


def choose_page_number(asked: str, pages: int) -> int:
    """The number of the page asked for, from 1 to `pages`."""
    return min(max(int(asked) if asked.isdecimal() and len(asked) < 19 else 1, 1), max(pages, 1))


def choose_annotatable(breakage: Breakage, asked: str) -> Snapshot | None:
    """The check's page to annotate, as it is now: the one asked for, else the first that answered, None where none did.

    The check stored it apart from the template's pages. From now on it belongs to the template.
    """
    answered = [pair.new for pair in list_pages(breakage.check_found) if pair.new]
    if not answered:
        return None
    chosen = int(asked) if asked in map(str, answered) else answered[0]
    Snapshot.objects.filter(pk=chosen, cluster=None).update(cluster=breakage.cluster)
    return Snapshot.objects.filter(pk=chosen).first()


def _rows(found: QuerySet[Breakage]) -> list[BreakageRow]:
    related = ("cluster__site", "cluster__record_type", "rule", "proposal", "closed_by", "assignee")
    heavy = ("rule__definition", "rule__report", "rule__stylesheet", "proposal__definition", "proposal__stylesheet")
    shown = list(found.select_related(*related).defer(*heavy))
    clusters = [each.cluster for each in shown]
    schema = read_schema(clusters)
    records = RecordCount.objects.filter(cluster__in=clusters).now().totals("cluster")
    commented = count_by_breakage([each.pk for each in shown])
    return [
        BreakageRow(
            each,
            choose_attributes(schema, each.cluster, each.attributes),
            records.get(each.cluster_id, 0),
            judge_proposal(each),
            commented.get(each.pk, 0),
        )
        for each in shown
    ]


def _key(breakage: Breakage) -> tuple[int, int, int | None]:
    return breakage.pk, breakage.check_found_id, breakage.proposal_id


# Kept because each step through the pages asks for it, and it is a second's work.
@cached(LRUCache(16), key=_key, condition=Condition())
def _evaluated(breakage: Breakage) -> dict[str, _Read]:
    """{url: what the rules give on the page's two versions}, for the pages that could be read."""
    old = _only(breakage.rule, breakage.attributes)
    new = _only(breakage.proposal, breakage.attributes) if breakage.proposal else RuleDefinition(())
    answered = [pair for pair in list_pages(breakage.check_found) if pair.new]
    snapshots = Snapshot.objects.in_bulk([pk for pair in answered for pk in (pair.old, pair.new) if pk])
    found = {}
    for pair in answered:
        try:
            then, now = (stored_pages.read_root(snapshots[pk]) for pk in (pair.old, pair.new) if pk)
            found[pair.url] = _Read(_places(old, then), _places(old, now), _places(new, now))
        except (PageError, RuleError, XPathError, KeyError):
            continue  # the table shows the pages that can be judged; the frame says why one cannot be shown
    return found


def _only(rule: Rule, names: Sequence[str]) -> RuleDefinition:
    """The rule with these attributes alone, those of lists among them."""
    value = rule.read_definition()
    lists = [replace(one, attributes=tuple(each for each in one.attributes if each.name in names)) for one in value.lists]
    return RuleDefinition(tuple(each for each in value.attributes if each.name in names), tuple(one for one in lists if one.attributes))


def _places(rule: RuleDefinition, root: etree._Element) -> Places:
    """Where a rule's values stand, those of all rows of a list together."""
    found = dict(apply.find_places(RuleDefinition(rule.attributes), root))
    index = {element: n for n, element in enumerate(elements(root))} if rule.lists else {}
    for one in rule.lists:
        rows = apply.find_row_places(one, root, index)
        found |= {each.name: tuple(place for row in rows for place in row.get(each.name, ())) for each in one.attributes}
    return found


def _xpaths(rule: Rule) -> dict[str, tuple[str, ...]]:
    return {name: rule_xpaths.format_xpaths(entry) for name, entry in rule_xpaths.find_entries(rule).items()}


def _marks(places: Places, hues: Mapping[str, int]) -> str:
    """The first places on the page, in the attributes' hues."""
    marked = sorted(((place, name) for name, found in places.items() for place, _ in found), key=lambda each: (each[0].node, each[0].text))
    outlines = [{**place.as_json(), "hue": hues.get(name, 0)} for place, name in marked]
    return json.dumps(outlines[:MAX_MARKS], separators=(",", ":")) if outlines else ""


def _line(number: int, url: str, read: _Read, name: str, reasons: Mapping[tuple[str, str], str]) -> BrokenValue:
    def values(places: Places) -> tuple[str, ...]:
        return tuple(dict.fromkeys(value for _, value in places.get(name, ())))

    return BrokenValue(number, url, values(read.before), values(read.now), values(read.repaired), reasons.get((name, url), ""))
