"""Propose values for the attributes of a template's record type on pages on which nothing is marked yet.

The attributes' names and types tell what to look for, together with the data that the pages carry for machines and with the values that
records of the same type have on other sites. Nothing becomes a value by itself: the values that an editor accepts are marked on the first
sample pages, and the marks are like any others.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from threading import Condition

from cachetools import LRUCache, cached
from django.contrib.auth.models import User
from django.utils.translation import gettext
from lxml import etree

from extraction.algorithms.proposals.learned_forms import LearnedForm, learn_form
from extraction.algorithms.proposals.propose import Proposal, SoughtAttribute, propose_values
from extraction.algorithms.suggestion.languages import Languages, read_languages
from extraction.algorithms.suggestion.units import read_units
from extraction.models import Attribute, Cluster, Label, Record, RecordCount, Snapshot
from extraction.models.record_values import read_values
from extraction.services.core.runs import JobError
from extraction.services.suggestions import page_data, taking_fields
from extraction.services.suggestions.taking_fields import TakenColumns
from extraction.services.templates import sample_pages

EXAMPLES = 5

OTHER_SITES, OTHER_RECORDS = 20, 25
"""Sites, and records of the largest template of each, whose values tell what an attribute's values look like."""

OTHER_TEXTS = 2_000
"""The number of texts of the sample pages that are taken for no values while forms are learned; the few that are values do no harm."""


@dataclass(frozen=True, slots=True)
class ProposedAttribute:
    """What is proposed for an attribute.

    attribute: its id.
    confidence: estimated probability that the values are right, from 0 to 1.
    confident: whether it is high enough to accept the values without looking at others.
    doubtful: whether the pages' own data has other values.
    filled: how many pages have a value; 0 if nothing is proposed.
    pages: how many pages were compared.
    examples: its values on some pages.
    reasons: what speaks for them, in words.
    marked: whether the attribute has marks on the template already.
    """

    attribute: int
    name: str
    confidence: float
    confident: bool
    doubtful: bool
    filled: int
    pages: int
    examples: tuple[str, ...]
    reasons: tuple[str, ...]
    marked: bool

    @property
    def coverage(self) -> float:
        """The share of the pages that have a value."""
        return self.filled / max(1, self.pages)


