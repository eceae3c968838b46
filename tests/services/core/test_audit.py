"""The audit log: who acts, what is stored, what is counted together, what is searched, and what is deleted."""

import csv
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import transaction
from django.utils import timezone

from extraction.models import Attribute, AuditEntry, AuditKind, AuditSource, Role, Run, Site
from extraction.services.core import audit, audit_search, people, runs
from extraction.services.core.audit import Actor
from extraction.services.core.audit_search import AuditSearch
from extraction.services.labels import labelling
from extraction.services.sites import sites
from extraction.services.templates import clusters
from tests.services import factory
from tests.services.folders import folders

pytestmark = pytest.mark.django_db


@pytest.fixture
def ann() -> User:
    return User.objects.create_user("ann")


def as_ann(ann: User) -> Any:
    return audit.acting_as(lambda: Actor(AuditSource.DASHBOARD, ann))


def test_an_entry_outside_of_a_transaction_is_refused() -> None:
    with pytest.raises(RuntimeError, match="transaction"):
        audit.record(AuditKind.SITE_CHANGED, "nothing")
    with transaction.atomic():
        audit.record(AuditKind.SITE_CHANGED, "something")
    assert AuditEntry.objects.get().what == "something"


def test_a_change_that_is_taken_back_leaves_no_entry() -> None:
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        sites.create_site("Shop")
        raise ZeroDivisionError
    assert not AuditEntry.objects.exists()


def test_an_entry_outlasts_its_site_and_its_person(ann: User) -> None:
    with as_ann(ann):
        site = sites.create_site("Shop", "https://shop.example/")
        sites.rename_site(site, "Books", "https://shop.example/")
        sites.rename_site(site, "Books", "https://shop.example/")
        sites.delete_site(site)
    ann.delete()
    rows = AuditEntry.objects.filter(by=None, site=None).order_by("pk").values_list("kind", "by_name", "site_name", "what", "text")
    assert list(rows) == [
        ("site.created", "ann", "Shop", "Shop", "address: https://shop.example/"),
        ("site.changed", "ann", "Books", "Books", "name: Shop → Books"),
        ("site.deleted", "ann", "Books", "Books", "pages: 0"),
    ]


def test_the_same_change_within_a_short_time_is_counted_and_another_persons_is_not(ann: User) -> None:
    cluster = factory.shop(2)
    page, title = cluster.snapshots.order_by("pk")[0], Attribute.objects.get(name="title")

    def mark() -> None:
        labelling.set_labels(cluster, page, title, None, None)

    with as_ann(ann):
        mark()
        mark()
    AuditEntry.objects.update(at=timezone.now() - timedelta(hours=1))
    with as_ann(ann):
        mark()
    mark()
    found = AuditEntry.objects.filter(kind="template.marked").order_by("pk")
    assert list(found.values_list("by_name", "times")) == [("ann", 2), ("ann", 1), ("", 1)]


def test_runs_that_nobody_asked_for_are_not_in_the_log() -> None:
    site = factory.site()
    runs.start_run(Run.Kind.CLUSTER, site)
    assert not AuditEntry.objects.exists()


def test_commands_act_as_the_account_that_runs_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGNAME", "root-of-shop")
    monkeypatch.setattr("sys.stdin", StringIO("a-long-enough-password\n"))
    call_command("create_user", "bo", "--role", "viewer")
    entry = AuditEntry.objects.get(kind="person.saved")
    assert (entry.source, entry.by_name, entry.what, entry.text) == (
        "command",
        "root-of-shop",
        "bo",
        "role: nothing → viewer\npassword set",
    )


def test_a_password_in_the_field_of_the_name_is_not_kept(client: Any) -> None:
    people.save_person(User(username="vera"), password="a long secret", role=Role.VIEWER)
    for name in ("vera", "my-real-password"):
        client.post("/sign-in/", {"username": name, "password": "wrong"})
    client.post("/sign-in/", {"username": "vera", "password": "a long secret"})
    kinds = AuditEntry.objects.filter(kind__startswith="person.sign").order_by("pk").values_list("kind", "what", "by_name")
    assert list(kinds) == [("person.sign_in_failed", "vera", ""), ("person.signed_in", "vera", "vera")]


def test_the_log_is_searched_by_person_site_kind_time_and_text(ann: User, person: Any) -> None:
    with as_ann(ann):
        shop = sites.create_site("Shop")
        sites.create_site("Library")
        clusters.rename_template(factory.cluster(shop), "Novels of the week")
    with audit.acting_as(lambda: Actor(AuditSource.API, ann, token="Night (vxa_1234…)")):
        sites.rename_site(shop, "Big shop", "")
    before = timezone.now()

    def find(**asked: Any) -> list[str]:
        return sorted(audit_search.find_entries(AuditSearch(**asked), person("admin")).values_list("kind", flat=True))

    assert find(site=shop) == ["site.changed", "site.created", "template.changed"]
    assert find(text="novels week") == ["template.changed"]
    assert find(text="vxa_1234") == find(source="api") == ["site.changed"]
    assert find(person="ann", kind="site.created") == ["site.created", "site.created"]
    assert find(person="bo") == find(since=before) == find(text="100%") == []
    assert len(find(before=before)) == 4


def test_the_file_disarms_formulae_and_holds_every_entry(monkeypatch: pytest.MonkeyPatch, person: Any) -> None:
    monkeypatch.setattr(audit_search, "AT_ONCE", 2)
    for name in ("=cmd|' /C calc'!A0", "b", "c", "d", "e"):
        Site.objects.create(name=name, slug=f"s{Site.objects.count()}")
    with transaction.atomic():
        for site in Site.objects.order_by("pk"):
            audit.record(AuditKind.SITE_CREATED, site)
    rows = list(csv.DictReader("".join(audit_search.export_entries(AuditSearch(), person("admin"))).splitlines()))
    assert [row["what"] for row in rows] == ["audit log", "e", "d", "c", "b", "'=cmd|' /C calc'!A0"]
    assert AuditEntry.objects.latest("pk").kind == "log.exported"


def test_old_entries_are_deleted(settings: Any) -> None:
    settings.VERTEX_AUDIT_KEEP_DAYS = 30
    sites.create_site("Old")
    AuditEntry.objects.update(at=timezone.now() - timedelta(days=31))
    sites.create_site("New")
    assert audit.tidy_entries(timezone.now()) == 1
    assert AuditEntry.objects.get().what == "New"


def test_long_texts_are_cut_off_with_a_mark() -> None:
    changed = audit.describe_differences({"a": "x"}, {"a": "y" * 500, "b": True})
    assert changed.splitlines()[0].endswith("y…")
    assert changed.splitlines()[1] == "b: nothing → yes"


def test_the_import_of_a_site_from_files_is_an_entry(ann: User) -> None:
    site = sites.create_site("Shop", "https://shop.example/")
    files = folders.export(site)
    sites.delete_site(site)
    with as_ann(ann):
        folders.load(files)
    entry = AuditEntry.objects.get(kind="site.imported")
    assert (entry.by_name, entry.what) == ("ann", "Shop")
