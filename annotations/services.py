"""What the workbench shows, as JSON values. `views` checks the input."""

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any

from django.db.models import F
from django.urls import reverse

from annotations.edits import EditStep
from extraction.display.tree import PREVIEW_CHARS, PageTree
from extraction.models import Attribute, Cluster, Label, RecordList, Rule, Run, Snapshot
from extraction.services.core.stored_pages import read_elements
from extraction.services.labels import designs
from extraction.services.learning.workspaces import find_loaded_page
from extraction.services.templates import sample_pages


def describe_state(cluster: Cluster, steps: Mapping[str, bool]) -> dict[str, Any]:
    """Return everything the workbench needs to start: samples, attributes and labels. The workbench asks for drafts one by one later.

    steps: whether there is anything to undo and to redo.
    """
    return {
        "samples": _describe_samples(cluster),
        "attributes": [_describe_attribute(attribute) for attribute in list_attributes(cluster)],
        "lists": list(RecordList.objects.filter(record_type=cluster.record_type_id).values("id", "name")) if cluster.record_type_id else [],
        "labels": _describe_labels(cluster),
        "steps": steps,
        "rule": _describe_rules(cluster),
    }


def list_attributes(cluster: Cluster) -> list[Attribute]:
    """Return the attributes of the cluster's record type: the page's own first, then list by list."""
    return list(Attribute.objects.of_cluster(cluster).order_by(F("list__position").asc(nulls_first=True), "list_id", "position", "id"))


def describe_change(cluster: Cluster, step: EditStep, steps: Mapping[str, bool]) -> dict[str, Any]:
    """Return the labels that a step changed. The workbench asks later for what they teach, so saving does not wait for learning.

    steps: whether there is anything to undo and to redo.
    """
    shown = _describe_labels(cluster, step.attribute_ids)
    return {
        "page": step.snapshot_id,
        "labels": {pk: shown.get(pk, {}) for pk in step.attribute_ids},
        "steps": steps,
    }


def read_page_tree(cluster: Cluster, snapshot: Snapshot) -> PageTree:
    """Return the page's elements, from the cluster's workspace if it has them. Does not wait for learning. Raises PageError."""
    loaded = find_loaded_page(cluster, snapshot.pk)
    return PageTree(loaded.nodes, loaded.index) if loaded else PageTree.of(read_elements(snapshot))


def list_sample_ids(cluster: Cluster) -> list[int]:
    """Return the snapshot ids of the pages shown in the workbench, in their order."""
    return [sample.snapshot_id for sample in sample_pages.choose_samples(cluster)]


def list_titles(cluster: Cluster, snapshots: Sequence[int]) -> list[dict[str, Any]]:
    """List pages of the cluster with their titles and the addresses of their screens."""
    rows = Snapshot.objects.filter(cluster=cluster, pk__in=snapshots).values_list("pk", "title", "page__url", "page_id")
    slug = cluster.site.slug
    return [{"id": pk, "title": title, "url": url, "page": reverse("page", args=[slug, page])} for pk, title, url, page in rows]


def describe_learning(run: Run) -> dict[str, Any]:
    """Describe a learning run's progress and, when it is done, the address of the rule that it wrote."""
    newest = Rule.objects.filter(cluster=run.cluster).order_by("-version").first()
    done = run.state == Run.State.DONE
    return {
        "state": run.state,
        "message": run.error or run.message,
        "problems": [f"{name}: {reason}" for name, reason in run.problems.values_list("name", "reason")[:20]],
        "rule": newest.get_absolute_url() if done and newest else None,
    }


def find_newest_draft(cluster: Cluster) -> Rule | None:
    """Return the draft that would be published, or None if there is none."""
    return cluster.rules.unpublished().order_by("-version").first()


def list_lacking_attributes(draft: Rule) -> list[str]:
    """Return the record type's attributes that a draft has no rule for, in their order. They were not marked or could not be learned."""
    taken = {attribute.name for attribute in draft.read_definition().every}
    names = Attribute.objects.filter(record_type_id=draft.cluster.record_type_id).values_list("name", flat=True)
    return [name for name in names if name not in taken]


def _describe_samples(cluster: Cluster) -> list[dict[str, Any]]:
    """List the samples, labelled ones first, each with a lower bound of the template's share that it and the samples before it cover.

    Samples were chosen greedily: after fewer samples, a sample adds at least as much as it added when it was chosen.
    """
    rows = sample_pages.choose_samples(cluster)
    before = [0.0, *(sample.covered_fraction for sample in rows)]
    added = {sample.snapshot_id: max(0.0, sample.covered_fraction - last) for sample, last in zip(rows, before, strict=False)}
    labelled = set(Label.objects.filter(cluster=cluster).values_list("snapshot_id", flat=True).distinct())
    rows = sorted(rows, key=lambda sample: sample.snapshot_id not in labelled)
    covered = dict(zip([sample.snapshot_id for sample in rows], accumulate(added[sample.snapshot_id] for sample in rows), strict=True))
    ids = [sample.snapshot_id for sample in rows]
    found = {pk: (title, url) for pk, title, url in Snapshot.objects.filter(pk__in=ids).values_list("pk", "title", "page__url")}
    outdated = designs.find_outdated(cluster, ids)
    return [
        {
            "id": sample.snapshot_id,
            "title": found[sample.snapshot_id][0],
            "url": found[sample.snapshot_id][1],
            "covered": min(1.0, round(covered[sample.snapshot_id], 6)),
            "frame": reverse("frame", args=[sample.snapshot_id]),
            "outdated": sample.snapshot_id in outdated,
            "apart": reverse("page_apart", args=[cluster.site.slug, sample.snapshot.page_id]),
        }
        for sample in rows
    ]


def _describe_attribute(attribute: Attribute) -> dict[str, Any]:
    return {
        "id": attribute.pk,
        "name": attribute.name,
        "type": attribute.type,
        "multiple": attribute.multiple,
        "mandatory": attribute.mandatory,
        "hotkey": attribute.hotkey,
        "hue": attribute.hue,
        "list": attribute.list_id,
    }


def _describe_labels(cluster: Cluster, only: Sequence[int] | None = None) -> dict[int, dict[str, list[dict[str, Any]] | None]]:
    """Return {attribute: {place: [{location, value}], or None for "not on this page"}}.

    A place is a snapshot's id or, in a list, "id/row".
    """
    rows = Label.objects.filter(cluster=cluster).order_by("attribute_id", "snapshot_id", "row", "position")
    if only is not None:
        rows = rows.filter(attribute_id__in=only)
    described: dict[int, dict[str, list[dict[str, Any]] | None]] = {}
    fields = ("attribute_id", "snapshot_id", "row", "location", "value")
    for attribute_id, snapshot_id, row, location, value in rows.values_list(*fields):
        pages = described.setdefault(attribute_id, {})
        at = f"{snapshot_id}/{row}" if row else str(snapshot_id)
        if location is None:
            pages[at] = None
        else:
            pages[at] = [*(pages.get(at) or []), {"location": location, "value": value[: 2 * PREVIEW_CHARS]}]
    return described


def _describe_rules(cluster: Cluster) -> dict[str, Any]:
    rows = Rule.objects.filter(cluster=cluster).order_by("-version")
    draft = next((rule for rule in rows if rule.unpublished), None)
    live = next((rule for rule in rows if rule.serving), None)
    return {
        "draft": draft.get_absolute_url() if draft else None,
        "draft_version": draft.version if draft else None,
        "live": live.get_absolute_url() if live else None,
        "live_version": live.version if live else None,
    }
