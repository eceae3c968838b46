"""Breakages on their screens: the queue, the review with its pages, accepting and dismissing, and the Monitoring tab."""

import io
import json
import re
from datetime import timedelta
from functools import cache
from typing import Any
from urllib.parse import unquote

import pytest
from django.core.management import call_command
from django.urls import reverse

from extraction import pipeline
from extraction.algorithms.monitoring.relearning import relearn_attribute
from extraction.algorithms.rules.rule import AttributeRule
from extraction.models import Attribute, Breakage, Check, Cluster, Monitor, Page, Record, RecordType, Rule, Run, Snapshot, Source
from extraction.services.core import runs
from extraction.services.intake import crawl_site, load_assets
from extraction.services.monitoring import breakages, repairs
from extraction.services.templates import cluster_pages
from extraction.views import home_view
from extraction.views.monitoring import breakage_view, watch_view
from extraction.views.rules import rule_history, rule_view
from extraction.views.workbench import workbench_url
from tests.reading import words
from tests.services import factory
from tests.services.monitoring.test_monitoring import ATTRIBUTES, Shop, cluster, serving, shop  # noqa: F401 - fixtures
from tests.views.world import World


@cache
def learned() -> dict[str, Any]:
    """What was relearned, by attribute: every test has the same pages."""
    return {}


def relearn_once(attribute: AttributeRule, *pages: Any) -> Any:
    if attribute.name not in learned():
        learned()[attribute.name] = relearn_attribute(attribute, *pages)
    return learned()[attribute.name]


@pytest.fixture
def breakage(cluster: Cluster, shop: Shop, sent: list[int], monkeypatch: pytest.MonkeyPatch) -> Breakage:  # noqa: F811
    """The demo's books after a partial redesign: one check found everything in order, the next one did not."""
    monkeypatch.setattr(repairs, "relearn_attribute", relearn_once)
    kind = RecordType.objects.create(name="Volume", slug="volume")
    for n, each in enumerate(ATTRIBUTES):
        Attribute.objects.create(record_type=kind, name=each.name, type=each.type, position=n)
    Cluster.objects.filter(pk=cluster.pk).update(record_type=kind)
    Source.objects.create(site=cluster.site, addresses=["https://inkhorn.example/"])
    shop.check(cluster)
    shop.day, shop.partial = 1, True
    shop.check(cluster)
    return Breakage.objects.get()


def marks(text: str) -> list[list[dict[str, Any]]]:
    """The places outlined in each frame of a page."""
    return [json.loads(unquote(found)) for found in re.findall(r'data-address="[^"]*\?mark=([^"]*)"', text)]


def test_the_queue_says_what_broke_where_and_that_a_repair_is_ready(signed_in: Any, breakage: Breakage) -> None:
    for name in ("breakages", "home"):
        text = signed_in("editor").get(reverse(name)).content.decode()
        assert breakage.get_absolute_url() in text
        assert 'data-hue="2"><span>price' in text, "in the attribute's hue"
        assert re.search(r'nav-count state-broken">1<', text)
    assert "Ready to accept" in signed_in("viewer").get(reverse("breakages")).content.decode()


def test_the_most_important_breakage_comes_first(breakage: Breakage, world: World, person: Any) -> None:
    Breakage.objects.filter(pk=world.breakage.pk).update(state=Breakage.State.OPEN, closed_at=None, importance=breakage.importance + 1)
    assert [row.breakage.pk for row in breakage_view.list_open(person("viewer"))] == [world.breakage.pk, breakage.pk]


def test_an_empty_queue_explains_what_breakages_are(signed_in: Any, world: World) -> None:
    text = signed_in("viewer").get(reverse("breakages")).content.decode()
    assert "Nothing is broken" in text
    assert "Sites change." in text
    assert "nav-count" not in text


