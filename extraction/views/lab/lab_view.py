"""What the structure lab shows: clusterings side by side, and one clustering beside the site's templates."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Q
from django.utils.translation import gettext, gettext_lazy
from django_stubs_ext import StrOrPromise

from extraction.algorithms.clustering.measures import ClusteringQuality
from extraction.algorithms.methods import METHODS
from extraction.models import Cluster, Clustering, Page, PageCount, Run, Site, Snapshot
from extraction.services.lab import advice, compare_clusterings, comparisons, group_templates, page_labels
from extraction.services.templates import adopting, boilerplate, cluster_match, cluster_pages
from extraction.services.templates.adopting import Effect
from extraction.services.templates.boilerplate import Shares
from extraction.services.templates.cluster_match import Group

SHOWN_GROUPS = 12
"""The number of groups that are shown as a bar of their own. All other groups share one more."""

SHOWN_PATHS = 200
"""Template paths of a group that are shown. The file has all."""

EXAMPLES = 20
"""How many pages of a group are looked through for one that is still there."""

METHOD_WORDS: dict[str, tuple[StrOrPromise, StrOrPromise]] = {
    "masked-shingles": (
        gettext_lazy("Masked shingles"),
        gettext_lazy("The usual way to find templates; keeps most pages of a template together."),
    ),
    "text-mdl": (
        "TEXT-MDL",
        gettext_lazy("Finds the groups that describe the pages most briefly, exactly. Slow with more than a few hundred pages."),
    ),
    "text-hash": ("TEXT-HASH", gettext_lazy("The same with estimated costs. Good when pages of several sites are mixed.")),
    "text-max": ("TEXT-MAX", gettext_lazy("TEXT-HASH that tries only the nearest pages: more and purer groups.")),
    "lsh": ("LSH", gettext_lazy("Random projections of the pages' paths; the fastest method.")),
    "rtdm": ("RTDM", gettext_lazy("Distance between the pages' trees; for pages with hardly any text in common.")),
    "crawl": (
        gettext_lazy("Templates of a crawl"),
        gettext_lazy("Found by vertex-spark in many more pages of the site, and taken in by a command."),
    ),
}
"""{method: (its name, what it is good for)}."""


def name_method(method: str) -> str:
    """Return the name of a method."""
    return str(METHOD_WORDS[method][0])


@dataclass(frozen=True, slots=True)
class ClusteringRow:
    """One clustering in the comparison.

    parts: the sizes of its groups of two or more pages, as shares of all pages, the largest first. If there are more than
        SHOWN_GROUPS, the last part is all other groups together.
    sizes: the sizes in words.
    groups: the number of these groups.
    alone: the number of pages in no such group.
    moved: the number of pages that are now in another template.
    quality: measured on the labelled pages; None if these have fewer than two different labels.
    time, memory, cost: as shares of the highest value of all clusterings.
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
    """All that the first screen shows.

    run: the newest comparison, finished or not.
    pages: the number of pages of the site that could be compared.
    compared: how many pages were compared, or would be.
    labelled: the number of labelled pages.
    measured: how many of the compared pages are labelled.
    kinds: how many different labels these have.
    notices: {method: what it could not do in full}.
    few: whether there are too few labelled pages for the measures to say much.
    back: the site's templates before the last adoption.
    """

    run: Run | None
    rows: tuple[ClusteringRow, ...]
    methods: tuple[str, ...]
    pages: int
    compared: int
    labelled: int
    measured: int
    kinds: int
    notices: Mapping[str, str]
    few: bool
    back: Clustering | None


@dataclass(frozen=True, slots=True)
class GroupRow:
    """A group of a clustering.

    place: its number, from 0.
    share: its pages as a share of all pages.
    template: the template of the site that the group becomes; None for a new one.
    cells: for each template in `Compared.templates`, how many pages come from it, and their share of the group in fifths
        (0 to 5).
    example: the first of its pages that is still there, among the first few; None if none is.
    moved: the number of pages that are now in another template.
    """

    place: int
    size: int
    share: float
    template: Cluster | None
    cells: tuple[tuple[int, int], ...]
    example: Snapshot | None
    moved: int

    @property
    def example_name(self) -> str:
        """The title or the address of the example."""
        return self.example.title or self.example.page.url if self.example else gettext("Pages that are no longer here")


