"""Every address of the dashboard at which a person changes something writes to the audit log, in the transaction of the change."""

import json
import re
from collections.abc import Callable
from io import BytesIO
from ipaddress import ip_address
from typing import Any
from zipfile import ZipFile

import pyotp
import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.http import QueryDict
from django.urls import reverse
from django.utils import timezone

from annotations.urls import urlpatterns as workbench_addresses
from extraction.fetching import url_safety
from extraction.forms.fetching import FetchingForm
from extraction.models import (
    AlertChannel,
    AuditEntry,
    Breakage,
    Cluster,
    Correction,
    ExternalIdentity,
    Label,
    MergeProposal,
    Page,
    QualityRule,
    RecordType,
    RefreshSchedule,
    Run,
    RunRelease,
    SecondFactor,
    Site,
    Snapshot,
    Team,
)
from extraction.services.core import (
    audit,
    second_factors,
    stored_bytes,
)
from tests.services import factory
from tests.translations.catalogues import list_texts, read_catalogue
from tests.views.core.test_access import ACT, BOTH, names
from tests.views.schema.test_record_types import record_type_form
from tests.views.world import World, draft

SECRET = "s3cret-hunter2-s3cret"
"""Entered wherever a password, a token or an address with one is entered."""

USUAL = {"page_limit": "500", "delay_s": "0.5", "concurrency": "4", "rendered": "never", "find_sitemaps": "on", "obey_robots": "on"}
SCHEDULE = {"mode": "times", "times": "18:00", "zone": "UTC", "every_hours": "", "cron": "", "max_pages": "50"}
CHANNEL = {"name": "New", "url": f"json://user:{SECRET}@10.0.0.1/", "events": ["break"], "enabled": "on"}
PASSWORDS = {"old_password": SECRET, "new_password1": f"{SECRET}2", "new_password2": f"{SECRET}2"}
TARGET = {"name": "Prices", "columns": ["title"], "mode": "runs", "enabled": "on", "values": "both"}

Prepared = tuple[dict[str, Any], str] | dict[str, Any]
"""What is posted, and the query of the address."""

UNLOGGED = {
    "first_steps_close": "it hides a hint for the person alone",
    "cluster_same_all": "it merges templates by the service of cluster_merge",
    "site_files_import": "it needs an upload that was looked at; tests/services/core/test_audit.py imports a site",
    "site_files_upload": "it shows what an import would change, and changes nothing",
    "site_place_undo": "it moves pages by the service of site_place",
    "provider_link": "it leads to the provider; test_provider.py looks at what comes after",
    "site_sign_in": "it needs a site that answers; tests/e2e/test_sign_in_setup.py looks at the log",
    "site_sign_in_try": "it signs in and changes no settings",
    "notices_read": "it says that one has seen something, and changes nothing for others",
    "alert_channel_test": "it sends a test and changes nothing",
    "breakage_annotate": "it opens the workbench",
    "site_check_annotate": "it opens the workbench",
    "breakage_looks": "it starts a run, if styles are missing; tests/services has the log of runs",
    "changes_download": "it stores a file for the person's own download",
    "cluster_suggest": "what is taken is written by services that the workbench uses, too: record types and marked values",
    "cluster_suggest_lists": "the same",
    "cluster_suggest_proposed": "the same",
    "cluster_wrapper": "the same",
    "delivery_target_test": "it sends a test and changes nothing",
    "record_type_changes": "it stores a file for the person's own download",
    "record_type_quality_suggest": "what is taken is written by the service that creates quality rules",
    "rule_cleanup_preview": "it changes nothing",
    "rule_preview": "it changes nothing",
    "workbench_load_looks": "it starts a run, if styles are missing",
    "workbench_publish": "it publishes by the same service as rule_publish",
}
"""Addresses that accept a POST and write no entry of their own, and why."""

WORKBENCH = {"workbench_record_type", "workbench_label", "workbench_undo", "workbench_redo", "workbench_learn"}


def find_cluster_two(world: World) -> Cluster:
    return Cluster.objects.create(site=world.site, number=2, record_type=world.record_type)


def attributes(kind: RecordType) -> dict[str, str]:
    """The form of the record type, with its first attribute renamed."""
    rows = [
        {"id": str(each.pk), "name": each.name, "type": each.type}
        | {name: "on" for name in ("mandatory", "multiple") if getattr(each, name)}
        for each in kind.attributes.all()
    ]
    rows[0]["name"] = "heading"
    return record_type_form(*rows, name=kind.name)