def test_the_review_marks_the_old_places_and_those_of_the_repair_on_each_page(signed_in: Any, breakage: Breakage) -> None:
    text = signed_in("operator").get(breakage.get_absolute_url(), {"page": "2"}).content.decode()
    old, new = marks(text)
    hues = {each.name: each.hue for each in Attribute.objects.all()}
    assert {each["hue"] for each in old} == {hues[name] for name in breakage.attributes}
    assert {each["hue"] for each in new} == {each["hue"] for each in old}
    assert old != new
    assert "page 2 of 12" in text
    assert 'data-key="a"' in text
    client = signed_in("viewer")
    assert "page 1 of 12" in client.get(breakage.get_absolute_url(), {"page": "x"}).content.decode()
    assert "page 12 of 12" in client.get(breakage.get_absolute_url(), {"page": "99"}).content.decode()


def test_the_table_shows_values_before_now_and_repaired_with_the_reason(signed_in: Any, breakage: Breakage) -> None:
    text = signed_in("viewer").get(reverse("breakage_effect", args=[breakage.pk])).content.decode()
    price = next(each for each in breakage_view.show_effects(breakage) if each.attribute.name == "price")
    assert price.relearned is not None and price.relearned.agreeing == price.relearned.judged > 0
    assert price.values[0] > price.values[1]
    assert price.values[2] > price.values[1]
    assert any(line.repaired and line.before != line.now and line.reason for line in price.lines)
    assert all(line.reason.replace("“", "").split(" ")[0] in text for line in price.lines if line.reason)


def test_only_operators_can_accept_and_only_if_there_is_a_repair(signed_in: Any, breakage: Breakage) -> None:
    for role, offered in (("viewer", False), ("editor", False), ("operator", True)):
        text = signed_in(role).get(breakage.get_absolute_url()).content.decode()
        assert (reverse("breakage_accept", args=[breakage.pk]) in text) == offered
        assert ("Only operators" in text) != offered
    Breakage.objects.filter(pk=breakage.pk).update(proposal=None, note="price: none of the old values is on the new pages")
    text = signed_in("operator").get(breakage.get_absolute_url()).content.decode()
    assert "No repair was found. price: none of the old values is on the new pages." in text
    assert "mark the values on a new page" in text
    assert reverse("breakage_accept", args=[breakage.pk]) not in text


def test_accepting_publishes_the_repair_and_extracts_the_records_again(signed_in: Any, breakage: Breakage, person: Any) -> None:
    client = signed_in("operator")
    address = reverse("breakage_accept", args=[breakage.pk])
    assert client.post(address).headers["Location"] == breakage.get_absolute_url()
    breakage.refresh_from_db()
    assert (breakage.state, breakage.closed_by) == (Breakage.State.REPAIRED, person("operator"))
    assert serving(breakage.cluster) == breakage.proposal
    crawl = Run.objects.get(kind=Run.Kind.CRAWL)
    assert crawl.parameters == {"mode": "sample", "then": "extract"}
    assert "Its records are being extracted again" in client.get(breakage.get_absolute_url()).content.decode()
    assert "no longer a repair to accept" in client.post(address, follow=True).content.decode()
    assert Run.objects.filter(kind=Run.Kind.CRAWL).count() == 1


