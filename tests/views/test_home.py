"""Home, errors and signing in."""

from typing import Any

import pytest
from django.urls import reverse

from extraction.models import Cluster, Run
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


def test_home_leaves_out_a_failed_run_that_was_repeated(signed_in: Any, world: World) -> None:
    failed = Run.objects.get(state=Run.State.FAILED)
    factory.run(world.site, failed.kind, Run.State.DONE)
    kinds = [kind.kind for kind in signed_in("viewer").get(reverse("home")).context["home"].waiting]
    assert "failed" not in kinds


def test_error_pages_say_what_happened_and_what_to_do(signed_in: Any, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    client = signed_in("viewer")
    assert b"Page not found" in client.get("/nowhere/").content
    assert b"You do not have permission" in client.get(reverse("site_new")).content
    from extraction.views import home_view

    def broken() -> None:
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
