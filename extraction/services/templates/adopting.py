"""Adopting a clustering of the structure lab: its groups become the site's templates, and later pages are assigned to them.

Groups become templates as those of `cluster_pages` do: a group that consists mostly of the pages of a template is that
template, with its name, its labels and its rules. Pages that were not compared go to the group whose core they fit. From then
on the templates stay as they were adopted. Later pages go to the template whose core they fit, and masked shingles find new
templates only among the pages that fit none. The earlier templates are stored as a row that can be adopted in turn.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext

from extraction.algorithms.clustering import masked_shingles, refinement
from extraction.algorithms.clustering.page_steps import PageSteps
from extraction.algorithms.clustering.refinement import SAMPLE_PAGES, sample_evenly
from extraction.algorithms.clustering.template_core import TemplateCore, find_nearest_core
from extraction.algorithms.errors import PageError
from extraction.models import Cluster, Clustering, Record, Run, Site
from extraction.models.kept_template import KeptTemplate
from extraction.services.templates import cluster_match, placing
from extraction.services.templates.cluster_match import Group, Old

USUAL = "masked-shingles"
"""The method that finds templates as usual."""

NEW = -1
"""In a plan, the new template of the first group that is none of the site's; that of the second is NEW - 1, and so on."""

FEW_PAGES = 5_000
"""So many pages are asked for by their ids. For more it is quicker to read all pages of the site."""

Reader = Callable[[int], PageSteps]
Found = tuple[list[Group], list[int]]
"""(the groups that become templates, the pages in none of them)."""


@dataclass(frozen=True, slots=True)
class Effect:
    """What adopting a clustering would do to the pages that were compared.

    kept: the templates that stay, with the numbers of their pages before and after.
    new: the sizes of the new templates.
    emptied: the templates that stay without pages, because a person has worked on them.
    gone: the templates that are deleted.
    moved: number of pages that change their template.
    freed: number of those pages that are in no template afterwards.
    away: number of records whose page leaves the template whose rule made them.
    back: number of records whose page returns to that template.
    """

    kept: tuple[tuple[Cluster, int, int], ...]
    new: tuple[int, ...]
    emptied: tuple[Cluster, ...]
    gone: tuple[Cluster, ...]
    moved: int
    freed: int
    away: int
    back: int


def group_by_clustering(clustering: Clustering, pages: Collection[int], reader: Reader, threshold: int) -> Found:
    """Return the groups of a clustering that have at least two pages. Pages that it did not see join the group whose core they fit.

    pages: the pages that exist now.
    reader: gives the steps of a page.
    threshold: groups with fewer pages are small.
    """
    there = set(pages)
    known: list[tuple[int | None, tuple[str, ...]]] = [(each.id, each.masks) for each in clustering.read_templates()]
    known = known or [(None, ())] * len(clustering.groups)
    rows = [(tuple(page for page in group if page in there), *named) for group, named in zip(clustering.groups, known, strict=True)]
    groups = [Group(masks, members, len(members) < threshold, pk) for members, pk, masks in rows if len(members) > 1]
    seen = {page for group in clustering.groups for page in group}
    groups, left = find_placed(groups, [page for page in pages if page not in seen], reader)
    return groups, sorted(left + [page for members, _, _ in rows if len(members) == 1 for page in members])


def group_by_templates(
    site: Site, home: Mapping[int, int], vectors: Mapping[int, int], changed: Collection[int], reader: Reader, threshold: int
) -> Found:
    """Return the current templates, with later pages assigned by core. Masked shingles cluster the pages that fit none.

    home: {page: the template it is in, or was in last}.
    vectors: {page: shingle vector} of all pages.
    changed: the pages whose content is new.
    """
    rows = {cluster.pk: cluster for cluster in site.clusters.all()}
    members: dict[int, list[int]] = defaultdict(list)
    for page, pk in home.items():
        if page in vectors and page not in changed and pk in rows:
            members[pk].append(page)
    groups = [Group(tuple(rows[pk].masks), tuple(pages), rows[pk].small, pk) for pk, pages in members.items()]
    settled = {page for group in groups for page in group.members}
    groups, left = find_placed(groups, [page for page in vectors if page not in settled], reader)
    first = masked_shingles.cluster_vectors({page: vectors[page] for page in left}, threshold=threshold)
    found = refinement.refine_clusters(first, reader, threshold=threshold)
    new = [Group(tuple(mask.text() for mask in cluster.masks), cluster.members) for cluster in found.clusters]
    return groups + new, sorted(found.unclustered)


