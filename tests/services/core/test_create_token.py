"""On the server, a token is made for a person by a command."""

from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from extraction.models import ApiScope, AuditEntry, AuditKind
from extraction.services.core import api_tokens
from tests.views import world as worlds

pytestmark = pytest.mark.django_db


def make(*words: str) -> str:
    """What the command prints."""
    said = StringIO()
    call_command("create_token", *words, stdout=said, stderr=StringIO())
    return said.getvalue().strip()


def test_a_token_acts_for_its_person_and_ends(person: Any) -> None:
    user = person("viewer")
    found = api_tokens.find_token(make(user.username, "--use", "Nightly export"))
    assert found is not None and found.expires_at is not None
    assert (found.user, found.name, found.scopes, found.every_site) == (user, "Nightly export", ["read", "records"], True)
    assert timedelta(days=89) < found.expires_at - timezone.now() <= timedelta(days=90)
    assert AuditEntry.objects.filter(kind=AuditKind.TOKEN_CREATED).count() == 1


def test_it_is_narrowed_to_scopes_and_sites(person: Any) -> None:
    world, user = worlds.make(), person("editor")
    found = api_tokens.find_token(make(user.username, "--use", "x", "--scope", "edit", "--site", world.site.slug, "--days", "1"))
    assert found is not None
    assert (found.scopes, list(found.sites.all())) == ([ApiScope.EDIT], [world.site])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nobody", "--use", "x"], "no person nobody"),
        (["{person}", "--use", "x", "--days", "0"], "at least one day"),
        (["{person}", "--use", "x", "--site", "none"], "sees no site none"),
    ],
)
def test_what_cannot_be_is_refused(person: Any, words: list[str], said: str) -> None:
    name = person("viewer").username
    with pytest.raises(CommandError, match=said):
        make(*(each.format(person=name) for each in words))
