"""Stores what people say about values: corrections, and decisions about those that wait for a review."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.contrib.auth.models import User
from django.utils import timezone
from django.utils.translation import gettext

from extraction.algorithms.dom.nodes import clean
from extraction.algorithms.dom.page_language import detect_language
from extraction.algorithms.dom.urls import find_base_address
from extraction.algorithms.errors import PageError
from extraction.algorithms.records.corrected_rows import Row, RowLost, RowPlace, describe_row, find_row
from extraction.algorithms.rules.readings import read_attribute_values
from extraction.algorithms.rules.rule import AttributeRule, RuleDefinition
from extraction.models import Attribute, Correction, Record
from extraction.models.correction import CorrectionQuerySet
from extraction.models.record_values import RecordValue
from extraction.services.core import stored_pages
from extraction.services.core.percent import write_number
from extraction.services.corrections.applying import Place, RuleValues, is_unread, read_attribute_names, with_names

MAX_TEXTS, MAX_LENGTH = 200, 20_000
"""The largest number of values of a correction, and of characters of each."""


class CorrectionError(ValueError):
    """A value cannot be corrected in this way. The message is for the person who tried."""


@dataclass(frozen=True, slots=True)
class CorrectionInput:
    """What a person says about the values at a place of a record.

    texts: the values; () to reject what is there.
    seen: the texts of the page that the person saw.
    """

    place: Place
    texts: tuple[str, ...]
    seen: tuple[str, ...]


def find_attribute(record: Record, place: Place) -> Attribute:
    """Return the attribute at a place of a record. Raises CorrectionError if there is none."""
    name, list_name, row = place
    found = Attribute.objects.of_cluster(record.cluster).filter(name=name).select_related("list").first()
    if found is None or (found.list.name if found.list else "") != list_name or (row is None) != (found.list is None):
        raise CorrectionError(gettext("The record type has no attribute “%(name)s” there.") % {"name": name})
    return found


def store_correction(record: Record, given: CorrectionInput, rule: RuleDefinition, user: User) -> Correction:
    """Store a correction in place of an open one of the same values. The caller holds the transaction and has locked the page.

    Raises CorrectionError if the correction says nothing, cannot be read, or is about something that the page no longer says.
    """
    attribute = find_attribute(record, given.place)
    if is_unread(record):
        raise CorrectionError(gettext("The page could not be read, so there is nothing to correct."))
    values = RuleValues(record)
    row = _describe_place(values, given.place, attribute)
    page = values.page_texts(given.place)
    if page != given.seen:
        raise CorrectionError(gettext("The page says something else now than when you opened this form. Look again before you correct it."))
    texts = check_texts(attribute, given.texts)
    if texts == page and not _is_changed_by_clean_up(values, given.place):
        raise CorrectionError(
            gettext("That is what the page says. Take the correction back instead.") if page else gettext("There is no value to reject.")
        )
    digest = row.identity if row else ""
    end_corrections(
        Correction.objects.open().filter(page=record.snapshot.page_id, attribute=attribute, row_digest=digest),
        "A newer correction took its place.",
    )
    kind = Correction.Kind.REJECTED if not texts else Correction.Kind.CORRECTED if page else Correction.Kind.FILLED
    return Correction.objects.create(
        page_id=record.snapshot.page_id,
        attribute=attribute,
        row=row.as_json() if row else None,
        row_digest=digest,
        kind=kind,
        texts=list(texts),
        type=attribute.type,
        values=[each.as_json() for each in read_texts(record, attribute, rule, texts)],
        basis=list(page),
        by=user,
        by_name=user.get_username(),
        at=timezone.now(),
    )


def check_texts(attribute: Attribute, texts: Sequence[str]) -> tuple[str, ...]:
    """Return the cleaned texts of a correction. Raises CorrectionError if there are too many or one is too long."""
    cleaned = tuple(each for each in map(clean, texts) if each)
    if len(cleaned) > 1 and not attribute.multiple:
        raise CorrectionError(
            gettext("%(attribute)s has one value. You wrote %(cleaned)s lines.") % {"attribute": attribute.name, "cleaned": len(cleaned)}
        )
    if len(cleaned) > MAX_TEXTS or any(len(each) > MAX_LENGTH for each in cleaned):
        raise CorrectionError(
            gettext("A correction has at most %(max_texts)s values of %(max_length)s characters each.")
            % {"max_texts": MAX_TEXTS, "max_length": write_number(MAX_LENGTH)}
        )
    if any("\x00" in each for each in cleaned):
        raise CorrectionError(gettext("A value holds a character that cannot be stored."))
    return cleaned


def read_texts(record: Record, attribute: Attribute, rule: RuleDefinition, texts: Sequence[str]) -> list[RecordValue]:
    """Return the texts of a correction, read as the type of the attribute in the way that the page is read. No clean-up is done.

    Raises CorrectionError for a text that cannot be read.
    """
    known = next((each for each in rule.every if each.name == attribute.name), None)
    base = known or AttributeRule(attribute.name, attribute.type, attribute.multiple)  # type: ignore[arg-type]
    url, language = record.snapshot.page.url, None
    try:
        root = stored_pages.read_root(record.snapshot)
        url, language = find_base_address(root, url), detect_language(root, url)
    except PageError:
        pass  # the address of the page is enough for addresses; without a language, some dates cannot be read, which is said
    reading = read_attribute_values(replace(base, cleanup=(), type=attribute.type), texts, base_url=url, language=language)  # type: ignore[arg-type]
    for each in reading.values:
        if each.value is None:
            raise CorrectionError(
                gettext("It cannot be stored as %(type)s: %(problem)s.")
                % {"type": attribute.get_type_display().lower(), "problem": each.problem}
            )
    return [RecordValue(each.raw, each.value, each.problem) for each in reading.values]


def end_corrections(corrections: CorrectionQuerySet, reason: str) -> None:
    """End corrections; they stay as history. reason: why, in words."""
    corrections.update(state=Correction.State.ENDED, found=None, ended_at=timezone.now(), reason=reason)


def accept_page(record: Record, correction: Correction) -> None:
    """Let a correction apply to what the page says now. The caller holds the transaction. Raises CorrectionError if that cannot be told."""
    values = RuleValues(record)
    place = find_place(values, correction)
    texts = values.page_texts(place)
    if correction.found is None or texts != tuple(correction.found):
        raise CorrectionError(gettext("The page says something else now than when you opened this list. Look again before you decide."))
    row = _describe_place(values, place, correction.attribute)
    correction.basis, correction.state, correction.found, correction.reason = list(texts), Correction.State.ACTIVE, None, ""
    correction.row, correction.snapshot = row.as_json() if row else None, None
    correction.save(update_fields=["basis", "state", "found", "reason", "snapshot", "row"])


def find_place(values: RuleValues, correction: Correction) -> Place:
    """Return the place of a correction in a record. Raises CorrectionError if its row cannot be told."""
    attribute, row = correction.attribute, correction.read_row()
    if attribute.list is None or row is None:
        return attribute.name, "", None
    found = find_row(values.page_rows(attribute.list.name), with_names(row, read_attribute_names([correction])))
    if isinstance(found, RowLost):
        raise CorrectionError(
            gettext("The row cannot be identified with certainty: %(reason)s. Correct the value in its row, and end this correction.")
            % {"reason": found.reason}
        )
    return attribute.name, attribute.list.name, found.position


def _describe_place(values: RuleValues, place: Place, attribute: Attribute) -> RowPlace | None:
    """Return what tells the row of a place apart, with ids of attributes as names. None for an attribute of the page itself."""
    _, list_name, row = place
    if attribute.list is None or row is None:
        return None
    members = list(Attribute.objects.filter(list=attribute.list))
    ids = {each.name: str(each.pk) for each in members}
    rows: list[Row] = [{ids[name]: tuple(texts) for name, texts in each.items() if name in ids} for each in values.page_rows(list_name)]
    if not 0 <= row < len(rows):
        raise CorrectionError(gettext("The row is no longer in the record."))
    return describe_row(rows, row, key=[str(each.pk) for each in members if each.is_key])


def _is_changed_by_clean_up(values: RuleValues, place: Place) -> bool:
    """Return whether the page's own text differs from what the rule makes of it, so that a person may ask for the page's text."""
    return place in values.page_entries
