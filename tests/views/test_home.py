"""Home, errors and signing in."""

from datetime import timedelta
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from extraction.models import Bellwether, Breakage, Check, Cluster, Delivery, DeliveryTarget, PageVisits, Rule, Run
from extraction.views.monitoring import watch_view
from tests.reading import words
from tests.services import factory
from tests.views import world as worlds
from tests.views.world import World


def test_home_lists_waiting_work_by_its_next_step(signed_in: Any, world: World) -> None:
    site = world.site
    factory.cluster(site, number=2)
    factory.cluster(site, number=3, kind=world.record_type)
    worlds.draft(factory.cluster(site, number=4, kind=world.record_type))
    Cluster.objects.create(site=site, number=5, ignored=True)
    home = signed_in("editor").get(reverse("home")).context["home"]
    waiting = {kind.kind: [cluster.number for cluster, _ in kind.clusters] for kind in home.waiting}
    assert waiting == {"draft": [4], "annotate": [3], "type": [2], "failed": []}
    assert home.count == 4


def test_home_shows_no_work_to_a_viewer(signed_in: Any, world: World) -> None:
    assert b"to do</h1>" in signed_in("editor").get(reverse("home")).content
    assert b"to do</h1>" not in signed_in("viewer").get(reverse("home")).content


def test_a_rule_whose_run_is_under_way_is_not_to_be_run(signed_in: Any, world: World) -> None:
    other = factory.cluster(world.site, number=2, kind=world.record_type)
    factory.rule(other, state=Rule.State.LIVE)

    def list_kinds() -> list[str]:
        return [kind.kind for kind in signed_in("editor").get(reverse("home")).context["home"].waiting]

    assert "run" in list_kinds()
    factory.run(world.site, Run.Kind.CRAWL, Run.State.RUNNING)
    assert "run" not in list_kinds()


def test_home_lists_what_a_repair_left_out_until_a_person_acknowledges_it(signed_in: Any, world: World) -> None:
    report = world.rule.report | {"repaired_from": 1, "failed": [{"name": "title", "reason": "too few pages"}]}
    Rule.objects.filter(pk=world.rule.pk).update(report=report)
    editor = signed_in("editor")

    def list_lost() -> list[list[str]]:
        return [row.names for kind in editor.get(reverse("home")).context["home"].waiting for row in kind.lost]

    assert list_lost() == [["title"]]
    address = reverse("rule_losses_acknowledge", args=[*world.template, world.rule.version])
    assert address in editor.get(reverse("home")).text
    editor.post(address)
    assert list_lost() == []
    assert "acknowledged before" in editor.post(address, follow=True).text
    Rule.objects.filter(pk=world.rule.pk).update(losses_known_at=None)
    assert list_lost() == [["title"]], "a later repair has a version of its own, of which nobody knows yet"


def test_home_leaves_out_a_failed_run_that_a_person_acknowledged_until_it_fails_again(signed_in: Any, world: World) -> None:
    editor, failed = signed_in("editor"), Run.objects.get(state=Run.State.FAILED)
    address = reverse("run_acknowledge", args=[failed.pk])

    def is_listed() -> bool:
        return any(kind.kind == "failed" for kind in editor.get(reverse("home")).context["home"].waiting)

    assert is_listed() and address in editor.get(reverse("home")).content.decode()
    assert editor.post(address, {"known": "1", "from": "home"}).url == reverse("home")
    assert not is_listed()
    assert "the home page leaves it out" in editor.get(failed.get_absolute_url()).content.decode()
    editor.post(address, {})
    assert is_listed()
    editor.post(address, {"known": "1"})
    Run.objects.filter(pk=failed.pk).update(finished_at=timezone.now() + timedelta(seconds=5))
    assert is_listed(), "it was resumed and failed again"
    done = factory.run(world.site, failed.kind, Run.State.DONE)
    editor.post(reverse("run_acknowledge", args=[done.pk]), {"known": "1"})
    assert Run.objects.get(pk=done.pk).acknowledged_at is None


def test_home_leaves_out_a_failed_run_that_was_repeated(signed_in: Any, world: World) -> None:
    failed = Run.objects.get(state=Run.State.FAILED)
    factory.run(world.site, failed.kind, Run.State.DONE)
    kinds = [kind.kind for kind in signed_in("viewer").get(reverse("home")).context["home"].waiting]
    assert "failed" not in kinds


def deliver(target: DeliveryTarget, state: str, *, hours: int = 0, error: str = "") -> Delivery:
    """Store a delivery that ended so many hours from now."""
    at = timezone.now() + timedelta(hours=hours)
    key = f"{target.deliveries.count()}"
    ended = at if state in ("done", "failed") else None
    return Delivery.objects.create(
        target=target, key=key, cause="hand", state=state, created_at=at, next_at=at, finished_at=ended, error=error
    )


def list_failed_deliveries(client: Any) -> list[int]:
    found = client.get(reverse("home")).context["home"].waiting
    return [delivery.pk for kind in found for delivery in kind.deliveries]


