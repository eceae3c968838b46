"""The template of each group of pages as paths in words: T_i of Kim & Shim 2011, section 3 (docs/algorithms.md#text-mdl).

T_i holds the essential paths that are cheaper to write once for the group than for each of its pages: those that are essential on at least
half of its pages and one. It is defined for any groups, whichever method found them. What nearly all compared pages have is the site's
frame. It tells no groups apart, so it is a list of its own.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from lxml import etree

from extraction.algorithms.arrays import U64
from extraction.algorithms.clustering.text_mdl import describe_groups
from extraction.algorithms.clustering.text_paths import FRAME_FRACTION, drop_frame, find_essential_paths, name_text_paths, read_text_paths


@dataclass(frozen=True, slots=True)
class GroupTemplates:
    """The templates of groups. All paths are sorted.

    templates: T_i of each group, in the order of the groups.
    frame: the paths that nearly all compared pages have.
    """

    templates: tuple[tuple[str, ...], ...]
    frame: tuple[str, ...]


def find_group_templates(groups: Sequence[Sequence[str]], read: Callable[[str], etree._Element]) -> GroupTemplates:
    """Return the templates of groups of pages. Each page is read once, and the first pages of a group once more, to name its paths.

    groups: names of pages; all of them together are the pages compared.
    read: returns the parsed page with a name.
    """
    names = [name for group in groups for name in group]
    pages = [read_text_paths(read(name)) for name in names]
    numbers = {name: number for number, name in enumerate(names)}
    numbered = [[numbers[name] for name in group] for group in groups]
    kept = drop_frame(pages)
    found = describe_groups(find_essential_paths(kept), numbered)
    by_member = {cluster.members[0]: cluster.template for cluster in found.clusters}
    templates = [_name(group, by_member[min(members)], read) for group, members in zip(groups, numbered, strict=True)]
    return GroupTemplates(tuple(templates), _name(names, _find_frame(pages, kept), read))


def _find_frame(pages: Sequence[U64], kept: Sequence[U64]) -> U64:
    """Return the frame, as far as it was left out of the pages that were kept."""
    every, supports = np.unique(np.concatenate([np.zeros(0, np.uint64), *pages]), return_counts=True)
    frame: U64 = every[(supports > 1) & (supports >= FRAME_FRACTION * len(pages))]
    return np.setdiff1d(frame, np.concatenate([np.zeros(0, np.uint64), *kept]))


def _name(group: Sequence[str], paths: U64, read: Callable[[str], etree._Element]) -> tuple[str, ...]:
    """Return paths in words. Each is on some page of the group."""
    left: frozenset[int] = frozenset(paths.tolist())
    named: list[str] = []
    for name in group:
        if not left:
            break
        found = name_text_paths(read(name), left)
        named += found.values()
        left -= found.keys()
    return tuple(sorted(named))