def archive() -> SimpleUploadedFile:
    file = BytesIO()
    with ZipFile(file, "w") as packed:
        packed.writestr("a.html", "<p>a page</p>")
    return SimpleUploadedFile("pages.zip", file.getvalue())


def end_runs(_: World) -> Prepared:
    factory.put(Run.objects.unfinished(), Run.State.DONE)
    return {}


def start_run(world: World) -> Prepared:
    factory.put(Run.objects.filter(pk__in=(world.run.pk, world.crawl.pk)), Run.State.QUEUED)
    return {}


def fail_run(world: World) -> Prepared:
    factory.put(Run.objects.filter(pk=world.run.pk), Run.State.FAILED)
    return {"known": "1"}


def resume(world: World) -> Prepared:
    factory.put(Run.objects.filter(pk=world.crawl.pk), Run.State.PAUSED)
    return {}


def import_without_page(world: World) -> Prepared:
    Run.objects.filter(pk=world.run.pk).update(kind=Run.Kind.IMPORT, cluster=None)
    return {}


def hold(world: World) -> Prepared:
    RunRelease.objects.update(state=RunRelease.State.HELD, decided_at=None)
    return {"decision": "release", "note": "looked at"}


def open_breakage(world: World, *, repaired: bool = False) -> Prepared:
    Breakage.objects.update(state=Breakage.State.OPEN, closed_at=None, proposal=draft(world.cluster) if repaired else None)
    return {"doubtful": "1"}


def propose(world: World) -> Prepared:
    row = MergeProposal.objects.create(into=world.cluster, other=find_cluster_two(world), kind="same")
    return {"proposal": row.pk, "answer": "refuse"}


def own_correction(world: World) -> Prepared:
    world.correction()
    return {}


def review_correction(world: World) -> Prepared:
    world.correction()
    Correction.objects.update(state="review", found=["Book 0"])
    return {}


def schedule(world: World, cluster: Cluster | None = None) -> Prepared:
    RefreshSchedule.objects.create(site=world.site, cluster=cluster, next_due_at=timezone.now())
    return {"action": "pause"}


def unpublished(world: World) -> Prepared:
    type(world.rule).objects.filter(pk=world.rule.pk).update(state="retired")
    return {"despite_doubts": "1"}


def new_quality_rule(world: World) -> Prepared:
    price = world.record_type.attributes.get(name="price")
    return {"low": "0", "high": "9", "currency": "", "share": "100", "weight": "warn"}, f"?kind=range&about=attribute-{price.pk}"


def quality_rule(world: World) -> Prepared:
    limits = {"low": "0"}
    QualityRule.objects.create(
        record_type=world.record_type, attribute=world.record_type.attributes.get(name="price"), kind="range", limits=limits
    )
    return {"low": "1", "high": "", "currency": "", "share": "100", "weight": "block", "on": "0"}


def same_join(world: World) -> Prepared:
    lists = world.record_type.lists.create(name="offers")
    link = world.record_type.attributes.create(name="link", type="url", list=lists, position=9)
    return {"name": "New", "detail": world.cluster.pk, "list-0": f"{world.cluster.pk}:{lists.pk}", "by-0": "link", "link-0": link.pk}


def ready_join(world: World) -> Prepared:
    from extraction.forms.joins import JoinForm
    from extraction.services.joins import plans

    end_runs(world)
    data = QueryDict(mutable=True)
    for name, value in same_join(world).items():  # type: ignore[union-attr]
        data[name] = str(value)
    plans.save_plan(world.site, JoinForm(data).read_plan(), world.joined.join)
    return {}


def fetch_with_secrets(world: World) -> Prepared:
    usual = FetchingForm(site=world.site).initial
    sent = {name: value for name, value in usual.items() if value not in (None, False, []) and not isinstance(value, dict)}
    return sent | {"headers": f"Authorization: {SECRET}", "cookies": f"id={SECRET}", "proxy": ""}


def choose_key(world: World) -> Prepared:
    return {"keys": [world.record_type.attributes.get(name="title").pk], "gone_after": 2, "confirmed": "1"}


def begin_factor(_: World) -> Prepared:
    factor = second_factors.begin_factor(User.objects.get_or_create(username="admin")[0])
    return {"code": pyotp.TOTP(second_factors.read_secret(factor)).now()}


def own_factor(world: World) -> Prepared:
    said = begin_factor(world)
    SecondFactor.objects.update(confirmed_at=timezone.now())
    return said


