"""What the client gives: a frozen value for each kind of object of the API. Fields that a newer server adds are left out."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from datetime import datetime
from functools import cache
from types import NoneType, UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedSite:
    """A site in a list, without its figures."""

    slug: str
    name: str
    team: str
    address: str
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Site(ListedSite):
    """A site with its figures."""

    pages: int
    templates: int
    records: int
    incomplete: int
    failed: int
    open_breakages: int
    unfinished_runs: int
    last_run_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page and its present content."""

    id: int
    url: str
    title: str
    template: int | None
    fetched_at: datetime | None
    status: int | None
    size_bytes: int | None
    sha256: str
    error: str
    notice: str
    gone_at: datetime | None
    picture: bool
    picture_note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """A template of a site."""

    number: int
    site: str
    name: str
    label: str
    record_type: str | None
    ignored: bool
    small: bool
    url_patterns: Sequence[str]
    pages: int
    complete: int
    incomplete: int
    failed: int
    live_version: int | None
    rule_state: str
    draft_version: int | None
    breakage: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordType:
    """A record type. attributes: {id, name, type, multiple, mandatory, hotkey, list, is_key} each."""

    slug: str
    name: str
    team: str
    description: str
    attributes: Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """What was said about one attribute on one page."""

    page: int
    url: str
    attribute: str
    value: str
    absent: bool
    location: Mapping[str, Any] | None
    row: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A version of a rule. definition and report are empty in lists."""

    version: int
    state: str
    origin: str
    created_at: datetime
    created_by: str | None
    published_at: datetime | None
    definition: Mapping[str, Any] | None = None
    report: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A job and how far it is. following: the unfinished run that followed it."""

    id: int
    site: str
    template: int | None
    kind: str
    state: str
    outcome: str
    done: int
    total: int
    unit: str
    message: str
    error: str
    finished: bool
    summary: Mapping[str, Any]
    summary_text: str
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    created_by: str | None
    elapsed_s: float | None
    left_s: float | None
    following: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunProblem:
    """Something that a run could not use."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchTerm:
    """A term of a site's search in a crawl. state: found, nothing, unclear, failed or waiting. url: of its first result page.

    links: how many links that page has that the answer for a made-up word has not; None if that is not known.
    """

    term: str
    state: str
    url: str
    links: int | None
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """A value. raw: the text of the page; value: its normal form, None if it cannot be read; problem: why not."""

    raw: str
    value: str | None
    problem: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """The record of a page."""

    id: int
    site: str
    template: int
    page: int
    url: str
    state: str
    reason: str
    version: int
    extracted_at: datetime
    values: Mapping[str, Sequence[Value]]
    rows: Mapping[str, Sequence[Mapping[str, Sequence[Value]]]]

    def value(self, attribute: str) -> str | None:
        """Return the first value of an attribute in its normal form, or None."""
        return next((each.value for each in self.values.get(attribute, ())), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A change of one record over time."""

    id: int
    record: int
    list_name: str
    key: Sequence[str]
    url: str | None
    number: int
    kind: str
    at: datetime
    run: int | None
    cause: str
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """What one check found for the rule of a template."""

    id: int
    site: str
    template: int
    version: int
    run: int | None
    checked_at: datetime
    verdict: str
    confirmed: bool
    asked: int
    reached: int
    attributes: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Breakage:
    """A broken rule."""

    id: int
    site: str
    template: int
    state: str
    subject: str
    attributes: Sequence[str]
    version: int
    proposal: int | None
    check: int
    importance: float
    note: str
    opened_at: datetime
    closed_at: datetime | None
    closed_by: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderImport:
    """What an import of a site's files does. site: None if it would be new. changes: kind, subject, details and place of each."""

    imported: bool
    site: str | None
    summary: str
    changes: Sequence[Mapping[str, Any]]
    pages: int
    contents: int
    notes: Sequence[str]


def read_row(kind: type[T], row: Mapping[str, Any]) -> T:
    """Return the value of an object of the API. Raises TypeError if a field is missing."""
    return kind(**{name: _read_as(hint, row[name]) for name, hint in _list_fields(kind).items() if name in row})  # type: ignore[arg-type]


@cache
def _list_fields(kind: Hashable) -> dict[str, Any]:
    return get_type_hints(kind)


def _read_as(hint: Any, value: Any) -> Any:
    """Return a value of JSON as the type of a field: times and objects of the API, alone or in lists and mappings."""
    if value is None:
        return None
    inner = get_args(hint)
    if isinstance(hint, UnionType):
        return _read_as(next(each for each in inner if each is not NoneType), value)
    if hint is datetime:
        return datetime.fromisoformat(value)
    if is_dataclass(hint):
        return read_row(hint, value)  # type: ignore[arg-type]
    if get_origin(hint) is Sequence:
        return [_read_as(inner[0], each) for each in value]
    if get_origin(hint) is Mapping:
        return {name: _read_as(inner[1], each) for name, each in value.items()}
    return value