@dataclass(frozen=True, slots=True)
class ProposalOffer:
    """The proposals for a template's record type, in the order of its attributes.

    key: identifies the pages, the attributes and the other sites that they rest on.
    others: how many other sites have records of the type.
    unread: on how many pages the embedded data could not be read.
    """

    key: str
    pages: int
    others: int
    unread: int
    attributes: tuple[ProposedAttribute, ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    """languages: of the pages; empty if all are in one."""

    snapshots: tuple[int, ...]
    proposals: tuple[Proposal, ...]
    unread: int
    languages: Languages


@dataclass(frozen=True, slots=True, eq=False)
class _Question:
    """What is asked: the key says all that the answer depends on."""

    key: str
    snapshots: tuple[Snapshot, ...]
    attributes: tuple[Attribute, ...]
    examples: Mapping[str, Sequence[Sequence[str]]]


def propose_attributes(cluster: Cluster) -> ProposalOffer:
    """Return the proposals for a template; none without a record type. The result is cached for each set of pages."""
    question, others = _ask(cluster)
    found = _answer(question)
    marked = set(Label.objects.filter(cluster=cluster).values_list("attribute", flat=True))
    rows = tuple(
        _proposed(attribute, proposal, len(found.snapshots), marked=attribute.pk in marked)
        for attribute, proposal in zip(question.attributes, found.proposals, strict=True)
    )
    return ProposalOffer(question.key, len(found.snapshots), others, found.unread, rows)


def take_proposals(cluster: Cluster, key: str, attributes: Iterable[int], user: User | None) -> int:
    """Mark the values of the accepted attributes on some sample pages and return the number of those pages.

    Existing marks stay. An attribute without a proposal on a page stays unmarked there: it may only not have been found.

    Raises JobError when the pages or the record type have changed since the offer.

    key: the key of the offer.
    attributes: ids of the accepted attributes.
    """
    question, _ = _ask(cluster)
    if question.key != key:
        raise JobError(gettext("the sample pages, the record type or the records of other sites have changed; look at the proposals again"))
    found, wanted = _answer(question), set(attributes)
    rows = [
        (TakenColumns(place, attribute.name, attribute.type), proposal.values)
        for place, (attribute, proposal) in enumerate(zip(question.attributes, found.proposals, strict=True))
        if attribute.pk in wanted and proposal.values
    ]
    if not rows:
        raise JobError(gettext("nothing is proposed for these attributes"))
    return taking_fields.take_columns(cluster, found.snapshots, rows, user, languages=found.languages)


def _proposed(attribute: Attribute, found: Proposal, pages: int, *, marked: bool) -> ProposedAttribute:
    examples = tuple(" · ".join(value.text for value in row) for row in list(found.values.values())[:EXAMPLES])
    return ProposedAttribute(
        attribute.pk,
        attribute.name,
        found.confidence,
        found.confident,
        not found.agrees_with_data,
        len(found.values),
        pages,
        examples,
        found.reasons,
        marked,
    )


def _ask(cluster: Cluster) -> tuple[_Question, int]:
    """Return the question for a template and how many other sites it rests on."""
    samples = sample_pages.read_samples(cluster)
    attributes = tuple(Attribute.objects.of_cluster(cluster).of_page())
    examples, others, newest = _read_examples(cluster)
    told = "-".join(f"{each.pk}.{each.name}.{each.type}.{each.multiple}" for each in attributes)
    return _Question(f"{samples.key}/{told}/{others}.{newest}", samples.snapshots, attributes, examples), others


def _read_examples(cluster: Cluster) -> tuple[dict[str, list[list[str]]], int, int]:
    """Return {attribute: the values of each other site}, how many sites there are, and the newest of the records read."""
    largest = _find_largest(cluster)
    found: dict[str, list[list[str]]] = defaultdict(list)
    newest = 0
    for pk in largest:
        values: dict[str, list[str]] = defaultdict(list)
        records = Record.objects.filter(cluster=pk).standing().given().order_by("pk").values_list("pk", "values")
        for record, stored in records[:OTHER_RECORDS]:
            newest = max(newest, record)
            for name, many in read_values(stored).items():
                values[name] += [value.raw for value in many]
        for name, texts in values.items():
            found[name].append(texts)
    return dict(found), len(largest), newest


def _find_largest(cluster: Cluster) -> list[int]:
    """Return the template with the most records of a template's record type on each other site, the first sites only."""
    if not cluster.record_type_id:
        return []
    kept = RecordCount.objects.given().filter(standing=True, cluster__record_type=cluster.record_type_id)
    counts = kept.exclude(cluster__site=cluster.site_id).totals("cluster__site", "cluster")
    largest: dict[int, int] = {}
    for (site, pk), _ in sorted(counts.items(), key=lambda each: (-each[1], each[0])):
        largest.setdefault(site, pk)
    return [largest[site] for site in sorted(largest)[:OTHER_SITES]]


@cached(LRUCache(20), key=lambda question: question.key, condition=Condition())
def _answer(question: _Question) -> _Found:
    kept, roots = sample_pages.read_trees(question.snapshots)
    data = page_data.read_embedded_data(kept)
    forms = _learn_forms(question, roots)
    sought = [SoughtAttribute(each.name, each.type, each.multiple or None, forms.get(each.name)) for each in question.attributes]  # type: ignore[arg-type]
    found = propose_values(roots, sought, items=[data[snapshot.pk].items for snapshot in kept])
    return _Found(
        tuple(snapshot.pk for snapshot in kept), tuple(found), sum(bool(each.problem) for each in data.values()), read_languages(roots)
    )


def _learn_forms(question: _Question, roots: Sequence[etree._Element]) -> dict[str, LearnedForm]:
    """Return {attribute: what its values look like on other sites}."""
    if not question.examples:
        return {}
    pages, _ = read_units(roots)
    texts = sorted({unit.text for page in pages for unit in page.texts})
    others = texts[:: max(1, -(-len(texts) // OTHER_TEXTS))]
    forms = {}
    for name, sites in question.examples.items():
        form = learn_form(sites, others)
        if form is not None:
            forms[name] = form
    return forms
