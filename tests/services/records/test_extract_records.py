"""Extraction: which pages get a record, what it contains, and that a run may die at any moment."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.db import IntegrityError, connection
from django.utils import timezone

from extraction import pipeline
from extraction.algorithms.dom.nodes import elements
from extraction.algorithms.dom.nodes import value as value_at
from extraction.algorithms.dom.parse import parse
from extraction.algorithms.rules import page_values
from extraction.algorithms.rules.rule import AttributeRule, RuleDefinition, Selector
from extraction.algorithms.sketches import shingles
from extraction.models import Cluster, Page, Record, RecordCount, Rule, Run, Snapshot
from extraction.models.rule_report import RuleReport
from extraction.services.core import lost_runs, runs, stored_bytes, stored_pages
from extraction.services.records import extract_records, records, tracking
from extraction.services.rules import rules
from tests.services import factory

pytestmark = pytest.mark.django_db

BOOK = RuleDefinition(
    (
        AttributeRule("title", mandatory=True, alternatives=(Selector("//h1/text()"),)),
        AttributeRule("price", "price", mandatory=True, alternatives=(Selector("//p[@class='price']/text()"),)),
        AttributeRule("author", multiple=True, alternatives=(Selector("//li[@class='author']/text()"),)),
    )
)


def live(cluster: Cluster, value: RuleDefinition = BOOK) -> Rule:
    return rules.publish_rule(rules.add_draft(cluster, value, report=RuleReport(), origin=Rule.Origin.LEARNED))


@pytest.fixture
def shop() -> Cluster:
    shop = factory.shop(12)
    live(shop)
    return shop


def done(run: Run) -> Run:
    assert pipeline.execute_run(run.pk)
    run.refresh_from_db()
    assert (run.state, run.error) == (Run.State.DONE, "")
    return run


def extract(cluster: Cluster) -> Run:
    return done(extract_records.start_extraction(cluster))


def record(url: str) -> Record:
    return Record.objects.get(snapshot__page__url=url)


def test_each_page_gives_a_record_with_typed_values_or_says_what_is_wrong(shop: Cluster, sent: list[int]) -> None:
    run = extract(shop)
    assert run.summary["records"] == run.summary["pages"] == 12
    assert (run.summary["complete"], run.summary["incomplete"], run.summary["failed"]) == (10, 2, 0)
    first = record("https://shop.example/book/1")
    assert first.state == Record.State.COMPLETE
    assert first.values == {
        "title": [{"raw": "Book 1", "value": "Book 1", "problem": ""}],
        "price": [{"raw": "£1.50", "value": "1.50 GBP", "problem": ""}],
        "author": [
            {"raw": "Writer 1", "value": "Writer 1", "problem": ""},
            {"raw": "Second 1", "value": "Second 1", "problem": ""},
        ],
    }
    without = record("https://shop.example/book/4")
    assert (without.state, without.reason) == (Record.State.INCOMPLETE, "price is missing")
    assert "price" not in without.values


def test_reasons_name_the_attribute_or_the_page(shop: Cluster, sent: list[int]) -> None:
    several = b"<h1>One</h1><h1>Two</h1><h1>Three</h1><h1>One</h1><p class='price'>5</p>"
    factory.snapshot(shop.site, "https://shop.example/book/several", several, cluster=shop)
    factory.snapshot(shop.site, "https://shop.example/book/none", b"<p>Out of print</p>", cluster=shop)
    factory.snapshot(shop.site, "https://shop.example/book/empty", b" ", cluster=shop)
    factory.snapshot(shop.site, "https://shop.example/book/bad", b"?", error="the page is not HTML")
    factory.snapshot(shop.site, "https://shop.example/about", b"?", error="the page is not HTML")
    gone = factory.snapshot(shop.site, "https://shop.example/book/gone", b"<h1>Gone</h1>", cluster=shop)
    Snapshot.objects.filter(pk=gone.pk).update(sha256="0" * 64)
    run = extract(shop)
    said = {name: record(f"https://shop.example/book/{name}") for name in ("several", "none", "empty", "bad", "gone")}
    assert {name: (each.state, each.reason) for name, each in said.items()} == {
        "several": ("incomplete", "title has 3 values, but only one is allowed"),
        "none": ("failed", "Nothing was found on the page"),
        "empty": ("failed", "The page cannot be read: the page is empty"),
        "bad": ("failed", "The page cannot be read: the page is not HTML"),
        "gone": ("failed", "The page cannot be read: the stored bytes of the page are missing"),
    }
    assert run.summary["unreadable"] == 1
    assert [row["raw"] for row in said["several"].values["title"]] == ["One", "Two", "Three"]


def test_an_attribute_that_fails_on_a_page_leaves_the_others_their_values(sent: list[int]) -> None:
    shop = factory.shop(3)
    broken = AttributeRule("author {1}", alternatives=(Selector("//li[count(string(.)) > 0]"),))
    live(shop, RuleDefinition((*BOOK.attributes[:2], broken)))
    run = extract(shop)
    found = record("https://shop.example/book/1")
    assert (found.state, found.values["title"][0]["raw"], found.values["price"][0]["value"]) == ("incomplete", "Book 1", "1.50 GBP")
    assert found.reason.startswith("the XPath of author {1} cannot be evaluated on this page")
    assert run.summary["failed"] == 0


def test_a_run_without_any_record_gives_the_most_common_reason(sent: list[int]) -> None:
    shop = factory.shop(3)
    live(shop, RuleDefinition((AttributeRule("title", alternatives=(Selector("//h6"),)),)))
    run = extract(shop)
    assert (run.summary["failed"], run.summary["reason"]) == (3, "Nothing was found on the page")


def test_addresses_are_made_absolute_and_the_pages_language_is_used(shop: Cluster, sent: list[int]) -> None:
    value = RuleDefinition(
        (
            AttributeRule("link", "url", alternatives=(Selector("//a/@href"),)),
            AttributeRule("weight", "number", alternatives=(Selector("//i"),)),
        )
    )
    live(shop, value)
    page = "<html lang='de'>{}<a href='more'>x</a><i>1.234</i></html>"
    factory.snapshot(shop.site, "https://shop.example/book/x", page.format("").encode(), cluster=shop)
    factory.snapshot(shop.site, "https://shop.example/book/y", page.format("<base href='/b/'>").encode(), cluster=shop)
    factory.snapshot(shop.site, "file-name.html", page.format("").encode(), cluster=shop)
    extract(shop)
    links = [record(url).values["link"][0]["value"] for url in ("https://shop.example/book/x", "https://shop.example/book/y")]
    assert links == ["https://shop.example/book/more", "https://shop.example/b/more"]
    assert record("file-name.html").values["link"][0]["value"] is None
    assert record("file-name.html").values["link"][0]["problem"]
    assert record("file-name.html").values["weight"][0]["value"] == "1234"


def test_new_pages_are_matched_by_url_and_then_by_vector(shop: Cluster, sent: list[int]) -> None:
    like, unlike = factory.book_html("New"), b"<html><body>" + b"<table><tr><td>x</td></tr></table>" * 9 + b"</body></html>"
    mask = shingles.Mask(shingles.compute_vector(like)).text()
    Cluster.objects.filter(pk=shop.pk).update(masks=[mask])
    for name, content in {"book/new": like, "book/odd": unlike, "about/new": like}.items():
        factory.snapshot(shop.site, f"https://shop.example/{name}", content)
    stored = f"{shingles.compute_vector(like):016x}"
    known = factory.snapshot(shop.site, "https://shop.example/book/known", b"<h1>Says it is like</h1>", vector=stored)
    Snapshot.objects.filter(pk=known.pk).update(scheme=shingles.SCHEME)
    old = factory.snapshot(shop.site, "https://shop.example/book/old", unlike, vector=stored)
    Snapshot.objects.filter(pk=old.pk).update(scheme="older/0")
    run = extract(shop)
    found = set(Record.objects.values_list("snapshot__page__url", flat=True))
    assert {"https://shop.example/book/new", "https://shop.example/book/known"} <= found
    assert found.isdisjoint({f"https://shop.example/{name}" for name in ("book/odd", "about/new", "book/old")})
    assert run.summary["unmatched"] == 3
    assert Snapshot.objects.get(page__url="https://shop.example/book/new").cluster is None


def test_pages_of_another_template_are_left_alone_even_if_it_has_no_rule(shop: Cluster, sent: list[int]) -> None:
    other = factory.cluster(shop.site, number=2, patterns=["shop.example/*"])
    factory.snapshot(shop.site, "https://shop.example/list/1", factory.book_html("List"), cluster=other)
    done(extract_records.start_site_extraction(shop.site))
    assert set(Record.objects.values_list("cluster_id", flat=True)) == {shop.pk}
    assert Record.objects.count() == 12


def test_a_site_run_serves_every_live_rule(shop: Cluster, sent: list[int]) -> None:
    other = factory.cluster(shop.site, number=2)
    factory.snapshot(shop.site, "https://shop.example/list/1", factory.book_html("List"), cluster=other)
    live(other)
    run = done(extract_records.start_site_extraction(shop.site))
    assert run.summary["records"] == 13
    assert Record.objects.get(cluster=other).rule.cluster == other


def test_running_again_changes_no_record_and_the_newest_content_counts(shop: Cluster, sent: list[int]) -> None:
    extract(shop)
    before = dict(Record.objects.values_list("snapshot_id", "values"))
    second = extract(shop)
    assert dict(Record.objects.values_list("snapshot_id", "values")) == before
    assert set(Record.objects.values_list("run_id", flat=True)) == {second.pk}
    newer = factory.snapshot(shop.site, "https://shop.example/book/0", factory.book_html("Book 0, revised"), cluster=shop)
    third = extract(shop)
    assert Record.objects.count() == 12
    assert record("https://shop.example/book/0").snapshot == newer
    assert third.summary["removed"] == 0, "the earlier record was replaced"


def test_the_record_of_a_page_that_left_the_template_is_kept_until_its_page_has_another(shop: Cluster, sent: list[int]) -> None:
    extract(shop)
    other = factory.cluster(shop.site, number=2)
    Snapshot.objects.filter(page__url="https://shop.example/book/3").update(cluster=other)
    assert extract(shop).summary["removed"] == 0
    figures = RecordCount.objects.all().figures()
    assert (figures[shop.pk].total, figures[shop.pk].elsewhere, other.pk in figures) == (11, 1, False)
    live(other)
    extract(other)
    counted = {cluster: (each.total, each.elsewhere) for cluster, each in RecordCount.objects.all().figures().items()}
    assert counted == {shop.pk: (11, 0), other.pk: (1, 0)}


def test_records_that_another_run_wrote_in_the_meantime_are_kept(shop: Cluster, sent: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    late = factory.snapshot(
        shop.site, "https://shop.example/book/late", factory.book_html("Late"), cluster=factory.cluster(shop.site, number=2)
    )
    other = Run.objects.create(site=shop.site, kind=Run.Kind.EXTRACT)
    really = extract_records._remove_stale

    def remove(run: Run, ids: Any) -> int:
        Record.objects.create(
            snapshot=late,
            cluster=shop,
            rule=Rule.objects.get(),
            run=other,
            state="complete",
            extracted_at=timezone.now() + timedelta(seconds=1),
        )
        return really(run, ids)

    monkeypatch.setattr(extract_records, "_remove_stale", remove)
    extract(shop)
    assert Record.objects.filter(run=other).count() == 1


def test_there_must_be_a_live_rule_when_it_starts_and_when_it_runs(shop: Cluster, sent: list[int]) -> None:
    run = extract_records.start_extraction(shop)
    rules.retire_rule(Rule.objects.get())
    pipeline.execute_run(run.pk)
    run.refresh_from_db()
    assert (run.state, run.error) == (Run.State.FAILED, "Version 1 of the rule of Template 1 is no longer live. Start a new run.")
    for start in (lambda: extract_records.start_extraction(shop), lambda: extract_records.start_site_extraction(shop.site)):
        with pytest.raises(runs.JobError, match=r"has no live rule\. Publish one first"):
            start()
    shop.ignored = True
    with pytest.raises(runs.JobError, match="is ignored"):
        extract_records.start_extraction(shop)


def test_a_run_whose_template_was_deleted_ends_with_a_reason(shop: Cluster, sent: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise IntegrityError("foreign key")

    monkeypatch.setattr(tracking, "track_records", fail)
    run = extract_records.start_extraction(shop)
    pipeline.execute_run(run.pk)
    run.refresh_from_db()
    assert run.error == "Templates or pages were changed while records were extracted. Start a new run."


def test_a_restarted_run_does_not_repeat_finished_pages(shop: Cluster, sent: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extract_records, "BATCH", 5)
    read = stored_pages.read_root
    seen: list[int] = []

    def dying(source: stored_pages.StoredPage) -> Any:
        if len(seen) == 7:
            raise MemoryError
        seen.append(source.snapshot_id)
        return read(source)

    monkeypatch.setattr(stored_pages, "read_root", dying)
    run = extract_records.start_extraction(shop)
    with pytest.raises(MemoryError):
        pipeline.execute_run(run.pk)
    assert Record.objects.count() == 5
    Run.objects.update(state=Run.State.QUEUED, claimed_by="")

    def living(source: stored_pages.StoredPage) -> Any:
        seen.append(source.snapshot_id)
        return read(source)

    monkeypatch.setattr(stored_pages, "read_root", living)
    done(run)
    assert Record.objects.count() == 12
    assert sorted(seen) == sorted([*Snapshot.objects.values_list("pk", flat=True), *seen[5:7]])


def test_a_value_leads_to_its_place(shop: Cluster, sent: list[int]) -> None:
    extract(shop)
    found = record("https://shop.example/book/1")
    nodes = elements(parse(stored_bytes.get_bytes(found.snapshot.sha256)).root)
    assert value_at(nodes, records.find_place(found, "author", 1)) == "Second 1"
    assert value_at(nodes, records.find_place(found, "price")) == "£1.50"
    with pytest.raises(records.PlaceError, match="no value 3 of author"):
        records.find_place(found, "author", 2)
    found.values["title"][0]["raw"] = "Another"
    with pytest.raises(records.PlaceError, match="“Another” is no longer found on the page"):
        records.find_place(found, "title")


def test_too_many_values_are_cut_off_and_the_record_says_so(shop: Cluster, sent: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_values, "MAX_VALUES", 1)
    extract(shop)
    found = record("https://shop.example/book/1")
    assert found.reason == "author has 2 values, of which 1 are kept"
    assert len(found.values["author"]) == 1


@pytest.fixture
def worker() -> Iterator[list[subprocess.Popen[bytes]]]:
    started: list[subprocess.Popen[bytes]] = []
    yield started
    for process in started:
        process.kill()
        process.wait()


@pytest.mark.django_db(transaction=True)
def test_a_worker_killed_in_the_middle_neither_loses_nor_duplicates_records(worker: list[Any], sent: list[int]) -> None:
    shop = factory.shop(60)
    live(shop)
    run = extract_records.start_extraction(shop)
    code = (
        "import os, time, django; django.setup()\n"
        "from extraction import pipeline\n"
        "from extraction.services.core import stored_pages\n"
        "from extraction.services.records import extract_records\n"
        "extract_records.BATCH = 4\n"
        "read = stored_pages.read_root\n"
        "stored_pages.read_root = lambda source: (time.sleep(0.02), read(source))[1]\n"
        f"pipeline.execute_run({run.pk})\n"
    )
    name = str(connection.settings_dict["NAME"])
    environment = os.environ | {"DJANGO_SETTINGS_MODULE": "vertex.settings", "VERTEX_DATABASE_URL": url_of_test_database(name)}
    worker.append(subprocess.Popen([sys.executable, "-c", code], env=environment, cwd=django_settings.BASE_DIR))
    until = time.monotonic() + 60
    while Record.objects.count() < 8 and time.monotonic() < until:
        time.sleep(0.02)
    worker[0].send_signal(signal.SIGKILL)
    worker[0].wait()
    half = dict(Record.objects.values_list("snapshot_id", "extracted_at"))
    assert 8 <= len(half) < 60
    run.refresh_from_db()
    assert run.state == Run.State.RUNNING
    assert lost_runs.sweep_runs() == 1
    done(run)
    assert Record.objects.count() == Page.objects.count() == 60
    kept = dict(Record.objects.filter(pk__in=Record.objects.values("pk"), snapshot_id__in=half).values_list("snapshot_id", "extracted_at"))
    assert kept == half, "what was done was done again"
    assert run.summary["records"] == 60


def url_of_test_database(name: str) -> str:
    if connection.vendor == "sqlite":
        return f"sqlite:///{Path(name)}?timeout=30"
    options = connection.settings_dict
    return f"postgres://{options['USER']}:{options['PASSWORD']}@{options['HOST']}:{options['PORT'] or 5432}/{name}"


def test_a_record_type_is_extracted_on_each_site_with_the_rules_that_work(shop: Cluster, sent: list[int]) -> None:
    assert shop.record_type
    other = factory.cluster(factory.site("Other"), kind=shop.record_type)
    with pytest.raises(runs.JobError, match=r"No template of Magazine has a live rule that works"):
        extract_records.start_type_extraction(factory.record_type({"name": "text"}, name="Magazine"))
    (only,) = extract_records.start_type_extraction(shop.record_type)
    assert (only.site, only.read_parameters().rules) == (shop.site, tuple(Rule.objects.values_list("pk", flat=True)))
    factory.put(Run.objects.all(), Run.State.CANCELLED)
    live(other)
    started = extract_records.start_type_extraction(shop.record_type)
    assert [each.site.name for each in started] == ["Books", "Other"]
    assert [len(each.read_parameters().rules or ()) for each in started] == [1, 1]


def test_a_run_whose_rule_was_deleted_or_has_broken_meanwhile_ends_with_the_reason(shop: Cluster, sent: list[int]) -> None:
    def fail(run: Run) -> str:
        pipeline.execute_run(run.pk)
        run.refresh_from_db()
        assert run.state == Run.State.FAILED
        return run.error

    gone = extract_records.start_extraction(shop)
    number = Rule.objects.get().pk
    gone.parameters = gone.parameters | {"rules": [number, number + 1]}
    gone.save()
    assert fail(gone) == "A rule of this run no longer exists. Start a new run."
    stale = extract_records.start_extraction(shop)
    stale.parameters = stale.parameters | {"stale_only": True}
    stale.save()
    Rule.objects.update(state=Rule.State.BROKEN)
    assert fail(stale) == "The rule of Template 1 has broken meanwhile. Start a new run."