@dataclass(frozen=True, slots=True)
class ShownPaths:
    """Template paths of a group.

    paths: those that are shown.
    total: how many it has.
    frame: how many paths nearly all compared pages have; these are not among them.
    """

    paths: tuple[str, ...]
    total: int
    frame: int


@dataclass(frozen=True, slots=True)
class Move:
    """A page that would change its template. None stands for no template."""

    page: Page
    now: Cluster | None
    then: GroupRow | None


@dataclass(frozen=True, slots=True)
class ClusteringComparison:
    """One clustering compared with the templates.

    templates: the templates in the columns, the largest first; None for pages without a template.
    alone: the number of pages in no group of two or more pages.
    home: {page: the id of its template}; pages without a template are missing.
    then: the same after the clustering is adopted (`adopting.plan_homes`).
    """

    row: ClusteringRow
    templates: tuple[Cluster | None, ...]
    groups: tuple[GroupRow, ...]
    alone: int
    effect: Effect
    home: Mapping[int, int]
    then: Mapping[int, int]


def build_lab(site: Site) -> Lab:
    """Collect what the first screen shows."""
    run = comparisons.find_last_comparison(site)
    pages = PageCount.objects.filter(site=site, reading__in=(Page.Reading.WHOLE, Page.Reading.PARTLY), kept=True).total()
    labels = page_labels.get_labels(site)
    found = advice.update_templates(list(run.clusterings.select_related("site"))) if run else []
    rows = _build_rows(found, labels, cluster_pages.find_old_clusters(site, _collect_pages(found)))
    seen = {page for each in found[:1] for group in each.groups for page in group}
    order = {name: place for place, name in enumerate(["", *METHODS])}
    rows.sort(key=lambda row: order.get(row.clustering.method, len(order)))
    back = Clustering.objects.filter(site=site, run__kind=Run.Kind.CLUSTER).order_by("-pk").first()
    compared = len(seen) or min(pages, compare_clusterings.MOST_PAGES)
    measured = seen & set(labels)
    kinds = len({labels[page] for page in measured})
    return Lab(
        run=run,
        rows=tuple(rows),
        methods=tuple(METHODS),
        pages=pages,
        compared=compared,
        labelled=len(labels),
        measured=len(measured),
        kinds=kinds,
        notices=_read_notices(run),
        few=kinds > 1 and len(measured) < advice.FEW_LABELS,
        back=back,
    )


def _read_notices(run: Run | None) -> dict[str, str]:
    """Return {method's name: what it could not do in full}."""
    found = run.read_summary().notices if run else None
    return {name_method(method): notice for method, notice in (found or {}).items() if method in METHOD_WORDS}