def own_identity(world: World) -> Prepared:
    ExternalIdentity.objects.create(user=User.objects.get(username="admin"), issuer="https://login.example.org", subject="1")
    return {}


def factor_of_somebody(_: World) -> Prepared:
    second_factors.begin_factor(User.objects.get_or_create(username="somebody")[0])
    return {}


def leave_empty_team(world: World) -> Prepared:
    other = Team.objects.create(name="Films", slug="films")
    Site.objects.update(team=other)
    RecordType.objects.update(team=other)
    AlertChannel.objects.update(team=other)
    return {}


def site_of_other_team(_: World) -> Prepared:
    Site.objects.create(name="Cinema", slug="cinema", team=Team.objects.create(name="Films", slug="films"))
    return {"site": "cinema"}


def free_type(world: World) -> Prepared:
    world.delivery.target.delete()
    Cluster.objects.update(record_type=None)
    return {}


def choose_film(_: World) -> Prepared:
    factory.record_type(name="Film")
    Label.objects.all().delete()
    return {"record_type": "film"}


def mark(world: World) -> Prepared:
    page = Snapshot.objects.filter(cluster=world.cluster).order_by("pk")[1]
    place = factory.text_at(stored_bytes.get_bytes(page.sha256), "Book 1").as_json()
    title = world.record_type.attributes.get(name="title")
    return {"page": page.pk, "changes": [{"attribute": title.pk, "locations": [place]}]}


