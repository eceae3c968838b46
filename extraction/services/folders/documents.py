"""The files of a site as values. Names stand for rows: record types by slug, templates by number, pages by address.

Nothing here changes by itself: there are no ids of the database, and no times but those at which a person corrected a value. A field with
its default is left out of the file. docs/site-files.md explains each field.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from extraction.services.folders.errors import NOWHERE, Where

FORMAT = 1
"""The version of the files' form. Files of another version are refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A part of a file. where: its place there."""

    where: Where = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceDocument(Document):
    """Where pages are fetched from, and how. The fields are those of `Source`."""

    addresses: tuple[str, ...] = ()
    find_sitemaps: bool = True
    sitemaps: tuple[str, ...] = ()
    feeds: tuple[str, ...] = ()
    listed: tuple[str, ...] = ()
    search_address: str = ""
    search_fields: tuple[str, ...] = ()
    search_terms: tuple[str, ...] = ()
    search_pages: int = 20
    hosts: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    depth: int | None = None
    page_limit: int = 500
    whole: bool = False
    delay_s: float = 0.5
    concurrency: int = 4
    rendered: str = "never"
    obey_robots: bool = True
    verify_certificates: bool = True
    contact: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChecksDocument(Document):
    """When the rules are checked. auto_repair: proven repairs go live without a person."""

    enabled: bool = True
    every_hours: int = 24
    auto_repair: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleDocument(Document):
    """When something repeats. The mode says which of the other fields counts."""

    mode: str
    every_hours: int = 24
    times: tuple[str, ...] = ()
    cron: str = ""
    zone: str = "UTC"


