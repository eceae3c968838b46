"""What no browser sends: NUL in addresses, fields and cookies. PostgreSQL stores and compares none, and SQLite's search ends at it."""

from typing import Any

import pytest
from django.db import transaction
from django.urls import reverse

from tests.views.core.test_access import ACT, LOOK
from tests.views.world import World, make

NUL = "\0"


@pytest.fixture
def world(db: None, sent: list[int]) -> World:
    return make()


def test_an_address_with_nul_is_refused_by_each_screen(signed_in: Any, world: World) -> None:
    client = signed_in("admin")
    for name in LOOK:
        address = reverse(name, args=world.address(name))
        for query in ("q=Book%00s", "%00=x"):
            assert client.get(f"{address}?{query}").status_code == 400, (name, query)
    assert client.get("/sites/%00/").status_code == client.get("/help/a%00/").status_code == 400


def test_a_field_with_nul_is_refused_by_each_form(signed_in: Any, world: World) -> None:
    client = signed_in("admin")
    for name in ACT:
        for body in ({"record_type": NUL}, {f"a{NUL}": "1"}, {"attribute": ["title", f"a{NUL}"]}):
            with transaction.atomic():
                answer = client.post(reverse(name, args=world.address(name)), body)
                transaction.set_rollback(True)
            assert answer.status_code == 400, (name, body)


def test_a_form_with_nul_is_refused_in_either_coding_also_before_the_sign_in(client: Any, db: None) -> None:
    address = reverse("login")
    for body, coding in (
        ("username=a%00&password=b", "application/x-www-form-urlencoded"),
        ('--x\r\nContent-Disposition: form-data; name="username"\r\n\r\na\0\r\n--x--\r\n', "multipart/form-data; boundary=x"),
    ):
        answer = client.post(address, body.encode(), content_type=coding)
        assert (answer.status_code, answer.content.decode()) == (400, "A text cannot contain the character NUL.")


def test_a_cookie_with_nul_is_no_cookie(client: Any, db: None) -> None:
    client.cookies.load(r'sessionid="abcdefgh\000ijklmnop"')
    answer = client.get(reverse("login"))
    assert answer.status_code == 200 and "sessionid" not in answer.wsgi_request.COOKIES