CHANGES: dict[str, tuple[Callable[[World], Prepared], str]] = {
    "account_reader": (lambda _: {"language": "de", "zone": "Europe/Berlin"}, "person.reader"),
    "account_email": (lambda _: {"email": "ann@example.org"}, "person.email"),
    "session_end": (lambda _: {}, "person.session_ended"),
    "sessions_end_others": (lambda world: {"kept": world.session().pk}, "person.session_ended"),
    "person_edit": (lambda _: {"role": "viewer", "active": "on"}, "person.saved"),
    "team_new": (lambda _: {"name": "Films"}, "team.created"),
    "factor_setup": (begin_factor, "person.factor_set"),
    "factor_remove": (own_factor, "person.factor_removed"),
    "provider_unlink": (own_identity, "person.identity_removed"),
    "factor_codes": (own_factor, "person.recovery_codes"),
    "factor_reset": (factor_of_somebody, "person.factor_removed"),
    "team_factor": (lambda _: {"required": "on"}, "team.changed"),
    "team_rename": (lambda _: {"name": "Books"}, "team.changed"),
    "team_delete": (leave_empty_team, "team.deleted"),
    "team_member": (lambda _: {"name": "somebody", "role": "editor"}, "team.member"),
    "team_member_remove": (lambda _: {}, "team.member"),
    "team_site_move": (site_of_other_team, "team.site_moved"),
    "invitation_new": (lambda _: {"note": "Bo", "role": "editor", "days": "7"}, "person.invited"),
    "invitation_revoke": (lambda _: {}, "person.invitation_revoked"),
    "alert_again": (lambda _: {}, "alert.resent"),
    "alert_channel": (
        lambda _: CHANNEL,
        "alert.saved",
    ),
    "alert_channel_delete": (lambda _: {}, "alert.deleted"),
    "alert_channel_new": (lambda _: CHANNEL, "alert.saved"),
    "api_token_new": (lambda _: {"name": "Night", "scopes": ["read"], "days": "30"}, "token.created"),
    "api_token_revoke": (lambda _: {}, "token.revoked"),
    "breakage_accept": (lambda world: open_breakage(world, repaired=True), "breakage.accepted"),
    "breakage_dismiss": (open_breakage, "breakage.dismissed"),
    "breakage_assign": (lambda _: {"person": "admin"}, "comment.assigned"),
    "breakage_comment": (lambda _: {"text": "Who looks at this?"}, "comment.added"),
    "cluster_assign": (lambda _: {"person": "admin"}, "comment.assigned"),
    "cluster_comment": (lambda _: {"text": "Who looks at this?"}, "comment.added"),
    "comment_delete": (lambda _: {}, "comment.deleted"),
    "cluster_ignore": (lambda _: {"ignored": "1"}, "template.changed"),
    "cluster_merge": (lambda world: {"clusters": [1, find_cluster_two(world).number]}, "template.merged"),
    "cluster_refresh_control": (lambda world: schedule(world, world.cluster), "schedule.changed"),
    "cluster_refresh_now": (end_runs, "run.started"),
    "cluster_refresh_schedule": (lambda _: SCHEDULE, "schedule.changed"),
    "cluster_rename": (lambda _: {"name": "Novels"}, "template.changed"),
    "cluster_same": (propose, "template.merge_refused"),
    "cluster_start": (end_runs, "run.started"),
    "cluster_type": (choose_film, "template.changed"),
    "correction_end": (own_correction, "correction.ended"),
    "correction_keep": (review_correction, "correction.kept"),
    "correction_save": (lambda _: {"attribute": "title", "seen": json.dumps(["Book 0"]), "values": "Emma"}, "correction.made"),
    "crawl_extract": (end_runs, "run.started"),
    "crawl_start": (end_runs, "run.started"),
    "delivery_again": (lambda _: {}, "delivery.queued"),
    "delivery_target_delete": (lambda _: {"typed": "Shop"}, "delivery.deleted"),
    "delivery_target_edit": (lambda _: {**TARGET, "address": f"https://hooks.example.org/{SECRET}", "key": SECRET}, "delivery.changed"),
    "delivery_target_new": (lambda _: ({**TARGET, "folder": "books", "format": "csv"}, "?type=book&kind=folder"), "delivery.created"),
    "delivery_target_now": (lambda _: {"everything": "1"}, "delivery.queued"),
    "extract_start": (end_runs, "run.started"),
    "join_delete": (lambda _: {}, "join.deleted"),
    "join_edit": (same_join, "join.saved"),
    "join_make": (ready_join, "run.started"),
    "join_new": (same_join, "join.saved"),
    "page_delete": (end_runs, "page.deleted"),
    "password_change": (
        lambda _: {"old_password": SECRET, "new_password1": SECRET + "2", "new_password2": SECRET + "2"},
        "person.password",
    ),
    "quality_rule": (quality_rule, "quality.changed"),
    "quality_rule_delete": (quality_rule, "quality.deleted"),
    "quality_rule_switch": (quality_rule, "quality.changed"),
    "record_type": (lambda world: attributes(world.record_type) | {"drop_labels": "1", "break_readers": "1"}, "record_type.changed"),
    "record_type_delete": (free_type, "record_type.deleted"),
    "record_type_keys": (
        choose_key,
        "record_type.keys",
    ),
    "record_type_new": (lambda _: record_type_form({"name": "title"}), "record_type.created"),
    "record_type_quality_new": (new_quality_rule, "quality.created"),
    "record_type_run": (end_runs, "run.started"),
    "record_type_token": (lambda _: {"name": "Prices"}, "token.created"),
    "release_decide": (hold, "quality.released"),
    "rule_cleanup": (lambda _: {"attribute": "title", "kind-0": "trim", "text-0": "Bok "}, "rule.drafted"),
    "rule_edit": (lambda _: {"attribute": "title", "xpath": "//title/text()"}, "rule.drafted"),
    "rule_learn": (end_runs, "run.started"),
    "rule_publish": (unpublished, "rule.published"),
    "rule_losses_acknowledge": (lambda _: {}, "rule.losses_known"),
    "rule_retire": (lambda _: {}, "rule.retired"),
    "run_acknowledge": (fail_run, "run.acknowledged"),
    "run_cancel": (start_run, "run.cancelled"),
    "run_mark_absent": (import_without_page, "page.gone"),
    "run_pause": (start_run, "run.paused"),
    "run_resume": (resume, "run.resumed"),
    "site_check_now": (end_runs, "run.started"),
    "site_delete": (lambda world: {"typed": world.site.name}, "site.deleted"),
    "site_fetching": (fetch_with_secrets, "site.fetching"),
    "site_import": (lambda world: end_runs(world) or {"file": archive()}, "run.started"),
    "site_lab_adopt": (end_runs, "run.started"),
    "site_lab_labels": (lambda world: {"confirm": world.cluster.number}, "page.labelled"),
    "site_lab_start": (lambda world: end_runs(world) or {"methods": ["lsh"]}, "run.started"),
    "site_lab_usual": (end_runs, "run.started"),
    "site_monitor": (lambda _: {"every_hours": "6", "auto_repair": "on"}, "monitor.changed"),
    "site_check_accept": (lambda _: {}, "check.accepted"),
    "site_silence": (lambda _: {"known": "1"}, "monitor.silence"),
    "site_new": (lambda _: {"address": "https://www.other.example/", **USUAL}, "site.created"),
    "site_new_upload": (lambda _: {"name": "Upload", "file": archive()}, "site.created"),
    "site_place": (lambda _: {"pages": [Page.objects.order_by("pk")[0].pk], "into": "new"}, "page.moved"),
    "site_refresh_control": (schedule, "schedule.changed"),
    "site_refresh_now": (end_runs, "run.started"),
    "site_refresh_schedule": (lambda _: SCHEDULE, "schedule.changed"),
    "site_settings": (lambda _: {"name": "Novels", "address": ""}, "site.changed"),
    "source_edit": (lambda _: {"addresses": "https://www.other.example/", **USUAL}, "site.source"),
    "token_revoke": (lambda _: {}, "token.revoked"),
    "workbench_label": (mark, "template.marked"),
    "workbench_learn": (end_runs, "run.started"),
    "workbench_record_type": (choose_film, "template.changed"),
    "workbench_redo": (mark, "template.marked"),
    "workbench_undo": (mark, "template.marked"),
}
"""Each address: what makes it change something, and the kind of the entry."""