def test_every_screen_says_that_the_rule_is_broken_and_that_records_are_outdated(signed_in: Any, breakage: Breakage, person: Any) -> None:
    """The site was fetched again, for another template's repair: the pages have new contents, the records are of the old ones."""
    cluster, site = breakage.cluster, breakage.cluster.site  # noqa: F811
    client, names = signed_in("editor"), [site.slug, cluster.number]
    Record.objects.filter(cluster=cluster).delete()
    olds = [row["old"] for row in breakage.check_found.pages][:3]
    for n, snapshot in enumerate(Snapshot.objects.filter(pk__in=olds).select_related("page")):
        values = {"title": [{"raw": f"Old {n}", "value": f"Old {n}", "problem": ""}]}
        Record.objects.create(
            snapshot=snapshot, cluster=cluster, rule=breakage.rule, state="complete", values=values, extracted_at=snapshot.fetched_at
        )
        newer = Snapshot.objects.create(
            page=snapshot.page, sha256=f"{n:064}", size_bytes=1, fetched_at=breakage.opened_at, cluster=cluster, kept=False
        )
        Page.objects.filter(pk=snapshot.page_id).update(current=newer)
    for address in (site.get_absolute_url(), cluster.get_absolute_url(), reverse("records", args=names)):
        text = words(client.get(address))
        assert "Broken" in text or "The rule is broken" in text
        assert "3 records outdated" in text
        assert breakage.get_absolute_url() in text
        assert not any(said in text for said in ("The rule is live", "● </span>Live", "Run on all pages", "Make them again"))
    assert "<b>3</b> records" in client.get(site.get_absolute_url()).content.decode()
    assert not any(kind.kind == "run" for kind in home_view.build_home(person("operator")).waiting), "it stands among the breakages"
    for part in ("", "outdated"):
        assert len(b"".join(client.get(reverse("records_csv", args=names), {"of": part})).splitlines()) == 4
        assert "Old 1" in client.get(reverse("records", args=names), {"of": part}).content.decode()
    said = io.StringIO()
    call_command("export_csv", *map(str, names), stderr=said, stdout=io.StringIO())
    assert "3 records outdated: from earlier content whose pages have changed since" in said.getvalue()


def test_a_crawl_that_is_already_running_also_renews_the_records(breakage: Breakage) -> None:
    going = crawl_site.start_crawl(breakage.cluster.site)
    assert crawl_site.start_renewal(breakage.cluster.site) == going
    going.refresh_from_db()
    assert going.parameters == {"mode": "sample", "then": "extract"}


def test_the_clustering_after_the_crawl_extracts_with_working_rules(breakage: Breakage) -> None:
    site = breakage.cluster.site
    pipeline.execute_run(cluster_pages.start_clustering(site, extract=True).pk)
    assert not Run.objects.filter(kind=Run.Kind.EXTRACT).exists(), "the only rule is broken"
    Rule.objects.filter(state=Rule.State.BROKEN).update(state=Rule.State.LIVE)
    pipeline.execute_run(cluster_pages.start_clustering(site, extract=True).pk)
    assert Run.objects.get(kind=Run.Kind.EXTRACT).parameters == {"rules": [breakage.rule_id], "stale_only": True}


def test_dismissing_leaves_the_rule_live(signed_in: Any, breakage: Breakage) -> None:
    client = signed_in("operator")
    assert client.post(reverse("breakage_dismiss", args=[breakage.pk])).headers["Location"] == reverse("breakages")
    breakage.refresh_from_db()
    assert (breakage.state, breakage.rule.state) == (Breakage.State.DISMISSED, Rule.State.LIVE)
    assert not Run.objects.exists()
    assert "Dismissed" in client.get(reverse("breakages")).content.decode()


def test_annotating_opens_the_workbench_on_the_page_as_it_is_now(signed_in: Any, breakage: Breakage) -> None:
    client = signed_in("editor")
    wanted = breakage_view.list_pages(breakage.check_found)[3].new
    assert wanted is not None
    answer = client.post(reverse("breakage_annotate", args=[breakage.pk]), {"page": wanted})
    assert answer.headers["Location"].endswith(f"/annotate/?page={wanted}")
    assert Snapshot.objects.get(pk=wanted).cluster == breakage.cluster
    state = client.get(reverse("workbench_state", args=[breakage.cluster.site.slug, 1]), {"also": wanted}).json()
    assert wanted in [sample["id"] for sample in state["samples"]]
    stranger = Snapshot.objects.exclude(pk__in=[pair.new for pair in breakage_view.list_pages(breakage.check_found)])[0]
    answer = client.post(reverse("breakage_annotate", args=[breakage.pk]), {"page": stranger.pk})
    assert not answer.headers["Location"].endswith(f"={stranger.pk}"), "a page of the check only"


