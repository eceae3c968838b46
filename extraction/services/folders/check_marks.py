"""Check the contents of pages and the marks on them: a mark must find on its page what the file says is there."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from django.conf import settings

from extraction.algorithms.clustering.template_core import TemplateCore
from extraction.algorithms.dom.nodes import Location, elements, value
from extraction.algorithms.dom.parse import parse
from extraction.algorithms.errors import PageError
from extraction.models.quality import QualityKind
from extraction.services.core import stored_bytes
from extraction.services.folders import layout
from extraction.services.folders.documents import (
    AttributeDocument,
    ContentDocument,
    MarkDocument,
    MarkedPageDocument,
    QualityDocument,
    RecordTypeDocument,
    SiteFiles,
    TemplateFiles,
)
from extraction.services.folders.errors import FolderError, Where
from extraction.services.folders.quality_names import name_rules
from extraction.services.labels.labelling import MAX_ROWS

Read = Callable[[str], bytes]


def check_contents(files: SiteFiles, paths: Mapping[str, int], read: Read) -> None:
    """Raise FolderError if the content of a page is missing, too large or not the one that its name says."""
    checked: set[str] = set()
    for page in files.pages:
        for each in page.contents:
            path = layout.name_content(each.sha256)
            if each.sha256 in checked:
                continue
            if path not in paths:
                raise FolderError(f"the folder has no {path}", each.where)
            if paths[path] > settings.VERTEX_PAGE_MAX_BYTES:
                raise FolderError(f"it has {paths[path]:,} bytes; at most {settings.VERTEX_PAGE_MAX_BYTES:,} are read", Where(path))
            if stored_bytes.digest_bytes(read(path)) != each.sha256:
                hint = "If git changed the ends of its lines, add “*.page -text” to .gitattributes and check it out again"
                raise FolderError(f"its bytes are not those that its name says. {hint}", Where(path))
            checked.add(each.sha256)


def check_marks(files: SiteFiles, read: Read) -> None:
    """Raise FolderError for a mark that is not on its page, and for what does not fit the record type."""
    types = {each.slug: each for each in files.record_types}
    contents = {(page.url, each.sha256): each for page in files.pages for each in page.contents}
    for record_type in files.record_types:
        for rule in record_type.quality_rules:
            _check_quality(rule, record_type)
            if rule.replaces:
                raise FolderError("only a rule of a template replaces another", rule.where)
    for template in files.templates:
        kind = types.get(template.template.record_type)
        for rule in template.template.quality_rules if kind else ():
            assert kind  # noqa: S101 - for mypy
            _check_quality(rule, kind)
            if rule.replaces and rule.replaces not in name_rules(kind.quality_rules):
                raise FolderError(f"{kind.slug} has no quality rule {rule.replaces!r}", rule.where)
        _check_template(template, kind, contents, read)


def drop_strange_cores(files: SiteFiles) -> tuple[SiteFiles, list[str]]:
    """Return the files without cores that this release cannot read, and a sentence for each."""
    kept, notes = [], []
    for each in files.templates:
        try:
            if each.core is not None:
                TemplateCore.from_bytes(each.core)
        except ValueError as error:
            notes.append(f"core.bin of template {each.template.number} is left out: {error}. The next search for templates makes it again.")
            each = replace(each, core=None)
        kept.append(each)
    return replace(files, templates=tuple(kept)), notes


def _check_template(
    files: TemplateFiles, kind: RecordTypeDocument | None, contents: Mapping[tuple[str, str], ContentDocument], read: Read
) -> None:
    attributes = {each.name: each for each in kind.attributes} if kind else {}
    lists = {each.list for each in attributes.values() if each.list}
    for page in files.labels:
        known = contents.get((page.url, page.content))
        if known is None:
            raise FolderError(f"the content {page.content[:12]} of {page.url[:200]} is not in pages.yaml", page.where)
        for mark in page.marks:
            _check_mark(mark, attributes.get(mark.attribute), files.template.record_type)
        for offered in page.offered:
            if offered.list not in lists or offered.rows < 0:
                raise FolderError(f"the record type has no list {offered.list!r}, or the number of rows is wrong", offered.where)
        _check_places(page, read(layout.name_content(page.content)), known.type)


def _check_mark(mark: MarkDocument, attribute: AttributeDocument | None, slug: str) -> None:
    if attribute is None:
        what = f"the record type {slug!r}" if slug else "a template without a record type"
        raise FolderError(f"{what} has no attribute {mark.attribute!r}", mark.where)
    if (mark.row > 0) != bool(attribute.list) or not 0 <= mark.row <= MAX_ROWS:
        needed = f"needs a row from 1 to {MAX_ROWS}" if attribute.list else "is not in a list, so it has no row"
        raise FolderError(f"{mark.attribute} {needed}", mark.where)
    if mark.absent == (mark.at is not None):
        raise FolderError("a mark has either a place (at) or “absent: true”", mark.where)
    if mark.absent and mark.value:
        raise FolderError("an attribute that is absent has no value", mark.where)


def _check_places(page: MarkedPageDocument, content: bytes, content_type: str) -> None:
    if all(mark.at is None for mark in page.marks):
        return
    try:
        nodes = elements(parse(content, content_type=content_type or None).root)
    except PageError as error:
        raise FolderError(f"the page cannot be read, so nothing can be marked on it: {error}", page.where) from error
    for mark in page.marks:
        if mark.at is None:
            continue
        try:
            found = value(nodes, Location.from_json(dict(mark.at)))
        except ValueError as error:
            raise FolderError(str(error), mark.where) from error
        if found is None:
            raise FolderError(f"{mark.attribute}: there is no such place on the page", mark.where)
        if found != mark.value:
            raise FolderError(f"{mark.attribute}: the page says {found[:80]!r} at this place, not {mark.value[:80]!r}", mark.where)


def _check_quality(rule: QualityDocument, record_type: RecordTypeDocument) -> None:
    if rule.kind not in QualityKind.values:
        raise FolderError(f"there is no kind of quality rule {rule.kind!r}", rule.where)
    names = {each.name for each in record_type.attributes}
    lists = {each.list for each in record_type.attributes if each.list}
    for name in filter(None, (rule.attribute, rule.other)):
        if name not in names:
            raise FolderError(f"{record_type.slug} has no attribute {name!r}", rule.where)
    if rule.list and rule.list not in lists:
        raise FolderError(f"{record_type.slug} has no list {rule.list!r}", rule.where)