@dataclass(frozen=True, slots=True, kw_only=True)
class RefreshDocument(ScheduleDocument):
    """When records are refreshed. max_pages: the most pages a refresh asks for."""

    max_pages: int | None = None
    paused: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteDocument(Document):
    """`site.yaml`."""

    format: int
    name: str
    slug: str
    address: str = ""
    method: str = ""
    source: SourceDocument | None = None
    checks: ChecksDocument = ChecksDocument()
    refresh: RefreshDocument | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AttributeDocument(Document):
    """An attribute of a record type. list: the list whose rows it belongs to. key: it is part of what tells records apart."""

    name: str
    type: str = "text"
    multiple: bool = False
    mandatory: bool = False
    hotkey: str = ""
    list: str = ""
    key: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ListDocument(Document):
    """A list of a record type. key_per_page: keys of rows count within their page."""

    name: str
    key_per_page: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class QualityDocument(Document):
    """A quality rule.

    list: of a rule about the number of rows. other: the attribute on the right of a relation.
    replaces: in a template, the rule of the record type that this one takes the place of (`quality_names`).
    """

    kind: str
    attribute: str = ""
    list: str = ""
    other: str = ""
    limits: Mapping[str, Any] = field(default_factory=dict)
    allowed_fraction: float = 0.0
    weight: str = "warn"
    enabled: bool = True
    basis: Mapping[str, Any] = field(default_factory=dict)
    replaces: str = ""

    @property
    def subject(self) -> str:
        """What it is about: `range price`, `relation price list_price`, `count`."""
        return " ".join(filter(None, (self.kind, self.list and f"{self.list}[]", self.attribute, self.other)))


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordTypeDocument(Document):
    """`record_types/SLUG.yaml`. The attributes stand in their order; lists only if a setting of theirs differs from the default."""

    slug: str
    name: str
    description: str = ""
    gone_after: int = 2
    attributes: tuple[AttributeDocument, ...] = ()
    lists: tuple[ListDocument, ...] = ()
    quality_rules: tuple[QualityDocument, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateDocument(Document):
    """`templates/NUMBER-NAME/template.yaml`. masks, url_patterns: by which pages are recognised, beside `core.bin`."""

    number: int
    name: str = ""
    record_type: str = ""
    ignored: bool = False
    merged: bool = False
    small: bool = False
    masks: tuple[str, ...] = ()
    url_patterns: tuple[str, ...] = ()
    refresh: RefreshDocument | None = None
    quality_rules: tuple[QualityDocument, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkDocument(Document):
    """A marked value. at: its place on the page (`Location`). absent: the attribute is not on the page. row: of a list, from 1."""

    attribute: str
    row: int = 0
    absent: bool = False
    at: Mapping[str, Any] | None = None
    value: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedDocument(Document):
    """How many rows of a list were offered on a page before they were marked."""

    list: str
    rows: int
    whole: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedPageDocument(Document):
    """The marks on one content of a page. content: its sha256."""

    url: str
    content: str
    marks: tuple[MarkDocument, ...] = ()
    offered: tuple[OfferedDocument, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleDocument(Document):
    """`rule.yaml`: the live rule. attributes, lists: as in `RuleDefinition`."""

    origin: str = "learned"
    attributes: tuple[Mapping[str, Any], ...] = ()
    lists: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentDocument(Document):
    """A stored content of a page. sha256: also the name of its file. template: the one that it is in."""

    sha256: str
    type: str = ""
    template: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PageDocument(Document):
    """A page with its contents, the oldest first.

    belongs_to, not_in: the templates that a person said it is in, or is not in.
    """

    url: str
    belongs_to: int | None = None
    not_in: tuple[int, ...] = ()
    contents: tuple[ContentDocument, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinKeyDocument(Document):
    """A pair of attributes whose values are equal."""

    row: str = ""
    page: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinListingDocument(Document):
    """A list whose rows take part in a join: by a link, or by keys."""

    template: int | None = None
    list: str = ""
    link: str = ""
    by_key: bool = False
    keys: tuple[JoinKeyDocument, ...] = ()
    with_page: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinDocument(Document):
    """A join. template: that of the pages. other_side: attributes for which the side that is not `winner` counts."""

    name: str
    template: int | None = None
    winner: str = "page"
    other_side: tuple[str, ...] = ()
    listings: tuple[JoinListingDocument, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryDocument(Document):
    """A target of deliveries, without passwords and keys. Whether it is switched on is a matter of each installation."""

    name: str
    record_type: str
    kind: str
    list: str = ""
    place: Mapping[str, Any] = field(default_factory=dict)
    content: Mapping[str, Any] = field(default_factory=dict)
    schedule: ScheduleDocument = ScheduleDocument(mode="runs")


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectedRowDocument(Document):
    """The row of a list that a correction is about (`RowPlace`), with names of attributes."""

    position: int
    texts: Mapping[str, Any]
    key: tuple[str, ...] = ()
    alike: int = 1
    digest: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectionDocument(Document):
    """What a person put in the place of a value. The fields are those of `Correction`; by, at: who and when."""

    url: str
    record_type: str
    attribute: str
    row: CorrectedRowDocument | None = None
    kind: str
    state: str = "active"
    texts: tuple[str, ...] = ()
    type: str = "text"
    values: tuple[Mapping[str, Any], ...] = ()
    basis: tuple[str, ...] = ()
    found: tuple[str, ...] | None = None
    reason: str = ""
    by: str = ""
    at: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateFiles:
    """A template with what its folder holds. core: the bytes of `core.bin`."""

    template: TemplateDocument
    labels: tuple[MarkedPageDocument, ...] = ()
    rule: RuleDocument | None = None
    core: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteFiles:
    """All files of a site but the contents of its pages.

    base: {name of a part: digest} when it was exported, by which changes on both sides are told from changes on one.
    """

    site: SiteDocument
    record_types: tuple[RecordTypeDocument, ...] = ()
    templates: tuple[TemplateFiles, ...] = ()
    pages: tuple[PageDocument, ...] = ()
    joins: tuple[JoinDocument, ...] = ()
    deliveries: tuple[DeliveryDocument, ...] = ()
    corrections: tuple[CorrectionDocument, ...] = ()
    base: Mapping[str, str] = field(default_factory=dict)
