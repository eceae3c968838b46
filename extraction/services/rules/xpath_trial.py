"""A person's XPath tried out where it can do no harm: in a process of its own, with limits.

libxml2 cannot be interrupted, and an XPath of thirty characters can keep it busy for hours. What is typed into the
dashboard is therefore never evaluated in the web process: a child evaluates it on a few pages, writes each page's
values as a line of JSON, and is killed when its time is over. What it wrote until then counts.
The child needs no Django; it starts in a tenth of a second.
"""

import json
import resource
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from extraction.algorithms.dom.parse import parse
from extraction.algorithms.errors import PageError, RuleError, XPathError
from extraction.algorithms.rules import apply, xslt
from extraction.algorithms.rules.rule import Rule

LIMIT_S = 5
"""Processor time for all pages together: twenty pages of 1 MB take one second with an ordinary XPath."""

PATIENCE = 4
"""Times LIMIT_S that is waited for the child by the clock, since a busy machine may give it a part of a processor."""

MEMORY_BYTES = 2 * 1024**3
"""Address space of the child: twenty pages of 1 MB need a tenth of it, an XPath for all elements of a deep page any amount."""

MAX_VALUES, MAX_CHARACTERS = 50, 300
"""Values of an attribute given back a page, and the length of one; a person looks at a few."""


@dataclass(frozen=True, slots=True)
class Tried:
    """values: {page's number: one {attribute: values} a rule}, of the pages that were finished. errors: {page's number: why not}.
    failed: {page's number: one {attribute: why its XPath failed there} a rule}, of the same pages as `values`.

    timed_out: the time or the memory was over before the last page.
    """

    values: Mapping[int, Sequence[Mapping[str, tuple[str, ...]]]]
    errors: Mapping[int, str]
    failed: Mapping[int, Sequence[Mapping[str, str]]]
    timed_out: bool


def run(rules: Sequence[Rule], pages: Sequence[tuple[bytes, str]], *, limit_s: int = LIMIT_S) -> Tried:
    """What each rule's stylesheet gives on each page, within `limit_s` of processor time. pages: (content, content type or "")."""
    head = {
        "rules": [rule.to_json() for rule in rules],
        "pages": [[len(content), kind] for content, kind in pages],
        "limit_s": limit_s,
        "memory_bytes": MEMORY_BYTES,
    }
    message = json.dumps(head).encode() + b"\n" + b"".join(content for content, _ in pages)
    command = [sys.executable, "-m", "extraction.services.rules.xpath_trial"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=_ROOT) as child:  # noqa: S603 - our own module
        timed_out = False
        try:
            output, _ = child.communicate(message, timeout=PATIENCE * limit_s)
        except subprocess.TimeoutExpired:
            child.kill()
            output, _ = child.communicate()
            timed_out = True
    rows = [json.loads(line) for line in output.split(b"\n")[:-1]]
    given = {row["page"]: row["values"] for row in rows if "values" in row}
    values = {page: [{name: tuple(found) for name, found in each.items()} for each in rules] for page, rules in given.items()}
    errors = {row["page"]: row["error"] for row in rows if "error" in row}
    failed = {row["page"]: row["failed"] for row in rows if "failed" in row}
    return Tried(values, errors, failed, timed_out or len(rows) < len(pages))


_ROOT = Path(__file__).resolve().parents[3]


def _child(source: BinaryIO) -> None:
    head = json.loads(source.readline())
    resource.setrlimit(resource.RLIMIT_CPU, (head["limit_s"], head["limit_s"]))  # holds also if the parent dies first
    resource.setrlimit(resource.RLIMIT_AS, (head["memory_bytes"], head["memory_bytes"]))
    sheets = [xslt.Stylesheet.compile(xslt.write_stylesheet(Rule.from_json(row))) for row in head["rules"]]
    for number, (length, kind) in enumerate(head["pages"]):
        row = _page(sheets, source.read(length), kind) | {"page": number}
        sys.stdout.write(json.dumps(row) + "\n")
        sys.stdout.flush()


def _page(sheets: Sequence[xslt.Stylesheet], content: bytes, kind: str) -> dict[str, Any]:
    try:
        root = parse(content, content_type=kind or None).root
        found = [apply.extract_values(sheet, root) for sheet in sheets]
    except (PageError, RuleError, XPathError) as error:
        return {"error": str(error)}
    given = [{**each.values, **each.columns()} for each in found]
    short = [{name: [value[:MAX_CHARACTERS] for value in values[:MAX_VALUES]] for name, values in each.items()} for each in given]
    return {"values": short, "failed": [dict(each.failed) for each in found]}


if __name__ == "__main__":
    _child(sys.stdin.buffer)
