"""The page of refreshes: setting a schedule, its errors, its buttons, and what it shows."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse
from django.utils import timezone

from extraction.models import Refresh, RefreshSchedule, Run, Source
from tests.services import factory
from tests.views.world import World


@pytest.fixture
def shop(world: World) -> World:
    factory.put(Run.objects.unfinished(), Run.State.DONE)
    Source.objects.get_or_create(site=world.site, defaults={"addresses": ["https://shop.example/"]})
    return world


def test_an_operator_sets_pauses_resumes_skips_and_removes_a_schedule(signed_in: Any, shop: World) -> None:
    client, slug = signed_in("operator"), shop.site.slug
    form = {"mode": "times", "times": "18:00; 6:30", "zone": "Europe/Berlin", "every_hours": "", "cron": "", "max_pages": "50"}
    assert client.post(reverse("site_refresh_schedule", args=[slug]), form).status_code == 302
    schedule = RefreshSchedule.objects.get()
    assert (schedule.times, schedule.zone, schedule.max_pages, schedule.every_hours) == (["06:30", "18:00"], "Europe/Berlin", 50, 24)
    page = client.get(reverse("site_refresh", args=[slug])).content.decode()
    assert ", 06:30</time>" in page
    assert "(Europe/Berlin)" in page
    for action in ("skip", "pause", "resume", "nonsense", "remove"):
        assert client.post(reverse("site_refresh_control", args=[slug]), {"action": action}).status_code == 302
        left = RefreshSchedule.objects.filter(site=shop.site).first()
        assert (left is None) == (action == "remove")
        assert left is None or (left.paused_at is not None) == (action == "pause")
    assert list(Refresh.objects.values_list("state", "created_by__username")) == [("skipped", "operator")]


@pytest.mark.parametrize(
    ("form", "error"),
    [
        ({"mode": "times", "times": "25:00"}, "“25:00” is not a time of day"),
        ({"mode": "times", "times": ""}, "Enter at least one time of day"),
        ({"mode": "cron", "cron": "* * *"}, "A cron expression has five fields"),
        ({"mode": "times", "times": "06:30", "zone": "Nowhere/Land"}, "is not a time zone"),
        ({"mode": "interval", "every_hours": "0"}, "Give a whole number of at least 1."),
        ({"mode": "interval", "every_hours": ""}, "Give a whole number."),
        ({"mode": "checks", "max_pages": "-1"}, "at least"),
        ({"mode": "sometimes"}, "not one of the available choices"),
    ],
)
def test_a_wrong_schedule_is_shown_again_with_the_reason(signed_in: Any, shop: World, form: dict[str, str], error: str) -> None:
    answer = signed_in("operator").post(reverse("site_refresh_schedule", args=[shop.site.slug]), form)
    assert answer.status_code == 400
    assert error in answer.content.decode()
    assert not RefreshSchedule.objects.exists()


def test_a_refresh_at_once_is_listed_with_what_it_found(signed_in: Any, shop: World) -> None:
    client, address = signed_in("editor"), reverse("cluster_refresh", args=[shop.site.slug, shop.cluster.number])
    assert client.post(reverse("cluster_refresh_now", args=[shop.site.slug, shop.cluster.number])).status_code == 302
    refresh = Refresh.objects.get()
    assert 'hx-trigger="every 3s"' in client.get(address).content.decode()
    again = client.post(reverse("site_refresh_now", args=[shop.site.slug]), follow=True).content.decode()
    assert "is being fetched already" in again
    summary = {
        "new": 2,
        "changed": 31,
        "unchanged": 470,
        "left": 5,
        "outcomes": {"ok": 33, "not_modified": 470, "not_found": 4, "timeout": 7, "refused_by_robots": 9, "duplicate": 3},
    }
    Run.objects.filter(refresh=refresh).update(summary=summary)
    factory.put(Run.objects.filter(refresh=refresh), Run.State.DONE)
    Refresh.objects.update(left_out=12, missed=3, due_at=timezone.now() - timedelta(days=1))
    view = client.get(address).context["view"]
    (row,) = view.rows
    assert (row.asked, row.unmodified, row.changed, row.new, row.gone, row.failed, row.waiting) == (514, 470, 31, 2, 4, 7, 17)
    text = client.get(address).content.decode()
    assert "It also covers 3 missed refreshes." in text
    assert "robots.txt disallows 9 addresses of the site. They were not asked for." in text


def test_the_command_sets_shows_and_controls_a_schedule(shop: World, capsys: Any) -> None:
    slug = shop.site.slug
    call_command("refresh", slug, "--cron", "30 6 * * 1-5", "--zone", "Europe/Berlin")
    call_command("refresh", slug, "--pause")
    call_command("refresh", slug, str(shop.cluster.number))
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith(f"{shop.site.name} is refreshed by the cron expression 30 6 * * 1-5 (Europe/Berlin), next at ")
    assert said[1].endswith("but paused.")
    assert said[2] == f"{shop.cluster.label} has no schedule; its records are refreshed with the site."
    with pytest.raises(CommandError, match="is not a time of day"):
        call_command("refresh", slug, "--at", "noon")
    call_command("refresh", slug, "--now")
    assert Run.objects.get(refresh=Refresh.objects.get()).state == Run.State.QUEUED
