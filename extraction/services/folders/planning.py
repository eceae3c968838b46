"""Read the files of a site and say what an import would change. Nothing is changed here."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext, ngettext

from extraction.models import (
    DeliveryTarget,
    Page,
    RecordType,
    Site,
    Snapshot,
    Team,
)
from extraction.models.team import find_first_team
from extraction.services.core.percent import write_number
from extraction.services.folders import layout
from extraction.services.folders.check_marks import check_contents, check_marks, drop_strange_cores
from extraction.services.folders.checking import check_files
from extraction.services.folders.collect_pages import collect_pages
from extraction.services.folders.collect_rest import collect_corrections, collect_deliveries, collect_joins, collect_settings
from extraction.services.folders.collect_schema import collect_record_types
from extraction.services.folders.collect_templates import collect_templates
from extraction.services.folders.comparing import Change, ChangeKind, Prefer, compare_entries
from extraction.services.folders.documents import SiteFiles
from extraction.services.folders.entries import Entry, Key, list_entries
from extraction.services.folders.errors import FolderError
from extraction.services.folders.exporting import find_record_types
from extraction.services.folders.matching import match_templates, renumber
from extraction.services.folders.storing import FolderReader
from extraction.services.sites import sites

OF_SITE = frozenset({"site", "source", "checks", "refresh"})

CHUNK = 500


@dataclass(frozen=True, slots=True)
class CheckedFolder:
    """The files of a folder after everything that needs no database was checked. notes: what is left out of them."""

    files: SiteFiles
    read: Callable[[str], bytes]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How to import.

    into: the site to import into; None for that with the slug of the folder, or a new one.
    prefer: what counts where both sides have changed. delete: remove what only the installation has.
    team: the team of a new site; None for the oldest.
    teams: the teams in which sites and record types may be changed; None for all.
    """

    into: Site | None = None
    prefer: Prefer = "stop"
    delete: bool = False
    team: Team | None = None
    teams: frozenset[int] | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """What an import would do.

    files: with the numbers that templates have here. site: None if it is new.
    changes: the parts that differ. pages, contents: numbers of new ones.
    notes: what else a person should know, in sentences.
    """

    files: SiteFiles
    site: Site | None
    changes: tuple[Change, ...]
    pages: int
    contents: int
    notes: tuple[str, ...] = ()

    @property
    def conflicts(self) -> tuple[Change, ...]:
        """What was changed on both sides. Nothing is imported while there are any."""
        return tuple(each for each in self.changes if each.kind == ChangeKind.CONFLICT)

    @property
    def empty(self) -> bool:
        """Whether the import would change nothing."""
        return not (self.pages or self.contents or any(each.applied for each in self.changes))

    def list_keys(self, *kinds: ChangeKind) -> list[Key]:
        """Return the keys of the changes of some kinds."""
        return [each.key for each in self.changes if each.kind in kinds]


class ConflictError(FolderError):
    """The folder and the installation have changed in the same parts."""

    def __init__(self, plan: Plan) -> None:
        reason = ngettext(
            "%(parts)s part was changed in the folder and here, so nothing was imported",
            "%(parts)s parts were changed in the folder and here, so nothing was imported",
            len(plan.conflicts),
        )
        super().__init__(reason % {"parts": write_number(len(plan.conflicts))})
        self.plan = plan


def read_folder(folder: FolderReader) -> CheckedFolder:
    """Return the files of a folder, checked. Raises FolderError with the file and the line."""
    files, notes = drop_strange_cores(layout.read_files(folder.paths, folder.read))
    check_files(files)
    check_contents(files, folder.paths, folder.read)
    check_marks(files, folder.read)
    named = {layout.name_content(content.sha256) for page in files.pages for content in page.contents}
    unused = [path for path in folder.paths if path.endswith(".page") and path not in named]
    if unused:
        note = ngettext(
            "%(files)s file with a content is not named in pages.yaml and is ignored.",
            "%(files)s files with contents are not named in pages.yaml and are ignored.",
            len(unused),
        )
        notes.append(note % {"files": write_number(len(unused))})
    return CheckedFolder(files, folder.read, tuple(notes))


def plan_import(folder: CheckedFolder, options: Options) -> Plan:
    """Return what an import would do. Nothing is changed. Raises FolderError."""
    site = options.into or find_site(folder.files, options)
    files = folder.files
    _refuse_other_teams(files, find_team(site, options))
    if options.into is not None:
        files = replace(files, site=replace(files.site, slug=options.into.slug, name=options.into.name))
    numbers = match_templates(files, site)
    files = renumber(files, numbers)
    here = collect_here(files, site, find_team(site, options))
    notes = [*folder.notes, *_list_renumbered(numbers)]
    changes = compare_entries(list_entries(files), here, files.base, prefer=options.prefer, delete=options.delete)
    changes, elsewhere = _leave_out_marks_elsewhere(files, site, changes)
    pages, contents = _count_new(files, site)
    return Plan(files, site, tuple(changes), pages, contents, (*notes, *elsewhere))