RAW = re.compile(r"[{}\[\]]|\b(None|True|False)\b|<\w|\b[a-z]+_[a-z_]+\b")
"""What a value looks like that was written as the code has it, and not in words."""


def list_german() -> set[str]:
    """Return the German texts that are not English texts, too."""
    entries = list(list_texts(read_catalogue("de", "django")))
    english = {form.casefold() for text, _ in entries for form in text}
    return {form.casefold() for _, forms in entries for form in forms} - english


@pytest.fixture
def world(db: None, kept_world: World) -> World:
    """The site that all tests of this module share. What a test changes is rolled back."""
    return kept_world


@pytest.fixture(autouse=True)
def internet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(url_safety, "resolve_host", lambda *_: [ip_address("93.184.215.14")])


@pytest.fixture(scope="module")
def german() -> set[str]:
    return list_german()


@pytest.fixture
def changer(client: Any, person: Callable[[str], Any]) -> Any:
    admin = person("admin")
    admin.set_password(SECRET)
    admin.save()
    client.force_login(admin)
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = "de"
    return client


def send(client: Any, world: World, name: str, prepared: Prepared) -> Any:
    data, query = prepared if isinstance(prepared, tuple) else (prepared, "")
    of_template = name.startswith("workbench") or name == "correction_keep"
    args = [world.site.slug, world.cluster.number] if of_template else world.address(name)
    if name == "correction_keep":  # the world would make another one, which is in use
        args = [world.site.slug, world.cluster.number, Correction.objects.get().pk]
    if name in ("workbench_undo", "workbench_redo"):
        client.post(reverse("workbench_label", args=args), json.dumps(data), content_type="application/json")
        if name == "workbench_redo":
            client.post(reverse("workbench_undo", args=args), "{}", content_type="application/json")
        AuditEntry.objects.all().delete()
        data = {}
    if name.startswith("workbench") and name != "workbench_record_type":
        return client.post(reverse(name, args=args), json.dumps(data), content_type="application/json")
    return client.post(reverse(name, args=args) + query, data)


def test_every_address_that_accepts_a_post_is_in_these_tables() -> None:
    assert not set(CHANGES) & set(UNLOGGED)
    posts = {"workbench_publish", "workbench_load_looks", *WORKBENCH}
    assert posts <= names(workbench_addresses)
    assert {*ACT, *BOTH, *posts} == {*CHANGES, *UNLOGGED}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_is_in_the_log_with_its_person_and_without_secrets(
    world: World, changer: Any, settings: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch, german: set[str], name: str
) -> None:
    settings.VERTEX_DELIVERY_DIRS = [str(tmp_path)]
    # The tests run in a transaction of their own, so an entry outside of the change's own would go unnoticed.
    depth = len(connection.atomic_blocks)
    monkeypatch.setattr(audit, "_require_transaction", lambda: inside.append(len(connection.atomic_blocks) > depth))
    inside: list[bool] = []
    prepared = CHANGES[name][0](world)
    AuditEntry.objects.all().delete()
    answer = send(changer, world, name, prepared)
    entries = list(AuditEntry.objects.all())
    assert CHANGES[name][1] in {each.kind for each in entries}, (answer.status_code, answer.content.decode()[:3000])
    assert all(inside)
    assert {(each.by_name, each.source) for each in entries} == {("admin", "dashboard")}
    assert SECRET not in json.dumps(list(AuditEntry.objects.values_list("what", "text", "address", "site_name", "token")))
    for each in entries:
        assert not RAW.search(each.text), each.text
        assert not german & set(re.split(r" → |: |, |\n", each.text.casefold())), each.text
