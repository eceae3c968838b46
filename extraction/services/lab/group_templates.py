"""The template paths of a clustering's groups, and a RoadRunner wrapper for each group.

Kim & Shim 2011 end with the template paths T_i of each cluster; Suresh Babu et al. continue with RoadRunner on each. Nothing is stored.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from threading import Condition

from cachetools import LRUCache, cached
from django.utils.translation import gettext

from extraction.algorithms.alignment.roadrunner.infer import PAGES, Inference, infer_from_few_pages
from extraction.algorithms.clustering.group_templates import GroupTemplates, find_group_templates
from extraction.algorithms.dom.parse import parse
from extraction.algorithms.errors import AlignmentError
from extraction.algorithms.methods import Groups, Pages
from extraction.models import Clustering, Site, Snapshot
from extraction.models.lab import GroupPaths
from extraction.services.core.runs import JobError
from extraction.services.lab import compare_clusterings, comparisons, method_process, template_paths

TEMPLATES = "templates"
"""In place of a method: the site's templates as they are."""

MOST_IN_WRAPPER = 30
"""The largest number of pages of a group that its wrapper reads."""


@dataclass(frozen=True, slots=True)
class GroupWrapper:
    """A group with its template and its wrapper.

    urls: addresses of its pages.
    paths: T_i.
    read: numbers of the pages in the order of the structure's rows.
    found: the wrapper and its data; None if RoadRunner gave up.
    reason: why it gave up.
    """

    urls: tuple[str, ...]
    paths: tuple[str, ...]
    read: tuple[int, ...]
    found: Inference | None
    reason: str = ""


def find_wrappers(site: Site, method: str, *, pages: int = PAGES) -> Iterator[GroupWrapper]:
    """Cluster a site's pages and yield the groups of two or more pages, the largest first, with their templates and wrappers.

    Raises JobError when the site has no pages that can be compared, or when the method gives up.

    method: one of `METHODS`, or TEMPLATES.
    pages: the number of pages to infer each wrapper from.
    """
    known = compare_clusterings.read_pages(compare_clusterings.choose_pages(site))
    if not known:
        raise JobError(gettext("site %(site)s has no pages that can be compared") % {"site": site.name})
    groups = comparisons.sort_groups(_group(known, method))
    named = [[str(page) for page in group] for group in groups]
    readable = template_paths.find_readable(known)
    shown = [group for of_all in named if (group := [name for name in of_all if name in readable])]
    templates = find_group_templates(shown, lambda name: parse(known[name]).root)
    urls = dict(Snapshot.objects.of_site(site).filter(page__in=[int(page) for page in known]).values_list("page", "page__url"))
    for group, paths in zip(shown, templates.templates, strict=True):
        if len(group) > 1:
            yield _wrap([known[name] for name in group], paths, [urls[int(page)] for page in group], pages)


def find_templates(clustering: Clustering) -> GroupTemplates:
    """Return the template paths of a clustering's groups, in their order. Groups whose pages are gone have no paths.

    They are those found during the comparison. Only templates that have changed since, and comparisons of earlier releases, have none; the
    pages are read for them, which takes some seconds.
    """
    known = clustering.read_paths() or _find_known_paths(clustering)
    if known is not None:
        return GroupTemplates(known.templates, known.frame)
    ids = [page for group in clustering.groups for page in group]
    snapshots = Snapshot.objects.of_site(clustering.site).learnable().filter(page__in=ids).order_by("page")
    return _find_templates(tuple(tuple(map(str, group)) for group in clustering.groups), tuple(snapshots))


@cached(LRUCache(4), key=lambda groups, snapshots: (groups, tuple((each.pk, each.sha256) for each in snapshots)), condition=Condition())
def _find_templates(clustered: tuple[tuple[str, ...], ...], snapshots: tuple[Snapshot, ...]) -> GroupTemplates:
    return template_paths.find_paths(compare_clusterings.read_pages(snapshots), clustered)


def _find_known_paths(clustering: Clustering) -> GroupPaths | None:
    """Return the paths of a clustering of the same comparison with the same groups, such as the templates when it was made."""
    same = (each for each in Clustering.objects.filter(run=clustering.run_id) if each.groups == clustering.groups)
    return next((paths for each in same if (paths := each.read_paths())), None)


def write_templates(clustering: Clustering) -> str:
    """Return the template paths of all groups as lines of (group, pages, path) with tabs. Group 0 is the frame of the site."""
    found = find_templates(clustering)
    rows = [("0", str(clustering.pages), path) for path in found.frame]
    for place, (group, paths) in enumerate(zip(clustering.groups, found.templates, strict=True), 1):
        rows += [(str(place), str(len(group)), path) for path in paths if len(group) > 1]
    return "".join("\t".join(row) + "\n" for row in [("group", "pages", "path"), *rows])


def _group(pages: Pages, method: str) -> Groups:
    if method == TEMPLATES:
        return comparisons.group_by_template(list(pages))
    found = method_process.run_method(method, pages, cost=False)
    if found.groups is None:
        raise JobError(gettext("%(method)s gives up: %(reason)s") % {"method": method, "reason": found.reason})
    return found.groups


def _wrap(group: Sequence[bytes], paths: tuple[str, ...], urls: Sequence[str], pages: int) -> GroupWrapper:
    read = tuple(range(0, len(group), -(-len(group) // MOST_IN_WRAPPER)))
    try:
        found = infer_from_few_pages([parse(group[number]).root for number in read], most=pages)
    except AlignmentError as error:
        return GroupWrapper(tuple(urls), paths, read, None, f"{error}")
    return GroupWrapper(tuple(urls), paths, read, found)