def build_comparison(clustering: Clustering) -> ClusteringComparison:
    """Compare one clustering with the templates."""
    site = clustering.site
    home = cluster_pages.find_old_clusters(site, _collect_pages([clustering]))
    (row,) = _build_rows([clustering], page_labels.get_labels(site), home)
    chosen, then = _choose_templates(clustering, home), adopting.plan_homes(clustering, home)
    rows = {cluster.pk: cluster for cluster in site.clusters.select_related("site", "picture")}
    several = [(place, group) for place, group in enumerate(clustering.groups) if len(group) > 1]
    counted = Counter(home.get(page) for _, group in several for page in group)
    columns = [pk for pk, _ in sorted(counted.items(), key=lambda item: (item[0] is None, -item[1], item[0] or 0))][: 2 * SHOWN_GROUPS]
    examples = _find_examples([group for _, group in several])
    made = []
    for place, group in several:
        of = Counter(home.get(page) for page in group)
        cells = tuple((of[pk], -(-5 * of[pk] // len(group))) for pk in columns)
        template = rows.get(chosen[place] or 0)
        moved = sum(home.get(page) != then.get(page) for page in group)
        example = next((examples[page] for page in group if page in examples), None)
        made.append(GroupRow(place, len(group), len(group) / max(1, clustering.pages), template, cells, example, moved))
    effect = adopting.preview_adoption(clustering, home, then, _list_kept_when_empty(site))
    return ClusteringComparison(row, tuple(rows.get(pk or 0) for pk in columns), tuple(made), row.alone, effect, home, then)


def list_moves(clustering: Clustering, found: ClusteringComparison, *, group: int | None = None, now: int | None = None) -> list[Move]:
    """Return the pages that would change their template, in the order of their new groups.

    found: the clustering compared with the templates.
    group: the place of a group; all its pages are returned, even if they do not change their template.
    now: the number of a template; only its pages are returned; 0 for pages without a template.
    """
    rows = {cluster.pk: cluster for cluster in clustering.site.clusters.select_related("site")}
    then = {page: each for each in found.groups for page in clustering.groups[each.place]}
    wanted = clustering.groups[group] if group is not None else [page for each in clustering.groups for page in each]
    pages = Page.objects.filter(pk__in=wanted).select_related("current").in_bulk()
    made = [Move(pages[page], rows.get(found.home.get(page, 0)), then.get(page)) for page in wanted if page in pages]
    if group is None:
        made = [each for each in made if found.home.get(each.page.pk) != found.then.get(each.page.pk)]
    return [each for each in made if now is None or (each.now.number if each.now else 0) == now]


def measure_shares(clustering: Clustering, place: int) -> Shares | None:
    """Measure how much of a group's pages is template."""
    snapshots = Snapshot.objects.filter(page__in=clustering.groups[place], page__current__isnull=False, error="", kept=True)
    rows = snapshots.filter(Q(pk__in=Page.objects.filter(pk__in=clustering.groups[place]).values("current"))).order_by("pk")
    return boilerplate.measure_shares_of_pages(rows)


def show_paths(clustering: Clustering, place: int) -> ShownPaths:
    """Return the template paths of a group, at most SHOWN_PATHS."""
    found = group_templates.find_templates(clustering)
    paths = found.templates[place]
    return ShownPaths(paths[:SHOWN_PATHS], len(paths), len(found.frame))


def _collect_pages(found: Sequence[Clustering]) -> set[int]:
    return {page for each in found for group in each.groups for page in group}


def _build_rows(found: Sequence[Clustering], labels: Mapping[int, str], home: Mapping[int, int]) -> list[ClusteringRow]:
    most = [max((getattr(each, name) or 0 for each in found), default=0) or 1 for name in ("seconds", "peak_bytes", "bits")]
    rows = []
    for each in found:
        several = [len(group) for group in each.groups if len(group) > 1]
        parts = [size / max(1, each.pages) for size in several]
        if len(parts) > SHOWN_GROUPS:
            parts = [*parts[: SHOWN_GROUPS - 1], sum(parts[SHOWN_GROUPS - 1 :])]
        shown = [each.seconds / most[0], each.peak_bytes / most[1], (each.bits or 0) / most[2]]
        moved = 0 if each.reason else _count_moved(each, home)
        sizes = ", ".join(map(str, several[:SHOWN_GROUPS])) + (" …" if len(several) > SHOWN_GROUPS else "")
        rows.append(
            ClusteringRow(
                each,
                tuple(parts),
                gettext("Groups of %(sizes)s pages") % {"sizes": sizes},
                len(several),
                each.pages - sum(several),
                moved,
                advice.measure_clustering(each, labels),
                *shown,
            )
        )
    return rows


def _count_moved(clustering: Clustering, home: Mapping[int, int]) -> int:
    then = adopting.plan_homes(clustering, home)
    return sum(home.get(page) != then.get(page) for group in clustering.groups for page in group)


def _choose_templates(clustering: Clustering, home: Mapping[int, int]) -> list[int | None]:
    """Return the template that each group becomes; None for new templates and for single pages."""
    groups = [Group((), tuple(group)) for group in clustering.groups if len(group) > 1]
    chosen = cluster_match.match_groups(groups, adopting.list_old_clusters(clustering.site.clusters.all()), home)
    return [*chosen, *[None] * (len(clustering.groups) - len(groups))]


def _find_examples(groups: Sequence[Sequence[int]]) -> dict[int, Snapshot]:
    """Return {page id: its current snapshot} for the first pages of each group."""
    first = [page for group in groups for page in group[:EXAMPLES]]
    pages = Page.objects.filter(pk__in=first, current__isnull=False).select_related("current")
    found = {}
    for page in pages:
        assert page.current  # noqa: S101 - the query asks for it
        page.current.page = page
        found[page.pk] = page.current
    return found


def _list_kept_when_empty(site: Site) -> set[int]:
    """Return the templates that stay even without pages, because they have a name, marks or a rule."""
    return set(site.clusters.kept_when_empty().values_list("pk", flat=True))
