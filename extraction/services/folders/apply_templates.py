"""Create and change the templates of a folder, with their marks and rules."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.utils.translation import gettext

from extraction.algorithms.dom.nodes import Location
from extraction.models import Attribute, Cluster, ClusterCore, Decision, Label, OfferedRows, RecordList, RecordType, Rule, Site, Snapshot
from extraction.models.rule_report import RuleReport
from extraction.services.core.runs import JobError
from extraction.services.folders.checking import read_rule
from extraction.services.folders.documents import MarkedPageDocument, RuleDocument, SiteFiles, TemplateDocument, TemplateFiles
from extraction.services.folders.entries import Key, group_marks
from extraction.services.folders.errors import FolderError
from extraction.services.labels.labelling import RestoredMark, restore_labels
from extraction.services.rules import rules
from extraction.services.rules.rules import StateError
from extraction.services.templates.clusters import set_record_type

Keys = Collection[Key]


@dataclass(frozen=True, slots=True)
class Publisher:
    """Who publishes rules, and how it is recorded."""

    user: User | None
    what: Decision.What = Decision.What.PUBLISHED


def write_templates(site: Site, files: SiteFiles, chosen: Keys) -> dict[int, Cluster]:
    """Create templates and set what was chosen of those that are here. Return {number: template}. Raises FolderError."""
    here = {each.number: each for each in Cluster.objects.select_for_update().filter(site=site)}
    types = {each.slug: each for each in RecordType.objects.all()}
    for each in files.templates:
        template, key = each.template, ("template", str(each.template.number))
        cluster = here.get(template.number) or Cluster.objects.create(site=site, number=template.number)
        here[template.number] = cluster
        if key in chosen:
            _set_choices(cluster, template, types.get(template.record_type))
        if (*key, "recognition") in chosen:
            _set_recognition(cluster, each)
    return here


def write_marks(files: TemplateFiles, cluster: Cluster, chosen: Keys, user: User | None) -> int:
    """Write the marks that were chosen. Return the number of values."""
    key = ("template", str(files.template.number))
    kind = Attribute.objects.of_cluster(cluster)
    attributes = {each.name: each for each in kind}
    written = 0
    for page in files.labels:
        snapshot = _find_content(cluster.site, page)
        for name, marks in group_marks(page).items():
            if (*key, "marks", page.url, page.content, name) in chosen:
                given = [RestoredMark(each.row, Location.from_json(dict(each.at)) if each.at else None, each.value) for each in marks]
                written += len(restore_labels(cluster, snapshot, attributes[name], given, user))
        for offered in page.offered:
            if (*key, "offered", page.url, page.content, offered.list) in chosen:
                listed = RecordList.objects.get(record_type=cluster.record_type, name=offered.list)
                values = {"rows": offered.rows, "whole": offered.whole}
                OfferedRows.objects.update_or_create(cluster=cluster, list=listed, snapshot=snapshot, defaults=values)
    return written


def remove_marks(site: Site, clusters: Mapping[int, Cluster], removed: Keys) -> None:
    """Remove marks that the folder does not have."""
    for key in removed:
        if len(key) == 6 and key[2] in ("marks", "offered"):
            cluster, place = clusters[int(key[1])], {"snapshot__page__url": key[3], "snapshot__sha256": key[4]}
            if key[2] == "marks":
                Label.objects.filter(cluster=cluster, attribute__name=key[5], snapshot__page__site=site, **place).delete()
            else:
                OfferedRows.objects.filter(cluster=cluster, list__name=key[5], snapshot__page__site=site, **place).delete()


def publish(document: RuleDocument, cluster: Cluster, publisher: Publisher) -> Rule:
    """Make the rule of a folder the live one, as a person does who publishes a draft. Raises FolderError."""
    definition = read_rule(document)
    try:
        draft = rules.add_given_draft(cluster, definition, report=RuleReport(), origin=Rule.Origin(document.origin), user=publisher.user)
        return rules.publish_rule(draft, publisher.user, what=publisher.what)
    except StateError as error:
        raise FolderError(str(error), document.where) from error


def retire(cluster: Cluster, user: User | None) -> None:
    """Take the live rule of a template out of use."""
    serving = Rule.objects.serving().filter(cluster=cluster).first()
    if serving is not None:
        rules.retire_rule(serving, user)


def _set_choices(cluster: Cluster, template: TemplateDocument, kind: RecordType | None) -> None:
    if cluster.record_type != kind:
        try:
            set_record_type(cluster, kind)
        except JobError as error:
            raise FolderError(gettext("its record type cannot be changed: %(error)s") % {"error": error}, template.where) from error
    cluster.name, cluster.ignored, cluster.merged = template.name, template.ignored, template.merged
    cluster.save(update_fields=["name", "ignored", "merged"])


def _set_recognition(cluster: Cluster, files: TemplateFiles) -> None:
    template = files.template
    cluster.masks, cluster.url_patterns, cluster.small = list(template.masks), list(template.url_patterns), template.small
    cluster.save(update_fields=["masks", "url_patterns", "small"])
    if files.core is None:
        ClusterCore.objects.filter(cluster=cluster).delete()
    else:
        ClusterCore.objects.update_or_create(cluster=cluster, defaults={"data": files.core})


def _find_content(site: Site, page: MarkedPageDocument) -> Snapshot:
    return Snapshot.objects.get(page__site=site, page__url=page.url, sha256=page.content)
