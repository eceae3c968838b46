"""Check the contents of pages and the marks on them: a mark must find on its page what the file says is there."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from django.conf import settings
from django.utils.translation import gettext

from extraction.algorithms.clustering.template_core import TemplateCore
from extraction.algorithms.dom.nodes import Location, elements, value
from extraction.algorithms.dom.parse import parse
from extraction.algorithms.errors import PageError
from extraction.models.quality import QualityKind
from extraction.services.core import stored_bytes, stored_texts
from extraction.services.core.percent import write_number
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
                raise FolderError(gettext("the folder has no %(path)s") % {"path": path}, each.where)
            if paths[path] > settings.VERTEX_PAGE_MAX_BYTES:
                values = {"size": write_number(paths[path]), "most": write_number(settings.VERTEX_PAGE_MAX_BYTES)}
                raise FolderError(gettext("it has %(size)s bytes; at most %(most)s are read") % values, Where(path))
            if stored_bytes.digest_bytes(read(path)) != each.sha256:
                reason = gettext(
                    "its bytes are not those that its name says. If git changed the ends of its lines, add “*.page -text” to "
                    ".gitattributes and check it out again"
                )
                raise FolderError(reason, Where(path))
            checked.add(each.sha256)


def check_marks(files: SiteFiles, read: Read) -> None:
    """Raise FolderError for a mark that is not on its page, and for what does not fit the record type."""
    types = {each.slug: each for each in files.record_types}
    contents = {(page.url, each.sha256): each for page in files.pages for each in page.contents}
    for record_type in files.record_types:
        for rule in record_type.quality_rules:
            _check_quality(rule, record_type)
            if rule.replaces:
                raise FolderError(gettext("only a rule of a template replaces another"), rule.where)
    for template in files.templates:
        kind = types.get(template.template.record_type)
        for rule in template.template.quality_rules if kind else ():
            assert kind  # noqa: S101 - for mypy
            _check_quality(rule, kind)
            if rule.replaces and rule.replaces not in name_rules(kind.quality_rules):
                reason = gettext("%(record_type)s has no quality rule %(rule)s")
                raise FolderError(reason % {"record_type": kind.slug, "rule": repr(rule.replaces)}, rule.where)
        _check_template(template, kind, contents, read)


def drop_strange_cores(files: SiteFiles) -> tuple[SiteFiles, list[str]]:
    """Return the files without cores that this release cannot read, and a sentence for each."""
    kept, notes = [], []
    for each in files.templates:
        try:
            if each.core is not None:
                TemplateCore.from_bytes(each.core)
        except ValueError as error:
            note = gettext("core.bin of template %(template)s is left out: %(error)s. The next search for templates makes it again.")
            notes.append(note % {"template": each.template.number, "error": error})
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
            reason = gettext("the content %(content)s of %(page)s is not in pages.yaml")
            raise FolderError(reason % {"content": page.content[:12], "page": page.url[:200]}, page.where)
        for mark in page.marks:
            _check_mark(mark, attributes.get(mark.attribute), files.template.record_type)
        for offered in page.offered:
            if offered.list not in lists or offered.rows < 0:
                reason = gettext("the record type has no list %(list)s, or the number of rows is wrong")
                raise FolderError(reason % {"list": repr(offered.list)}, offered.where)
        _check_places(page, read(layout.name_content(page.content)), known.type)


def _check_mark(mark: MarkDocument, attribute: AttributeDocument | None, slug: str) -> None:
    if attribute is None:
        known = gettext("the record type %(record_type)s has no attribute %(attribute)s")
        reason = known if slug else gettext("a template without a record type has no attribute %(attribute)s")
        raise FolderError(reason % {"record_type": repr(slug), "attribute": repr(mark.attribute)}, mark.where)
    if (mark.row > 0) != bool(attribute.list) or not 0 <= mark.row <= MAX_ROWS:
        listed = gettext("%(attribute)s needs a row from 1 to %(most)s")
        reason = listed if attribute.list else gettext("%(attribute)s is not in a list, so it has no row")
        raise FolderError(reason % {"attribute": mark.attribute, "most": MAX_ROWS}, mark.where)
    if mark.absent == (mark.at is not None):
        raise FolderError(gettext("a mark has either a place (at) or “absent: true”"), mark.where)
    if mark.absent and mark.value:
        raise FolderError(gettext("an attribute that is absent has no value"), mark.where)


def _check_places(page: MarkedPageDocument, content: bytes, content_type: str) -> None:
    if all(mark.at is None for mark in page.marks):
        return
    try:
        nodes = elements(parse(content, content_type=content_type or None).root)
    except PageError as error:
        reason = gettext("the page cannot be read, so nothing can be marked on it: %(error)s")
        raise FolderError(reason % {"error": stored_texts.tell(str(error))}, page.where) from error
    for mark in page.marks:
        if mark.at is None:
            continue
        try:
            found = value(nodes, Location.from_json(dict(mark.at)))
        except ValueError as error:
            raise FolderError(stored_texts.tell(str(error)), mark.where) from error
        if found is None:
            raise FolderError(gettext("%(attribute)s: there is no such place on the page") % {"attribute": mark.attribute}, mark.where)
        if found != mark.value:
            reason = gettext("%(attribute)s: the page says %(found)s at this place, not %(value)s")
            values = {"attribute": mark.attribute, "found": repr(found[:80]), "value": repr(mark.value[:80])}
            raise FolderError(reason % values, mark.where)


def _check_quality(rule: QualityDocument, record_type: RecordTypeDocument) -> None:
    if rule.kind not in QualityKind.values:
        raise FolderError(gettext("there is no kind of quality rule %(kind)s") % {"kind": repr(rule.kind)}, rule.where)
    names = {each.name for each in record_type.attributes}
    lists = {each.list for each in record_type.attributes if each.list}
    for name in filter(None, (rule.attribute, rule.other)):
        if name not in names:
            reason = gettext("%(record_type)s has no attribute %(attribute)s")
            raise FolderError(reason % {"record_type": record_type.slug, "attribute": repr(name)}, rule.where)
    if rule.list and rule.list not in lists:
        reason = gettext("%(record_type)s has no list %(list)s")
        raise FolderError(reason % {"record_type": record_type.slug, "list": repr(rule.list)}, rule.where)
