"""Import the files of a site in one transaction, in the order in which its parts need each other."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext

from extraction.models import (
    AuditKind,
    Cluster,
    Join,
    RecordType,
    Rule,
    Site,
    Team,
)
from extraction.services.core import audit
from extraction.services.folders import apply_pages, apply_rest, apply_schema, apply_templates
from extraction.services.folders.apply_templates import Publisher
from extraction.services.folders.collect_rest import collect_corrections, collect_joins, collect_settings, sort_joins
from extraction.services.folders.comparing import ChangeKind
from extraction.services.folders.documents import SiteFiles
from extraction.services.folders.entries import Key, key_correction, name_joins
from extraction.services.folders.planning import CheckedFolder, ConflictError, Options, Plan, find_site, plan_import
from extraction.services.rules import effects
from extraction.services.sites import sites


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did. notes: what a person should know or do, in sentences."""

    site: Site
    plan: Plan
    notes: tuple[str, ...] = field(default=())


def import_folder(folder: CheckedFolder, options: Options, publisher: Publisher) -> Imported:
    """Import a folder in one transaction. Raises FolderError, and ConflictError if both sides have changed."""
    with transaction.atomic():
        known = options.into or find_site(folder.files, options)
        if known is not None:
            Site.objects.select_for_update().get(pk=known.pk)
        plan = plan_import(folder, options)
        if plan.conflicts:
            raise ConflictError(plan)
        site, notes, published = _apply(plan, options.team, folder.read, publisher)
        audit.record(
            AuditKind.SITE_IMPORTED, site, text=f"parts added or changed: {len(plan.list_keys(ChangeKind.ADDED, ChangeKind.CHANGED)):,}"
        )
    _report_effects(published)
    return Imported(site, plan, (*plan.notes, *notes))


def _apply(plan: Plan, team: Team | None, read: Callable[[str], bytes], publisher: Publisher) -> tuple[Site, list[str], list[Rule]]:
    """Do what was planned. Return the site, what a person should know, and the rules that went live. The caller holds the transaction."""
    files, user = plan.files, publisher.user
    chosen, removed = plan.list_keys(ChangeKind.ADDED, ChangeKind.CHANGED), plan.list_keys(ChangeKind.REMOVED)
    site = plan.site or sites.create_site(files.site.name, files.site.address, slug=files.site.slug, team=team, user=user)
    wanted, gone = set(chosen), set(removed)
    notes = _write_types(site, files, wanted)
    apply_rest.write_settings(site, files.site, wanted)
    clusters = apply_templates.write_templates(site, files, wanted)
    apply_pages.store_pages(site, files.pages, clusters, read)
    apply_pages.write_placements(site, files.pages, clusters, chosen, user)
    for each in files.templates:
        apply_templates.write_marks(each, clusters[each.template.number], wanted, user)
    published = _write_rules(files, clusters, wanted, publisher)
    _write_quality(files, clusters, wanted, gone, user)
    _write_schedules(site, files, clusters, wanted)
    notes += _write_rest(site, files, clusters, wanted, user)
    _remove(site, files, clusters, removed, publisher)
    return site, notes, published


def _report_effects(published: Sequence[Rule]) -> None:
    """Count what the rules give on the pages that are here, for the report of each version. It takes seconds, so it holds no lock."""
    for rule in published:
        report = effects.count_effects(rule.cluster, rule.read_definition())
        Rule.objects.filter(pk=rule.pk).update(report=report.as_json())


def _write_types(site: Site, files: SiteFiles, chosen: set[Key]) -> list[str]:
    notes = []
    for each in files.record_types:
        if apply_schema.apply_record_type(each, chosen, site.team):
            note = gettext("Rules of the record type %(record_type)s read values differently now. Extract the records again.")
            notes.append(note % {"record_type": each.name})
    return notes


def _write_rules(files: SiteFiles, clusters: Mapping[int, Cluster], chosen: set[Key], publisher: Publisher) -> list[Rule]:
    return [
        apply_templates.publish(each.rule, clusters[each.template.number], publisher)
        for each in files.templates
        if each.rule and ("template", str(each.template.number), "rule") in chosen
    ]


def _write_quality(files: SiteFiles, clusters: Mapping[int, Cluster], chosen: set[Key], removed: set[Key], user: User | None) -> None:
    for each in files.record_types:
        row = RecordType.objects.get(slug=each.slug)
        key = ("record type", each.slug, "quality rule")
        apply_schema.apply_quality(each.quality_rules, row, None, _name_parts(key, chosen), _name_parts(key, removed), user)
    for template in (each.template for each in files.templates):
        cluster = clusters[template.number]
        key = ("template", str(template.number), "quality rule")
        new, gone = _name_parts(key, chosen), _name_parts(key, removed)
        if cluster.record_type and (new or gone):
            apply_schema.apply_quality(template.quality_rules, cluster.record_type, cluster, new, gone, user)


def _name_parts(key: Key, keys: set[Key]) -> set[str]:
    return {each[3] for each in keys if each[:3] == key}


def _write_schedules(site: Site, files: SiteFiles, clusters: Mapping[int, Cluster], chosen: set[Key]) -> None:
    if ("refresh",) in chosen:
        apply_rest.write_refresh(site, None, files.site.refresh)
    for template in (each.template for each in files.templates):
        if ("template", str(template.number), "refresh") in chosen:
            apply_rest.write_refresh(site, clusters[template.number], template.refresh)


def _write_rest(site: Site, files: SiteFiles, clusters: Mapping[int, Cluster], chosen: set[Key], user: User | None) -> list[str]:
    known = _find_joins(site)
    for name, document in name_joins(files).items():
        if ("join", name) in chosen:
            apply_rest.write_join(site, document, known.get(name), clusters, user)
    notes = []
    for each in files.deliveries:
        if ("delivery", each.name) in chosen:
            notes += apply_rest.write_delivery(each, user)
    apply_rest.write_corrections(site, files.corrections, chosen)
    return notes


def _find_joins(site: Site) -> dict[str, Join]:
    """Return {name: join} of a site, named as in its files."""
    names = name_joins(SiteFiles(site=collect_settings(site), joins=collect_joins(site)))
    return dict(zip(names, sort_joins(site), strict=True))


def _remove(site: Site, files: SiteFiles, clusters: Mapping[int, Cluster], removed: Sequence[Key], publisher: Publisher) -> None:
    """Remove what only the installation had; attributes last, when no mark and no rule needs them any more."""
    gone = set(removed)
    apply_templates.remove_marks(site, clusters, removed)
    apply_pages.remove_placements(site, removed)
    for number, cluster in clusters.items():
        if ("template", str(number), "rule") in gone:
            apply_templates.retire(cluster, publisher.user)
        if ("template", str(number), "refresh") in gone:
            apply_rest.write_refresh(site, cluster, None)
    if ("refresh",) in gone:
        apply_rest.write_refresh(site, None, None)
    for name, join in _find_joins(site).items():
        if ("join", name) in gone:
            join.delete()
    apply_rest.remove_corrections(site, [each for each in collect_corrections(site) if key_correction(each) in gone])
    for each in files.record_types:
        apply_schema.remove_attributes(each, gone)
