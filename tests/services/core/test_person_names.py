"""Nobody gets the name of somebody else, a name that looks like it, or the one for which commands on the server act."""

import pytest
from django.contrib.auth.models import User

from extraction.models import ExternalIdentity, Role, Team, reach_of
from extraction.services.core import identities, invitations
from extraction.services.core.people import PersonError, find_command_account, save_person
from extraction.services.core.person_names import COMMAND_LINE

pytestmark = pytest.mark.django_db

PASSWORD = "a long enough password"
ISSUER = "https://id.example"

LIKE_BOSS = ["boss", "Boss", "BOSS", "b\u043ess", "b0ss", "b\u03bfss", "\u0412oss", "\u0412O\u0405\u0405", "\uff22oss"]
RESERVED = ["command-line", "Command-Line", "c\u043emmand-line", "command-1ine"]


@pytest.fixture
def boss() -> User:
    return save_person(User(username="boss"), password=PASSWORD, role=Role.ADMIN)


@pytest.mark.parametrize("name", [*LIKE_BOSS, *RESERVED])
def test_an_invitation_gives_no_such_name_and_can_be_accepted_with_another(boss: User, name: str) -> None:
    link = invitations.invite(boss, "guest", Role.VIEWER, days=1)
    with pytest.raises(invitations.InvitationError, match="Choose another"):
        invitations.accept_invitation(link, invitations.Newcomer(name, "", PASSWORD))
    assert invitations.accept_invitation(link, invitations.Newcomer("bosse", "", PASSWORD)).pk


@pytest.mark.parametrize("name", ["b.oss", "b\u00f6ss", "bosses", "\u0432\u043e\u0441\u0441-2"])
def test_names_that_differ_to_the_eye_are_free(boss: User, name: str) -> None:
    assert save_person(User(username=name), password=PASSWORD, role=Role.VIEWER).pk


@pytest.mark.parametrize("name", ["boss", "command-line", "COMMAND-LINE"])
def test_a_provider_gives_no_such_name_either(boss: User, settings: object, name: str) -> None:
    settings.VERTEX_OIDC_NEW_PEOPLE = "viewer"  # type: ignore[attr-defined]
    claims = {"iss": ISSUER, "sub": "1", "email": f"{name}@example.org", "email_verified": True}
    assert identities.find_person(claims).get_username() == f"{name}2"


def test_an_account_that_can_sign_in_never_becomes_the_one_of_commands() -> None:
    for number, ways in enumerate(("password", "provider")):
        user = User.objects.create(username=COMMAND_LINE, password="!")
        if ways == "password":
            user.set_password(PASSWORD)
            user.save()
        else:
            ExternalIdentity.objects.create(user=user, issuer=ISSUER, subject=str(number))
        with pytest.raises(PersonError, match="can sign in"):
            find_command_account()
        assert not reach_of(User.objects.get(pk=user.pk)).everywhere
        user.delete()
    made = find_command_account()
    assert not made.has_usable_password() and reach_of(made).everywhere and Team.objects.exists()
    assert find_command_account().pk == made.pk
