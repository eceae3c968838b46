"""Templates from a crawl: what is taken in, adopting it, and what is refused."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from extraction.algorithms.bundles.crawl_templates import CrawlTemplate, CrawlTemplates, cluster_distinct, write_crawl_templates
from extraction.algorithms.clustering.masked_shingles import cluster_vectors
from extraction.algorithms.sketches import shingles
from extraction.models import Clustering, Site, Snapshot
from extraction.services.core.runs import JobError
from extraction.services.core.stored_pages import read_bytes
from extraction.services.lab import crawl_templates
from tests.services import factory

pytestmark = pytest.mark.django_db


@pytest.fixture
def site() -> Site:
    """A site of books and lists of links, in no template yet."""
    site = factory.site()
    for number in range(6):
        factory.snapshot(site, f"https://shop.example/book/{number}", factory.book_html(f"Book {number}"))
        items = "".join(f"<tr><td><a href='/x/{n}'>{n}</a></td></tr>" for n in range(12))
        page = f"<html><body><table class='list'>{items}</table><h2>List {number}</h2></body></html>"
        factory.snapshot(site, f"https://shop.example/list/{number}", page.encode())
    for snapshot in Snapshot.objects.filter(page__site=site):
        vector = shingles.compute_vector(read_bytes(snapshot))
        Snapshot.objects.filter(pk=snapshot.pk).update(vector=f"{vector:016x}", scheme=shingles.SCHEME)
    return site


def _crawl(of: Site, /, **changes: Any) -> CrawlTemplates:
    """What a crawl of the same pages finds."""
    vectors = np.array([int(text, 16) for text in Snapshot.objects.filter(page__site=of).values_list("vector", flat=True)], np.uint64)
    values, counts = np.unique(vectors, return_counts=True)
    masks, places, sizes = cluster_distinct(values, counts.astype(np.int64), 5)
    templates = tuple(CrawlTemplate(mask=mask.text(), pages=int(size)) for mask, size in zip(masks.masks, sizes, strict=True))
    left = int(counts[places < 0].sum())
    values_of: dict[str, Any] = {"site": "shop.example", "pages": len(vectors), "unclustered": left, "threshold": 5, "templates": templates}
    return CrawlTemplates(**values_of | changes)


def test_the_crawls_templates_become_a_clustering_that_can_be_adopted(site: Site, tmp_path: Path, admin_client: Any) -> None:
    file = tmp_path / "part-0.txt"
    file.write_text(write_crawl_templates(_crawl(site, site="a.example")) + "\n\n" + write_crawl_templates(_crawl(site)) + "\n")
    call_command("import_templates", site.name, str(file))
    taken = Clustering.objects.get(method="crawl")
    assert [len(group) for group in taken.groups] == [6, 6]
    assert all(each.masks and each.id is None for each in taken.read_templates())
    lab = admin_client.get(reverse("site_lab", args=[site.slug])).content.decode()
    assert "Templates of a crawl" in lab and reverse("site_lab_adopt", args=[site.slug, taken.pk]) in lab
    assert admin_client.get(taken.get_absolute_url()).status_code == 200
    call_command("import_templates", site.name, str(file), "--adopt", "--here")
    site.refresh_from_db()
    sizes = [cluster.snapshots.count() for cluster in site.clusters.all()]
    assert (site.method, sizes) == ("crawl", [6, 6])
    assert all(cluster.masks and cluster.url_patterns for cluster in site.clusters.all())


def test_what_does_not_fit_is_refused_with_the_reason(site: Site, tmp_path: Path) -> None:
    file = tmp_path / "templates.txt"
    line = write_crawl_templates(_crawl(site))
    foreign = CrawlTemplate(mask="00.01.02.03.04.05.06.07", pages=9)
    for text, reason in (
        (write_crawl_templates(_crawl(site, site="a.example")), "no templates of shop.example; it has a.example"),
        (f"{line}\n{line}", "templates of shop.example and of shop.example"),
        ("{", "line 1 cannot be used"),
        (json.dumps(json.loads(line) | {"format": 2}), "format 2"),
        (json.dumps(json.loads(line) | {"scheme": "x"}), "scheme 'x'"),
        (write_crawl_templates(_crawl(site, templates=(foreign,))), "none of the 1 templates"),
        (write_crawl_templates(_crawl(site, templates=(foreign, foreign))), "same mask"),
    ):
        file.write_text(text)
        with pytest.raises(CommandError, match=reason):
            call_command("import_templates", site.name, str(file))
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("import_templates", site.name, str(tmp_path))
    assert not Clustering.objects.exists()


def test_clustering_distinct_vectors_is_clustering_pages() -> None:
    chance = np.random.default_rng(3)
    bases = chance.integers(0, 256, (6, 8), dtype=np.uint8)
    rows = bases[chance.integers(0, 6, 3_000)]
    rows = np.where(chance.random(rows.shape) < 0.1, chance.integers(0, 256, rows.shape, dtype=np.uint8), rows)
    vectors = np.ascontiguousarray(rows).view(">u8").ravel().astype(np.uint64)
    values, counts = np.unique(vectors, return_counts=True)
    masks, places, sizes = cluster_distinct(values, counts.astype(np.int64), 5)
    pages = cluster_vectors(list(enumerate(vectors.tolist())))
    assert [(each.mask, len(each.members)) for each in pages.clusters] == list(zip(masks.masks, sizes.tolist(), strict=True))
    home = {page: place for place, each in enumerate(pages.clusters) for page in each.members}
    place_of = dict(zip(values.tolist(), places.tolist(), strict=True))
    assert all(place_of[int(vector)] == home.get(page, -1) for page, vector in enumerate(vectors))


def test_a_file_without_templates_of_the_site_names_up_to_three_others(site: Site, tmp_path: Path) -> None:
    file = tmp_path / "part-0.txt"
    names = [f"{letter}.example" for letter in "abcd"]
    file.write_text("\n".join(write_crawl_templates(_crawl(site, site=name)) for name in names))
    with pytest.raises(JobError, match=r"^it has no templates of shop\.example; it has a\.example, b\.example, c\.example$"):
        crawl_templates.find_site_line(file, {"shop.example"})
    file.write_text("\n")
    with pytest.raises(JobError, match=r"^it has no templates of the site$"):
        crawl_templates.find_site_line(file, set())


def test_a_site_without_pages_takes_no_templates(site: Site) -> None:
    with pytest.raises(JobError, match=r"Empty has no pages\. Import or fetch some first"):
        crawl_templates.take_templates(factory.site("Empty"), _crawl(site))
