"""The structure lab as it is shown: clusterings side by side, and one of them beside the site's templates."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Q

from extraction.algorithms.clustering.measures import ClusteringQuality, measure_quality
from extraction.algorithms.methods import METHODS
from extraction.models import Cluster, Clustering, Page, Run, Site, Snapshot
from extraction.services.lab import compare_clusterings, comparisons, page_labels
from extraction.services.templates import adopting, boilerplate, cluster_match, cluster_pages
from extraction.services.templates.adopting import Effect
from extraction.services.templates.boilerplate import Shares
from extraction.services.templates.cluster_match import Group

SHOWN_GROUPS = 12
"""Groups that have a bar and a column of their own; the rest is one more."""

FEW_LABELS = 20
"""Labelled pages under which measures say little: of three pages, most clusterings have all right."""

METHOD_WORDS: dict[str, tuple[str, str]] = {
    "masked-shingles": ("Masked shingles", "The usual way to find templates; keeps most pages of a template together."),
    "text-mdl": ("TEXT-MDL", "Finds the groups that describe the pages most briefly, exactly. Slow with more than a few hundred pages."),
    "text-hash": ("TEXT-HASH", "The same with estimated costs. Good when pages of several sites are mixed."),
    "text-max": ("TEXT-MAX", "TEXT-HASH that tries only the nearest pages: more and purer groups."),
    "lsh": ("LSH", "Random projections of the pages' paths; the fastest method."),
    "rtdm": ("RTDM", "Distance between the pages' trees; for pages with hardly any text in common."),
}
"""What each method is called, and what it is good for."""


def name_method(method: str) -> str:
    """What a method is called."""
    return METHOD_WORDS[method][0]


@dataclass(frozen=True, slots=True)
class Row:
    """One clustering beside the others. parts: sizes of its groups of two pages and more as shares of all pages, the largest first; sizes:
    the same in words.

    alone: pages in no such group. moved: pages that are of another template now. time, memory, cost: as shares of the dearest one's.
    quality: of the labelled pages among those compared, None where there are too few.
    """

    clustering: Clustering
    parts: tuple[float, ...]
    sizes: str
    groups: int
    alone: int
    moved: int
    quality: ClusteringQuality | None
    time: float
    memory: float
    cost: float


@dataclass(frozen=True, slots=True)
class Lab:
    """All that the first screen shows. run: the comparison shown, going or not. pages: of the site that could be compared.

    compared: how many are, or would be. labelled: pages with a label; of these, `measured` are among the compared ones, and `few` says
    that they say little. back: the site's templates before the last adoption.
    """

    run: Run | None
    rows: tuple[Row, ...]
    methods: tuple[str, ...]
    pages: int
    compared: int
    labelled: int
    measured: int
    few: bool
    back: Clustering | None


@dataclass(frozen=True, slots=True)
class GroupRow:
    """A group of a clustering. place: its number, from 0. template: the site's template that it is, None for a new one.

    cells: pages that come from each template in `Compared.templates`, as (how many, their share of the group in fifths, 0 to 5). example:
    its first page, None where none is left. moved: pages that are of another template now.
    """

    place: int
    size: int
    share: float
    template: Cluster | None
    cells: tuple[tuple[int, int], ...]
    example: Snapshot | None
    moved: int


@dataclass(frozen=True, slots=True)
class Move:
    """A page that changes its template. None: it has none."""

    page: Page
    now: Cluster | None
    then: GroupRow | None


@dataclass(frozen=True, slots=True)
class Compared:
    """One clustering beside the templates. templates: the columns, the largest first; None for pages of none. alone: like no other page."""

    row: Row
    templates: tuple[Cluster | None, ...]
    groups: tuple[GroupRow, ...]
    alone: int
    effect: Effect


def build_lab(site: Site) -> Lab:
    """The first screen."""
    run = comparisons.find_last_comparison(site)
    pages = Snapshot.objects.of_site(site).learnable().count()
    labels = page_labels.get_labels(site)
    found = _as_now(list(run.clusterings.select_related("site"))) if run else []
    rows = _rows(site, found, labels)
    seen = {page for each in found[:1] for group in each.groups for page in group}
    order = {name: place for place, name in enumerate(["", *METHODS])}
    rows.sort(key=lambda row: order.get(row.clustering.method, len(order)))
    back = Clustering.objects.filter(site=site, run__kind=Run.Kind.CLUSTER).order_by("-pk").first()
    compared = len(seen) or min(pages, compare_clusterings.MOST_PAGES)
    measured = len(seen & set(labels))
    return Lab(run, tuple(rows), tuple(METHODS), pages, compared, len(labels), measured, 1 < measured < FEW_LABELS, back)


def build_comparison(clustering: Clustering) -> Compared:
    """One clustering beside the templates."""
    site = clustering.site
    home = cluster_pages.find_old_clusters(site)
    (row,) = _rows(site, [clustering], page_labels.get_labels(site))
    chosen = _chosen(clustering, home)
    rows = {cluster.pk: cluster for cluster in site.clusters.select_related("site", "picture")}
    several = [(place, group) for place, group in enumerate(clustering.groups) if len(group) > 1]
    counted = Counter(home.get(page) for _, group in several for page in group)
    columns = [pk for pk, _ in sorted(counted.items(), key=lambda item: (item[0] is None, -item[1], item[0] or 0))][: 2 * SHOWN_GROUPS]
    examples = _examples([group for _, group in several])
    made = []
    for place, group in several:
        of = Counter(home.get(page) for page in group)
        cells = tuple((of[pk], -(-5 * of[pk] // len(group))) for pk in columns)
        template = rows.get(chosen[place] or 0)
        moved = sum(count for pk, count in of.items() if template is None or pk != template.pk)
        example = next((examples[page] for page in group if page in examples), None)
        made.append(GroupRow(place, len(group), len(group) / max(1, clustering.pages), template, cells, example, moved))
    effect = adopting.preview_adoption(clustering, home, _given(site))
    return Compared(row, tuple(rows.get(pk or 0) for pk in columns), tuple(made), row.alone, effect)


def list_moves(clustering: Clustering, *, group: int | None = None, now: int | None = None) -> list[Move]:
    """Pages that change their template, by where they go; of a group, all its pages; now: only those of the template of this number."""
    site = clustering.site
    home = cluster_pages.find_old_clusters(site)
    found = build_comparison(clustering)
    rows = {cluster.pk: cluster for cluster in site.clusters.select_related("site")}
    then = {page: each for each in found.groups for page in clustering.groups[each.place]}
    wanted = clustering.groups[group] if group is not None else [page for each in clustering.groups for page in each]
    pages = Page.objects.filter(pk__in=wanted).select_related("current").in_bulk()
    made = [Move(pages[page], rows.get(home.get(page, 0)), then.get(page)) for page in wanted if page in pages]
    return [each for each in made if (group is not None or _moves(each)) and (now is None or (each.now.number if each.now else 0) == now)]


def measure_shares(clustering: Clustering, place: int) -> Shares | None:
    """How much of a group's pages is template."""
    snapshots = Snapshot.objects.filter(page__in=clustering.groups[place], page__current__isnull=False, error="", kept=True)
    rows = snapshots.filter(Q(pk__in=Page.objects.filter(pk__in=clustering.groups[place]).values("current"))).order_by("pk")
    return boilerplate.measure_shares_of_pages(rows)


