"""Which file holds what (docs/site-files.md#the-files): documents to and from {path: bytes}."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from django.utils.text import slugify
from django.utils.translation import gettext

from extraction.services.folders.document_shapes import read_document, write_document
from extraction.services.folders.documents import (
    FORMAT,
    CorrectionDocument,
    DeliveryDocument,
    Document,
    JoinDocument,
    MarkedPageDocument,
    PageDocument,
    RecordTypeDocument,
    RuleDocument,
    SiteDocument,
    SiteFiles,
    TemplateDocument,
    TemplateFiles,
)
from extraction.services.folders.errors import FolderError, Where
from extraction.services.folders.yaml_text import Node, read_yaml, write_yaml

D = TypeVar("D", bound=Document)

SITE, PAGES, JOINS, DELIVERIES, CORRECTIONS, BASE = (
    "site.yaml",
    "pages.yaml",
    "joins.yaml",
    "deliveries.yaml",
    "corrections.yaml",
    "exported.yaml",
)
ATTRIBUTES = ".gitattributes"

_TYPE = re.compile(r"record_types/([a-z0-9][-a-z0-9_]*)\.yaml")
_TEMPLATE = re.compile(r"templates/([^/]+)/(template\.yaml|labels\.yaml|rule\.yaml|core\.bin)")
_CONTENT = re.compile(r"pages/([0-9a-f]{64})\.page")

SUFFIX_LENGTH = 60

GIT_ATTRIBUTES = b"""# The bytes of pages must not change, so git must leave the ends of their lines alone.
*.page -text
*.bin binary
*.yaml text eol=lf
"""

BASE_NOTE = "# Written by Vertex when the site was exported, so that an import knows what has changed since. Do not edit.\n"

Read = Callable[[str], bytes]


def is_ours(path: str) -> bool:
    """Return whether a file belongs to the files of a site."""
    single = (SITE, PAGES, JOINS, DELIVERIES, CORRECTIONS, BASE, ATTRIBUTES)
    return path in single or any(form.fullmatch(path) for form in (_TYPE, _TEMPLATE, _CONTENT))


def name_content(sha256: str) -> str:
    """Return the path of the file with a page's content."""
    return f"pages/{sha256}.page"


def write_files(files: SiteFiles) -> dict[str, bytes]:
    """Return {path: bytes} of all files but the contents of pages."""
    found: dict[str, bytes] = {ATTRIBUTES: GIT_ATTRIBUTES, SITE: _write(write_document(files.site))}
    for each in files.record_types:
        values = write_document(each)
        del values["slug"]  # the file has its name
        found[f"record_types/{each.slug}.yaml"] = _write(values)
    for template in files.templates:
        found |= _write_template(template)
    for path, name, many in (
        (PAGES, "pages", files.pages),
        (JOINS, "joins", files.joins),
        (DELIVERIES, "deliveries", files.deliveries),
        (CORRECTIONS, "corrections", files.corrections),
    ):
        if many:
            found[path] = _write({name: [write_document(each) for each in many]})
    found[BASE] = BASE_NOTE.encode() + _write({"parts": dict(files.base)})
    return found


def read_files(paths: Mapping[str, int], read: Read) -> SiteFiles:
    """Return the files of a site. Raises FolderError.

    paths: {path: size in bytes} of the folder.
    read: returns the bytes of a file.
    """
    if SITE not in paths:
        raise FolderError(gettext("there is no %(file)s, so this is not the folder of a site") % {"file": SITE})
    _refuse_unknown(paths)
    site = _read_site(read_yaml(read(SITE), SITE))

    def many(path: str, name: str, kind: type[D]) -> tuple[D, ...]:
        return _read_list(read_yaml(read(path), path), name, kind) if path in paths else ()

    types = [(path, found[1]) for path in sorted(paths) if (found := _TYPE.fullmatch(path))]
    return SiteFiles(
        site=site,
        record_types=tuple(read_document(RecordTypeDocument, read_yaml(read(path), path), slug=slug) for path, slug in types),
        templates=_read_templates(paths, read),
        pages=many(PAGES, "pages", PageDocument),
        joins=many(JOINS, "joins", JoinDocument),
        deliveries=many(DELIVERIES, "deliveries", DeliveryDocument),
        corrections=many(CORRECTIONS, "corrections", CorrectionDocument),
        base=_read_base(read_yaml(read(BASE), BASE)) if BASE in paths else {},
    )


