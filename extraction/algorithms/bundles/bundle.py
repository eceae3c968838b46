"""The file that takes a site's live rules elsewhere: its templates, how their pages are recognised, rules, schema, placed pages.

The file is JSON: {"format": FORMAT, "digest": sha256 of the content, "content": {...}}. `read_bundle` checks all of it before anything is
used, because the file may come from anywhere: a stylesheet in it may hold only what a rule's stylesheet holds, and runs without access to
files and addresses (`rules.xslt`).
"""

import base64
import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from lxml import etree

from extraction.algorithms.bundles.placed_pages import PlacedPages
from extraction.algorithms.clustering.page_steps import SCHEME as STEPS_SCHEME
from extraction.algorithms.clustering.template_core import TemplateCore
from extraction.algorithms.dom.xpath import blanked
from extraction.algorithms.errors import RuleError, VertexError
from extraction.algorithms.json_values import JsonShapeError, JsonValue
from extraction.algorithms.records.columns import ExportAttribute
from extraction.algorithms.rules.rule import RuleDefinition
from extraction.algorithms.rules.url_patterns import UrlPattern
from extraction.algorithms.rules.xslt import Stylesheet
from extraction.algorithms.sketches.shingles import SCHEME as VECTOR_SCHEME
from extraction.algorithms.sketches.shingles import Mask

FORMAT = 1
"""The version of the file's form. A file of another version is refused."""

MAX_BYTES = 256 * 1024**2
"""The largest file that is read. A site of a hundred templates and a million placed pages has some 30 MB."""

MAX_TEMPLATES = 10_000

_ACCESS = re.compile(r"\b(document|unparsed-entity-uri|system-property)\s*\(")
"""Functions of XSLT that read files or tell about the machine. They would be denied when they are run; no rule has them."""

KIND = "vertex-bundle"


class BundleError(VertexError):
    """A file that is no bundle, is damaged, or is of another release. The message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BundledList(JsonValue):
    """The attributes of the lines of a list in the order of their columns; of the pages if the name is empty."""

    name: str
    attributes: tuple[ExportAttribute, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BundledRule(JsonValue):
    """A live rule. version: its number in the dashboard. stylesheet: the XSLT that the dashboard runs for it."""

    version: int
    definition: RuleDefinition
    stylesheet: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BundledTemplate(JsonValue):
    """A template of the site. Templates without a rule are in the bundle so that their pages are not taken for pages of another.

    id: tells it from the other templates, and decides ties as in the dashboard.
    number, label: what the dashboard calls it.
    pages: how many pages it had.
    masks, patterns: by which its pages are recognised, as text.
    core: `TemplateCore.to_bytes` in base64; None if it has none.
    lists: the columns of its records, those of the page first.
    rule: None if it has none, or is ignored.
    """

    id: int
    number: int
    label: str
    pages: int
    masks: tuple[str, ...]
    patterns: tuple[str, ...]
    core: str | None = None
    lists: tuple[BundledList, ...] = ()
    rule: BundledRule | None = None

    def read_masks(self) -> tuple[Mask, ...]:
        """Return the masks. Raises ValueError."""
        return tuple(Mask.from_text(text) for text in self.masks)

    def read_patterns(self) -> tuple[UrlPattern, ...]:
        """Return the URL patterns. Raises ValueError."""
        return tuple(UrlPattern.from_text(text) for text in self.patterns)

    def read_core(self) -> TemplateCore | None:
        """Return the core, None if there is none. Raises ValueError."""
        return None if self.core is None else TemplateCore.from_bytes(base64.b64decode(self.core, validate=True))

    def compile_rule(self) -> Stylesheet | None:
        """Return the rule's stylesheet, ready to run. Raises RuleError if the rule cannot be run."""
        if self.rule is None:
            return None
        sheet = Stylesheet.compile(self.rule.stylesheet)
        _refuse_functions(sheet.text)
        return sheet


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteBundle(JsonValue):
    """All that reading a site's pages needs.

    site, slug: the site's name, and the name of its files.
    hosts: the hosts of its pages, in lower case, with the port unless it is the usual one. Pages elsewhere are not read. If empty, any
        page may be one of the site.
    vector_scheme, steps_scheme: how masks and cores were made.
    placed: `PlacedPages.to_text`: the templates of the pages that the dashboard knows.
    """

    site: str
    slug: str
    hosts: tuple[str, ...]
    templates: tuple[BundledTemplate, ...]
    vector_scheme: str = VECTOR_SCHEME
    steps_scheme: str = STEPS_SCHEME.decode().strip()
    placed: str = ""


