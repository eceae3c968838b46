"""All ways of clustering a site's pages, by name, from bytes to groups, so that they can be compared (docs/algorithms.md#page-clustering).

Pages that cannot be read are in no group. Pages of a site share a frame, so the paths for TEXT and LSH are those of
`text_paths.drop_frame`.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeVar

from lxml import etree

from extraction.algorithms.alignment.rtdm import TreeDistance
from extraction.algorithms.arrays import U64
from extraction.algorithms.clustering import masked_shingles, refinement
from extraction.algorithms.clustering.likeness_clustering import cluster_by_likeness
from extraction.algorithms.clustering.merge_scores import RARE_FRACTION
from extraction.algorithms.clustering.page_steps import PageSteps, collect_steps
from extraction.algorithms.clustering.random_projection import cluster_by_projection
from extraction.algorithms.clustering.single_template import LEAST_CONTENT
from extraction.algorithms.clustering.site_questions import SiteQuestions
from extraction.algorithms.clustering.text_hash import cluster_by_text_hash, cluster_by_text_max
from extraction.algorithms.clustering.text_mdl import TextClustering, cluster_by_text_mdl, describe_groups
from extraction.algorithms.clustering.text_paths import EssentialPaths, drop_content, drop_frame, find_essential_paths, read_text_paths
from extraction.algorithms.clustering.threshold import default_threshold
from extraction.algorithms.dom.parse import parse
from extraction.algorithms.errors import PageError
from extraction.algorithms.sketches import shingles

T = TypeVar("T")

Pages = Mapping[str, bytes]
Groups = list[list[str]]
"""Names of pages. A group of one is a page that is like no other."""


@dataclass(frozen=True, slots=True)
class NoticedGroups:
    """Groups of pages. notice: what the method could not do in full; empty if nothing."""

    groups: Groups
    notice: str = ""


def masked_shingle_groups(pages: Pages) -> Groups:
    """Group pages by both stages of Vertex, as the dashboard does, but without the small templates that it offers. Pages of no template are
    groups of one."""

    def steps(name: str) -> PageSteps:
        return collect_steps(parse(pages[name]).root)

    threshold = default_threshold(len(pages))
    first = masked_shingles.cluster_vectors(dict(zip(pages, shingles.compute_vectors(pages.values()), strict=True)), threshold=threshold)
    found = refinement.refine_clusters(first, steps, threshold=threshold)
    return [list(cluster.members) for cluster in found.clusters] + [[name] for name in found.unclustered]


def text_groups(pages: Pages, method: Callable[[EssentialPaths], TextClustering]) -> Groups:
    """Group pages by one of the TEXT methods."""

    def find(paths: Sequence[U64]) -> list[Sequence[int]]:
        return [cluster.members for cluster in method(find_essential_paths(paths)).clusters]

    return _path_groups(pages, find)


def projection_groups(pages: Pages) -> Groups:
    """Group pages by LSH."""
    return _path_groups(pages, cluster_by_projection)


def tree_groups(pages: Pages) -> NoticedGroups:
    """Group pages by RTDM, hierarchically on a sample. The notice says how many pairs of pages were too large to compare in full."""
    distance = TreeDistance()
    read = _read(pages, distance.read_page)
    groups = _named(list(read), cluster_by_likeness(list(read.values()), distance.likeness, at_most=distance.likeness_bound))
    if not distance.incomplete:
        return NoticedGroups(groups)
    many = "1 pair of pages was" if distance.incomplete == 1 else f"{distance.incomplete:,} pairs of pages were"
    return NoticedGroups(groups, f"{many} too large to compare in full; these pages may be more alike than the groups show")


def mdl_bits(pages: Pages, groups: Groups) -> float:
    """Return the MDL cost of any groups (Kim & Shim 2011, section 3), by which methods can be compared where nobody has labelled pages."""
    read = _read({name: pages[name] for group in groups for name in group}, read_text_paths)
    numbers = {name: number for number, name in enumerate(read)}
    known = [[numbers[name] for name in group if name in numbers] for group in groups]
    return describe_groups(find_essential_paths(drop_frame(list(read.values()))), [group for group in known if group]).bits


METHODS: Mapping[str, Callable[[Pages], Groups]] = {
    "masked-shingles": masked_shingle_groups,
    "text-mdl": lambda pages: text_groups(pages, cluster_by_text_mdl),
    "text-hash": lambda pages: text_groups(pages, cluster_by_text_hash),
    "text-max": lambda pages: text_groups(pages, cluster_by_text_max),
    "lsh": projection_groups,
    "rtdm": lambda pages: tree_groups(pages).groups,
}
"""By the names they have on the command line."""


def find_groups(method: str, pages: Pages) -> NoticedGroups:
    """Group pages by a method of `METHODS`, with what it could not do in full."""
    return tree_groups(pages) if method == "rtdm" else NoticedGroups(METHODS[method](pages))


def _path_groups(pages: Pages, find: Callable[[Sequence[U64]], Sequence[Sequence[int]]]) -> Groups:
    """Group pages by a method that gets the paths of each.

    On a site of one template, what nearly all pages have is no frame (`single_template`). A page that is the only one of its kind shares
    little more than the frame with others. It is a group of its own, and the method does not see it: without the frame, hardly anything
    is left of such pages, so any two of them would seem alike.
    """
    read = _read(pages, lambda root: (read_text_paths(root), collect_steps(root)))
    questions = SiteQuestions([steps for _, steps in read.values()])
    alike = {name: paths for name, (paths, steps) in read.items() if not questions.is_lone(steps)}
    read_paths = list(alike.values())
    is_single = int(questions.content.sum()) >= LEAST_CONTENT
    paths = drop_content(read_paths, share=RARE_FRACTION) if is_single else drop_frame(read_paths)
    return _named(list(alike), find(paths)) + [[name] for name in read if name not in alike]


def _read(pages: Pages, reader: Callable[[etree._Element], T]) -> dict[str, T]:
    read = {}
    for name, content in pages.items():
        with suppress(PageError):
            read[name] = reader(parse(content).root)
    return read


def _named(names: Sequence[str], groups: Sequence[Sequence[int]]) -> Groups:
    return [[names[place] for place in group] for group in groups]
