"""The screens of targets: what can be entered, what is refused in words, and what is never shown."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse

from extraction.models import DeliveredRecord, Delivery, DeliveryTarget, Ledger, RecordType, RefreshSchedule, TrackedRecord
from extraction.services.deliveries import connect, previews
from extraction.services.deliveries.secrets import open_secrets
from tests.reading import words
from tests.views.world import World

KEY = "a signing key of some length"
COMMON = {"name": "Data team", "columns": ["title", "price"], "about": ["site"], "mode": "runs", "enabled": "on", "values": "both"}


@pytest.fixture
def world(shared_world: World) -> World:
    return shared_world


@pytest.fixture
def root(settings: Any, tmp_path: Path) -> Path:
    settings.VERTEX_DELIVERY_DIRS = [str(tmp_path)]
    return tmp_path


def new(client: Any, kind: str, **values: Any) -> Any:
    return client.post(f"{reverse('delivery_target_new')}?type=book&kind={kind}", {**COMMON, **values})


def test_a_target_is_made_and_delivers_after_the_next_run(signed_in: Any, world: World, root: Path) -> None:
    answer = new(signed_in("operator"), "folder", folder="books", format="jsonl")
    target = DeliveryTarget.objects.get(name="Data team")
    assert answer.headers["Location"] == reverse("delivery_target", args=[target.pk])
    content = target.read_content()
    assert (content.columns, content.about, content.values, content.format) == (("title", "price"), ("site",), "both", "jsonl")
    assert (target.read_place().folder, target.mode, target.next_due_at) == ("books", "runs", None)
    from tests.views.world import extract

    run = extract(world.cluster)
    assert target.deliveries.get().run == run


def test_a_target_gets_what_is_new_on_mondays(signed_in: Any, world: World, root: Path) -> None:
    client = signed_in("operator")
    form = client.get(f"{reverse('delivery_target_new')}?type=book&kind=folder").content.decode()
    assert 'value="Book to a folder"' in form
    assert f"<code>{root}</code>" in form
    schedule = {"mode": "times", "times": "monday 8:00", "zone": "Europe/Berlin"}
    page = client.post(
        f"{reverse('delivery_target_new')}?type=book&kind=folder",
        {**COMMON, **schedule, "folder": "", "format": "xlsx", "selection": "new", "first": "later"},
        follow=True,
    ).content.decode()
    assert "The present records are noted. Deliveries bring what changes from now on." in page
    assert "the records that are new since the last delivery as Excel" in page
    assert "on Mon 08:00 (Europe/Berlin)" in page
    assert page.count(", 08:00</time>") == 3
    assert "These sites are not refreshed on a schedule" in page
    target = DeliveryTarget.objects.get(name="Data team")
    assert target.next_due_at and target.next_due_at.weekday() == 0
    assert target.deliveries.get().cause == "start"
    RefreshSchedule.objects.create(site=world.site)
    assert "not refreshed on a schedule" not in client.get(target.get_absolute_url()).content.decode()


def test_only_lists_of_the_chosen_record_type_are_offered_and_those_without_a_key_say_so(signed_in: Any, world: World) -> None:
    other = RecordType.objects.create(name="Zebra", slug="zebra")
    for kind, name, is_key in ((world.record_type, "reviews", True), (world.record_type, "offers", False), (other, "stripes", True)):
        listed = kind.lists.create(name=name)
        kind.attributes.create(name=f"{name}_id", list=listed, is_key=is_key, position=50)
    client = signed_in("operator")
    shown = client.get(reverse("delivery_target_new")).content.decode()
    assert '<option value="reviews" >row of reviews</option>' in shown
    assert '<option value="offers" disabled>row of offers (choose a key for its rows first)</option>' in shown
    assert "stripes" not in shown
    assert "stripes" in client.get(reverse("delivery_target_new"), {"type": "zebra"}).content.decode()


@pytest.mark.parametrize(
    ("kind", "values", "said"),
    [
        ("folder", {"folder": "/etc"}, "/etc is not below a folder that is allowed"),
        ("folder", {"folder": "x", "mode": "times", "times": "Mon"}, "Enter a time of day after Mon"),
        ("folder", {"folder": "x", "mode": "interval", "every_hours": ""}, "Give a whole number."),
        ("folder", {"folder": "x", "mode": "cron", "cron": "0 0 30 2 *"}, "is not a cron expression"),
        ("folder", {"folder": "x", "mode": "times", "times": "6:30", "zone": "Mars"}, "is not a time zone"),
        ("folder", {"folder": "x", "name": "shop"}, "There is already a target with this name."),
        ("s3", {"bucket": "b", "user": "u", "endpoint": "objects.example.org", "secret_key": "k"}, "The endpoint looks like https://"),
        ("s3", {"bucket": "b", "user": "u"}, "Enter the secret key."),
        ("sftp", {"host": "h", "port": "22", "user": "u", "host_key": "aa:bb", "password": "p"}, "It looks like SHA256:"),
        ("sftp", {"host": "h", "port": "99999", "user": "u", "host_key": "SHA256:x"}, "Enter a password or a private key."),
        ("other", {"url": "file:///etc"}, "is not allowed"),
        ("webhook", {"address": "ftp://x", "key": KEY}, "must look like https://"),
        ("webhook", {"address": "https://[::1", "key": KEY}, "must look like https://"),
        ("webhook", {"address": "https://hooks.example.org:x/", "key": KEY}, "must look like https://"),
        ("webhook", {"address": "https://hooks.example.org/sesame", "key": "short"}, "at least 16 characters"),
        ("sql", {"url": "mysql://u@h/d", "table": "t"}, "Vertex writes to PostgreSQL and SQLite"),
        ("sql", {"url": "postgresql://u:sesame@h/d", "table": ""}, "required"),
        ("sql", {"url": "sqlite:////etc/x", "table": "t"}, "is not below a folder that is allowed"),
    ],
)
def test_what_cannot_be_used_is_refused_in_words(
    signed_in: Any, world: World, root: Path, kind: str, values: dict[str, str], said: str
) -> None:
    answer = new(signed_in("operator"), kind, **values)
    assert answer.status_code == 400
    text = answer.content.decode()
    assert said in text
    assert "sesame" not in text
    assert DeliveryTarget.objects.count() == 1


def test_secrets_are_written_once_and_never_shown(signed_in: Any, world: World, root: Path) -> None:
    client = signed_in("operator")
    new(client, "webhook", address="https://hooks.example.org/sesame", key=KEY)
    new(client, "sql", name="Table", url="postgresql://ada:sesame@db.example.org/shop", table="books")
    hook, table = DeliveryTarget.objects.get(name="Data team"), DeliveryTarget.objects.get(name="Table")
    assert open_secrets(hook) == {"url": "https://hooks.example.org/sesame", "key": KEY}
    assert open_secrets(table) == {"password": "sesame"}
    pages = [reverse("deliveries")]
    for target in (hook, table):
        pages += [reverse(name, args=[target.pk]) for name in ("delivery_target", "delivery_target_edit", "delivery_target_preview")]
    for page in pages:
        text = client.get(page).content.decode()
        assert "sesame" not in text, page
        assert KEY not in text, page
    assert "hooks.example.org/••••" in client.get(reverse("delivery_target", args=[hook.pk])).content.decode()
    admin = signed_in("admin")
    admin.get("/")
    client.post(reverse("delivery_target_edit", args=[hook.pk]), {**COMMON, "name": "Renamed"})
    hook.refresh_from_db()
    assert (hook.name, open_secrets(hook)["key"]) == ("Renamed", KEY)


def test_a_stored_password_is_not_sent_to_another_host(signed_in: Any, world: World, root: Path) -> None:
    client = signed_in("operator")
    place = {"host": "files.example.org", "port": "22", "user": "ada", "host_key": "SHA256:x"}
    new(client, "sftp", password="sesame", **place)
    target = DeliveryTarget.objects.get(name="Data team")
    address = reverse("delivery_target_edit", args=[target.pk])
    answer = client.post(address, {**COMMON, **place, "host": "evil.example.org"})
    assert answer.status_code == 400
    assert "Enter it again: “Host” has changed, and a secret is never sent to another place by itself." in answer.content.decode()
    answer = client.post(address, {**COMMON, "address": "https://evil.example.org/", **place, "folder": "deeper"})
    assert answer.status_code == 302


def test_a_target_that_leads_elsewhere_gets_everything(signed_in: Any, world: World, root: Path) -> None:
    client = signed_in("operator")
    new(client, "folder", folder="a", selection="changes")
    target = DeliveryTarget.objects.get(name="Data team")
    book = Ledger.objects.create(target=target)
    DeliveredRecord.objects.create(ledger=book, record=1, digest="x")
    address = reverse("delivery_target_edit", args=[target.pk])
    client.post(address, {**COMMON, "folder": "a", "selection": "changes", "name": "Other"})
    assert DeliveredRecord.objects.count() == 1
    client.post(address, {**COMMON, "folder": "b", "selection": "changes"})
    assert DeliveredRecord.objects.count() == 0


def test_a_dry_run_says_what_would_come_and_sends_nothing(signed_in: Any, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    text = signed_in("operator").get(reverse("delivery_target_preview", args=[world.delivery.target_id])).content.decode()
    assert "<b>6</b> records: 6 added." in " ".join(text.split())
    assert "Book 0" in text
    assert (Ledger.objects.count(), Delivery.objects.count()) == (0, 1)
    TrackedRecord.objects.all().delete()
    world.cluster.runs.all().delete()
    text = signed_in("operator").get(reverse("delivery_target_preview", args=[world.delivery.target_id])).content.decode()
    assert "It would fail: No records of Book have been released yet." in text


def test_buttons_queue_test_and_repeat(signed_in: Any, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    client, target = signed_in("operator"), world.delivery.target
    client.post(reverse("delivery_target_now", args=[target.pk]))
    client.post(reverse("delivery_target_now", args=[target.pk]))
    assert target.deliveries.filter(cause="hand").count() == 1, "one that waits is enough"
    monkeypatch.setattr(connect, "send_test", lambda _: "the receiver answers 500")
    page = client.post(reverse("delivery_target_test", args=[target.pk]), follow=True).content.decode()
    assert "The test of Shop failed: the receiver answers 500" in page
    client.post(reverse("delivery_again", args=[world.delivery.pk]))
    world.delivery.refresh_from_db()
    assert (world.delivery.state, world.delivery.error) == ("queued", "")


def test_a_target_is_deleted_when_its_name_is_typed(signed_in: Any, world: World) -> None:
    client, target = signed_in("operator"), world.delivery.target
    client.post(reverse("delivery_target_delete", args=[target.pk]), {"typed": "x"})
    assert DeliveryTarget.objects.exists()
    client.post(reverse("delivery_target_delete", args=[target.pk]), {"typed": "Shop"})
    assert not DeliveryTarget.objects.exists()


def test_the_list_takes_as_many_queries_for_many_targets(signed_in: Any, world: World, count_queries: Any) -> None:
    client = signed_in("viewer")
    few = count_queries(client, reverse("deliveries"))
    for n in range(5):
        copy = DeliveryTarget.objects.get(name="Shop")
        copy.pk, copy.name = None, f"Shop {n}"
        copy.save()
    assert count_queries(client, reverse("deliveries")) == few
    assert len(re.findall("data-item", client.get(reverse("deliveries")).content.decode())) == 6


def test_a_dry_run_that_does_not_compare_all_records_says_so(signed_in: Any, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    cut = previews.DeliveryPreview(changes=True, complete=False, lines=7, kinds={"added": 7})
    for preview, said in ((cut, "7 added"), (replace(cut, lines=0, kinds={}), "The receiver has all of them.")):
        monkeypatch.setattr(previews, "preview_target", lambda target, preview=preview: preview)
        text = signed_in("operator").get(reverse("delivery_target_preview", args=[world.delivery.target_id])).content.decode()
        assert "records were compared." in text and said in text


def test_a_dry_run_names_some_of_very_many_templates(signed_in: Any, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    made = previews.preview_target(world.delivery.target)
    many = replace(made, templates=[*made.templates] * 23)
    monkeypatch.setattr(previews, "preview_target", lambda _: many)
    text = words(signed_in("operator").get(reverse("delivery_target_preview", args=[world.delivery.target_id])))
    assert "As of the released runs of 23 templates" in text
    assert text.count(f'run <a href="{world.run.get_absolute_url()}') == 20 and "and 3 more." in text
