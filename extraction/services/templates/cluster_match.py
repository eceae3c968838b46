"""Which clusters are the same before and after clustering again, so that names, labels and rules stay with their pages.

These functions take and return values; they do not read or write rows.
"""

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from extraction.algorithms.sketches.shingles import Mask, ShingleVector


@dataclass(frozen=True, slots=True)
class Old:
    """A cluster as it was.

    masks: as text.
    merged: a person made it from several clusters. It takes all groups that consist mostly of its pages, and is not split
        again.
    """

    id: int
    number: int
    masks: tuple[str, ...]
    merged: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """Pages that clustering found to be of one template.

    masks: as text; empty if no mask covers any page.
    members: ids of pages.
    small: it has fewer pages than a template needs.
    known: the id of the cluster that it is, None if that is not known.
    """

    masks: tuple[str, ...]
    members: tuple[int, ...]
    small: bool = False
    known: int | None = None


def match_groups(groups: Sequence[Group], olds: Iterable[Old], old_of_page: Mapping[int, int]) -> list[int | None]:
    """Return the id of the old cluster that each group is, None for a new one.

    Groups whose cluster is known come first. The other pairs are taken in this order: more shared pages, then a mask that the
    old cluster also has, then the smaller number of the old cluster, then the earlier group. A pair matches if they share a
    mask or more than half of the pages of the smaller side. A group matches at most one old cluster. An old cluster matches at
    most one group, unless a person merged it.

    old_of_page: {page id: id of the cluster it was in}.
    """
    known = {old.id: old for old in olds}
    by_mask = {mask: old.id for old in sorted(known.values(), key=lambda old: -old.number) for mask in old.masks}
    sizes = Counter(old_of_page.values())
    pairs: list[tuple[int, bool, int, int, int]] = []
    for place, group in enumerate(groups):
        shared = Counter(old_of_page[page] for page in group.members if page in old_of_page)
        before = sum(shared.values())
        twins = {by_mask[mask] for mask in group.masks if mask in by_mask}
        for old_id in {*shared, *twins}:
            count = shared[old_id]
            if old_id in known and (old_id in twins or 2 * count > min(sizes[old_id], before)):
                pairs.append((-count, old_id not in twins, known[old_id].number, place, old_id))
    chosen: list[int | None] = [group.known if group.known in known else None for group in groups]
    taken = {old_id for old_id in chosen if old_id is not None}
    for _, _, _, place, old_id in sorted(pairs):
        if chosen[place] is None and (old_id not in taken or known[old_id].merged):
            chosen[place] = old_id
            taken.add(old_id)
    return chosen


def remove_placed(groups: Sequence[Group], placed: Container[int], old_of_page: Mapping[int, int]) -> list[Group]:
    """Return the groups without the pages that a person placed, because these do not show which cluster a group was.

    A group keeps them if none of its other pages was in any cluster, because then it consists of them.
    """
    result = []
    for group in groups:
        others = tuple(page for page in group.members if page not in placed)
        keeps = not any(page in old_of_page for page in others)
        result.append(group if keeps else replace(group, members=others))
    return result


def split_read_pages(groups: Sequence[Group], read: Mapping[int, int]) -> tuple[list[Group], list[Group]]:
    """Return (the groups without the pages that stay in a template because its rule reads them, groups of these pages).

    A template gets the masks of a group of which it takes most pages.

    read: {page: the template whose rule reads it}.
    """
    rest, taken = [], []
    for group in groups:
        members: dict[int | None, list[int]] = {}
        for page in group.members:
            members.setdefault(read.get(page), []).append(page)
        if set(members) == {None}:
            rest.append(group)
            continue
        for home, pages in members.items():
            if home is None:
                rest.append(replace(group, members=tuple(pages)))
            else:
                masks = group.masks if 2 * len(pages) > len(group.members) else ()
                taken.append(Group(masks, tuple(pages), known=home))
    grouped = {page for group in taken for page in group.members}
    for home in sorted(set(read.values())):
        alone = tuple(page for page, its in read.items() if its == home and page not in grouped)
        if alone:
            taken.append(Group((), alone, known=home))
    return rest, taken


def keep_masks(old: Old, new: Iterable[str], left: Mapping[int, ShingleVector]) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Return the masks of a merged cluster and the pages that join it through them.

    A group of a merged cluster can fall below the threshold for a while. Its mask stays as long as it covers a page that is in
    no other group; otherwise the merge would be forgotten.

    old: the cluster.
    new: the masks of its groups.
    left: {page: vector} of the pages in no group.
    """
    masks = list(dict.fromkeys(new))
    pages: list[int] = []
    gone = set(masks)
    remaining = dict(left)
    for text in old.masks if old.merged else ():
        if text in gone:
            continue
        mask = Mask.from_text(text)
        covered = [page for page, vector in remaining.items() if mask.covers(vector)]
        if covered:
            masks.append(text)
            pages += covered
            for page in covered:
                del remaining[page]
    return tuple(masks), tuple(pages)
