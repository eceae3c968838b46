"""Signing in by a provider (OpenID Connect), which is a server of this test."""

import base64
import hashlib
import json
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from joserfc import jwt
from joserfc.jwk import RSAKey

from extraction.models import AuditEntry, ExternalIdentity, Role, Team, reach_of
from extraction.services.core import second_factors
from extraction.services.core.people import save_person

MAIL = "vera@example.org"


class Provider:
    """A provider that confirms whoever asks. claims: what it says about them; a test changes it."""

    def __init__(self) -> None:
        self.key = RSAKey.generate_key(2048, {"kid": "1"})
        self.signs_with = self.key
        self.claims: dict[str, Any] = {"sub": "v-1", "email": MAIL, "email_verified": True}
        self.asked: dict[str, str] = {}
        self.sent: dict[str, str] = {}
        self.issuer = ""

    def answer(self, path: str, body: str) -> dict[str, Any]:
        if path.endswith("openid-configuration"):
            return {
                "issuer": self.issuer,
                "authorization_endpoint": f"{self.issuer}/authorize",
                "token_endpoint": f"{self.issuer}/token",
                "jwks_uri": f"{self.issuer}/keys",
                "id_token_signing_alg_values_supported": ["RS256"],
            }
        if path.endswith("keys"):
            return {"keys": [self.key.as_dict(private=False)]}
        self.sent = {name: values[0] for name, values in parse_qs(body).items()}
        now = int(time.time())
        said = {"iss": self.issuer, "aud": "vertex", "iat": now, "exp": now + 60, "nonce": self.asked.get("nonce"), **self.claims}
        token = jwt.encode({"alg": "RS256", "kid": "1"}, said, self.signs_with)
        return {"access_token": "a", "token_type": "Bearer", "id_token": token, "expires_in": 60}


@pytest.fixture
def provider(settings: Any) -> Iterator[Provider]:
    found = Provider()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._send("")

        def do_POST(self) -> None:
            self._send(self.rfile.read(int(self.headers["Content-Length"])).decode())

        def _send(self, body: str) -> None:
            content = json.dumps(found.answer(self.path, body)).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    found.issuer = f"http://127.0.0.1:{server.server_port}"
    settings.VERTEX_OIDC_ISSUER = found.issuer
    settings.VERTEX_OIDC_CLIENT_ID, settings.VERTEX_OIDC_CLIENT_SECRET = "vertex", "a-secret"
    settings.VERTEX_OIDC_NAME = "Example login"
    yield found
    server.shutdown()
    server.server_close()


@pytest.fixture
def vera(db: None) -> User:
    return save_person(User(username="vera", email=MAIL), password="a long enough password", role=Role.EDITOR)


def begin(client: Client, provider: Provider, following: str = "") -> dict[str, str]:
    answer = client.get(reverse("provider"), {"next": following})
    assert answer.headers["Location"].startswith(f"{provider.issuer}/authorize")
    provider.asked = {name: values[0] for name, values in parse_qs(urlsplit(answer.headers["Location"]).query).items()}
    return provider.asked


def sign_in(client: Client, provider: Provider, following: str = "") -> Any:
    asked = begin(client, provider, following)
    return client.get(reverse("provider_back"), {"code": "c", "state": asked["state"]})


def is_signed_in(client: Client) -> bool:
    return client.get(reverse("home")).status_code == 200


def test_without_a_provider_there_is_no_such_sign_in(client: Client, db: None) -> None:
    assert b"Example login" not in client.get(reverse("login")).content
    assert [client.get(reverse(name)).status_code for name in ("provider", "provider_back")] == [404, 404]


def link(client: Client, provider: Provider, person: User) -> Any:
    """What the provider's answer leads to when a person links it to the own account."""
    client.force_login(person)
    answer = client.post(reverse("provider_link"))
    provider.asked = {name: values[0] for name, values in parse_qs(urlsplit(answer.headers["Location"]).query).items()}
    return client.get(reverse("provider_back"), {"code": "c", "state": provider.asked["state"]}, follow=True)


@pytest.fixture
def linked(provider: Provider, vera: User) -> User:
    """Vera, whose account is linked to the provider."""
    ExternalIdentity.objects.create(user=vera, issuer=provider.issuer, subject="v-1")
    return vera


def test_a_person_links_the_account_and_is_known_by_the_subject_later(client: Client, provider: Provider, vera: User) -> None:
    assert b"Sign in with Example login" in client.get(reverse("login")).content
    assert b"you can also sign in with Example login" in link(client, provider, vera).content
    assert ExternalIdentity.objects.get().user == vera
    assert AuditEntry.objects.get(kind="person.identity", what="vera").text == f"{MAIL} at {provider.issuer}"
    provider.claims["email"] = "married@example.org"
    again = Client()
    assert sign_in(again, provider, "/sites/").headers["Location"] == "/sites/"
    assert is_signed_in(again)
    assert AuditEntry.objects.filter(kind="person.signed_in", what="vera").exists()


@pytest.mark.parametrize("new_people", ["", "viewer"])
def test_an_address_that_somebody_entered_leads_nobody_into_their_account(
    client: Client, provider: Provider, settings: Any, vera: User, new_people: str
) -> None:
    settings.VERTEX_OIDC_NEW_PEOPLE = new_people
    answer = sign_in(client, provider)
    assert answer.status_code == 403
    assert b"link it on the page of your account" in answer.content
    assert not is_signed_in(client)
    assert not ExternalIdentity.objects.exists()