def _list_renumbered(numbers: Mapping[int, int]) -> list[str]:
    """Return a sentence for each template that has another number here than in the folder."""
    note = gettext("Template %(old)s of the folder is template %(new)s here.")
    return [note % {"old": old, "new": new} for old, new in sorted(numbers.items()) if old != new]


def find_site(files: SiteFiles, options: Options) -> Site | None:
    """Return the site of a folder, None if it is not here. Raises FolderError if another site has its name or its slug."""
    document = files.site
    found = Site.objects.filter(slug=document.slug).first()
    if found is not None and options.teams is not None and found.team_id not in options.teams:
        reason = gettext("the slug %(slug)s cannot be used here. Choose another one in the file") % {"slug": document.slug}
        raise FolderError(reason, document.where)
    if found is None and (alike := sites.find_sites_named_alike(document.name, find_team(None, options))):
        reason = gettext(
            "there is already a site %(site)s with the slug %(slug)s. Import it into that site by naming it (%(slug)s), or change the name "
            "in the file"
        )
        raise FolderError(reason % {"site": alike[0].name, "slug": alike[0].slug}, document.where)
    return found


def find_team(site: Site | None, options: Options) -> int | None:
    """Return the team of what is imported."""
    if site is not None:
        return site.team_id
    return options.team.pk if options.team else find_first_team()


def _refuse_other_teams(files: SiteFiles, team: int | None) -> None:
    """Raise FolderError for a record type that another team has: sites of two teams cannot share one."""
    documents = {each.slug: each for each in files.record_types}
    foreign = RecordType.objects.filter(slug__in=documents).exclude(team=team).values_list("slug", flat=True).first()
    if foreign is not None:
        reason = gettext("the slug %(slug)s cannot be used in the team of this site. Choose another one in the files")
        raise FolderError(reason % {"slug": foreign}, documents[foreign].where)


def collect_here(files: SiteFiles, site: Site | None, team: int | None) -> dict[Key, Entry]:
    """Return the parts that the installation has of a site, with the record types and deliveries that the folder names."""
    types = set(RecordType.objects.filter(slug__in=[each.slug for each in files.record_types]).values_list("pk", flat=True))
    named = {each.name for each in files.deliveries}
    targets = DeliveryTarget.objects.filter(name__in=named, record_type__team=team).values_list("record_type", flat=True)
    if site is None:
        deliveries = [each for each in collect_deliveries(set(targets)) if each.name in named]
        here = SiteFiles(site=files.site, record_types=collect_record_types(types), deliveries=tuple(deliveries))
        return {key: entry for key, entry in list_entries(here).items() if key[0] not in OF_SITE}
    own = set(find_record_types(site))
    used = set(RecordType.objects.filter(pk__in=types | own).values_list("slug", flat=True))
    deliveries = [each for each in collect_deliveries({*types, *own, *targets}) if each.name in named or each.record_type in used]
    here = SiteFiles(
        site=collect_settings(site),
        record_types=collect_record_types(types | own),
        templates=collect_templates(site).templates,
        pages=collect_pages(site, "marked").pages,
        joins=collect_joins(site),
        deliveries=tuple(deliveries),
        corrections=collect_corrections(site),
    )
    return list_entries(here)


def _count_new(files: SiteFiles, site: Site | None) -> tuple[int, int]:
    """Return the numbers of pages and of contents that are not here."""
    wanted = {(page.url, content.sha256) for page in files.pages for content in page.contents}
    urls = [page.url for page in files.pages]
    if site is None:
        return len(urls), len(wanted)
    pages, contents = 0, set[tuple[str, str]]()
    for start in range(0, len(urls), CHUNK):
        part = urls[start : start + CHUNK]
        pages += Page.objects.filter(site=site, url__in=part).count()
        contents |= set(Snapshot.objects.filter(page__site=site, page__url__in=part, kept=True).values_list("page__url", "sha256"))
    return len(urls) - pages, len(wanted - contents)


def _leave_out_marks_elsewhere(files: SiteFiles, site: Site | None, changes: Sequence[Change]) -> tuple[list[Change], list[str]]:
    """Return the changes without marks on contents that are in another template here, and a sentence for each page."""
    if site is None:
        return list(changes), []
    urls = [page.url for template in files.templates for page in template.labels]
    rows = Snapshot.objects.filter(page__site=site, page__url__in=urls).exclude(cluster=None)
    homes = {(url, sha256): number for url, sha256, number in rows.values_list("page__url", "sha256", "cluster__number")}
    kept, notes = [], []
    note = gettext("The marks on %(page)s are left out: the page is in template %(template)s here.")
    for each in changes:
        home = homes.get((each.key[3], each.key[4])) if len(each.key) == 6 and each.applied else None
        if home is None or str(home) == each.key[1] or each.kind == ChangeKind.REMOVED:
            kept.append(each)
        else:
            notes.append(note % {"page": each.key[3], "template": home})
    return kept, list(dict.fromkeys(notes))
