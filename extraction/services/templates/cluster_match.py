"""Which clusters are the same before and after clustering again, so that names, labels and rules stay with their pages.

Values in, values out: no rows here.
"""

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from extraction.algorithms.sketches.shingles import Mask, ShingleVector


@dataclass(frozen=True, slots=True)
class Old:
    """A cluster as it was.

    masks: as text. merged: a person made it of several clusters: it takes all groups that are mostly its pages, and is not taken
    apart again.
    """

    id: int
    number: int
    masks: tuple[str, ...]
    merged: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """Pages that clustering found to be of one template. masks: as text; none where no mask covers any. members: ids of pages.

    small: fewer than a template should have. known: the id of the cluster that it is, where that is known.
    """

    masks: tuple[str, ...]
    members: tuple[int, ...]
    small: bool = False
    known: int | None = None


def match_groups(groups: Sequence[Group], olds: Iterable[Old], old_of_page: Mapping[int, int]) -> list[int | None]:
    """The id of the old cluster that each group is, None for a new one.

    old_of_page: {page id: id of the cluster it was in}. Pairs are taken in this order: more shared pages, then a mask
    that the old cluster has too, then the smaller number of the old cluster, then the earlier group. A pair is the same
    when more than half of the smaller side's pages are shared or the mask is. A group is one old cluster at most; an old cluster is
    one group at most, unless it was merged by a person. Before all of them come groups of which it is known what they are.
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
    """The groups without the pages that a person put elsewhere, which say nothing of what a group was; one that has no other page
    that was in any cluster keeps them: it is theirs."""
    result = []
    for group in groups:
        others = tuple(page for page in group.members if page not in placed)
        keeps = not any(page in old_of_page for page in others)
        result.append(group if keeps else replace(group, members=others))
    return result


def keep_masks(old: Old, new: Iterable[str], left: Mapping[int, ShingleVector]) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """(masks of a merged cluster, pages that come to it by them).

    new: the masks of its groups. left: {page: vector} of the pages in no group. A group of a merge can fall under the threshold for once;
    its mask stays as long as it covers a page that nobody else has, or the merge would be forgotten.
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