def test_only_the_person_who_asked_to_link_is_linked(client: Client, provider: Provider, vera: User) -> None:
    asked = begin(client, provider)  # not signed in: a link that somebody else sends
    client.force_login(vera)
    client.get(reverse("provider_back"), {"code": "c", "state": asked["state"]})
    assert not ExternalIdentity.objects.exists()
    assert client.get(reverse("provider_link")).status_code == 405
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(vera)
    assert strict.post(reverse("provider_link")).status_code == 403


def test_what_is_linked_to_one_account_is_not_linked_to_another(client: Client, provider: Provider, linked: User) -> None:
    bo = save_person(User(username="bo"), password="a long enough password", role=Role.VIEWER)
    answer = link(client, provider, bo)
    assert b"Another account is linked" in answer.content
    assert ExternalIdentity.objects.get().user == linked
    assert b"you can also sign in" in link(Client(), provider, linked).content  # once more is no mistake


def test_a_link_is_removed_by_whoever_has_a_password(client: Client, provider: Provider, linked: User) -> None:
    client.force_login(linked)
    assert provider.issuer.encode() in client.get(reverse("account")).content
    client.post(reverse("provider_unlink"))
    assert not ExternalIdentity.objects.exists()
    assert AuditEntry.objects.filter(kind="person.identity_removed", what="vera").count() == 1
    assert b"Link my account" in client.get(reverse("account")).content


def test_the_only_way_in_is_not_removed(client: Client, provider: Provider, linked: User) -> None:
    linked.set_unusable_password()
    linked.save()
    client.force_login(linked)
    assert b"Set a password first" in client.post(reverse("provider_unlink"), follow=True).content
    assert ExternalIdentity.objects.exists()


def test_without_a_provider_nothing_is_linked(client: Client, vera: User) -> None:
    client.force_login(vera)
    assert b"Link my account" not in client.get(reverse("account")).content
    assert b"No provider is configured" in client.post(reverse("provider_link"), follow=True).content


def test_the_exchange_is_bound_to_the_browser_and_to_the_request(client: Client, provider: Provider, linked: User) -> None:
    asked = begin(client, provider)
    assert asked["code_challenge_method"] == "S256"
    assert asked["scope"] == "openid email profile"
    assert client.get(reverse("provider_back"), {"code": "c", "state": "another"}).status_code == 400
    assert Client().get(reverse("provider_back"), {"code": "c", "state": asked["state"]}).status_code == 400
    client.get(reverse("provider_back"), {"code": "c", "state": asked["state"]})
    digest = hashlib.sha256(provider.sent["code_verifier"].encode()).digest()
    assert base64.urlsafe_b64encode(digest).rstrip(b"=").decode() == asked["code_challenge"]


@pytest.mark.parametrize(
    "wrong", [{"aud": "another"}, {"nonce": "another"}, {"exp": 1}, {"iss": "https://evil.example"}, {"sub": ""}, {"sub": None}]
)
def test_a_token_for_somebody_else_is_refused(client: Client, provider: Provider, vera: User, wrong: dict[str, Any]) -> None:
    provider.claims |= wrong
    assert sign_in(client, provider).status_code == 400
    assert not is_signed_in(client)


def test_a_token_that_another_key_signed_is_refused(client: Client, provider: Provider, vera: User) -> None:
    provider.signs_with = RSAKey.generate_key(2048, {"kid": "1"})
    assert sign_in(client, provider).status_code == 400
    assert not is_signed_in(client)


@pytest.mark.parametrize("claims", [{"email_verified": False}, {"email_verified": "true"}, {"email": ""}, {"email": None}])
def test_an_address_that_is_not_verified_gives_no_account(
    client: Client, provider: Provider, settings: Any, db: None, claims: dict[str, Any]
) -> None:
    settings.VERTEX_OIDC_NEW_PEOPLE = "viewer"
    provider.claims |= {"email": "nobody@example.org"} | claims
    assert sign_in(client, provider).status_code == 403
    assert not is_signed_in(client)
    assert not User.objects.exists()


def test_somebody_who_may_not_sign_in_may_not_by_the_provider_either(client: Client, provider: Provider, linked: User) -> None:
    sign_in(client, provider)
    User.objects.update(is_active=False)
    assert sign_in(Client(), provider).status_code == 403


def test_new_people_get_the_role_and_the_team_of_the_settings(client: Client, provider: Provider, settings: Any, vera: User) -> None:
    films = Team.objects.create(name="Films", slug="films")
    settings.VERTEX_OIDC_NEW_PEOPLE, settings.VERTEX_OIDC_TEAM = "viewer", "films"
    provider.claims |= {"sub": "n-1", "email": "vera@another.example"}
    sign_in(client, provider)
    made = User.objects.get(email="vera@another.example")
    assert (made.username, made.has_usable_password()) == ("vera2", False)
    assert reach_of(made).roles == {films.pk: Role.VIEWER}
    assert is_signed_in(client)


def test_the_second_factor_is_asked_for_too(client: Client, provider: Provider, linked: User) -> None:
    made = second_factors.begin_factor(linked)
    type(made).objects.update(confirmed_at=linked.date_joined)
    assert sign_in(client, provider).headers["Location"] == reverse("second_factor")
    assert not is_signed_in(client)


def test_nobody_is_led_to_another_site(client: Client, provider: Provider, linked: User) -> None:
    assert sign_in(client, provider, "https://evil.example/").headers["Location"] == reverse("home")


def test_a_provider_that_does_not_answer_is_said_so(client: Client, settings: Any, db: None) -> None:
    settings.VERTEX_OIDC_ISSUER = "http://127.0.0.1:9"
    answer = client.get(reverse("provider"))
    assert answer.status_code == 502
    assert b"cannot be reached" in answer.content
