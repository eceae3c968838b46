"""Every answer tells the browser what it may do with it: screens, parts, files, redirects, refusals and errors."""

from typing import Any

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import Client, override_settings
from django.urls import path, reverse

from extraction.views.policy import SECURITY_HEADERS
from tests.views.core.test_access import ACT, LOOK
from tests.views.world import World

NAMES = {*SECURITY_HEADERS, "X-Frame-Options"}


def assert_headers(answer: Any, where: str) -> None:
    missing = NAMES - set(answer.headers)
    assert not missing, (where, answer.status_code)
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["X-Frame-Options"] in {"DENY", "SAMEORIGIN"}
    policy = answer.headers["Content-Security-Policy"]
    assert runs_only_own_scripts(policy) or policy.startswith("sandbox") or "default-src 'none'" in policy, where


def runs_only_own_scripts(policy: str) -> bool:
    """Say whether scripts come from the dashboard alone, or are small ones of the documentation that are named by their digest."""
    directives = dict(directive.strip().split(" ", 1) for directive in policy.split(";"))
    own, *digests = directives["script-src"].split()
    return own == "'self'" and all(digest.startswith("'sha256-") for digest in digests)


def test_answers_to_each_address_have_the_headers(signed_in: Any, world: World) -> None:
    client = signed_in("viewer")
    statuses = set()
    for name in (*LOOK, *ACT):
        address = reverse(name, args=world.address(name))
        answer = client.post(address) if name in ACT else client.get(address)
        statuses.add(answer.status_code)
        assert_headers(answer, name)
    assert {200, 403} <= statuses


def test_refusals_have_the_headers(signed_in: Any, world: World) -> None:
    viewer = signed_in("viewer")
    upload = {"CONTENT_LENGTH": str(2**40)}
    answers = {
        "a host that is not ours": (viewer.get("/", headers={"host": "evil.example"}), 400),
        "an unknown page": (viewer.get("/nowhere/"), 404),
        "a wrong method": (viewer.delete(reverse("sites")), 405),
        "a large upload of a viewer": (viewer.post("/", **upload), 403),
        "a large upload of an editor": (signed_in("editor").post("/", **upload), 413),
        "a stranger": (Client().get("/"), 302),
        "the sign-in page": (Client().get(reverse("login")), 200),
        "a forged request": (Client(enforce_csrf_checks=True).post(reverse("login"), {"username": "a"}), 403),
        "a frame of nobody": (Client().get(reverse("frame", args=[world.page.current_id])), 302),
        "an asset without a token": (Client().get(reverse("asset", args=["x", "y"])), 404),
        "a feed without a token": (Client().get(reverse("latest_feed", args=[world.record_type.slug])), 401),
    }
    for where, (answer, status) in answers.items():
        assert answer.status_code == status, where
        assert_headers(answer, where)


def fail(request: HttpRequest) -> HttpResponse:
    raise ZeroDivisionError


urlpatterns = [path("fail/", fail)]
handler500 = "extraction.views.errors.broken"


@pytest.mark.django_db
def test_a_failure_of_ours_has_the_headers(signed_in: Any) -> None:
    client = signed_in("admin")
    client.raise_request_exception = False
    with override_settings(ROOT_URLCONF=__name__):
        answer = client.get("/fail/")
    assert answer.status_code == 500
    assert_headers(answer, "500")


def test_static_files_have_the_headers() -> None:
    answer = Client().get("/static/css/annotations/lists.css")
    assert answer.status_code == 200
    assert_headers(answer, "static")


def test_a_strangers_page_keeps_its_own_policy(signed_in: Any, world: World) -> None:
    answer = signed_in("editor").get(reverse("frame", args=[world.page.current_id]))
    assert answer.headers["Content-Security-Policy"].startswith("sandbox allow-scripts")
    assert_headers(answer, "frame")
