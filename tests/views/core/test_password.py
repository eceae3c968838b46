"""A person changes the own password."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.cache import caches
from django.urls import reverse

from extraction.models import Role
from extraction.services.core.people import save_person

OLD, NEW = "an-old-long-password", "another-long-password"


@pytest.fixture
def viewer(db: None, client: Any) -> User:
    caches["sign_ins"].clear()
    user = save_person(User(username="vera"), password=OLD, role=Role.VIEWER)
    client.force_login(user)
    return user


def change(client: Any, old: str, first: str = NEW, second: str = NEW) -> Any:
    return client.post(reverse("password_change"), {"old_password": old, "new_password1": first, "new_password2": second})


def test_the_new_password_counts_and_the_person_stays_signed_in(client: Any, viewer: User) -> None:
    assert change(client, OLD).headers["Location"] == reverse("home")
    viewer.refresh_from_db()
    assert viewer.check_password(NEW)
    assert client.get(reverse("home")).status_code == 200


def test_a_wrong_old_password_and_a_weak_new_one_are_refused(client: Any, viewer: User) -> None:
    for answer in (change(client, "wrong"), change(client, OLD, "short", "short"), change(client, OLD, NEW, "different-long-one")):
        assert answer.status_code == 400
    viewer.refresh_from_db()
    assert viewer.check_password(OLD)


def test_guessing_the_old_password_is_limited(client: Any, viewer: User) -> None:
    for _ in range(30):
        change(client, "wrong")
    assert "too many failed attempts" in change(client, OLD).content.decode()