def test_a_version_shows_its_history_and_how_it_differs_from_the_repaired_one(signed_in: Any, breakage: Breakage, person: Any) -> None:
    breakages.accept_repair(breakage, user=person("operator"))
    site, made = breakage.cluster.site, breakage.proposal
    assert made
    old = signed_in("viewer").get(breakage.rule.get_absolute_url()).content.decode()
    assert "a check found that" in old
    assert "replaced by version 2" in old
    new = signed_in("viewer").get(made.get_absolute_url()).content.decode()
    assert "made to repair version 1" in new
    assert "accepted as a repair" in new
    address = reverse("rule_difference", args=[site.slug, 1, 2, 1])
    found = {each.attribute.name: each for each in rule_history.list_differences(breakage.rule, made)}
    assert set(found) == set(breakage.attributes)
    assert all(each.old and each.new and each.old != each.new for each in found.values())
    assert "?attribute=price" in signed_in("viewer").get(address).content.decode()
    table = signed_in("viewer").get(address, {"attribute": "price"}).content.decode()
    assert "<th>Version 1</th><th>Version 2</th>" in table
    assert "lost" in table, "the repair is of the pages as they are now, those kept are the old ones"


def test_the_monitoring_tab_shows_checks_with_their_evidence_health_and_pages(signed_in: Any, breakage: Breakage, shop: Shop) -> None:  # noqa: F811
    site = breakage.cluster.site
    text = words(signed_in("viewer").get(reverse("site_monitoring", args=[site.slug])))
    for check in Check.objects.all():
        assert reverse("site_check", args=[site.slug, check.pk]) in text
    assert "12 of 12 pages answered" in text
    shown = re.findall(r'class="check-dot (state-\w+)', text)
    assert shown == ["state-ok", "state-broken"], "the oldest first; a changed structure that took values with it is broken"
    assert re.search(r'<span id="tab-broken" ><span class="state-broken">✕ 1', text), "the tab says that something is broken"
    found = watch_view.list_templates(site)[0]
    assert [len(line.fractions) for line in found.lines] == [2] * len(ATTRIBUTES)
    assert found.health.to_detect_s == timedelta(days=1).total_seconds()
    assert found.health.to_repair_s is None
    assert len(found.watched) == 12
    address = reverse("site_check", args=[breakage.cluster.site.slug, breakage.check_found_id])
    text = signed_in("viewer").get(address).content.decode()
    assert breakage.check_found.evidence
    assert all(each["url"] in text for each in breakage.check_found.evidence)


def test_the_time_line_ends_and_the_health_of_the_rule_covers_all_checks(breakage: Breakage, monkeypatch: pytest.MonkeyPatch) -> None:
    before, after = Check.objects.order_by("checked_at")
    whole = watch_view.list_templates(breakage.cluster.site)[0]
    assert [each for each, _ in whole.dots] == [before, after]
    assert [names for _, names in whole.dots] == [before.broken, after.broken] and after.broken
    monkeypatch.setattr(watch_view, "SHOWN", 1)
    cut = watch_view.list_templates(breakage.cluster.site)[0]
    assert [each for each, _ in cut.dots] == [after]
    assert (cut.health, cut.breakage, cut.watched) == (whole.health, breakage, whole.watched)
    assert cut.last and cut.last.read_pages() == after.read_pages()
    Breakage.objects.update(state=Breakage.State.REPAIRED, closed_at=breakage.opened_at + timedelta(hours=3))
    mended = watch_view.list_templates(breakage.cluster.site)[0]
    assert mended.breakage is None and mended.health.to_repair_s == timedelta(hours=3).total_seconds()
    assert mended.health.breakages == {"open": 0, "repaired": 1, "recovered": 0, "dismissed": 0}
    Breakage.objects.update(state=Breakage.State.DISMISSED)
    assert watch_view.list_templates(breakage.cluster.site)[0].health.to_detect_s is None, "nothing was broken"


