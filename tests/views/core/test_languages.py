"""The dashboard in the reader's language and time zone."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import translation
from lxml import html

from extraction.models import AuditEntry, QualityRule, ReaderSettings, Role
from extraction.services.core.api_tokens import create_token
from extraction.services.core.people import change_reader, save_person
from extraction.services.core.percent import use_decimal_sign, write_number
from extraction.services.quality.edit_rules import switch_rule
from tests.translations.catalogues import LANGUAGES, list_texts, read_catalogue
from tests.views.core.test_access import SHOWN, asking
from tests.views.world import World

PLACEHOLDER = re.compile(r"%\(\w+\)s")
ENGLISH = {
    "api_reference": "the texts of the API",
    "cluster_suggest_proposed": "the reasons of an algorithm",
    "site_lab": "a stored notice",
}
"""Screens with texts that are in English in every language (docs/translating.md)."""

NAMES = {"Data team"}
"""Names in the test world that are also texts."""

READ = ("title", "aria-label", "placeholder", "alt")


def find_shown(page: str) -> set[str]:
    """Return the texts of a page that a person reads."""
    tree = html.fromstring(page)
    for each in tree.xpath("//script | //style | //datalist | //pre | //code"):
        each.drop_tree()
    texts = [str(text) for text in tree.xpath("//text()")]
    texts += [str(text) for name in READ for text in tree.xpath(f"//@{name}")]
    return {" ".join(text.split()) for text in texts}


def find_english(language: str) -> re.Pattern[str]:
    """Return a pattern of the texts of two words and more that are different in another language."""
    patterns = set()
    for text, translated in list_texts(read_catalogue(language, "django")):
        for english, other in zip(text, translated, strict=False):
            if english != other and len(re.findall(r"[^\W\d_]{2,}", PLACEHOLDER.sub(" ", english))) > 1:
                patterns.add(".+".join(re.escape(part) for part in PLACEHOLDER.split(" ".join(english.split()))))
    return re.compile("|".join(sorted(patterns)))


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_screen_shows_english(signed_in: Any, db: None, kept_world: World, language: str) -> None:
    shown: dict[str, str] = {}
    for name in SHOWN:
        answer = asking(signed_in("admin"), name).get(reverse(name, args=kept_world.address(name)), headers={"accept-language": language})
        assert answer.status_code == 200, name
        if answer.headers["Content-Type"].startswith("text/html") and answer.content.strip():
            shown |= dict.fromkeys(find_shown(answer.content.decode()), name)
    english = find_english(language)
    left = {text for text, name in shown.items() if name not in ENGLISH and english.fullmatch(text)}
    assert left - NAMES == set()


@pytest.mark.parametrize(("accepted", "language"), [("de-AT,de;q=0.9", "de"), ("fr", "fr"), ("en-GB", "en"), ("xx", "en"), ("", "en")])
def test_a_page_for_everybody_is_in_the_language_of_the_browser(client: Client, db: None, accepted: str, language: str) -> None:
    answer = client.get(reverse("login"), headers={"accept-language": accepted})
    assert html.fromstring(answer.content.decode()).get("lang", "").startswith(language)
    assert answer.headers["Content-Language"].startswith(language)
    assert "Accept-Language" in answer.headers["Vary"]


def test_what_a_person_has_chosen_counts_more_than_the_browser(client: Client, db: None) -> None:
    vera = save_person(User(username="vera"), password="a-long-password-of-hers", role=Role.VIEWER)
    change_reader(vera, language="de", zone="Asia/Tokyo")
    client.force_login(vera)
    page = client.get(reverse("account"), headers={"accept-language": "fr"}).content.decode()
    assert '<html lang="de"' in page
    assert "Ihr Konto" in page or "Konto" in page
    client.post(reverse("account_reader"), {"language": "", "zone": ""})
    assert '<html lang="fr"' in client.get(reverse("account"), headers={"accept-language": "fr"}).content.decode()
    assert not ReaderSettings.objects.filter(user=vera).exclude(language="").exists()


def test_what_is_stored_is_in_english(signed_in: Any, db: None, kept_world: World) -> None:
    client = signed_in("admin")
    kind = kept_world.cluster.record_type
    assert kind is not None
    rule = QualityRule.objects.create(record_type=kind, kind="count", limits={"least": 1})
    with translation.override("de"):
        switch_rule(rule, None, enabled=False)
        assert str(QualityRule.Kind(rule.kind).label) not in ("", AuditEntry.objects.latest("pk").what.partition(":")[0])
    entry = AuditEntry.objects.latest("pk")
    assert entry.what.startswith(f"{rule.get_kind_display()}: ")
    assert entry.text == "switched off"
    page = client.get(reverse("audit_log"), headers={"accept-language": "de"}).content.decode()
    assert "Qualitätsregel geändert" in page


def test_the_mail_for_a_new_password_is_in_the_language_of_the_browser(client: Client, db: None, settings: Any) -> None:
    settings.EMAIL_HOST = "mail.example.org"
    save_person(User(username="vera", email="vera@example.org"), password="a-long-password-of-hers", role=Role.VIEWER)
    client.post(reverse("password_reset"), {"email": "vera@example.org"}, headers={"accept-language": "de"})
    assert mail.outbox[0].subject == "Vertex: ein neues Passwort für vera"
    assert "Mit diesem Link" in mail.outbox[0].body


def test_a_program_is_answered_in_english(client: Client, person: Any) -> None:
    secret = create_token(person("admin"), "script", ["read"])
    answer = client.get("/api/v1/sites/999999", headers={"accept-language": "de", "authorization": f"Bearer {secret}"})
    assert answer.status_code == 404
    assert answer.headers.get("Content-Language", "en").startswith("en")


def test_numbers_and_shares_are_written_as_in_the_language() -> None:
    with translation.override("de"):
        assert (write_number(12_345), use_decimal_sign("12.5")) == ("12\u202f345", "12,5")
    with translation.override("en"):
        assert (write_number(12_345), use_decimal_sign("12.5")) == ("12,345", "12.5")


def test_why_an_entry_of_a_form_cannot_be_used_is_in_the_language_of_the_reader(signed_in: Any, db: None, kept_world: World) -> None:
    client = signed_in("admin")
    schedule = reverse("site_refresh_schedule", args=[kept_world.site.slug])
    entered = {"mode": "times", "times": "soon", "zone": "Europe/Atlantis"}
    page = client.post(schedule, entered, headers={"accept-language": "de"}).content.decode()
    assert "„soon“ ist keine Uhrzeit." in page and "„Europe/Atlantis“ ist keine Zeitzone." in page
    address = reverse("site_new")
    page = client.post(address, {"name": "Shop", "address": "http://127.0.0.1/"}, headers={"accept-language": "fr"}).content.decode()
    assert "127.0.0.1 n’est pas une adresse de l’internet public." in page
