"""Suggest fields for a template on which nothing is marked yet.

The fields that an editor accepts become attributes of the record type, and their values are marked on a few sample
pages. The marks are like any others: the editor can correct them in the workbench and learn a rule from them.
"""

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from threading import Condition

from cachetools import LRUCache, cached
from django.contrib.auth.models import User
from django.utils.translation import gettext

from extraction.algorithms.dom.page_language import detect_language
from extraction.algorithms.rules.guess import guess_type
from extraction.algorithms.suggestion import languages
from extraction.algorithms.suggestion.absences import find_absences
from extraction.algorithms.suggestion.languages import Languages
from extraction.algorithms.suggestion.lists import find_columns_within
from extraction.algorithms.suggestion.suggest import SuggestedColumn, suggest_columns
from extraction.models import Cluster
from extraction.services.core.runs import JobError
from extraction.services.suggestions import found_lists, taking_fields
from extraction.services.suggestions.taking_fields import TakenColumns
from extraction.services.templates import sample_pages
from extraction.services.templates.sample_pages import Samples

COLUMNS = 30
"""The largest number of fields suggested, without those of CONSTANTS and FURTHER."""

CONSTANTS = 12
"""The largest number of fields suggested in addition that are the same on all or nearly all pages."""

FURTHER = 20
"""The largest number of fields suggested in addition that stand in the same rows as others, most of them on few pages."""

EXAMPLES = 5


@dataclass(frozen=True, slots=True)
class SuggestedField:
    """A suggested field.

    place: its number, from 0.
    constant: whether its value is the same on all pages.
    sameness: the share of its pages that have the most common value. folded: whether that is nearly all.
    filled: how many pages have it.
    pages: how many pages were compared.
    examples: its values on some pages.
    list: the list in whose rows its values are; "" for none.
    further: whether it is suggested only because it stands in the same rows as others.
    """

    place: int
    name: str
    type: str
    multiple: bool
    constant: bool
    filled: int
    pages: int
    examples: tuple[str, ...]
    sameness: float = 0
    folded: bool = False
    list: str = ""
    further: bool = False

    @property
    def coverage(self) -> float:
        """The share of the pages that have the field."""
        return self.filled / self.pages


@dataclass(frozen=True, slots=True)
class FieldOffer:
    """The fields suggested for a template, the best first. key: identifies the pages that were compared."""

    key: str
    pages: int
    fields: tuple[SuggestedField, ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    """languages: of the pages; empty if all are in one. absences: for each column, the pages that are known to lack it."""

    snapshots: tuple[int, ...]
    languages: Languages
    columns: tuple[SuggestedColumn, ...]
    fields: tuple[SuggestedField, ...]
    absences: tuple[Set[int], ...]


def suggest_fields(cluster: Cluster) -> FieldOffer:
    """Return the fields suggested for a template's sample pages. The result is cached for each set of pages."""
    key, found = _find(cluster)
    return FieldOffer(key, len(found.snapshots), found.fields)


def take_fields(cluster: Cluster, key: str, taken: Sequence[TakenColumns], user: User | None, *, type_name: str = "") -> int:
    """Turn the accepted fields into attributes, mark them on a few sample pages and return the number of those pages.

    Existing marks stay. Raises JobError when the sample pages have changed since the offer.

    key: the key of the offer.
    type_name: the name of the record type to create if the template has none.
    """
    now, found = _find(cluster)
    if now != key:
        raise JobError(gettext("the template's sample pages have changed; look at the suggestions again"))
    known = [each for each in taken if each.place < len(found.columns)]
    return taking_fields.take_columns(
        cluster,
        found.snapshots,
        [(each, found.columns[each.place].values) for each in known],
        user,
        type_name=type_name,
        languages=found.languages,
        absences=[found.absences[each.place] for each in known],
        more=taking_fields.MORE_PAGES,
    )


def find_columns(cluster: Cluster) -> tuple[SuggestedColumn, ...]:
    """Return the suggested columns with all their values."""
    return _find(cluster)[1].columns


def _find(cluster: Cluster) -> tuple[str, _Found]:
    samples = sample_pages.read_samples(cluster)
    return samples.key, _read(samples)


@cached(LRUCache(20), key=lambda samples: samples.key, condition=Condition())
def _read(samples: Samples) -> _Found:
    kept, roots = sample_pages.read_trees(samples.snapshots)
    columns = suggest_columns(roots, most=COLUMNS, constants=CONSTANTS, further=FURTHER)
    language = detect_language(roots[0]) if roots else None
    lists = found_lists.find_lists(samples.key, roots)
    within = find_columns_within(lists, roots, [column.values for column in columns], [column.words for column in columns])
    names = {place: found.name for place, found in within.items()}
    fields = tuple(replace(_field(place, column, len(kept), language), list=names.get(place, "")) for place, column in enumerate(columns))
    absences = tuple(find_absences(columns, roots))
    return _Found(tuple(snapshot.pk for snapshot in kept), languages.read_languages(roots), tuple(columns), fields, absences)


def _field(place: int, column: SuggestedColumn, pages: int, language: str | None) -> SuggestedField:
    texts = [each.text for row in column.values.values() for each in row]
    examples = tuple(" · ".join(each.text for each in row) for row in list(column.values.values())[:EXAMPLES])
    kind = guess_type(texts, language=language)
    found = SuggestedField(place, column.name, kind, column.multiple, column.constant, len(column.values), pages, examples)
    return replace(found, sameness=column.sameness, folded=column.mostly_constant and not column.further, further=column.further)