def _as_now(found: Sequence[Clustering]) -> list[Clustering]:
    """A comparison's clusterings, with the templates as they are now in place of what they were then.

    What these cost is known where they are as they were, or as one of the others, such as the one that was adopted.
    """
    shown = []
    for each in found:
        if each.method == comparisons.NOW:
            groups = comparisons.sort_groups(comparisons.group_by_template([str(page) for group in each.groups for page in group]))
            same = next((other for other in [each, *found] if _parts(other.groups) == _parts(groups)), None)
            each = Clustering(
                pk=each.pk, site=each.site, run=each.run, method=comparisons.NOW, groups=groups, bits=same.bits if same else None
            )
        shown.append(each)
    return shown


def _parts(groups: Sequence[Sequence[int]]) -> set[frozenset[int]]:
    return {frozenset(group) for group in groups}


def _moves(move: Move) -> bool:
    if move.then is None:
        return move.now is not None
    return move.then.template is None or move.now is None or move.then.template.pk != move.now.pk


def _rows(site: Site, found: Sequence[Clustering], labels: Mapping[int, str]) -> list[Row]:
    home = cluster_pages.find_old_clusters(site)
    most = [max((getattr(each, name) or 0 for each in found), default=0) or 1 for name in ("seconds", "peak_bytes", "bits")]
    rows = []
    for each in found:
        several = [len(group) for group in each.groups if len(group) > 1]
        parts = [size / max(1, each.pages) for size in several]
        if len(parts) > SHOWN_GROUPS:
            parts = [*parts[: SHOWN_GROUPS - 1], sum(parts[SHOWN_GROUPS - 1 :])]
        shown = [each.seconds / most[0], each.peak_bytes / most[1], (each.bits or 0) / most[2]]
        moved = 0 if each.reason else _moved(each, home)
        sizes = ", ".join(map(str, several[:SHOWN_GROUPS])) + (" …" if len(several) > SHOWN_GROUPS else "")
        rows.append(
            Row(
                each,
                tuple(parts),
                f"Groups of {sizes} pages",
                len(several),
                each.pages - sum(several),
                moved,
                _quality(each, labels),
                *shown,
            )
        )
    return rows


def _moved(clustering: Clustering, home: Mapping[int, int]) -> int:
    chosen = _chosen(clustering, home)
    then = {page: chosen[place] or -1 for place, group in enumerate(clustering.groups) if len(group) > 1 for page in group}
    return sum(home.get(page) != then.get(page) for group in clustering.groups for page in group)


def _chosen(clustering: Clustering, home: Mapping[int, int]) -> list[int | None]:
    """The template that each group is; None for new ones and for single pages."""
    groups = [Group((), tuple(group)) for group in clustering.groups if len(group) > 1]
    chosen = cluster_match.match_groups(groups, adopting.list_old_clusters(clustering.site.clusters.all()), home)
    return [*chosen, *[None] * (len(clustering.groups) - len(groups))]


def _quality(clustering: Clustering, labels: Mapping[int, str]) -> ClusteringQuality | None:
    cluster = {str(page): place for place, group in enumerate(clustering.groups) for page in group}
    truth = {str(page): label for page, label in labels.items() if str(page) in cluster}
    return measure_quality(truth, cluster) if len(truth) > 1 else None


def _examples(groups: Sequence[Sequence[int]]) -> dict[int, Snapshot]:
    """{page id: its current snapshot} of the first page of each group."""
    first = [group[0] for group in groups]
    pages = Page.objects.filter(pk__in=first, current__isnull=False).select_related("current")
    found = {}
    for page in pages:
        assert page.current  # noqa: S101 - the query asks for it
        page.current.page = page
        found[page.pk] = page.current
    return found


def _given(site: Site) -> set[int]:
    """Templates that somebody gave something, which stay also without pages."""
    return set(site.clusters.kept_when_empty().values_list("pk", flat=True))
