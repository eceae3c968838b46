"""Correct values of records, take corrections back, and decide about those whose page has changed.

Each of these is one transaction that locks the page first, as extraction does. It changes the correction, the record, its history and the
marks on the page together, so a killed worker leaves all of it or nothing.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext

from extraction.algorithms.errors import RuleError, XPathError
from extraction.algorithms.rules.rule import RuleDefinition
from extraction.models import AuditKind, Cluster, Correction, Page, Record
from extraction.services.core import audit
from extraction.services.corrections import applying, storing, teaching
from extraction.services.corrections.storing import CorrectionError, CorrectionInput
from extraction.services.corrections.teaching import Lesson
from extraction.services.records import tracking

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class CorrectionOutcome:
    """What a correction did.

    record: that of the page now, None if the page has none.
    lesson: what it taught the learner, None if it taught nothing new.
    """

    correction: Correction
    record: Record | None
    lesson: Lesson | None = None


def correct_value(record: Record, given: CorrectionInput, user: User, *, replaces: Correction | None = None) -> CorrectionOutcome:
    """Correct, fill or reject the values at a place of a record. Raises CorrectionError, with the reason.

    replaces: a correction of the same page that this one takes the place of.
    """
    with transaction.atomic():
        record, rule = _lock_record(record.snapshot.page_id, record.cluster)
        for old in _find_open(record, given.place, replaces):
            teaching.forget_lesson(old, record.cluster)
        if replaces is not None:
            same = Correction.objects.open().filter(pk=replaces.pk, page=record.snapshot.page_id)
            storing.end_corrections(same, "A newer correction took its place.")
        correction = storing.store_correction(record, given, rule, user)
        lesson = teaching.teach_correction(correction, record, rule, row=given.place[2])
        correction.taught, correction.label_row = list(teaching.write_taught(lesson)), lesson.label_row
        correction.save(update_fields=["taught", "label_row"])
        audit.record(AuditKind.CORRECTION_MADE, correction, site=record.cluster.site)
        _apply(record, rule, user)
    logger.info("%s corrected by %s", correction, user)
    return CorrectionOutcome(correction, record, lesson)


def withdraw_correction(correction: Correction, user: User) -> CorrectionOutcome:
    """End a correction, so that the record has what the rule gives. Raises CorrectionError if it has ended already."""
    with transaction.atomic():
        record, rule = _lock_page(correction)
        correction = _lock_open(correction)
        if record is not None:
            teaching.forget_lesson(correction, record.cluster)
        storing.end_corrections(Correction.objects.filter(pk=correction.pk), f"{user.get_username()} took it back.")
        audit.record(AuditKind.CORRECTION_ENDED, correction, site=correction.page.site)
        if record is not None and rule is not None:
            _apply(record, rule, user)
    correction.refresh_from_db()
    return CorrectionOutcome(correction, record)


def keep_correction(correction: Correction, user: User) -> CorrectionOutcome:
    """Let a correction under review apply to what the page says now. Raises CorrectionError, with the reason."""
    with transaction.atomic():
        record, rule = _lock_page(correction)
        correction = _lock_open(correction)
        if record is None or rule is None:
            raise CorrectionError(gettext("The page has no record now, so nothing can be kept. Run the rule first."))
        storing.accept_page(record, correction)
        audit.record(AuditKind.CORRECTION_KEPT, correction, site=record.cluster.site)
        _apply(record, rule, user)
    return CorrectionOutcome(correction, record)


def find_current_record(page_id: int) -> Record | None:
    """Return the record of a page's current content, whichever template it is in. None if the page or its record is missing."""
    page = Page.objects.filter(pk=page_id)
    return Record.objects.standing().filter(snapshot__page__in=page).select_related("snapshot__page", "cluster__site", "rule").first()


def find_shown_record(page_id: int) -> Record | None:
    """Return the record of a page, or its last one while its new content has none. None if the page has none."""
    page = Page.objects.filter(pk=page_id)  # a number beyond the database's finds nothing here, and would be an error in a join
    return Record.objects.filter(snapshot__page__in=page).shown().select_related("snapshot__page", "cluster__site", "rule").first()


def _lock_record(page_id: int, cluster: Cluster) -> tuple[Record, RuleDefinition]:
    _lock(page_id)
    record = find_current_record(page_id)
    if record is None or record.cluster_id != cluster.pk:
        raise CorrectionError(gettext("The page has changed since, and its new content has no record here yet. Run the rule first."))
    return record, _read_rule(record)


def _lock_page(correction: Correction) -> tuple[Record | None, RuleDefinition | None]:
    _lock(correction.page_id)
    record = find_current_record(correction.page_id)
    return record, _read_rule(record) if record else None


def _lock(page_id: int) -> None:
    list(Page.objects.select_for_update(of=("self",), no_key=True).filter(pk=page_id).values_list("pk"))


def _lock_open(correction: Correction) -> Correction:
    found = Correction.objects.open().filter(pk=correction.pk).select_related("attribute__list", "by").first()
    if found is None:
        raise CorrectionError(gettext("Somebody has ended this correction already."))
    return found


def _read_rule(record: Record) -> RuleDefinition:
    try:
        return record.rule.read_definition()
    except (RuleError, XPathError) as error:
        raise CorrectionError(gettext("The rule that made the record cannot be read: %(error)s") % {"error": error}) from error


def _find_open(record: Record, place: applying.Place, replaces: Correction | None) -> Sequence[Correction]:
    """Return the open corrections of the values at a place, and the one that is replaced."""
    origin = record.read_origins().by_place().get(place)
    ids = {each.id for each in [origin.correction if origin else None] if each} | ({replaces.pk} if replaces else set())
    return list(Correction.objects.open().filter(pk__in=ids, page=record.snapshot.page_id).select_related("attribute", "by"))


def _apply(record: Record, rule: RuleDefinition, user: User) -> None:
    """Put the corrections of the page into its record and note what changed."""
    applying.apply_corrections([record], {record.cluster_id: rule})
    record.save(update_fields=applying.VALUE_FIELDS)
    tracking.track_records(None, [record], lambda *_: None, corrected_by=user.get_username())
