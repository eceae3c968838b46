"""Sessions, forgotten passwords and invitations, on the screens of those who can and those who cannot sign in yet."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.core.cache import caches
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from extraction.models import AuditEntry, Invitation, Role, SignedInSession, Team, role_of
from extraction.models.team import find_first_team
from extraction.services.core import invitations
from extraction.services.core.people import change_person, save_person
from extraction.services.core.teams import change_member
from extraction.views.session_words import name_browser

pytestmark = pytest.mark.django_db

PASSWORD, OTHER = "quite a long secret", "another long secret"


@pytest.fixture(autouse=True)
def no_failures() -> None:
    """Failed sign-ins of other tests of this quarter of an hour do not count."""
    caches["sign_ins"].clear()


@pytest.fixture
def vera() -> User:
    return save_person(User(username="vera", email="vera@example.org"), password=PASSWORD, role=Role.VIEWER)


def sign_in(name: str = "vera", password: str = PASSWORD, agent: str = "Firefox") -> Client:
    client = Client(headers={"User-Agent": agent})
    client.post(reverse("login"), {"username": name, "password": password})
    client.get(reverse("home"))
    return client


def is_in(client: Client) -> bool:
    return client.get(reverse("home")).status_code == 200


def test_a_person_sees_the_own_sessions_and_ends_one(vera: User) -> None:
    here, there = sign_in(), sign_in(agent="Phone <b>")
    page = here.get(reverse("account")).content.decode()
    assert "Firefox" in page and "Phone &lt;b&gt;" in page and "this one" in page and "<b>" not in page.split("<main", 1)[1]
    other = SignedInSession.objects.get(agent="Phone <b>")
    assert here.post(reverse("session_end", args=[other.pk])).status_code == 302
    assert is_in(here) and not is_in(there)
    assert list(SignedInSession.objects.values_list("agent", flat=True)) == ["Firefox"]


def test_nobody_but_an_administrator_ends_the_sessions_of_others(vera: User) -> None:
    save_person(User(username="bo"), password=PASSWORD, role=Role.OPERATOR)
    save_person(User(username="ada"), password=PASSWORD, role=Role.ADMIN)
    victim = sign_in()
    row = SignedInSession.objects.get(user=vera)
    bo = sign_in("bo")
    assert bo.post(reverse("session_end", args=[row.pk])).status_code == 404
    assert bo.get(reverse("sessions")).status_code == 403
    assert [each.user.username for each in bo.get(reverse("account")).context["sessions"]] == ["bo"]
    assert is_in(victim)
    ada = sign_in("ada")
    assert "vera" in ada.get(reverse("sessions")).content.decode()
    ada.post(reverse("session_end", args=[row.pk]))
    assert not is_in(victim)
    assert AuditEntry.objects.get(kind="person.session_ended").by_name == "ada"


def test_a_new_password_ends_the_other_sessions_and_keeps_this_one(vera: User) -> None:
    here, there = sign_in(), sign_in(agent="Phone")
    here.post(reverse("password_change"), {"old_password": PASSWORD, "new_password1": OTHER, "new_password2": OTHER})
    assert is_in(here) and not is_in(there)
    assert SignedInSession.objects.get().agent == "Firefox"


def test_signing_out_and_an_expired_session_leave_no_row(vera: User) -> None:
    client = sign_in()
    client.post(reverse("logout"))
    assert not SignedInSession.objects.exists()


def test_without_a_mail_server_the_page_says_whom_to_ask(vera: User, client: Any, settings: Any) -> None:
    settings.EMAIL_HOST = ""
    assert "This installation has no mail server" in client.get(reverse("password_reset")).content.decode()
    assert client.post(reverse("password_reset"), {"email": "vera@example.org"}).status_code == 403
    assert mail.outbox == []


def test_a_forgotten_password_is_replaced_by_mail_once_and_all_sessions_end(vera: User, client: Any, settings: Any) -> None:
    settings.EMAIL_HOST, settings.VERTEX_PUBLIC_URL = "mail.example", "https://vertex.example"
    settings.ALLOWED_HOSTS = ["*"]
    before = sign_in()
    answer = client.post(reverse("password_reset"), {"email": "vera@example.org"}, headers={"Host": "evil.example"}, follow=True)
    assert "Look into your mail" in answer.content.decode()
    (sent,) = mail.outbox
    assert sent.subject == "Vertex: a new password for vera"
    link = re.search(r"https://vertex\.example(/forgotten/\S+)", str(sent.body))
    assert link and "evil" not in sent.body
    form = client.get(link[1], follow=True)
    assert "Set the password" in form.content.decode()
    done = client.post(form.request["PATH_INFO"], {"new_password1": OTHER, "new_password2": OTHER}, follow=True)
    assert "Your password is set" in done.content.decode()
    assert not is_in(before) and is_in(sign_in(password=OTHER))
    assert "used already or is too old" in Client().get(link[1], follow=True).content.decode()
    assert AuditEntry.objects.get(kind="person.password").text == "with a link in a mail"


def test_an_unknown_address_gets_no_mail_and_the_same_answer(client: Any, settings: Any) -> None:
    settings.EMAIL_HOST = "mail.example"
    answer = client.post(reverse("password_reset"), {"email": "nobody@example.org"}, follow=True)
    assert "Look into your mail" in answer.content.decode()
    assert mail.outbox == []


def test_an_invitation_makes_one_account_with_the_chosen_role(signed_in: Any) -> None:
    shown = signed_in("admin").post(reverse("invitation_new"), {"note": "Bo", "email": "bo@example.org", "role": "editor", "days": "7"})
    assert shown.headers["Cache-Control"] == "no-store"
    link = re.search(r"(/invitations/[^<\s]+)", shown.content.decode())
    assert link
    token = link[1].split("/")[2].split(":")[0]
    assert token not in str(list(Invitation.objects.values_list()))
    client = Client()
    page = client.get(link[1]).content.decode()
    assert "admin invites you as editor" in page and "bo@example.org" in page
    answer = {"username": "bo", "email": "bo@example.org", "password1": PASSWORD, "password2": PASSWORD}
    assert client.post(link[1], answer | {"password1": "short", "password2": "short"}).status_code == 400
    assert client.post(link[1], answer).headers["Location"] == reverse("home")
    assert is_in(client) and role_of(User.objects.get(username="bo")) == Role.EDITOR
    again = Client().post(link[1], answer | {"username": "eve"})
    assert (again.status_code, "was used already" in again.content.decode()) == (404, True)
    assert not User.objects.filter(username="eve").exists()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"expires_at": timezone.now() - timedelta(seconds=1)}, "has expired"),
        ({"revoked_at": timezone.now()}, "was withdrawn"),
        ({}, "is not complete"),
    ],
)
def test_an_invitation_that_ended_or_was_changed_makes_no_account(person: Any, change: dict[str, Any], said: str) -> None:
    text = invitations.invite(person("admin"), "Bo", Role.ADMIN, days=1)
    if change:
        Invitation.objects.update(**change)
    else:
        text = text[:-1] + ("a" if text[-1] != "a" else "b")
    answer = Client().get(reverse("invitation", args=[text]))
    assert (answer.status_code, said in answer.content.decode()) == (404, True)


def test_an_administrator_changes_roles_but_not_the_own(vera: User) -> None:
    ada = save_person(User(username="ada"), password=PASSWORD, role=Role.ADMIN)
    client, victim = sign_in("ada"), sign_in()
    client.post(reverse("person_edit", args=[vera.pk]), {"role": "operator", "active": "on"})
    assert role_of(User.objects.get(pk=vera.pk)) == Role.OPERATOR and is_in(victim)
    client.post(reverse("person_edit", args=[vera.pk]), {"role": "operator"})
    assert not is_in(victim)
    answer = client.post(reverse("person_edit", args=[ada.pk]), {"role": "viewer", "active": "on"}, follow=True)
    assert "You cannot change your own role" in answer.content.decode()
    assert role_of(User.objects.get(pk=ada.pk)) == Role.ADMIN


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        ("Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36", "Chrome on Linux"),
        ("Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/140.0 Safari/537.36", "Chrome on Linux"),
        ("Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox on Windows"),
        (
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148 Safari/604.1",
            "Safari on iPhone",
        ),
        ("Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0", "Edge on Windows"),
        ("curl/8.0", "curl/8.0"),
        ("", "unknown"),
    ],
)
def test_browsers_are_named_in_words(agent: str, words: str) -> None:
    assert name_browser(agent) == words


def test_a_session_can_be_ended_before_it_is_used(vera: User) -> None:
    thief, own = Client(), sign_in()
    thief.post(reverse("login"), {"username": "vera", "password": PASSWORD})
    assert SignedInSession.objects.filter(user=vera).count() == 2
    own.post(reverse("sessions_end_others"))
    assert (is_in(thief), is_in(own)) == (False, True)


@pytest.mark.parametrize("after", ["demoted", "removed", "kept out", "deleted"])
def test_an_invitation_ends_with_the_role_of_the_person_who_made_it(person: Any, after: str) -> None:
    team = Team.objects.get(pk=find_first_team())
    eve = save_person(User(username="eve"), password=PASSWORD, role=Role.ADMIN, team=team)
    text = invitations.invite(eve, "me, later", Role.ADMIN, days=30, team=team)
    assert invitations.find_invitation(text)
    if after in ("demoted", "removed"):
        change_member(team, eve, Role.OPERATOR if after == "demoted" else None, by=person("admin"))
    elif after == "kept out":
        change_person(eve, role=None, active=False, by=person("admin"))
    else:
        eve.delete()
    answer = Client().get(reverse("invitation", args=[text]))
    assert (answer.status_code, "may not do that any more" in answer.content.decode()) == (404, True)


def test_an_administrator_of_the_installation_who_is_one_no_more_has_no_invitations_left(person: Any) -> None:
    eve = save_person(User(username="eve"), password=PASSWORD, role=Role.ADMIN)
    text = invitations.invite(eve, "me, later", Role.ADMIN, days=30)
    assert invitations.find_invitation(text)
    change_person(eve, role=Role.ADMIN, active=True, by=person("admin"))
    assert invitations.find_invitation(text)
    change_person(eve, role=None, active=True, by=person("admin"))
    with pytest.raises(invitations.InvitationError, match="any more"):
        invitations.find_invitation(text)
