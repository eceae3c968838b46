"""Write a site's live rules as a bundle: one file by which other programs read the site's pages as Vertex does."""

import base64
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext

from extraction.algorithms.bundles.bundle import BundledList, BundledRule, BundledTemplate, SiteBundle, write_bundle
from extraction.algorithms.bundles.placed_pages import PlacedPages
from extraction.algorithms.clustering.template_core import TemplateCore
from extraction.algorithms.errors import RuleError
from extraction.algorithms.rules.url_patterns import SplitAddress
from extraction.models import Cluster, ClusterCore, PageCount, Rule, Site, Snapshot
from extraction.services.records.exports.scopes import find_attributes

MAX_PLACED = 2_000_000
"""The largest number of pages whose templates a bundle names: some 50 MB. Pages beyond it are recognised as unknown pages are."""

CHUNK = 10_000


@dataclass(frozen=True, slots=True)
class WrittenBundle:
    """A bundle's file.

    rules: how many live rules it holds.
    placed: how many pages' templates it names. left: how many pages more the site has in templates.
    """

    name: str
    data: bytes
    rules: int
    placed: int
    left: int


def write_site_bundle(site: Site, *, most_placed: int = MAX_PLACED) -> WrittenBundle:
    """Return the bundle of a site's live rules. Raises RuleError if there are none, and RuleError or XPathError for a bad row.

    most_placed: the most pages whose templates are named.
    """
    rules = {rule.cluster_id: rule for rule in Rule.objects.serving().of_site(site).not_ignored()}
    if not rules:
        raise RuleError(gettext("%(site)s has no live rule. Publish one first.") % {"site": site.name})
    sizes = PageCount.objects.filter(site=site).totals("cluster_key")
    clusters = Cluster.objects.filter(site=site).select_related("record_type").order_by("number")
    cores = _read_cores(site)
    lists = _read_lists([cluster for cluster in clusters if cluster.pk in rules])
    templates = tuple(
        _bundle_template(each, sizes.get(each.pk, 0), rules.get(each.pk), cores.get(each.pk), lists.get(each.pk, ())) for each in clusters
    )
    known = Snapshot.objects.of_site(site).current().filter(cluster__site=site).order_by("pk")
    rows = known.values_list("page__url", "sha256", "cluster_id")[:most_placed]
    placed = PlacedPages.of_pages(rows.iterator(chunk_size=CHUNK))
    bundle = SiteBundle(site=site.name, slug=site.slug, hosts=_find_hosts(site), templates=templates, placed=placed.to_text())
    return WrittenBundle(
        f"{site.slug}.vertex-bundle.json", write_bundle(bundle), len(rules), len(placed.homes), known.count() - len(placed.homes)
    )


def _read_lists(clusters: Sequence[Cluster]) -> dict[int, tuple[BundledList, ...]]:
    """Return {cluster id: its lists with their attributes}. Those of a record type are read once."""
    of_type: dict[int, tuple[BundledList, ...]] = {}
    found = {}
    for cluster in clusters:
        known = of_type.get(cluster.record_type_id or 0)
        lists = known or tuple(BundledList(name=name, attributes=each) for name, each in find_attributes(cluster).items())
        found[cluster.pk] = lists
        if cluster.record_type_id and any(each.attributes for each in lists):
            of_type[cluster.record_type_id] = lists
    return found


def _bundle_template(cluster: Cluster, size: int, rule: Rule | None, core: bytes | None, lists: tuple[BundledList, ...]) -> BundledTemplate:
    definition = rule.read_definition() if rule else None
    return BundledTemplate(
        id=cluster.pk,
        number=cluster.number,
        label=cluster.stored_label,
        pages=size,
        masks=tuple(cluster.masks),
        patterns=tuple(cluster.url_patterns),
        core=base64.b64encode(core).decode() if core is not None else None,
        lists=lists,
        rule=BundledRule(version=rule.version, definition=definition, stylesheet=rule.stylesheet) if rule and definition else None,
    )


def _read_cores(site: Site) -> dict[int, bytes]:
    """Return {cluster id: its core} of those that this release can read, as `templates.page_steps.read_cores` does."""
    found = {}
    for cluster_id, data in ClusterCore.objects.filter(cluster__site=site).values_list("cluster", "data"):
        try:
            TemplateCore.from_bytes(bytes(data))
        except ValueError:
            continue
        found[cluster_id] = bytes(data)
    return found


def _find_hosts(site: Site) -> tuple[str, ...]:
    return tuple(sorted({host for url in _read_urls(site) if (host := SplitAddress.parse(url).host)}))


def _read_urls(site: Site) -> Iterator[str]:
    if site.address:
        yield site.address
    yield from site.pages.values_list("url", flat=True).iterator(chunk_size=CHUNK)