def test_a_check_starts_once_and_never_for_a_site_without_an_address(signed_in: Any, breakage: Breakage) -> None:
    address = reverse("site_check_now", args=[breakage.cluster.site.slug])
    for _ in range(2):
        assert signed_in("editor").post(address).status_code == 302
    assert Run.objects.get(kind=Run.Kind.CHECK).state == Run.State.QUEUED
    assert "is running" in signed_in("viewer").get(reverse("site_monitoring", args=[breakage.cluster.site.slug])).content.decode()
    Run.objects.all().delete()
    Source.objects.all().delete()
    answer = signed_in("editor").post(reverse("site_check_now", args=[breakage.cluster.site.slug]), follow=True)
    assert "has no address" in answer.content.decode()
    assert not Run.objects.exists()


def test_an_operator_sets_when_a_site_is_checked(signed_in: Any, breakage: Breakage) -> None:
    address = reverse("site_monitor", args=[breakage.cluster.site.slug])
    client = signed_in("operator")
    assert client.post(address, {"every_hours": "6", "auto_repair": "on"}).status_code == 302
    monitor = Monitor.objects.get()
    assert (monitor.enabled, monitor.every_hours, monitor.auto_repair) == (False, 6, True)
    assert client.post(address, {"every_hours": "0"}).status_code == 400
    assert Monitor.objects.get().every_hours == 6


def test_opening_the_review_loads_what_its_pages_need_to_look_right(signed_in: Any, breakage: Breakage) -> None:
    """A check fetches pages without their styles. The styles are loaded when a person opens the review."""
    address = reverse("breakage_looks", args=[breakage.pk])
    assert f'hx-post="{address}"' in signed_in("editor").get(breakage.get_absolute_url()).content.decode()
    assert f'hx-post="{address}"' not in signed_in("viewer").get(breakage.get_absolute_url()).content.decode()
    text = signed_in("editor").post(address, {"page": "1"}).content.decode()
    run = Run.objects.get(kind=Run.Kind.ASSETS)
    progress = reverse("breakage_looks_progress", args=[breakage.pk, run.pk])
    assert f'hx-get="{progress}"' in text
    shown = {pk for pair in breakage_view.list_pages(breakage.check_found) for pk in (pair.old, pair.new)}
    assert set(run.parameters["snapshots"]) == shown

    def fetch(site: Any, needed: Any) -> Any:
        for need in needed:
            if need.url.endswith(".css"):
                yield need, b"h1 { color: red }"

    factory.put(Run.objects.filter(pk=run.pk), Run.State.RUNNING)
    run.refresh_from_db()
    summary = load_assets.run_loading(run, runs.Progress(run), fetch=fetch)
    factory.put(Run.objects.filter(pk=run.pk), Run.State.DONE, summary=summary.as_json())
    assert summary.loaded
    text = signed_in("viewer").get(progress).content.decode()
    assert "data-loaded" in text
    assert "hx-get" not in text
    assert signed_in("editor").post(address, {"page": "1"}).content.decode().strip() == "", "nothing is missing any more"
    assert Run.objects.filter(kind=Run.Kind.ASSETS).count() == 1


def test_nothing_is_loaded_for_a_site_without_an_address(signed_in: Any, breakage: Breakage) -> None:
    Source.objects.all().delete()
    assert signed_in("editor").post(reverse("breakage_looks", args=[breakage.pk])).content.decode().strip() == ""
    assert not Run.objects.filter(kind=Run.Kind.ASSETS).exists()


def test_proven_attributes_are_folded_and_last_if_many_broke(breakage: Breakage, signed_in: Any) -> None:
    names = [each.attribute.name for each in breakage_view.show_effects(breakage)]
    assert breakage.proposal is not None
    report = breakage.proposal.report
    for entry in report["attributes"]:
        if entry["name"] == names[-1]:
            entry["relearned"]["judged"] = 1
    Rule.objects.filter(pk=breakage.proposal.pk).update(report=report)
    found = breakage_view.show_effects(Breakage.objects.select_related("proposal", "rule", "check_found", "cluster").get())
    assert (found[0].attribute.name, found[0].proven) == (names[-1], False)
    assert all(each.proven for each in found[1:])


