"""Signing in: how many passwords can be tried, and what a person is told."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.cache import caches
from django.db import connection
from django.test import Client, RequestFactory, override_settings
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from extraction.forms.sign_in import find_address
from extraction.models import AuditEntry, AuditKind, Role
from extraction.services.core import sign_ins
from extraction.services.core.people import save_person

pytestmark = pytest.mark.django_db

PASSWORD = "a long secret"


@pytest.fixture(autouse=True)
def no_failures(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    caches["sign_ins"].clear()
    monkeypatch.setattr("extraction.services.core.sign_ins.time.time", lambda: 1_800_000_000.0)
    User.objects.create_superuser("ada", password=PASSWORD)


def sign_in(password: str, *, name: str = "ada", address: str = "192.0.2.7", page: str = "") -> Any:
    return Client().post(page or reverse("login"), {"username": name, "password": password}, REMOTE_ADDR=address)


@pytest.mark.parametrize("page", ["/sign-in/", "/admin/login/"])
def test_after_too_many_failures_even_the_right_password_must_wait(page: str) -> None:
    for _ in range(sign_ins.MOST_BY_NAME_AND_ADDRESS):
        assert b"too many failed attempts" not in sign_in("guess", page=page).content
    answer = sign_in(PASSWORD, page=page)
    assert answer.status_code == 200 and b"There were too many failed attempts. Try again in 15 minutes." in answer.content
    assert sign_in(PASSWORD, address="192.0.2.8", page=page).status_code == 302, "from elsewhere the person can sign in"


def test_after_the_period_the_person_can_sign_in(monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(sign_ins.MOST_BY_NAME_AND_ADDRESS):
        sign_in("guess")
    monkeypatch.setattr("extraction.services.core.sign_ins.time.time", lambda: 1_800_000_000.0 + sign_ins.PERIOD_S)
    assert sign_in(PASSWORD).status_code == 302


def test_a_success_forgets_the_failures_from_this_address_and_is_not_counted() -> None:
    for _ in range(2 * sign_ins.MOST_BY_NAME_AND_ADDRESS):
        assert sign_in("guess").status_code == 200
        assert sign_in(PASSWORD).status_code == 302
    for _ in range(2 * sign_ins.MOST_BY_ADDRESS):
        assert sign_in(PASSWORD).status_code == 302


def test_many_names_from_one_address_are_limited_and_so_is_one_name_from_many() -> None:
    for number in range(sign_ins.MOST_BY_ADDRESS):
        sign_in("guess", name=f"name {number}")
    assert b"too many" in sign_in(PASSWORD).content
    for number in range(sign_ins.MOST_BY_NAME):
        sign_in("guess", name="ADA", address=f"198.51.100.{number}")
    assert b"too many" in sign_in(PASSWORD, address="203.0.113.1").content


def test_the_addresses_of_one_ipv6_network_are_one_address() -> None:
    for number in range(sign_ins.MOST_BY_NAME_AND_ADDRESS):
        sign_in("guess", address=f"2001:db8::{number:x}")
    assert b"too many" in sign_in(PASSWORD, address="2001:db8::ffff").content


def test_a_made_up_forwarding_header_does_not_change_the_address() -> None:
    request = RequestFactory().get("/", REMOTE_ADDR="192.0.2.1", HTTP_X_FORWARDED_FOR="1.1.1.1, 198.51.100.4")
    assert find_address(request) == "192.0.2.1"
    with override_settings(SECURE_PROXY_SSL_HEADER=("HTTP_X_FORWARDED_PROTO", "https")):
        assert find_address(request) == "198.51.100.4", "the entry that the proxy wrote"


def test_the_demos_password_does_not_open_a_dashboard_that_others_reach(settings: Any, tmp_path: Any) -> None:
    settings.VAR_DIR = tmp_path
    (tmp_path / "demo").mkdir()
    (tmp_path / "demo" / "password").write_text(PASSWORD)
    assert sign_in(PASSWORD).status_code == 302
    settings.HTTPS = True
    refused = sign_in(PASSWORD)
    assert refused.status_code == 200 and b"This is the demo&#x27;s password" in refused.content
    (tmp_path / "demo" / "password").write_text("another")
    assert sign_in(PASSWORD).status_code == 302


@pytest.mark.parametrize("name", ["nobody", "a password in the wrong field", "vera2"])
def test_a_failure_does_the_same_work_for_names_that_nobody_has(name: str) -> None:
    save_person(User(username="vera"), password="quite a long secret", role=Role.VIEWER)

    def fail(as_whom: str) -> list[str]:
        caches["sign_ins"].clear()
        with CaptureQueriesContext(connection) as queries:
            assert Client().post(reverse("login"), {"username": as_whom, "password": "wrong"}).status_code == 200
        return [query["sql"].split()[0] for query in queries]

    unknown = fail(name)
    assert AuditEntry.objects.filter(kind=AuditKind.SIGN_IN_FAILED).count() == 0
    known = fail("vera")
    assert AuditEntry.objects.filter(kind=AuditKind.SIGN_IN_FAILED).count() == 1
    assert [each for each in unknown if each in ("SELECT", "INSERT", "UPDATE")] == [
        each for each in known if each in ("SELECT", "INSERT", "UPDATE")
    ]
