"""The tools that assistants have: what each takes, and the calls of the client that answer it."""

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from vertex.client import Vertex

MAX_ROWS = 200
"""The largest number of rows of an answer. An assistant that needs more asks for a filter or an export."""

DEFAULT_ROWS = 50


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool. takes: {name of an argument: (type in JSON Schema, description)}; needed: those that must be given."""

    name: str
    description: str
    call: Callable[[Vertex, Mapping[str, Any]], Any]
    takes: Mapping[str, tuple[str, str]] = dataclasses.field(default_factory=dict)
    needed: Sequence[str] = ()
    changes: bool = False

    def describe(self) -> dict[str, Any]:
        """Return the tool as the protocol describes it."""
        properties = {name: {"type": kind, "description": text} for name, (kind, text) in self.takes.items()}
        schema = {"type": "object", "properties": properties, "required": list(self.needed), "additionalProperties": False}
        return {
            "name": self.name,
            "description": self.description,
            "inputSchema": schema,
            "annotations": {"readOnlyHint": not self.changes, "openWorldHint": False},
        }


SITE = {"site": ("string", "The slug of a site, from list_sites.")}
TEMPLATE = SITE | {"template": ("integer", "The number of a template, from list_templates.")}
TYPE = {"record_type": ("string", "The slug of a record type, from list_record_types.")}
RELEASE = {"release": ("integer", "The id of a release, from list_releases.")}
JOIN = SITE | {"join": ("integer", "The id of a join, from list_joins.")}
TARGET = {"target": ("integer", "The id of a target, from list_targets.")}
BREAKAGE = {"breakage": ("integer", "The id of a breakage, from list_breakages.")}
NOTE = {"note": ("string", "Why, for the people who read the log.")}
LIMIT = {"limit": ("integer", f"The largest number of rows, at most {MAX_ROWS}.")}


def _take(rows: Iterator[Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the first rows, and whether there are more."""
    limit = max(1, min(MAX_ROWS, int(given.get("limit", DEFAULT_ROWS))))
    found = list(islice(rows, limit + 1))
    return {"rows": found[:limit], "more": len(found) > limit}


def _list_records(vertex: Vertex, given: Mapping[str, Any]) -> Any:
    filters = {name: given.get(name, "") for name in ("q", "state", "missing", "extracted_after")}
    found = _take(vertex.list_records(given["site"], given["template"], **filters), given)
    found["rows"] = [
        {"url": each.url, "state": each.state, "reason": each.reason, "values": _flatten(each.values), "rows": each.rows}
        for each in found["rows"]
    ]
    return found


def _list_joined(vertex: Vertex, given: Mapping[str, Any]) -> Any:
    found = _take(vertex.list_joined_records(given["site"], given["join"], q=given.get("q", ""), part=given.get("part", "")), given)
    found["rows"] = [
        {"url": each.url, "state": each.state, "values": _flatten(each.values), "rows": each.rows, "conflicts": each.conflicts}
        for each in found["rows"]
    ]
    return found


