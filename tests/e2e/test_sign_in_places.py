"""A sign-in is set up wherever its fields are: on a second page, behind a click, in frames of the same host and in shadow roots."""

import json
from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from extraction.fetching.crawl.shown_forms import ShownForm
from extraction.forms.fetching import FetchingForm
from extraction.models import ApiScope, AuditEntry, Site, SiteFetching, Source
from extraction.services.core import api_tokens
from extraction.services.sites import sign_in_setup
from extraction.services.sites.fetching import get_fetching, read_private
from extraction.services.sites.sign_in_setup import SignInChoice, TriedSteps
from tests.fetching import member_site, two_page_site
from tests.fetching.member_site import PASSWORD, USER, MemberSite
from tests.fetching.two_page_site import ENTRY, PASSWORD_FORM, TwoPageSite

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

WRONG = "wr0ng-passw0rd"


@pytest.fixture
def site(settings: Any) -> Site:
    settings.VERTEX_CRAWL_PRIVATE_HOSTS = ["127.0.0.1"]
    return Site.objects.create(name="Members", slug="members")


@pytest.fixture
def two_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(member_site, "FORM", two_page_site.NAME_FORM)


def read(site: Site, members: MemberSite) -> sign_in_setup.SignInPage:
    return sign_in_setup.read_page(site, f"{members.address}/sign-in")


def choose(members: MemberSite, form: ShownForm, *, name: str = USER, password: str = PASSWORD) -> SignInChoice:
    """Return what a person chooses who takes the first field of each kind."""
    assert form.button is not None
    at = form.passwords[0].selector if form.passwords else ""
    given: dict[str, str] = {"name_field": form.texts[0].selector, "password_field": at, "button": form.button.selector}
    return SignInChoice(address=f"{members.address}/sign-in", name=name, password=password, **given)


def try_first(site: Site, members: MemberSite, **entered: str) -> TriedSteps:
    form = read(site, members).shown.forms[0]
    return sign_in_setup.try_choice(site, choose(members, form, **entered))


def assert_hidden(tried: TriedSteps, *secrets: str) -> None:
    for secret in secrets:
        assert secret not in repr(tried) and secret not in "".join(map(str, (tried.said.failure, tried.said.url, tried.said.text)))


@pytest.mark.usefixtures("two_pages")
def test_a_password_on_a_second_page_is_found_there(site: Site, signed_in: Callable[[str], Any]) -> None:
    editor = signed_in("editor")
    with TwoPageSite() as members:
        Source.objects.create(site=site, addresses=[f"{members.address}/home"])
        address = {"address": f"{members.address}/sign-in"}
        shown = editor.post(reverse("site_sign_in", args=["members"]), address | {"act": "read"}).content.decode()
        assert "A form without a password" in shown and "looks for the field for the password on the page that comes then" in shown
        choice = {"act": "try", "name_field": 'input[name="user"]', "name": USER, "password": PASSWORD, "button": "form button"}
        answer = editor.post(reverse("site_sign_in", args=["members"]), address | choice)
        assert answer.status_code == 302, answer.content.decode()
        assert (members.signed_in, members.wrong) == (1, 0)
        again = editor.post(reverse("site_sign_in_try", args=["members"]))
        assert again.status_code == 302 and members.signed_in == 2
    row = get_fetching(site)
    assert [each["act"] for each in row.steps] == ["open", "fill", "click", "fill", "click"]
    assert [step.text for step in read_private(row).steps] == ["", USER, "", PASSWORD, ""]
    assert row.steps[3]["at"] == 'input[name="password"][type="password"]'
    assert row.session
    assert PASSWORD not in "".join(AuditEntry.objects.values_list("text", flat=True))
    assert PASSWORD not in editor.get(reverse("site_fetching", args=["members"])).content.decode()


