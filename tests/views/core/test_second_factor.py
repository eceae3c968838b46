"""The second factor: a code after the password, recovery codes, and teams that require it."""

from typing import Any

import pyotp
import pytest
from django.contrib.auth.models import User
from django.core.cache import caches
from django.test import Client
from django.urls import reverse

from extraction.models import AuditEntry, RecordType, RecoveryCode, Role, SecondFactor, SignedInSession, Team
from extraction.services.core import second_factors
from extraction.services.core.api_tokens import create_token
from extraction.services.core.people import save_person

PASSWORD = "a long enough password"


@pytest.fixture(autouse=True)
def no_failures() -> None:
    """Nobody has failed to sign in yet."""
    caches["sign_ins"].clear()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The time, which a test moves."""

    class Clock:
        now = 1_800_000_000.0

    monkeypatch.setattr("extraction.services.core.second_factors.time.time", lambda: Clock.now)
    return Clock


@pytest.fixture
def vera(db: None) -> User:
    return save_person(User(username="vera"), password=PASSWORD, role=Role.EDITOR)


@pytest.fixture
def factor(vera: User, clock: Any) -> SecondFactor:
    """Vera's second factor. Its first code is used up."""
    made = second_factors.begin_factor(vera)
    assert second_factors.confirm_factor(made, code_of(made, clock)) is not None
    clock.now += 60
    return made


def code_of(factor: SecondFactor, clock: Any) -> str:
    return pyotp.TOTP(second_factors.read_secret(factor)).at(int(clock.now))


def enter_password(client: Client, following: str = "") -> Any:
    return client.post(reverse("login"), {"username": "vera", "password": PASSWORD, "next": following})


def test_without_a_second_factor_the_password_is_enough(client: Client, vera: User) -> None:
    assert enter_password(client).headers["Location"] == reverse("home")
    assert client.get(reverse("home")).status_code == 200


def test_the_password_alone_signs_nobody_in_who_has_a_second_factor(client: Client, factor: SecondFactor, clock: Any) -> None:
    assert enter_password(client, "/sites/").headers["Location"] == reverse("second_factor")
    assert client.get(reverse("home")).status_code == 302
    assert not SignedInSession.objects.exists()
    assert client.post(reverse("second_factor"), {"code": "000000"}).status_code == 400
    assert client.get(reverse("home")).status_code == 302
    answer = client.post(reverse("second_factor"), {"code": code_of(factor, clock)})
    assert answer.headers["Location"] == "/sites/"
    assert client.get(reverse("home")).status_code == 200


def test_a_code_is_accepted_once(client: Client, factor: SecondFactor, clock: Any) -> None:
    code = code_of(factor, clock)
    assert second_factors.check_code(factor, code)
    assert not second_factors.check_code(factor, code)
    enter_password(client)
    assert client.post(reverse("second_factor"), {"code": code}).status_code == 400


@pytest.mark.parametrize(("late_s", "accepted"), [(-60, False), (-30, True), (0, True), (30, True), (60, False)])
def test_a_code_may_be_half_a_minute_early_or_late(factor: SecondFactor, clock: Any, late_s: int, accepted: bool) -> None:
    clock.now += 300
    code = code_of(factor, clock)
    clock.now += late_s
    assert second_factors.check_code(factor, code) is accepted


def test_a_code_without_a_password_leads_back_to_the_sign_in_page(client: Client, factor: SecondFactor, clock: Any) -> None:
    assert client.post(reverse("second_factor"), {"code": code_of(factor, clock)}).headers["Location"] == reverse("login")


def test_five_minutes_after_the_password_it_is_asked_for_again(client: Client, factor: SecondFactor, clock: Any) -> None:
    enter_password(client)
    clock.now += 301
    assert client.post(reverse("second_factor"), {"code": code_of(factor, clock)}).headers["Location"] == reverse("login")


def test_a_password_that_was_changed_in_between_does_not_count(client: Client, factor: SecondFactor, clock: Any, vera: User) -> None:
    enter_password(client)
    vera.set_password("another long password")
    vera.save()
    assert client.post(reverse("second_factor"), {"code": code_of(factor, clock)}).headers["Location"] == reverse("login")


def test_wrong_codes_are_limited_even_if_the_next_one_is_right(client: Client, factor: SecondFactor, clock: Any) -> None:
    enter_password(client)
    for _ in range(8):
        client.post(reverse("second_factor"), {"code": "000000"})
    answer = client.post(reverse("second_factor"), {"code": code_of(factor, clock)})
    assert b"too many wrong codes" in answer.content
    assert client.get(reverse("home")).status_code == 302
    assert AuditEntry.objects.filter(kind="person.sign_in_failed").exists()


def test_nobody_is_led_to_another_site_after_the_code(client: Client, factor: SecondFactor, clock: Any) -> None:
    enter_password(client, "https://evil.example/")
    assert client.post(reverse("second_factor"), {"code": code_of(factor, clock)}).headers["Location"] == reverse("home")


def test_a_recovery_code_replaces_the_app_once(client: Client, vera: User, clock: Any) -> None:
    made = second_factors.begin_factor(vera)
    codes = second_factors.confirm_factor(made, code_of(made, clock))
    assert codes is not None
    assert len(set(codes)) == 10
    assert codes[0].replace("-", "") not in str(list(RecoveryCode.objects.values_list())), "only a digest is stored"
    enter_password(client)
    assert client.post(reverse("second_factor"), {"code": codes[0].upper()}).headers["Location"] == reverse("home")
    assert not second_factors.check_code(made, codes[0])
    assert AuditEntry.objects.get(kind="person.recovery_code").text == "left: 9"


