"""A deleted site is gone: no table says anything of it any more, and its stored bytes are deleted unless another site has them."""

from datetime import timedelta
from typing import Any

import pytest
from django.apps import apps
from django.core.files.storage import default_storage
from django.db import IntegrityError, connection
from django.urls import reverse
from django.utils import timezone

from extraction import tasks
from extraction.fetching.items import PageItem
from extraction.models import Asset, Bellwether, Join, LeftBytes, Run, Site, Snapshot
from extraction.services.core import left_bytes, runs, stored_bytes
from extraction.services.intake import import_pages
from extraction.services.monitoring import tidy_checks
from extraction.services.sites import page_store, sites
from tests.reading import words
from tests.services import factory
from tests.views import world as worlds
from tests.views.world import World

OUTLASTS = {
    "extraction_auditentry": "says who deleted the site, for as long as the audit log is kept",
    "extraction_alert": "is what people were told, and says so to them",
}
"""Tables that may still name a deleted site, and why."""

WORD = "unmistakable"


def find_mentions(word: str) -> set[str]:
    """Return the tables of which a row has the word in any column."""
    found = set()
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)}")
            if any(word in str(row).casefold() for row in cursor.fetchall()):
                found.add(table)
    return found


def delete(signed_in: Any, site: Site) -> None:
    answer = signed_in("operator").post(reverse("site_delete", args=[site.slug]), {"typed": site.name})
    assert answer.status_code == 302


@pytest.mark.django_db
def test_no_table_says_anything_of_a_deleted_site(signed_in: Any, sent: list[int]) -> None:
    made = worlds.make(name=f"{WORD} books", type_name="Book")
    other = factory.site("Other")
    Site.objects.filter(pk=made.site.pk).update(slug=f"{WORD}-books", address=f"https://{WORD}.example/")
    for page in made.site.pages.all():
        page.url = page.url.replace("https://", f"https://{WORD}.")
        page.save(update_fields=["url"])
    made.site.refresh_from_db()
    assert len(find_mentions(WORD)) >= 2
    delete(signed_in, made.site)
    assert find_mentions(WORD) <= OUTLASTS.keys()
    assert list(Site.objects.all()) == [other]


@pytest.mark.django_db
def test_every_table_that_belongs_to_a_site_is_empty_when_there_is_no_site(signed_in: Any, world: World) -> None:
    owned = [model for model in apps.get_app_config("extraction").get_models() if belongs_to_site(model)]
    assert {"Page", "Snapshot", "Record", "RecordChange", "Label", "Rule", "Run", "Correction", "Check"} <= {
        model.__name__ for model in owned
    }
    filled = {model.__name__ for model in owned if model._default_manager.exists()}
    assert len(filled) >= 20, filled
    delete(signed_in, world.site)
    tasks.tidy()  # adds up the kept counts, and drops those that came to nothing
    assert {model.__name__ for model in owned if model._default_manager.exists()} == set()


@pytest.mark.django_db
def test_a_watched_site_in_use_says_what_ends_with_it_and_is_deleted(signed_in: Any, world: World) -> None:
    current = Snapshot.objects.filter(page__site=world.site).exclude(page=None).latest("pk")
    Bellwether.objects.create(cluster=world.cluster, page=current.page, baseline=current)
    crawl = factory.run(world.site, Run.Kind.CRAWL, Run.State.QUEUED)
    Join.objects.get_or_create(site=world.site, name="Shelf and book")
    settings = reverse("site_settings", args=[world.site.slug])
    said = words(signed_in("operator").get(settings))
    unfinished, joins = Run.objects.unfinished().filter(site=world.site).count(), world.site.joins.count()
    assert f"{unfinished} run" in said and "cancelled" in said and f"{joins} join" in said
    assert f"missing from the next delivery to: {world.delivery.target.name}" in said
    delete(signed_in, world.site)
    assert not Site.objects.filter(pk=world.site.pk).exists() and not Run.objects.filter(pk=crawl.pk).exists()
    assert not Bellwether.objects.exists() and not Join.objects.exists()