@pytest.mark.usefixtures("two_pages")
def test_what_is_entered_stands_in_no_selector(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    twice = PASSWORD_FORM + "<form id=other><input name=password><button>Other</button></form>"
    monkeypatch.setattr(TwoPageSite, "second", twice)
    with TwoPageSite() as members:
        tried = try_first(site, members)
    assert tried.said.failure == "" and USER not in tried.said.password_field + tried.said.button, (
        "although the form is named after the member"
    )
    assert_hidden(tried, PASSWORD)


@pytest.mark.usefixtures("two_pages")
def test_a_page_without_a_password_is_told_with_what_it_showed(site: Site, signed_in: Callable[[str], Any]) -> None:
    with TwoPageSite() as members:
        choice = {"act": "try", "name_field": 'input[name="user"]', "name": "nobody-known", "password": PASSWORD, "button": "form button"}
        given = choice | {"address": f"{members.address}/sign-in", "anyway": "on"}
        answer = signed_in("editor").post(reverse("site_sign_in", args=["members"]), given)
    shown = answer.content.decode()
    assert answer.status_code == 400
    assert "after step 3 (click form button) the page shows no field for the password" in shown
    assert "<dd>Unknown</dd>" in shown and "Nobody is called ••••." in shown
    assert PASSWORD not in shown and "Save the steps even if they fail" not in shown
    assert not SiteFetching.objects.exists(), "steps without a password are not saved"


@pytest.mark.usefixtures("two_pages")
def test_a_wrong_password_on_the_second_page_is_told_and_not_saved(site: Site, signed_in: Callable[[str], Any]) -> None:
    with TwoPageSite() as members:
        choice = {"act": "try", "name_field": 'input[name="user"]', "name": USER, "password": WRONG, "button": "form button"}
        given = choice | {"address": f"{members.address}/sign-in"}
        answer = signed_in("editor").post(reverse("site_sign_in", args=["members"]), given)
        shown = answer.content.decode()
        assert answer.status_code == 400 and members.wrong == 1
        assert "after the last step the page asks again for what comes first" in shown and "<dd>Wrong</dd>" in shown
        assert WRONG not in shown and not SiteFetching.objects.exists()
        kept = signed_in("editor").post(reverse("site_sign_in", args=["members"]), given | {"anyway": "on"})
        assert kept.status_code == 302 and len(SiteFetching.objects.get().steps) == 5


AFTER_A_CLICK = """<form method=post action=/enter><p id=one><input id=user name=user><button id=next type=button
  onclick="one.hidden = true; setTimeout(() => two.hidden = false, 900)">Next</button></p>
  <p id=two hidden><input id=password name=password type=password><button type=submit>Sign in</button></p></form>"""


def test_a_password_that_appears_on_the_same_page_is_found(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(member_site, "FORM", AFTER_A_CLICK)
    with MemberSite() as members:
        (form,) = read(site, members).shown.forms
        assert not form.has_password and form.button is not None and form.button.label == "Next"
        tried = sign_in_setup.try_choice(site, choose(members, form))
        assert tried.said.failure == "" and members.signed_in == 1
        assert tried.steps.splitlines()[2:] == [
            'click button[id="next"]',
            f'fill input[id="password"][type="password"] = {PASSWORD}',
            'click button[type="submit"]',
        ]
        assert_hidden(tried, PASSWORD)


def test_a_password_field_that_was_there_before_is_not_that_of_the_next_page(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    other = "<form id=other><input name=u><input name=p type=password><button>Old sign-in</button></form>"
    monkeypatch.setattr(member_site, "FORM", AFTER_A_CLICK + other)
    with MemberSite() as members:
        first = next(form for form in read(site, members).shown.forms if not form.has_password)
        tried = sign_in_setup.try_choice(site, choose(members, first))
    assert tried.said.password_field == 'input[id="password"][type="password"]'


def shadow(markup: str) -> str:
    return f"<p><span id=host></span></p><script>host.attachShadow({{mode: 'open'}}).innerHTML = `{markup}`</script>"


PARTS = """<script>
  class Part extends HTMLElement {
    connectedCallback() {
      const kind = this.getAttribute("kind");
      const shown = kind === "submit" ? "<button class=b>Sign in</button>" : `<input class=i type="${kind}">`;
      this.attachShadow({mode: "open"}).innerHTML = shown;
      if (kind === "submit") this.shadowRoot.firstChild.onclick = () => {
        const form = document.createElement("form");
        for (const each of document.querySelectorAll("my-part[name]")) {
          const input = document.createElement("input");
          [input.name, input.value] = [each.getAttribute("name"), each.shadowRoot.firstChild.value];
          form.append(input);
        }
        [form.method, form.action, form.hidden] = ["post", "/enter", true];
        document.body.append(form);
        form.submit();
      };
    }
  }
  customElements.define("my-part", Part);
</script><div><my-part name=town kind=text></my-part></div>
<form id=in><my-part name=user kind=text></my-part><my-part name=password kind=password></my-part><my-part kind=submit></my-part></form>"""

PLACES = {
    "in a frame": (f"<iframe srcdoc='{ENTRY}'></iframe>", "about:srcdoc"),
    "in a frame with an address": ("<iframe src=/inner></iframe>", "/inner"),
    "in a shadow root": (shadow(ENTRY), ""),
    "in a frame in a shadow root": (shadow("<iframe src=/inner></iframe>"), "/inner"),
    "in a shadow root in a frame": (f"<iframe srcdoc='{shadow(ENTRY).replace(chr(39), '&#39;')}'></iframe>", "about:srcdoc"),
    "in shadow roots of its own for each field": (PARTS, ""),
}


@pytest.mark.parametrize("place", PLACES)
def test_a_form_is_listed_and_signs_in_wherever_it_is(site: Site, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    form, frame = PLACES[place]
    monkeypatch.setattr(member_site, "FORM", form)
    answer = MemberSite.answer
    inner = (200, dict[str, str](), member_site.page("Inner", ENTRY, member=False))
    monkeypatch.setattr(MemberSite, "answer", lambda self, path, *rest: inner if path == "/inner" else answer(self, path, *rest))
    with MemberSite() as members:
        found = read(site, members).shown
        assert found.elsewhere == () and found.notices == ()
        first = found.forms[0]
        assert first.has_password and first.frame.removeprefix(members.address) == frame
        tried = sign_in_setup.try_choice(site, choose(members, first))
        assert (tried.said.failure, members.signed_in) == ("", 1)
        wrong = sign_in_setup.try_choice(site, choose(members, first, password=WRONG))
        assert members.wrong == 1 and wrong.said.failure
        assert_hidden(wrong, WRONG)


def test_fields_that_are_in_a_frame_and_in_the_page_get_no_selector_that_finds_both(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    outside = (
        "<form id=outside><input id=user name=user><input id=password name=password type=password><button type=submit>Old</button></form>"
    )
    monkeypatch.setattr(member_site, "FORM", f"{outside}<iframe srcdoc='{ENTRY}'></iframe>")
    with MemberSite() as members:
        first, second = read(site, members).shown.forms
        assert first.texts[0].selector == 'form[id="outside"] input[id="user"]'
        assert second.frame and second.texts[0].selector == 'form[action="/enter"] input[id="user"]'
        tried = sign_in_setup.try_choice(site, choose(members, second))
        assert (tried.said.failure, members.signed_in) == ("", 1)


def test_fields_that_no_selector_tells_apart_have_none(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(member_site, "FORM", f"<iframe srcdoc='{ENTRY}'></iframe><iframe srcdoc='{ENTRY}'></iframe>")
    with MemberSite() as members:
        forms = read(site, members).shown.forms
    assert [each.selector for form in forms for each in form.fields] == [""] * 4


@pytest.mark.usefixtures("two_pages")
def test_the_form_in_a_frame_of_another_host_is_named_by_its_address(
    site: Site, signed_in: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = MemberSite.answer
    inner = (200, dict[str, str](), member_site.page("Inner", ENTRY, member=False))
    monkeypatch.setattr(MemberSite, "answer", lambda self, path, *rest: inner if path == "/inner" else answer(self, path, *rest))
    with TwoPageSite() as members, MemberSite() as other:
        address = f"{other.address}/inner"
        monkeypatch.setattr(TwoPageSite, "second", f"<iframe src={address}></iframe>")
        tried = try_first(site, members)
        assert tried.said.failure.startswith("after step 3 (click ")
        assert tried.said.failure.endswith(f") the page shows no field for the password; a frame of another host has fields: {address}")
        monkeypatch.setattr(member_site, "FORM", f"<iframe src={address}></iframe>")
        given = {"act": "read", "address": f"{members.address}/sign-in"}
        shown = signed_in("editor").post(reverse("site_sign_in", args=["members"]), given).content.decode()
        assert f"Open the address of the frame instead: {address}" in shown
        assert f'name="address" value="{address}"' in shown
        out = StringIO()
        call_command("sign_in", "members", "--forms", given["address"], stdout=out)
        assert f"Use its address instead: {address}" in out.getvalue()
        (form,) = sign_in_setup.read_page(site, address).shown.forms
        assert form.has_password and other.signed_in == other.wrong == 0


def set_key(site: Site) -> None:
    form = FetchingForm.with_changes(site, {"headers": {"X-Key": "s3cret-key"}})
    assert form.is_valid()
    form.save()


def test_the_headers_of_a_site_stay_with_its_hosts_when_the_page_to_sign_in_is_read(site: Site) -> None:
    with MemberSite() as members, MemberSite() as other:
        Source.objects.create(site=site, addresses=[f"{members.address}/home"])
        set_key(site)
        for each in (members, other):
            assert read(site, each).shown.forms
        assert "s3cret-key" in members.keys and set(other.keys) == {""}


def test_what_a_page_repeats_of_the_headers_is_not_listed(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    repeated = ENTRY.replace("id=user", "id=s3cret-key placeholder=s3cret-key")
    monkeypatch.setattr(member_site, "FORM", repeated)
    with MemberSite() as members:
        Source.objects.create(site=site, addresses=[f"{members.address}/home"])
        set_key(site)
        found = read(site, members)
    assert "s3cret-key" not in repr(found) and found.shown.forms[0].texts[0].selector == 'input[name="user"]'


@pytest.mark.usefixtures("two_pages")
def test_the_api_and_the_command_find_the_second_page(site: Site, person: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch) -> None:
    token = api_tokens.create_token(person("editor"), "test", [ApiScope.EDIT])
    client = Client(headers={"Authorization": f"Bearer {token}"})
    with TwoPageSite() as members:
        body: dict[str, Any] = {"address": f"{members.address}/sign-in"}

        def send(path: str, data: dict[str, Any]) -> Any:
            return client.post(f"/api/v1/sites/members/sign-in{path}", json.dumps(data), content_type="application/json").json()

        form = send("/forms", body)["forms"][0]
        assert (form["has_password"], form["frame"]) == (False, "")
        at, button = form["fields"][0]["selector"], form["button"]["selector"]
        choice = body | {"name_field": at, "name": USER, "password": PASSWORD, "button": button}
        unknown = send("", choice | {"name": "nobody-known", "anyway": True})
        assert unknown["saved"] is False and unknown["title"] == "Unknown" and "nobody-known" not in json.dumps(unknown)
        tried = send("", choice)
        assert (tried["failure"], tried["saved"], tried["step"]) == ("", True, 5)
        SiteFetching.objects.all().delete()
        monkeypatch.setattr("sys.stdin", StringIO(f"{USER}\n{PASSWORD}\n"))
        out = StringIO()
        call_command("sign_in", "members", "--set-up", body["address"], "--name-field", at, "--button", button, stdout=out)
        assert out.getvalue().startswith("Signed in after 5 steps, which are saved.") and PASSWORD not in out.getvalue()
        assert len(get_fetching(site).steps) == 5
        monkeypatch.setattr("sys.stdin", StringIO(f"{USER}\n{WRONG}\n"))
        with pytest.raises(CommandError, match="asks again for what comes first") as refused:
            call_command("sign_in", "members", "--set-up", body["address"], "--name-field", at, "--button", button)
        assert WRONG not in str(refused.value)
        with pytest.raises(CommandError, match="Enter the password"):
            call_command("sign_in", "members", "--set-up", body["address"], "--password-field", "#p", "--button", button)