def test_a_proposed_version_is_counted_and_shown_on_the_pages_as_they_are_now(breakage: Breakage, signed_in: Any) -> None:
    proposal = breakage.proposal
    assert proposal is not None
    price = next(row for row in rule_view.list_attributes(proposal) if row.attribute.name == "price")
    line = next(each for each in breakage_view.show_effects(breakage) if each.attribute.name == "price")
    assert (price.hits, price.checked) == (line.values[2], 12)
    assert price.explained is None
    assert [snapshot.pk for snapshot, _ in price.seen] == [pair.new for pair in breakage_view.list_pages(breakage.check_found)][
        : len(price.seen)
    ]
    assert any(values for _, values in price.seen)
    breakages.accept_repair(breakage)
    assert proposal.report["checked"] == 12
    text = signed_in("viewer").get(proposal.get_absolute_url()).content.decode()
    assert "Examples" in text


def test_a_check_of_an_earlier_version_is_not_shown_as_one_of_the_live_rule(breakage: Breakage, signed_in: Any) -> None:
    address = reverse("site_monitoring", args=[breakage.cluster.site.slug])
    assert "went live" not in signed_in("viewer").get(address).content.decode()
    breakages.accept_repair(breakage)
    assert "before version 2 went live" in signed_in("viewer").get(address).content.decode()


def test_what_was_left_out_of_an_accepted_repair_is_shown_as_left_out(signed_in: Any, breakage: Breakage, person: Any) -> None:
    proposal = breakage.proposal
    assert proposal is not None
    for each in proposal.report["attributes"]:
        if each["name"] == "price":
            each["relearned"] |= {"judged": 5, "agreeing": 2}
    proposal.save(update_fields=["report"])
    breakages.accept_repair(breakage, user=person("operator"))
    text = signed_in("editor").get(breakage.get_absolute_url()).content.decode()
    effect = signed_in("editor").get(reverse("breakage_effect", args=[breakage.pk])).content.decode()
    assert "✕ No repair: left out of what was accepted (agrees on 2 of 5 pages)" in effect
    assert "The repair finds no value for <b>price</b>." in text  # also while its records are being extracted


def test_a_value_that_an_accepted_repair_left_out_is_on_the_home_page_until_a_rule_is_learned(
    signed_in: Any, breakage: Breakage, person: Any
) -> None:
    def listed() -> list[tuple[int, list[str]]]:
        kinds = signed_in("editor").get(reverse("home")).context["home"].waiting
        return [(row.cluster.pk, row.names) for kind in kinds for row in kind.lost]

    kind = RecordType.objects.create(name="Book", slug="book", team=breakage.cluster.site.team)
    for position, name in enumerate(("title", "price")):
        Attribute.objects.create(record_type=kind, name=name, position=position)
    Cluster.objects.filter(pk=breakage.cluster_id).update(record_type=kind)
    proposal = breakage.proposal
    assert proposal is not None and listed() == []
    for each in proposal.report["attributes"]:
        if each["name"] == "price":
            each["relearned"] |= {"judged": 5, "agreeing": 2}
    proposal.save(update_fields=["report"])
    live = breakages.accept_repair(breakage, user=person("operator"))
    assert listed() == [(breakage.cluster_id, ["price"])]
    text = signed_in("editor").get(reverse("home")).content.decode()
    assert "no value for price since the repair" in text and workbench_url(breakage.cluster.site.slug, 1) in text
    Rule.objects.filter(pk=live.pk).update(report=live.report | {"repaired_from": None})
    assert listed() == []


def test_the_key_for_the_next_breakage_means_nothing_on_an_open_one(signed_in: Any, breakage: Breakage, person: Any) -> None:
    """Pressed twice, it would open the workbench of the next breakage."""
    keys = re.compile(r'data-key="(.)"')
    client = signed_in("operator")
    opened = set(keys.findall(client.get(breakage.get_absolute_url()).content.decode()))
    assert {"a", "d", "m"} <= opened
    assert "n" not in opened