def find_placed(groups: Sequence[Group], pages: Iterable[int], reader: Reader) -> Found:
    """Return the groups, with each page added to the group whose core it fits best, and the pages that fit none."""
    known = {
        place: TemplateCore.of_pages(_read_all(sample_evenly(group.members, SAMPLE_PAGES), reader)) for place, group in enumerate(groups)
    }
    joined: dict[int, list[int]] = defaultdict(list)
    left = []
    for page in pages:
        steps = _read_all([page], reader)
        place = find_nearest_core(known, steps[0]) if steps and known else None
        if place is None:
            left.append(page)
        else:
            joined[place].append(page)
    made = [
        Group(group.masks, (*group.members, *joined[place]), group.small and not joined[place], group.known)
        for place, group in enumerate(groups)
    ]
    return made, left


def plan_homes(clustering: Clustering, home: Mapping[int, int]) -> dict[int, int]:
    """Return {page: the template that it is in when the clustering is adopted}, of the pages that were compared. Pages in none are missing.

    What people said about pages counts, as it does when the clustering is adopted. New templates are NEW and less.

    home: {page: its template}.
    """
    site = clustering.site
    words = placing.Words.of(site)
    groups, _ = group_by_clustering(clustering, [page for group in clustering.groups for page in group], _refuse_reading, 0)
    groups = cluster_match.remove_placed(groups, words.belongs, home)
    chosen = cluster_match.match_groups(groups, list_old_clusters(site.clusters.all()), home)
    templates = [NEW - place if pk is None else pk for place, pk in enumerate(chosen)]
    found = {page: pk for group, pk in zip(groups, templates, strict=True) for page in group.members}
    settled = words.settle(found, set(home), site)
    return {page: settled[page] for group in clustering.groups for page in group if page in settled}


def preview_adoption(clustering: Clustering, home: Mapping[int, int], then: Mapping[int, int], given: Collection[int]) -> Effect:
    """Return what adopting a clustering would do.

    home: {page: its template}.
    then: the same afterwards, as `plan_homes` returns it.
    given: the templates that stay even without pages.
    """
    rows = {cluster.pk: cluster for cluster in clustering.site.clusters.select_related("site")}
    compared = [page for group in clustering.groups for page in group]
    before, after = Counter(home[page] for page in compared if page in home), Counter(then.values())
    held = Record.objects.given().standing()
    held = held.filter(snapshot__page__in=compared) if len(compared) <= FEW_PAGES else held.filter(cluster__in=rows)
    made = dict(held.values_list("snapshot__page", "cluster"))
    records = [(home.get(page) == made[page], then.get(page) == made[page]) for page in compared if page in made]
    stay = [pk for pk in rows if after[pk]]
    empty = [pk for pk in rows if before[pk] and not after[pk]]
    return Effect(
        kept=tuple((rows[pk], before[pk], after[pk]) for pk in stay),
        new=tuple(sorted((count for pk, count in after.items() if pk <= NEW), reverse=True)),
        emptied=tuple(rows[pk] for pk in empty if pk in given),
        gone=tuple(rows[pk] for pk in empty if pk not in given),
        moved=sum(home.get(page) != then.get(page) for page in compared),
        freed=sum(page in home and page not in then for page in compared),
        away=records.count((True, False)),
        back=records.count((False, True)),
    )


def remember_templates(run: Run, home: Mapping[int, int]) -> None:
    """Store the site's templates before a run that adopts a clustering changes them, once per run."""
    rows = {cluster.pk: cluster for cluster in run.site.clusters.all()}
    members: dict[int, list[int]] = defaultdict(list)
    for page, pk in home.items():
        members[pk].append(page)
    chosen = sorted((pk for pk in members if pk in rows), key=lambda pk: (-len(members[pk]), pk))
    values: dict[str, Any] = {"site": run.site, "groups": [sorted(members[pk]) for pk in chosen]}
    values["templates"] = [KeptTemplate(id=pk, masks=tuple(rows[pk].masks)).as_json() for pk in chosen]
    Clustering.objects.get_or_create(run=run, method=run.site.method, defaults=values)


def list_old_clusters(rows: Iterable[Cluster]) -> list[Old]:
    """Return clusters in the form that `cluster_match` takes."""
    return [Old(cluster.pk, cluster.number, tuple(cluster.masks), cluster.merged) for cluster in rows]


def _read_all(pages: Iterable[int], reader: Reader) -> list[PageSteps]:
    found = []
    for page in pages:
        try:
            found.append(reader(page))
        except PageError:
            continue
    return found


def _refuse_reading(page: int) -> PageSteps:
    raise PageError(gettext("page %(page)s is not looked at") % {"page": page})
