"""The record that a rule makes of a page: its values as the types of their attributes, and whether anything is missing.

The dashboard and `vertex_spark` both make their records here, so they are the same.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from lxml import etree

from extraction.algorithms.dom.address_noise import strip_tracking
from extraction.algorithms.dom.page_language import detect_language
from extraction.algorithms.dom.urls import find_base_address, find_canonical_address
from extraction.algorithms.errors import PageError, RuleError
from extraction.algorithms.records.record_origins import RecordOrigins
from extraction.algorithms.records.record_values import Values
from extraction.algorithms.rules import apply
from extraction.algorithms.rules.page_values import MAX_REASON, PAGE_UNREAD, RULE_UNRUN, PageState, Rows, judge_record, read_page_values
from extraction.algorithms.rules.rule import RuleDefinition
from extraction.algorithms.rules.xslt import Stylesheet


@dataclass(frozen=True, slots=True)
class PageRecord:
    """What a rule gave on a page.

    reason: why the record is incomplete or failed, at most MAX_REASON characters; empty for a complete one.
    values: {attribute: its values}. Attributes without a value are missing.
    rows: {list: the values of each of its rows}.
    origins: the texts of the page where they differ, and what was cut off on the way.
    canonical: the address that the page gives as its own; empty if it gives none.
    """

    state: PageState
    reason: str = ""
    values: Values = field(default_factory=dict)
    rows: Rows = field(default_factory=dict)
    origins: RecordOrigins = field(default_factory=RecordOrigins)
    canonical: str = ""


def make_record(
    definition: RuleDefinition, sheet: Stylesheet, read: Callable[[], etree._Element], *, url: str, error: str = ""
) -> PageRecord:
    """Return the record that the rule makes of the page; a failed one has the reason.

    sheet: the rule's stylesheet.
    read: returns the page's tree; raises PageError.
    url: the page's address.
    error: why the page cannot be read, if that is known already. It is not read then.
    """
    try:
        if error:
            raise PageError(error)
        return _make_readable(definition, sheet, read(), url)
    except PageError as reason:
        return PageRecord("failed", f"{PAGE_UNREAD}{reason}"[:MAX_REASON])
    except RuleError as reason:
        return PageRecord("failed", f"{RULE_UNRUN}{reason}"[:MAX_REASON])


def _make_readable(definition: RuleDefinition, sheet: Stylesheet, root: etree._Element, url: str) -> PageRecord:
    extraction = apply.extract_values(sheet, root)
    found = read_page_values(definition, extraction, base_url=find_base_address(root, url), language=detect_language(root, url))
    state, reason = judge_record(definition, found.values, found.rows, found.origins)
    return PageRecord(state, reason[:MAX_REASON], found.values, found.rows, found.origins, _find_own_address(root, url))


def _find_own_address(root: etree._Element, url: str) -> str:
    """Return the address that the page gives as its own without tracking keys; empty if that is the page's address."""
    found = strip_tracking(find_canonical_address(root, url))
    return "" if found == url else found
