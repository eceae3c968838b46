"""Collect the files of a site from the database."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace

from django.utils.translation import gettext, ngettext

from extraction.models import RecordType, Site
from extraction.services.core import stored_bytes
from extraction.services.core.percent import write_number
from extraction.services.folders import layout
from extraction.services.folders.collect_pages import PageChoice, collect_pages
from extraction.services.folders.collect_rest import collect_corrections, collect_deliveries, collect_joins, collect_settings
from extraction.services.folders.collect_schema import collect_record_types
from extraction.services.folders.collect_templates import collect_templates
from extraction.services.folders.documents import PageDocument, SiteFiles
from extraction.services.folders.entries import digest_entries


@dataclass(frozen=True, slots=True)
class Export:
    """The files of a site, and what they lack, in sentences."""

    files: SiteFiles
    notes: tuple[str, ...]

    def list_contents(self) -> list[str]:
        """Return the sha256 of each content of the pages, once, in their order."""
        return sorted({content.sha256 for page in self.files.pages for content in page.contents})


def collect_site(site: Site, choice: PageChoice = "marked") -> Export:
    """Return the files of a site. The same state gives the same files."""
    types = find_record_types(site)
    templates = collect_templates(site)
    pages = collect_pages(site, choice)
    files = SiteFiles(
        site=collect_settings(site),
        record_types=collect_record_types(types),
        templates=templates.templates,
        pages=_forget_templates(pages.pages, {each.template.number for each in templates.templates}),
        joins=collect_joins(site),
        deliveries=collect_deliveries(types),
        corrections=collect_corrections(site),
    )
    notes = _list_notes(templates.unreadable, pages.not_kept, bool(files.deliveries))
    return Export(replace(files, base=digest_entries(files)), tuple(notes))


def _list_notes(unreadable: Iterable[str], not_kept: int, deliveries: bool) -> Iterator[str]:
    """Yield what the files lack: rules, contents of pages, and passwords."""
    for label in unreadable:
        yield gettext("The rule of %(template)s cannot be read and is left out.") % {"template": label}
    if not_kept:
        yield ngettext(
            "%(contents)s content of a page is left out because it is not kept.",
            "%(contents)s contents of pages are left out because they are not kept.",
            not_kept,
        ) % {"contents": write_number(not_kept)}
    if deliveries:
        yield gettext("Passwords and keys of deliveries are never written.")


def _forget_templates(pages: Iterable[PageDocument], known: Collection[int]) -> tuple[PageDocument, ...]:
    """Return the pages without templates that are not in the files, because they are only offered."""
    return tuple(
        replace(
            page,
            belongs_to=page.belongs_to if page.belongs_to in known else None,
            not_in=tuple(number for number in page.not_in if number in known),
            contents=tuple(each if each.template in known else replace(each, template=None) for each in page.contents),
        )
        for page in pages
    )


def find_record_types(site: Site) -> list[int]:
    """Return the ids of the record types that a site uses: in its templates and its corrections."""
    used = RecordType.objects.filter(clusters__site=site) | RecordType.objects.filter(attributes__corrections__page__site=site)
    return sorted(set(used.values_list("pk", flat=True)))


def read_contents(export: Export) -> Iterator[tuple[str, bytes]]:
    """Yield (sha256, bytes) of each content. Raises FileNotFoundError if the storage has lost one."""
    for sha256 in export.list_contents():
        yield sha256, stored_bytes.get_bytes(sha256)


def list_files(export: Export) -> Iterator[tuple[str, bytes]]:
    """Yield (path, bytes) of all files of a site. Raises FileNotFoundError if the storage has lost a content."""
    yield from layout.write_files(export.files).items()
    for sha256, content in read_contents(export):
        yield layout.name_content(sha256), content
