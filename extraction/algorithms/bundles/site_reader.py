"""Reads pages of a site by its bundle: which template a page is of, and the record that its rule makes of it, as the dashboard does."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from lxml import etree

from extraction.algorithms.bundles.bundle import BundledTemplate, SiteBundle
from extraction.algorithms.bundles.placed_pages import PlacedPages
from extraction.algorithms.clustering.page_steps import collect_steps
from extraction.algorithms.dom.parse import parse
from extraction.algorithms.errors import PageError
from extraction.algorithms.rules import recognition
from extraction.algorithms.rules.matching import RuleCandidate
from extraction.algorithms.rules.page_record import PageRecord, make_record
from extraction.algorithms.rules.page_values import MAX_REASON
from extraction.algorithms.rules.rule import RuleDefinition
from extraction.algorithms.rules.url_patterns import SplitAddress
from extraction.algorithms.rules.xslt import Stylesheet
from extraction.algorithms.sketches import shingles

Outcome = Literal["complete", "incomplete", "failed", "unmatched", "unreadable", "without rule", "elsewhere"]
"""What became of a page. elsewhere: its address is not one of the site. unreadable: it cannot be read, and its address tells no template.
without rule: its template has no live rule or is ignored."""


@dataclass(frozen=True, slots=True)
class ReadPage:
    """What became of a page.

    template: the id of its template, None if it has none.
    record: what the rule made of it, None if there is no rule.
    reason: why there is no record, or what is missing in it; empty if nothing is.
    """

    outcome: Outcome
    template: int | None = None
    record: PageRecord | None = None
    reason: str = ""


class SiteReader:
    """A bundle, ready to read pages. Its rules are compiled once, so make one for each process. Raises RuleError and ValueError."""

    def __init__(self, bundle: SiteBundle) -> None:
        self.bundle = bundle
        self.templates: dict[int, BundledTemplate] = {each.id: each for each in bundle.templates}
        self._hosts = frozenset(bundle.hosts)
        self._placed = PlacedPages.from_text(bundle.placed)
        self._candidates = [RuleCandidate(each.id, each.read_patterns(), each.read_masks(), each.pages) for each in bundle.templates]
        self._cores = {each.id: core for each in bundle.templates if (core := each.read_core()) is not None}
        self._rules: dict[int, tuple[RuleDefinition, Stylesheet]] = {
            each.id: (each.rule.definition, sheet)
            for each in bundle.templates
            if each.rule is not None and (sheet := each.compile_rule()) is not None
        }

    def is_of_site(self, url: str) -> bool:
        """Whether the address is on one of the site's hosts. An address without a host may be of any site."""
        host = SplitAddress.parse(url).host
        return not self._hosts or not host or host in self._hosts

    def read_page(self, url: str, content: bytes, content_type: str = "") -> ReadPage:
        """Return what became of a page. Never raises an exception for what a page holds.

        content_type: the value of the HTTP header; empty if it is not known.
        """
        if not self.is_of_site(url):
            return ReadPage("elsewhere")
        root, error = _read_tree(content, content_type)
        home = self._placed.find(url, hashlib.sha256(content).hexdigest()) if len(self._placed.homes) else None
        if home is None:
            home = self._recognise(url, content, root)
        if home is None:
            return ReadPage("unreadable" if error else "unmatched", reason=error or "No template of the site fits the page")
        if home not in self._rules:
            return ReadPage("without rule", home)
        definition, sheet = self._rules[home]
        record = make_record(definition, sheet, _get_tree(root), url=url, error=error)
        return ReadPage(record.state, home, record, record.reason)

    def _recognise(self, url: str, content: bytes, root: etree._Element | None) -> int | None:
        if root is None:
            return recognition.recognise_address(self._candidates, url)
        return recognition.recognise_page(
            self._candidates,
            lambda: self._cores,
            url=url,
            read_vector=lambda: shingles.compute_vector(content),
            read_steps=lambda: collect_steps(root),
        )


def _read_tree(content: bytes, content_type: str) -> tuple[etree._Element | None, str]:
    """Return (the page's tree, "") or (None, why it cannot be read)."""
    try:
        return parse(content, content_type=content_type or None).root, ""
    except PageError as error:
        return None, str(error)[:MAX_REASON]


def _get_tree(root: etree._Element | None) -> Callable[[], etree._Element]:
    def read() -> etree._Element:
        if root is None:
            raise PageError("it has no tree")
        return root

    return read