@pytest.mark.django_db
def test_a_site_whose_workers_still_write_is_deleted_a_little_later_or_says_when(
    signed_in: Any, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, tries = sites._delete_rows, list[int]()

    def write_at_the_same_time(site: Site) -> None:
        tries.append(1)
        real(site)
        if len(tries) <= sites.DELETE_TRIES + 1:
            raise IntegrityError("a row of a worker names a row that is gone")

    monkeypatch.setattr(sites, "_delete_rows", write_at_the_same_time)
    monkeypatch.setattr(runs, "HEARTBEAT_S", 0.0)
    crawl = factory.run(world.site, Run.Kind.CRAWL, Run.State.RUNNING)
    address = reverse("site_delete", args=[world.site.slug])
    assert "have not stopped yet" in words(signed_in("operator").post(address, {"typed": world.site.name}, follow=True))
    assert world.site.pages.exists() and len(tries) == sites.DELETE_TRIES
    crawl.refresh_from_db()
    assert crawl.state == Run.State.CANCELLED
    delete(signed_in, world.site)
    assert not Site.objects.filter(pk=world.site.pk).exists() and len(tries) == sites.DELETE_TRIES + 2


def belongs_to_site(model: Any, seen: frozenset[Any] = frozenset()) -> bool:
    """Whether each row of the model belongs to a site, over rows that it cannot be without."""
    if model is Site:
        return True
    parents = [field.related_model for field in model._meta.fields if field.is_relation and not field.null]
    return any(parent not in seen and belongs_to_site(parent, seen | {model}) for parent in parents)


def store(site: Site, *contents: bytes) -> list[str]:
    run = factory.run(site, Run.Kind.IMPORT, Run.State.DONE)
    items = [PageItem(f"{n}", f"https://{site.slug}.example/{n}", content) for n, content in enumerate(contents)]
    page_store.store_pages(run, items)
    return [stored_bytes.digest_bytes(content) for content in contents]


@pytest.mark.django_db
def test_stored_bytes_are_deleted_unless_another_site_has_them(signed_in: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    doomed, other = factory.site("Doomed"), factory.site("Other")
    own, shared = store(doomed, b"<p>of the doomed site", b"<p>of both sites")
    store(other, b"<p>of both sites")
    picture = stored_bytes.put_bytes(b"a picture")
    Asset.objects.create(
        site=doomed, url="https://doomed.example/a.png", sha256=picture, content_type="image/png", fetched_at=timezone.now()
    )
    delete(signed_in, doomed)
    assert set(LeftBytes.objects.values_list("sha256", flat=True)) == {own, shared, picture}
    tasks.tidy()
    assert not LeftBytes.objects.exists()
    assert stored_bytes.get_bytes(own), "it is in the bin, in case an import needs it at this moment"
    tidy_checks.tidy_checks(timezone.now() + timedelta(days=tidy_checks.BIN_DAYS + 1))
    assert stored_bytes.get_bytes(shared) == b"<p>of both sites"
    for sha256 in (own, picture):
        with pytest.raises(FileNotFoundError):
            stored_bytes.get_bytes(sha256)


@pytest.mark.django_db
def test_bytes_that_come_back_before_the_bin_is_emptied_are_kept(signed_in: Any) -> None:
    doomed = factory.site("Doomed")
    (sha256,) = store(doomed, b"<p>seen again")
    delete(signed_in, doomed)
    left_bytes.collect_left()
    assert stored_bytes.put_bytes(b"<p>seen again") == sha256
    store(factory.site("New"), b"<p>seen again")
    tidy_checks.tidy_checks(timezone.now() + timedelta(days=tidy_checks.BIN_DAYS + 1))
    assert stored_bytes.get_bytes(sha256) == b"<p>seen again"


@pytest.mark.django_db
def test_the_bytes_of_a_deleted_page_are_deleted_too(sent: list[int]) -> None:
    site = factory.site("Shop")
    gone, kept = store(site, b"<p>gone", b"<p>kept")
    sites.delete_page(Snapshot.objects.get(sha256=gone).page)
    assert left_bytes.collect_left() == 1
    assert {name.removesuffix(".gz") for name in default_storage.listdir(stored_bytes.BIN)[1]} >= {gone}
    assert kept not in default_storage.listdir(stored_bytes.BIN)[1]


@pytest.mark.django_db(transaction=True)
def test_an_upload_that_was_still_waiting_is_deleted_with_its_site(signed_in: Any, tmp_path: Any, sent: list[int]) -> None:
    site = factory.site("Shop")
    archive = tmp_path / "pages.zip"
    archive.write_bytes(b"not read before its turn comes")
    run = import_pages.start_import(site, archive, name="pages.zip")
    upload = run.read_parameters().upload
    assert upload
    assert default_storage.exists(upload)
    sites.delete_site(site)
    assert not default_storage.exists(upload)