def _flatten(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return {attribute: its values in their normal form; the text of the page and the reason where one cannot be read}."""
    return {
        name: [each.value if each.value is not None else {"raw": each.raw, "problem": each.problem} for each in many]
        for name, many in values.items()
    }


READ = (
    Tool(
        "list_sites",
        "List the sites.",
        lambda v, a: _take(v.list_sites(a.get("q", "")), a),
        {"q": ("string", "A part of the name."), **LIMIT},
    ),
    Tool("show_site", "Show a site and its figures.", lambda v, a: v.get_site(a["site"]), SITE, ("site",)),
    Tool(
        "list_templates",
        "List the templates of a site with their rules and figures.",
        lambda v, a: _take(v.list_templates(a["site"]), a),
        SITE | LIMIT,
        ("site",),
    ),
    Tool(
        "list_record_types",
        "List the record types and their attributes.",
        lambda v, a: _take(v.list_record_types(), a),
        LIMIT,
    ),
    Tool(
        "list_records",
        "List the records of a template.",
        _list_records,
        TEMPLATE
        | {
            "q": ("string", "Words that occur in the values or the address."),
            "state": ("string", "complete, incomplete or failed."),
            "missing": ("string", "An attribute without a value."),
            "extracted_after": ("string", "Only records extracted after this time (ISO 8601)."),
        }
        | LIMIT,
        ("site", "template"),
    ),
    Tool(
        "list_changes",
        "List what is new, changed or gone in the records of a template, oldest first.",
        lambda v, a: _take(v.list_changes(a["site"], a["template"], kind=a.get("kind", ""), since=a.get("since", "")), a),
        TEMPLATE
        | {"kind": ("string", "added, changed, gone, back, moved or joined."), "since": ("string", "Only changes after this time.")}
        | LIMIT,
        ("site", "template"),
    ),
    Tool(
        "list_breakages",
        "List broken rules.",
        lambda v, a: _take(v.list_breakages(site=a.get("site", ""), state=a.get("state", "open")), a),
        SITE | {"state": ("string", "open (the default), repaired, recovered or dismissed.")} | LIMIT,
    ),
    Tool(
        "list_checks", "List the checks of a site, newest first.", lambda v, a: _take(v.list_checks(a["site"]), a), SITE | LIMIT, ("site",)
    ),
    Tool(
        "list_runs",
        "List runs, newest first.",
        lambda v, a: _take(v.list_runs(site=a.get("site", ""), state=a.get("state", "")), a),
        SITE | {"state": ("string", "queued, running, done, failed, cancelled or unfinished.")} | LIMIT,
    ),
    Tool(
        "show_rule",
        "Show a version of a template's rule.",
        lambda v, a: v.get_rule(a["site"], a["template"], a["version"]),
        TEMPLATE | {"version": ("integer", "Its number.")},
        ("site", "template", "version"),
    ),
    Tool(
        "list_pages",
        "List the pages of a site.",
        lambda v, a: _take(v.list_pages(a["site"], query=a.get("q", ""), part=a.get("part", "")), a),
        SITE
        | {
            "q": ("string", "A part of the address or title."),
            "part": ("string", "The number of a template, unreadable, partly (read in part), unclustered (without a template) or gone."),
        }
        | LIMIT,
        ("site",),
    ),
    Tool(
        "list_corrections",
        "List values of a template that people corrected by hand.",
        lambda v, a: _take(v.list_corrections(a["site"], a["template"], state=a.get("state", "")), a),
        TEMPLATE | {"state": ("string", "active, review (the page says something else now) or ended.")} | LIMIT,
        ("site", "template"),
    ),
    Tool(
        "list_comments",
        "List the comments of people on a template and its breakages.",
        lambda v, a: _take(v.list_comments(a["site"], a["template"]), a),
        TEMPLATE | LIMIT,
        ("site", "template"),
    ),
    Tool(
        "list_merge_proposals",
        "List templates of a site that seem to be the same.",
        lambda v, a: _take(v.list_merge_proposals(a["site"]), a),
        SITE | LIMIT,
        ("site",),
    ),
    Tool(
        "show_schedule",
        "Show when a site is fetched again.",
        lambda v, a: v.get_schedule(a["site"]),
        SITE,
        ("site",),
    ),
    Tool(
        "list_quality_rules",
        "List what is demanded of the records of a type.",
        lambda v, a: _take(v.list_quality_rules(a["record_type"]), a),
        TYPE | LIMIT,
        ("record_type",),
    ),
    Tool(
        "list_releases",
        "List runs that were judged by quality rules, newest first: which records are held back, and why.",
        lambda v, a: _take(v.list_releases(site=a.get("site", ""), state=a.get("state", "")), a),
        SITE | {"state": ("string", "released, held (it waits for a person) or rejected.")} | LIMIT,
    ),
    Tool(
        "list_failures",
        "List the records that break the quality rules in a run.",
        lambda v, a: _take(v.list_failures(a["release"]), a),
        RELEASE | LIMIT,
        ("release",),
    ),
    Tool(
        "list_joins",
        "List the joins of a site: how rows of listings and pages become one record each.",
        lambda v, a: _take(iter(v.list_joins(a["site"])), a),
        SITE | LIMIT,
        ("site",),
    ),
    Tool(
        "list_joined_records",
        "List the records of a join.",
        _list_joined,
        JOIN
        | {
            "q": ("string", "Words that occur in the values or the address."),
            "part": ("string", "joined, row (without a page), page (without a row), conflicts, several, disagreeing or incomplete."),
        }
        | LIMIT,
        ("site", "join"),
    ),
    Tool(
        "list_targets",
        "List where records are delivered.",
        lambda v, a: _take(v.list_targets(record_type=a.get("record_type", "")), a),
        TYPE | LIMIT,
    ),
    Tool(
        "list_deliveries",
        "List deliveries, newest first.",
        lambda v, a: _take(v.list_deliveries(target=a.get("target"), state=a.get("state", "")), a),
        TARGET | {"state": ("string", "queued, sending, done or failed.")} | LIMIT,
    ),
)

CHANGE = (
    Tool(
        "start_check",
        "Start a check of a site's rules.",
        lambda v, a: v.check(a["site"]),
        SITE,
        ("site",),
    ),
    Tool(
        "start_refresh",
        "Fetch what may have changed on a site and renew its records.",
        lambda v, a: v.refresh(a["site"]),
        SITE,
        ("site",),
    ),
    Tool(
        "start_extraction",
        "Extract the records of a template.",
        lambda v, a: v.extract(a["site"], a["template"]),
        TEMPLATE,
        ("site", "template"),
    ),
    Tool(
        "start_learning",
        "Learn a rule from the marked values of a template. It becomes a draft.",
        lambda v, a: v.learn_rule(a["site"], a["template"]),
        TEMPLATE,
        ("site", "template"),
    ),
    Tool(
        "accept_breakage",
        "Accept the repair of a broken rule.",
        lambda v, a: v.accept_breakage(a["breakage"]),
        BREAKAGE,
        ("breakage",),
    ),
    Tool(
        "dismiss_breakage",
        "Say that a rule is not broken.",
        lambda v, a: v.dismiss_breakage(a["breakage"]),
        BREAKAGE,
        ("breakage",),
    ),
    Tool(
        "comment",
        "Write a comment on a template.",
        lambda v, a: v.comment(a["site"], a["template"], a["text"]),
        TEMPLATE | {"text": ("string", "Plain text. @name tells that person.")},
        ("site", "template", "text"),
    ),
    Tool(
        "release_run",
        "Release records that a quality rule holds back.",
        lambda v, a: v.release_run(a["release"], note=a.get("note", "")),
        RELEASE | NOTE,
        ("release",),
    ),
    Tool(
        "reject_run",
        "Reject records that a quality rule holds back: the ones before stay.",
        lambda v, a: v.reject_run(a["release"], note=a.get("note", "")),
        RELEASE | NOTE,
        ("release",),
    ),
    Tool(
        "make_join",
        "Bring the records of a join up to date.",
        lambda v, a: v.make_join(a["site"], a["join"]),
        JOIN,
        ("site", "join"),
    ),
    Tool(
        "deliver",
        "Deliver records to a target now.",
        lambda v, a: v.deliver(a["target"]),
        TARGET,
        ("target",),
    ),
)

TOOLS = (*READ, *(dataclasses.replace(each, changes=True) for each in CHANGE))
