"""The largest site of a filled database with something of everything, and each address of the dashboard that can be looked at."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse

from extraction.models import (
    Alert,
    Attribute,
    Breakage,
    Cluster,
    Clustering,
    Delivery,
    JoinedRecord,
    Page,
    Rule,
    Run,
    SamplePage,
    Site,
)
from extraction.models.run_values import RunParameters
from extraction.services.core import runs, stored_bytes
from tests.services import factory
from tests.views import variants
from tests.views import world as worlds
from tests.views.core.test_access import FILES, LOOK, PARTS

WHOLE_FILES = {
    "site_warc",
    "site_bundle",
    "site_files",
    "records_csv",
    "records_export",
    "record_type_export",
    "joined_export",
    "site_lab_paths",
    "audit_log_csv",
    "latest_file",
    "download",
    "asset",
    "cluster_picture",
}
"""Files. They are as long as what is in them, and the last ones were made before."""

WORDS = variants.Words(word="castle", rare="silver-otter")


@dataclass(frozen=True, slots=True)
class Asked:
    """An address to ask for. part: as htmx asks for parts of a screen."""

    label: str
    address: str
    part: bool = False


def list_addresses() -> list[Asked]:
    """Return all addresses: each screen and part of one, the workbench, and the long lists with their filters, searches and far pages."""
    world = make_world()
    found = [Asked(name, reverse(name, args=world.address(name)), name in PARTS) for name in LOOK if name not in WHOLE_FILES]
    found += [
        Asked(label, address, name in PARTS or name == "join_fields") for label, name, address in variants.list_variants(world, WORDS)
    ]
    return [*found, *_list_files(world), *_list_workbench(world.cluster)]


def _list_files(world: worlds.World) -> Iterator[Asked]:
    """Yield what browsers and programs load beside the screens."""
    arguments: dict[str, list[Any]] = {
        "frame": [world.page.current_id],
        "latest_feed": [world.record_type.slug],
        "latest_schema": [world.record_type.slug],
    }
    for name in sorted(FILES - WHOLE_FILES):
        yield Asked(name, reverse(name, args=arguments.get(name, [])))
    for more in ("dim=1", "preview=1"):
        yield Asked(f"frame?{more}", f"{reverse('frame', args=arguments['frame'])}?{more}")


def _list_workbench(cluster: Cluster) -> Iterator[Asked]:
    sample = SamplePage.objects.filter(cluster=cluster).order_by("position")[0].snapshot_id
    title = Attribute.objects.of_cluster(cluster).get(name="title").pk
    asked: dict[str, tuple[dict[str, Any], ...]] = {
        "workbench": ({},),
        "workbench_offered": ({},),
        "workbench_state": ({},),
        "workbench_warm": ({},),
        "workbench_draft": ({"attribute": title}, {"attribute": title, "page": sample}),
        "workbench_advice": ({},),
        "workbench_suggestions": ({"page": sample},),
        "workbench_agreement": ({"attribute": title},),
        "workbench_coverage": ({"attribute": title},),
        "workbench_without": ({"pages": sample},),
        "workbench_place": ({"page": sample, "location": json.dumps({"node": 5})},),
        "workbench_tree": ({"page": sample}, {"page": sample, "search": "price"}),
        "workbench_dimmed": ({"page": sample},),
        "workbench_looks": ({"page": sample},),
    }
    for name, queries in asked.items():
        for query in queries:
            more = f"?{urlencode(query)}" if query else ""
            yield Asked(f"{name}{more}", reverse(name, args=[cluster.site.slug, cluster.number]) + more)


def make_world() -> worlds.World:
    """Return the largest site with something of everything, as the tests of the screens have it. It is made once."""
    site = Site.objects.get(slug="shop-001")
    cluster = Cluster.objects.select_related("site", "record_type").get(site=site, number=1)
    assert cluster.record_type
    rule = Rule.objects.serving().get(cluster=cluster)
    page = Page.objects.filter(current__cluster=cluster, current__error="").order_by("pk")[20]
    if not Alert.objects.exists():
        _mark(cluster)
        worlds.broken(rule, page)
        worlds.delivered(cluster.record_type, Run.objects.filter(site=site).latest("pk"))
        worlds.alert()
        _try_clustering(site)
    return worlds.World(
        site,
        cluster,
        page,
        rule,
        Run.objects.filter(cluster=cluster, kind=Run.Kind.EXTRACT, state=Run.State.DONE).latest("pk"),
        crawl=Run.objects.filter(site=site, kind=Run.Kind.CRAWL).latest("pk"),
        breakage=Breakage.objects.filter(cluster=cluster).latest("pk"),
        record_type=cluster.record_type,
        alert=Alert.objects.latest("pk"),
        clustering=Clustering.objects.filter(method="lsh").latest("pk"),
        joined=JoinedRecord.objects.latest("pk"),
        delivery=Delivery.objects.latest("pk"),
    )


def _mark(cluster: Cluster) -> None:
    """Mark the titles of three sample pages."""
    title = Attribute.objects.get(record_type=cluster.record_type, name="title")
    for sample in SamplePage.objects.filter(cluster=cluster).select_related("snapshot")[:3]:
        content = stored_bytes.get_bytes(sample.snapshot.sha256)
        factory.label(cluster, sample.snapshot, title, [factory.text_at(content, sample.snapshot.title.split(" | ")[0])])


def _try_clustering(site: Site) -> None:
    """A finished comparison of clusterings on as many pages as the lab takes."""
    pages = list(Page.objects.filter(site=site).order_by("pk").values_list("pk", flat=True)[:600])
    run = runs.start_run(Run.Kind.LAB, site, parameters=RunParameters(methods=("lsh",)), unit="clusterings")
    Run.objects.filter(pk=run.pk).update(state=Run.State.DONE, finished_at=run.created_at, summary={"methods": 1, "pages": len(pages)})
    Clustering.objects.create(site=site, run=run, groups=[pages], bits=9000.0)
    Clustering.objects.create(
        site=site, run=run, method="lsh", groups=[pages[:-9], pages[-9:]], bits=8000.0, seconds=1.5, peak_bytes=2_000_000
    )