def _write(values: Mapping[str, Any]) -> bytes:
    return write_yaml(values).encode()


def _write_template(files: TemplateFiles) -> Iterator[tuple[str, bytes]]:
    template = files.template
    suffix = slugify(template.name)[:SUFFIX_LENGTH].strip("-")
    folder = f"templates/{template.number}{f'-{suffix}' if suffix else ''}"
    yield f"{folder}/template.yaml", _write(write_document(template))
    if files.labels:
        yield f"{folder}/labels.yaml", _write({"pages": [write_document(each) for each in files.labels]})
    if files.rule:
        yield f"{folder}/rule.yaml", _write(write_document(files.rule))
    if files.core is not None:
        yield f"{folder}/core.bin", files.core


def _refuse_unknown(paths: Mapping[str, int]) -> None:
    """Raise FolderError for a YAML file at a place where it would not be read. Other files may lie beside those of the site."""
    for path in sorted(paths):
        if path.lower().endswith((".yaml", ".yml")) and not is_ours(path):
            raise FolderError(gettext("a site has no such file; docs/site-files.md lists them"), Where(path))


def _read_site(node: Node) -> SiteDocument:
    version = node.value.get("format") if isinstance(node.value, Mapping) else None
    if version is not None and version.value != FORMAT:
        reason = gettext("the files are of format %(theirs)s; this release reads format %(ours)s")
        raise FolderError(reason % {"theirs": str(version.plain())[:40], "ours": FORMAT}, version.where)
    return read_document(SiteDocument, node)


def _read_list(node: Node, name: str, kind: type[D]) -> tuple[D, ...]:
    held = node.value[name].value if isinstance(node.value, Mapping) and set(node.value) == {name} else None
    if not isinstance(held, tuple):
        raise FolderError(gettext("the file must hold one list with the name %(name)s") % {"name": repr(name)}, node.where)
    return tuple(read_document(kind, each) for each in held)


def _read_base(node: Node) -> Mapping[str, str]:
    values = node.plain()
    parts = values.get("parts") if isinstance(values, dict) else None
    if not isinstance(parts, dict) or not all(isinstance(each, str) for each in parts.values()):
        raise FolderError(gettext("it does not hold what an export wrote; delete the file if it was damaged"), node.where)
    return parts


def _read_templates(paths: Mapping[str, int], read: Read) -> tuple[TemplateFiles, ...]:
    folders: dict[str, set[str]] = {}
    for path in paths:
        if found := _TEMPLATE.fullmatch(path):
            folders.setdefault(found[1], set()).add(found[2])
    known: dict[int, str] = {}
    templates = []
    for folder in sorted(folders):
        files = _read_template(f"templates/{folder}", folders[folder], read)
        number = files.template.number
        if number in known:
            reason = gettext("the template %(number)s is also in %(folder)s")
            raise FolderError(reason % {"number": number, "folder": f"templates/{known[number]}"}, files.template.where)
        known[number] = folder
        templates.append(files)
    return tuple(sorted(templates, key=lambda each: each.template.number))


def _read_template(folder: str, names: set[str], read: Read) -> TemplateFiles:
    if "template.yaml" not in names:
        raise FolderError(gettext("there is no template.yaml beside its other files"), Where(folder))

    def node(name: str) -> Node | None:
        return read_yaml(read(f"{folder}/{name}"), f"{folder}/{name}") if name in names else None

    head, labels, rule = node("template.yaml"), node("labels.yaml"), node("rule.yaml")
    assert head is not None  # noqa: S101 - checked above
    return TemplateFiles(
        template=read_document(TemplateDocument, head),
        labels=_read_list(labels, "pages", MarkedPageDocument) if labels else (),
        rule=read_document(RuleDocument, rule) if rule else None,
        core=read(f"{folder}/core.bin") if "core.bin" in names else None,
    )


def read_site_slug(content: bytes) -> str:
    """Return the slug that a `site.yaml` names. Raises FolderError."""
    return _read_site(read_yaml(content, SITE)).slug