def test_the_secret_is_encrypted(factor: SecondFactor) -> None:
    assert second_factors.read_secret(factor) not in factor.secret


def test_a_factor_is_set_up_with_its_first_code(client: Client, vera: User, clock: Any) -> None:
    client.force_login(vera)
    page = client.get(reverse("factor_setup"))
    assert b"data:image/svg+xml" in page.content
    assert page.headers["Cache-Control"] == "no-store"
    wrong = client.post(reverse("factor_setup"), {"code": "000000"})
    assert (wrong.status_code, second_factors.find_factor(vera)) == (400, None)
    made = SecondFactor.objects.get()
    done = client.post(reverse("factor_setup"), {"code": code_of(made, clock)})
    assert done.content.decode().count("<li><code>") == 10
    assert second_factors.find_factor(vera) == made


def test_a_factor_is_removed_only_with_a_code(client: Client, factor: SecondFactor, vera: User, clock: Any) -> None:
    client.force_login(vera)
    client.post(reverse("factor_remove"), {"code": "000000"})
    assert second_factors.find_factor(vera) is not None
    client.post(reverse("factor_remove"), {"code": code_of(factor, clock)})
    assert second_factors.find_factor(vera) is None


def test_members_of_a_team_that_requires_it_see_nothing_before_they_have_one(client: Client, vera: User, clock: Any) -> None:
    Team.objects.update(second_factor=True)
    enter_password(client)
    for name in ("home", "sites", "account"):
        assert client.get(reverse(name)).headers["Location"] == reverse("factor_setup"), name
    client.get(reverse("factor_setup"))
    client.post(reverse("factor_setup"), {"code": code_of(SecondFactor.objects.get(), clock)})
    assert client.get(reverse("home")).status_code == 200
    clock.now += 60
    client.post(reverse("factor_remove"), {"code": code_of(SecondFactor.objects.get(), clock)})
    assert second_factors.find_factor(vera) is not None, "the team requires it"


def test_a_session_from_before_the_requirement_signs_in_again_with_a_code(client: Client, factor: SecondFactor, vera: User) -> None:
    client.force_login(vera)
    assert client.get(reverse("home")).status_code == 200
    Team.objects.update(second_factor=True)
    assert client.get(reverse("home")).headers["Location"] == reverse("factor_setup")
    assert client.get(reverse("factor_setup")).headers["Location"] == reverse("login")
    assert client.get(reverse("account")).status_code == 302


def test_an_administrator_resets_a_factor_which_ends_the_sessions(factor: SecondFactor, vera: User, clock: Any, person: Any) -> None:
    hers = Client()
    enter_password(hers)
    hers.post(reverse("second_factor"), {"code": code_of(factor, clock)})
    assert hers.get(reverse("home")).status_code == 200
    admin = Client()
    admin.force_login(person("admin"))
    assert b"Reset the second factor of vera" in admin.get(reverse("people")).content
    admin.post(reverse("factor_reset", args=[vera.pk]))
    assert hers.get(reverse("home")).status_code == 302
    assert enter_password(hers).headers["Location"] == reverse("home")


def test_an_administrator_cannot_skip_the_code_for_their_own_factor(client: Client, clock: Any, person: Any) -> None:
    ada = person("admin")
    made = second_factors.begin_factor(ada)
    second_factors.confirm_factor(made, code_of(made, clock))
    client.force_login(ada)
    client.post(reverse("factor_reset", args=[ada.pk]))
    assert second_factors.find_factor(ada) is not None


def test_readers_files_need_the_factor_too(client: Client, vera: User) -> None:
    kind = RecordType.objects.create(name="Book", slug="book")
    Team.objects.update(second_factor=True)
    client.force_login(vera)
    assert client.get(reverse("latest_schema", args=[kind.slug])).status_code == 401


def test_a_token_from_before_the_requirement_waits_for_the_factor(client: Client, vera: User, clock: Any) -> None:
    headers = {"Authorization": f"Bearer {create_token(vera, 'Night', ['read'])}"}
    assert client.get("/api/v1/sites", headers=headers).status_code == 200
    Team.objects.update(second_factor=True)
    refused = client.get("/api/v1/sites", headers=headers)
    assert refused.status_code == 403
    assert "requires a second factor" in refused.json()["detail"]
    made = second_factors.begin_factor(vera)
    second_factors.confirm_factor(made, code_of(made, clock))
    assert client.get("/api/v1/sites", headers=headers).status_code == 200


def test_djangos_sign_in_page_does_not_go_around_the_code(client: Client, clock: Any, db: None) -> None:
    ada = save_person(User(username="ada"), password=PASSWORD, role=Role.ADMIN)
    given = {"username": "ada", "password": PASSWORD}
    made = second_factors.begin_factor(ada)
    second_factors.confirm_factor(made, code_of(made, clock))
    assert b"asks for your second factor" in client.post(reverse("admin:login"), given).content
    assert client.get(reverse("admin:index")).status_code == 302


def test_djangos_pages_need_the_factor_that_a_team_requires(client: Client, clock: Any, db: None) -> None:
    ada = save_person(User(username="ada"), password=PASSWORD, role=Role.ADMIN)
    client.post(reverse("login"), {"username": "ada", "password": PASSWORD})
    assert client.get(reverse("admin:index")).status_code == 200
    Team.objects.update(second_factor=True)
    for name in ("admin:index", "admin:auth_user_changelist", "admin:extraction_page_changelist"):
        assert client.get(reverse(name)).status_code == 302
    made = second_factors.begin_factor(ada)
    client.post(reverse("factor_setup"), {"code": code_of(made, clock)})
    assert client.get(reverse("admin:index")).status_code == 200
