"""How pages are fetched: what a person enters reaches the crawl and is never shown again."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from extraction.fetching.crawl.messages import CrawlPlan
from extraction.fetching.hidden_texts import HIDDEN
from extraction.forms.fetching import FetchingForm
from extraction.models import AuditEntry, Site, SiteFetching, Source
from extraction.services.core.runs import JobError
from extraction.services.sites import sources
from extraction.services.sites.fetching import store_session
from extraction.services.sites.sources import KnownFrontier

KEY, COOKIE, PASSWORD = "Bearer k3y-of-api", "s3ssion-value", "pr0xy-word"


@pytest.fixture
def site(db: None, settings: Any) -> Site:
    settings.VERTEX_CRAWL_PRIVATE_HOSTS = ["proxy.test", "shop.example"]
    made = Site.objects.create(name="Shop", slug="shop", address="https://shop.example/")
    Source.objects.create(site=made, addresses=["https://shop.example/"])
    return made


@pytest.fixture(autouse=True)
def proxy_host(monkeypatch: pytest.MonkeyPatch) -> None:
    """proxy.test has a private address, and proxy2.test one that nobody permits."""
    from ipaddress import ip_address

    monkeypatch.setattr("extraction.fetching.url_safety.resolve_host", lambda host, port: [ip_address("10.0.0.1")])


def enter(site: Site, **changes: Any) -> FetchingForm:
    form = FetchingForm.with_changes(site, changes)
    if form.is_valid():
        form.save()
    return form


def plan(site: Site) -> CrawlPlan:
    return sources.plan_crawl(Source.objects.get(site=site), KnownFrontier((), (), None), spool=Path("/nowhere"), sample=False)


def fill(site: Site) -> None:
    entered = enter(
        site,
        headers=f"Authorization: {KEY}\nAccept-Language: de",
        cookies=f"session={COOKIE}; theme=dark",
        proxy=f"http://ada:{PASSWORD}@proxy.test:3128",
    )
    assert not entered.errors


def test_what_is_entered_reaches_the_crawl(site: Site) -> None:
    fill(site)
    found = plan(site)
    assert found.headers == {"Authorization": KEY, "Accept-Language": "de"}
    assert found.cookies == {"session": COOKIE, "theme": "dark"}
    assert found.site_proxy == f"http://ada:{PASSWORD}@proxy.test:3128"
    assert found.secure_only


def test_a_site_with_a_plain_address_may_get_headers_in_the_clear(site: Site) -> None:
    Source.objects.update(addresses=["http://shop.example/"])
    assert not plan(site).secure_only


def test_no_secret_is_in_the_database_on_the_screen_in_the_api_or_in_the_output_of_the_command(
    site: Site, signed_in: Callable[[str], Any]
) -> None:
    fill(site)
    row = SiteFetching.objects.get()
    screen = signed_in("editor").get(reverse("site_fetching", args=["shop"])).content.decode()
    said = io.StringIO()
    call_command("fetching", "Shop", stdout=said)
    shown = (screen, said.getvalue(), json.dumps(FetchingForm(site=site).describe()))
    for text in (*shown, row.secret, row.proxy):
        assert not any(secret in text for secret in (KEY, "k3y-of-api", COOKIE, PASSWORD))
    for text in shown:
        assert "Authorization" in text and "session" in text and "de" in text
    assert f"Authorization: {HIDDEN}" in screen and f"http://ada:{HIDDEN}@proxy.test:3128" in screen


def test_a_form_that_is_saved_as_it_is_keeps_all_secrets(site: Site) -> None:
    fill(site)
    before = plan(site)
    assert not enter(site).errors
    assert plan(site) == before


def test_a_header_can_be_replaced_and_removed(site: Site) -> None:
    fill(site)
    assert not enter(site, headers={"authorization": HIDDEN, "X-Key": "new"}).errors
    assert plan(site).headers == {"authorization": KEY, "X-Key": "new"}


def test_a_hidden_value_for_a_new_name_is_not_taken_for_the_value(site: Site) -> None:
    assert "Enter its value" in enter(site, headers={"X-Key": HIDDEN}).errors["headers"][0]


def test_the_password_of_a_proxy_does_not_move_to_another_host(site: Site, settings: Any) -> None:
    settings.VERTEX_CRAWL_PRIVATE_HOSTS = ["proxy.test", "evil.test"]
    fill(site)
    form = enter(site, proxy=f"http://ada:{HIDDEN}@evil.test:3128")
    assert "Enter its password" in form.errors["proxy"][0]
    assert plan(site).site_proxy.endswith("@proxy.test:3128")


def test_a_proxy_on_a_private_address_needs_the_operators_permission(site: Site) -> None:
    form = enter(site, proxy="http://proxy2.test:3128")
    assert "This proxy cannot be used: proxy2.test is 10.0.0.1, not an address of the public internet." in form.errors["proxy"][0]
    assert "VERTEX_CRAWL_PRIVATE_HOSTS" in form.errors["proxy"][0]


def test_a_site_has_no_proxy_beside_that_of_the_installation(site: Site, settings: Any) -> None:
    fill(site)
    settings.VERTEX_CRAWL_PROXY = "http://out.example:8080"
    assert "VERTEX_CRAWL_PROXY" in enter(site, proxy="http://proxy.test:1").errors["proxy"][0]
    with pytest.raises(JobError, match="VERTEX_CRAWL_PROXY"):
        plan(site)


@pytest.mark.parametrize(
    ("field", "text", "said"),
    [
        ("headers", "no colon", "“:”"),
        ("headers", "Host: evil.example", "Host cannot be set"),
        ("headers", "X-A: 1\nX-A: 2", "X-A stands there twice"),
        ("headers", "X-A: 1\nx-a: 2", "x-a stands there twice"),
        ("headers", {"X-A": "1\r\nHost: b"}, "line break"),
        ("headers", {f"X-{n}": "1" for n in range(51)}, "at most 50"),
        ("cookies", "no equals sign", "“=”"),
        ("cookies", {"a": "b; c=d"}, "no cookie can have"),
        ("proxy", "socks5://proxy.test:1", "Only proxies that are reached by http"),
    ],
)
def test_a_wrong_entry_is_refused_with_a_reason(site: Site, field: str, text: Any, said: str) -> None:
    assert said in enter(site, **{field: text}).errors[field][0]
    assert not SiteFetching.objects.exists()


def test_with_another_secret_key_nothing_is_fetched_without_what_was_entered(
    site: Site, settings: Any, signed_in: Callable[[str], Any]
) -> None:
    fill(site)
    settings.SECRET_KEY = "another one" * 9
    with pytest.raises(JobError, match="VERTEX_SECRET_KEY is not the one"):
        plan(site)
    client = signed_in("editor")
    assert "Enter it again" in client.get(reverse("site_fetching", args=["shop"])).content.decode()


def test_a_person_changes_it_on_the_screen(site: Site, signed_in: Callable[[str], Any]) -> None:
    client, address = signed_in("editor"), reverse("site_fetching", args=["shop"])
    assert client.post(address, {"headers": "X-Key: abc", "cookies": "", "proxy": "", "most_loads": "50"}).status_code == 302
    assert plan(site).headers == {"X-Key": "abc"}
    answer = client.post(address, {"headers": "Host: a", "cookies": "", "proxy": ""})
    assert answer.status_code == 400
    assert "Host cannot be set: it follows from the address." in answer.content.decode()


def test_a_person_changes_it_with_the_command(site: Site, tmp_path: Path) -> None:
    fill(site)
    changes = tmp_path / "changes.json"
    changes.write_text(json.dumps({"headers": {"X-Key": "abc", "Authorization": HIDDEN}}))
    call_command("fetching", "shop", set=str(changes), stdout=io.StringIO())
    assert plan(site).headers == {"X-Key": "abc", "Authorization": KEY}
    assert plan(site).cookies["session"] == COOKIE


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "is not JSON"),
        ("[]", "no JSON object"),
        ('{"header": {}}', "There is no setting “header”"),
        ('{"headers": "X: s3cret"}', "“headers” must be an object of texts"),
        ('{"headers": {"X": 1}}', "“headers” must be an object of texts"),
        ('{"headers": {"Host": "s3cret"}}', "Host cannot be set"),
    ],
)
def test_the_command_refuses_a_wrong_file_and_shows_nothing_of_it(site: Site, tmp_path: Path, content: str, said: str) -> None:
    changes = tmp_path / "changes.json"
    changes.write_text(content)
    with pytest.raises(CommandError, match=said) as refused:
        call_command("fetching", "shop", set=str(changes))
    assert "s3cret" not in str(refused.value)


def test_scrolling_and_a_button_mean_that_pages_are_rendered(site: Site) -> None:
    assert plan(site).rendered == "never"
    assert not enter(site, load_more="button.load-more", scrolls=True, most_loads=7, frame_hosts=["Widgets.example:81"]).errors
    found = plan(site)
    assert (found.rendered, found.load_more, found.scrolls, found.most_loads) == ("always", "button.load-more", True, 7)
    assert found.frame_hosts == ("widgets.example:81",)
    assert found.embedded


@pytest.mark.parametrize(
    ("field", "text", "said"),
    [
        ("load_more", "button[", "is not a CSS selector"),
        ("load_more", "//button", "is not a CSS selector"),
        ("load_more", "a >> xpath=//b", "is not a CSS selector"),
        ("most_loads", 0, "at least 1"),
        ("most_loads", 1001, "at most 1000"),
        ("frame_hosts", "http://a.example/", "is not a host"),
    ],
)
def test_a_wrong_setting_of_rendered_pages_is_refused(site: Site, field: str, text: Any, said: str) -> None:
    assert said in enter(site, **{field: text}).errors[field][0]


def test_the_audit_log_says_what_was_changed_and_no_secret(site: Site) -> None:
    fill(site)
    enter(site)
    entry = AuditEntry.objects.get(kind="site.fetching")
    assert entry.text == "changed: request headers, cookies, proxy"


STEPS = "open https://shop.example/in\nfill #user = ada-l\nfill #password = s3cr3t-word\nclick button"


def test_a_sign_in_reaches_the_crawl_and_what_is_filled_in_is_hidden(site: Site, signed_in: Callable[[str], Any]) -> None:
    assert not enter(site, steps=STEPS, signed_out="a.sign-in").errors
    found = plan(site).sign_in
    assert [(step.act.value, step.at, step.text) for step in found.steps][1:3] == [
        ("fill", "#user", "ada-l"),
        ("fill", "#password", "s3cr3t-word"),
    ]
    assert found.marker == "a.sign-in"
    screen = signed_in("editor").get(reverse("site_fetching", args=["shop"])).content.decode()
    row = SiteFetching.objects.get()
    assert not any("s3cr3t-word" in text or "ada-l" in text for text in (screen, row.secret, json.dumps(row.steps)))
    assert f"fill #password = {HIDDEN}" in screen


def test_a_session_is_kept_encrypted_until_the_steps_change(site: Site) -> None:
    enter(site, steps=STEPS)
    store_session(site, '{"cookies": [], "origins": ["s3ssion"]}')
    assert "s3ssion" not in SiteFetching.objects.get().session
    enter(site, scrolls=True)
    assert plan(site).sign_in.session == '{"cookies": [], "origins": ["s3ssion"]}'
    enter(site, steps=f"{STEPS}\nwait .account".replace("s3cr3t-word", HIDDEN))
    assert plan(site).sign_in.session == ""
    assert plan(site).sign_in.steps[2].text == "s3cr3t-word"


def test_a_stored_password_is_never_sent_to_another_address(site: Site) -> None:
    enter(site, steps=STEPS)
    form = enter(site, steps=f"open https://evil.example/in\nfill #password = {HIDDEN}")
    assert form.errors["steps"] == ["The addresses of the steps have changed. Enter again what is to be filled in."]
    assert plan(site).sign_in.steps[0].at == "https://shop.example/in"


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ("open http://private.example/in", "not an address of the public internet"),
        ("open https://shop.example/in\nclick button[", "is not a CSS selector"),
        ("open https://shop.example/in\nclick a >> b", "is not a CSS selector"),
        ("fill #a = b", "first step must open"),
    ],
)
def test_steps_that_cannot_be_taken_are_refused(site: Site, steps: str, said: str) -> None:
    assert said in enter(site, steps=steps).errors["steps"][0]