def write_bundle(bundle: SiteBundle) -> bytes:
    """Return the file. The same bundle gives the same bytes."""
    content = _write_canonically(bundle.as_json())
    head = {"kind": KIND, "format": FORMAT, "digest": hashlib.sha256(content).hexdigest()}
    return json.dumps(head)[:-1].encode() + b', "content": ' + content + b"}\n"


def read_bundle(data: bytes) -> SiteBundle:
    """Return the bundle that `write_bundle` wrote, after every part of it was read once. Raises BundleError for anything else."""
    bundle = _read_content(data)
    _check_schemes(bundle)
    for template in bundle.templates:
        try:
            template.read_masks(), template.read_patterns(), template.read_core(), template.compile_rule()
        except (ValueError, VertexError) as error:
            raise BundleError(f"template {template.number} cannot be used: {error}") from error
    _check_names(bundle)
    try:
        known = PlacedPages.from_text(bundle.placed).templates
    except ValueError as error:
        raise BundleError(f"its placed pages cannot be read: {error}") from error
    strange = known - {template.id for template in bundle.templates}
    if strange:
        raise BundleError(f"it places pages in template {min(strange)}, which it does not have")
    return bundle


def _refuse_functions(stylesheet: str) -> None:
    """Raise RuleError if an expression calls a function that reads files or tells about the machine. Texts in quotes do not matter."""
    tree = etree.fromstring(stylesheet.encode(), etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False))
    for expression in map(str, tree.xpath("//@*")):
        called = _ACCESS.search(blanked(expression))
        if called:
            raise RuleError(f"the stylesheet calls {called[1]}(), which a rule may not use")


def digest_bundle(data: bytes) -> str:
    """Return a short name for the content of a bundle's file."""
    return hashlib.sha256(data).hexdigest()[:16]


def _read_content(data: bytes) -> SiteBundle:
    if len(data) > MAX_BYTES:
        raise BundleError(f"the file has {len(data):,} bytes; at most {MAX_BYTES:,} are read")
    try:
        outer: Any = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise BundleError(f"the file is not JSON: {str(error)[:200]}") from error
    if not isinstance(outer, Mapping) or outer.get("kind") != KIND:
        raise BundleError("the file is not a bundle of Vertex's rules")
    if outer.get("format") != FORMAT:
        raise BundleError(f"the bundle is of format {str(outer.get('format'))[:20]}; this release reads format {FORMAT}")
    content = outer.get("content")
    if hashlib.sha256(_write_canonically(content)).hexdigest() != outer.get("digest"):
        raise BundleError("the bundle was damaged or changed: its content does not have the digest that it names")
    try:
        return SiteBundle.from_json(content)
    except (JsonShapeError, VertexError, RecursionError) as error:
        raise BundleError(f"the bundle cannot be read: {str(error)[:300]}") from error


def _write_canonically(content: object) -> bytes:
    return json.dumps(content, ensure_ascii=True, sort_keys=True, separators=(",", ":")).encode()


def _check_schemes(bundle: SiteBundle) -> None:
    for name, theirs, ours in (
        ("shingle vectors", bundle.vector_scheme, VECTOR_SCHEME),
        ("steps", bundle.steps_scheme, STEPS_SCHEME.decode().strip()),
    ):
        if theirs != ours:
            raise BundleError(f"its templates are recognised by {name} of the scheme {theirs[:40]!r}; this release makes {ours!r}")


def _check_names(bundle: SiteBundle) -> None:
    if len(bundle.templates) > MAX_TEMPLATES:
        raise BundleError(f"it has {len(bundle.templates):,} templates; at most {MAX_TEMPLATES:,} are read")
    if not bundle.slug or not all(character.isalnum() or character in "-_" for character in bundle.slug):
        raise BundleError(f"{bundle.slug[:60]!r} cannot be the name of a site's files")
    for what, names in (("id", [each.id for each in bundle.templates]), ("number", [each.number for each in bundle.templates])):
        twice = _find_twice(names)
        if twice is not None:
            raise BundleError(f"two templates have the {what} {twice}")
    for template in bundle.templates:
        if template.rule is not None and (not template.lists or template.lists[0].name):
            raise BundleError(f"template {template.number} has a rule, but the columns of its pages are missing")
        if _find_twice([each.name for each in template.lists]) is not None:
            raise BundleError(f"template {template.number} has a list twice")


def _find_twice(values: Iterable[Any]) -> Any:
    seen: set[Any] = set()
    return next((value for value in values if value in seen or seen.add(value)), None)  # type: ignore[func-returns-value]