def test_home_shows_operators_the_last_failed_delivery_of_a_target(signed_in: Any, world: World) -> None:
    newest = deliver(world.delivery.target, "failed", hours=1, error="the server answered 502")
    deliver(world.delivery.target, "queued", hours=2)
    operator = signed_in("operator")
    assert list_failed_deliveries(operator) == [newest.pk], "one line for the target, also while the next delivery waits"
    text = operator.get(reverse("home")).content.decode()
    assert "Failed deliveries" in text
    assert "the server answered 502" in text
    assert world.delivery.target.get_absolute_url() in text
    for role in ("editor", "viewer"):
        assert list_failed_deliveries(signed_in(role)) == [], "they cannot send it again"


def test_home_leaves_out_a_failed_delivery_that_a_later_one_made_up_for(signed_in: Any, world: World) -> None:
    target, client = world.delivery.target, signed_in("operator")
    deliver(target, "done", hours=-1)
    assert list_failed_deliveries(client) == [world.delivery.pk], "the one that worked came before"
    done = deliver(target, "done", hours=1)
    assert list_failed_deliveries(client) == []
    done.delete()
    DeliveryTarget.objects.update(enabled=False)
    assert list_failed_deliveries(client) == []


def test_home_counts_the_failed_deliveries_that_it_does_not_show(signed_in: Any, world: World, count_queries: Any) -> None:
    client, address = signed_in("operator"), reverse("home")
    client.get(address)
    few = count_queries(client, address)
    for n in range(8):
        target = DeliveryTarget.objects.create(name=f"Target {n}", record_type=world.record_type, kind="folder")
        deliver(target, "failed")
    assert count_queries(client, address) == few
    (kind,) = (each for each in client.get(address).context["home"].waiting if each.deliveries)
    assert (len(kind.deliveries), kind.more, kind.count) == (6, 3, 9)
    assert "and 3 more" in client.get(address).content.decode()


def test_error_pages_say_what_happened_and_what_to_do(signed_in: Any, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    client = signed_in("viewer")
    assert b"Page not found" in client.get("/nowhere/").content
    assert b"You do not have permission" in client.get(reverse("site_new")).content
    from extraction.views import home_view

    def broken(**_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(home_view, "build_home", broken)
    client.raise_request_exception = False
    answer = client.get(reverse("home"))
    assert (answer.status_code, b"Something went wrong" in answer.content, b"ZeroDivision" in answer.content) == (500, True, False)


def test_a_person_can_sign_in_and_out(client: Any, person: Any) -> None:
    user = person("viewer")
    user.set_password("a long secret")
    user.save()
    answer = client.post(reverse("login"), {"username": "viewer", "password": "wrong"})
    assert b"The name or the password is wrong" in answer.content
    answer = client.post(reverse("login"), {"username": "viewer", "password": "a long secret", "next": "/sites/"})
    assert answer.headers["Location"] == "/sites/"
    assert client.get(reverse("login")).headers["Location"] == reverse("home")
    assert client.post(reverse("logout")).headers["Location"] == reverse("login")


def check(world: World, verdict: str, **values: Any) -> Check:
    """A check of the template, newer than all others."""
    reached = 0 if verdict == "unreachable" else 8
    return Check.objects.create(
        cluster=world.cluster, rule=world.rule, checked_at=timezone.now(), verdict=verdict, asked=8, reached=reached, **values
    )


def test_home_says_which_sites_did_not_answer_and_which_rules_are_in_doubt(signed_in: Any, world: World) -> None:
    Breakage.objects.all().delete()
    Check.objects.all().delete()
    client = signed_in("operator")
    check(world, "unreachable")
    silent = words(client.get("/"))
    assert "Sites that did not answer the last check" in silent and "0 of 8 pages answered" in silent
    assert watch_view.is_silent(world.site)
    watched = world.cluster.snapshots.order_by("pk")[:2]
    for each in watched:
        Bellwether.objects.create(cluster=world.cluster, page=each.page, baseline=each)
    for each in watched:
        assert "did not answer" in words(client.get("/")), "not all of the watched pages have been fetched since"
        now = timezone.now()
        PageVisits.objects.update_or_create(page=each.page, defaults={"snapshot": each, "visited_at": now, "changed_at": now})
    assert "did not answer" not in words(client.get("/")) and not watch_view.is_silent(world.site)
    check(world, "unreachable")
    assert "did not answer" in words(client.get("/"))
    doubt = check(world, "null", confirmed=False)
    shown = client.get("/")
    assert "did not answer" not in words(shown)
    assert "Rules in doubt after the last check" in words(shown) and "a second look did not confirm this" in words(shown)
    assert reverse("site_check", args=[world.site.slug, doubt.pk]) in shown.content.decode()
    breakage = Breakage.objects.create(cluster=world.cluster, rule=world.rule, check_found=doubt, opened_at=timezone.now())
    assert "in doubt" not in words(client.get("/"))  # it is listed as a breakage
    Breakage.objects.filter(pk=breakage.pk).update(state=Breakage.State.DISMISSED, closed_at=timezone.now())
    assert "in doubt" not in words(client.get("/"))  # somebody has looked at it
    check(world, "shingle")
    assert "Rules in doubt" in words(client.get("/"))
    check(world, "ok")
    assert "Rules in doubt" not in words(client.get("/"))
