"""Try a person's XPath in a child process with limits, where it can do no harm.

libxml2 cannot be interrupted, and an XPath of thirty characters can keep it busy for hours. So the web process never evaluates
what is typed into the dashboard. A child evaluates it on a few pages, returns each page's values, and is killed when its time is
over. The values that it returned until then are used. The child does not need Django and starts in a tenth of a second.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

from extraction.algorithms.dom.parse import parse
from extraction.algorithms.errors import PageError, RuleError, XPathError
from extraction.algorithms.rules import apply, xslt
from extraction.algorithms.rules.rule import RuleDefinition
from extraction.algorithms.values.cleanup.chain import CleanupStep, clean_values
from extraction.services.core.sandbox import LIMITS_REACHED, SandboxLimits, run_in_sandbox
from extraction.services.core.sandbox_child import is_out_of_memory

LIMIT_S = 5
"""Processor time for all pages together: twenty pages of 1 MB take one second with an ordinary XPath."""

PATIENCE = 4
"""The child may take this many times LIMIT_S by the clock, because a busy machine may give it only a part of a processor."""

MEMORY_BYTES = 2 * 1024**3
"""Address space of the child. Twenty pages of 1 MB need a tenth of it; an XPath for all elements of a deep page may need any amount."""

MAX_VALUES, MAX_CHARACTERS = 50, 300
"""The largest number of values of an attribute that are returned per page, and characters of each. A person looks at a few."""


Chains = Mapping[str, tuple[CleanupStep, ...]]
"""{attribute: its clean-up}."""


@dataclass(frozen=True, slots=True)
class Tried:
    """What rules gave on pages until the child ended.

    values: {page's number: {attribute: values after clean-up} for each rule}, for finished pages.
    errors: {page's number: why it failed}.
    failed: {page's number: {attribute: why its XPath failed there} for each rule}, for the same pages as `values`.
    reason: in words, why the child did not finish all pages; empty if it did.
    too_much: whether the reason is a limit that it reached.
    """

    values: Mapping[int, Sequence[Mapping[str, tuple[str, ...]]]]
    errors: Mapping[int, str]
    failed: Mapping[int, Sequence[Mapping[str, str]]]
    reason: str
    too_much: bool


def try_rules(rules: Sequence[RuleDefinition], pages: Sequence[tuple[bytes, str]], *, limit_s: int = LIMIT_S) -> Tried:
    """Return what each rule gives on each page, within `limit_s` seconds of processor time.

    pages: (content, content type or "") of each page.
    """
    limits = SandboxLimits(cpu_s=limit_s, wall_s=PATIENCE * limit_s, memory_bytes=MEMORY_BYTES)
    outcome = run_in_sandbox(evaluate_pages, _request(rules, pages), limits=limits)
    given = {row["page"]: row["values"] for row in outcome.rows if "values" in row}
    values = {page: [{name: tuple(found) for name, found in each.items()} for each in rules] for page, rules in given.items()}
    errors = {row["page"]: row["error"] for row in outcome.rows if "error" in row}
    failed = {row["page"]: row["failed"] for row in outcome.rows if "failed" in row}
    return Tried(values, errors, failed, outcome.reason, outcome.ending in LIMITS_REACHED)


def _request(rules: Sequence[RuleDefinition], pages: Sequence[tuple[bytes, str]]) -> Iterator[bytes]:
    head = {"rules": [rule.as_json() for rule in rules], "pages": [[len(content), kind] for content, kind in pages]}
    yield json.dumps(head).encode() + b"\n"
    yield from (content for content, _ in pages)


def evaluate_pages(source: BinaryIO) -> Iterator[dict[str, Any]]:
    """Yield one row for each page. Runs in the child process."""
    head = json.loads(source.readline())
    rules = [RuleDefinition.from_json(row) for row in head["rules"]]
    sheets = [xslt.Stylesheet.compile(xslt.write_stylesheet(rule)) for rule in rules]
    chains = [{each.name: each.cleanup for each in rule.every} for rule in rules]
    for number, (length, kind) in enumerate(head["pages"]):
        yield _page(sheets, chains, source.read(length), kind) | {"page": number}


def _page(sheets: Sequence[xslt.Stylesheet], chains: Sequence[Chains], content: bytes, kind: str) -> dict[str, Any]:
    try:
        root = parse(content, content_type=kind or None).root
        found = [apply.extract_values(sheet, root) for sheet in sheets]
    except (PageError, RuleError, XPathError) as error:
        if isinstance(error, PageError) and is_out_of_memory(error):
            raise  # the child's limit, which is no fault of the page
        return {"error": str(error)}
    given = [_clean(each, steps) for each, steps in zip(found, chains, strict=True)]
    short = [{name: [value[:MAX_CHARACTERS] for value in values[:MAX_VALUES]] for name, values in each.items()} for each in given]
    return {"values": short, "failed": [dict(each.failed) for each in found]}


def _clean(found: apply.Extraction, chains: Chains) -> dict[str, list[str]]:
    """Return the values by attribute after clean-up. Those of a list are cleaned row by row."""
    given = {name: list(clean_values(values, chains.get(name, ()))) for name, values in found.values.items()}
    for rows in found.rows.values():
        for row in rows:
            for name, values in row.items():
                given.setdefault(name, []).extend(clean_values(values, chains.get(name, ())))
    return given
