"""A sign-in is set up from the forms of its page, tried at once, and says which step failed with what the page showed."""

import json
from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from extraction.models import ApiScope, AuditEntry, Site, SiteFetching, Source
from extraction.services.core import api_tokens
from extraction.services.sites import sign_in_setup
from extraction.services.sites.fetching import get_fetching, read_private
from tests.fetching import member_site
from tests.fetching.member_site import PASSWORD, USER, MemberSite

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

CHOICE = {"act": "try", "name_field": 'input[id="user"]', "password_field": 'input[id="password"]', "button": 'button[type="submit"]'}


@pytest.fixture
def site(settings: Any) -> Site:
    settings.VERTEX_CRAWL_PRIVATE_HOSTS = ["127.0.0.1"]
    return Site.objects.create(name="Members", slug="members")


def post(client: Any, members: MemberSite, **entered: Any) -> Any:
    given = {"address": f"{members.address}/sign-in", "name": USER, "password": PASSWORD}
    return client.post(reverse("site_sign_in", args=["members"]), given | entered)


def test_the_page_is_shown_and_what_is_chosen_there_signs_in(site: Site, signed_in: Callable[[str], Any]) -> None:
    editor = signed_in("editor")
    with MemberSite() as members:
        Source.objects.create(site=site, addresses=[f"{members.address}/home"])
        shown = post(editor, members, act="read").content.decode()
        assert "A form with a password" in shown
        for at in ("user", "password"):
            assert f"input[id=&quot;{at}&quot;]" in shown
        answer = post(editor, members, **CHOICE)
        assert answer.status_code == 302, answer.content.decode()
        assert members.signed_in == 1
        again = editor.post(reverse("site_sign_in_try", args=["members"]))
        assert again.status_code == 302 and members.signed_in == 2
    row = get_fetching(site)
    assert [each["act"] for each in row.steps] == ["open", "fill", "fill", "click"]
    assert [step.text for step in read_private(row).steps] == ["", USER, PASSWORD, ""]
    assert row.session and row.session_at is not None
    assert AuditEntry.objects.filter(kind="site.fetching").exists()
    assert PASSWORD not in "".join(AuditEntry.objects.values_list("text", flat=True))
    assert PASSWORD not in editor.get(reverse("site_fetching", args=["members"])).content.decode()


def test_a_wrong_password_is_told_with_what_the_page_showed_and_is_not_saved(site: Site, signed_in: Callable[[str], Any]) -> None:
    with MemberSite() as members:
        answer = post(signed_in("editor"), members, **CHOICE, password="wr0ng-passw0rd")
        shown = answer.content.decode()
        assert answer.status_code == 400 and members.wrong == 1
        assert "after the last step the page still asks for the password" in shown
        assert "<dd>Wrong</dd>" in shown, "the title of the page"
        assert "wr0ng-passw0rd" not in shown
        assert not SiteFetching.objects.exists()
        kept = post(signed_in("editor"), members, **CHOICE, password="wr0ng-passw0rd", anyway="on")
        assert kept.status_code == 302 and SiteFetching.objects.get().session == ""


def test_the_step_that_fails_is_named(site: Site, signed_in: Callable[[str], Any]) -> None:
    with MemberSite() as members:
        answer = post(signed_in("editor"), members, **CHOICE | {"button": "button.gone"}).content.decode()
    assert "step 4 (click button.gone): no such element could be used within 20 seconds" in answer
    assert "Sign in" in answer and PASSWORD not in answer


def test_fields_that_are_in_no_form_are_found(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    loose = "<input id=user><input id=password type=password><button id=go onclick='0' type=button>Enter</button>"
    monkeypatch.setattr(member_site, "FORM", loose)
    with MemberSite() as members:
        (form,) = sign_in_setup.read_page(site, f"{members.address}/sign-in").shown.forms
    assert [each.selector for each in form.fields] == ['input[id="user"]', 'input[id="password"]']
    assert form.button is not None and (form.button.label, form.button.selector) == ("Enter", 'button[id="go"]')


FIELDS = "<input id=user name=user><input id=password name=password type=password><button type=submit>Sign in</button>"
ENTRY = f"<form method=post action=/enter target=_top>{FIELDS}</form>"

TWO_STEPS = """<form method=post action=/enter><p id=one><input id=user name=user><button id=next type=button
  onclick="one.hidden = true; setTimeout(() => two.hidden = false, 300)">Next</button></p>
  <p id=two hidden><input id=password name=password type=password><button type=submit>Sign in</button></p></form>"""

MADE = {
    "in a frame": f'<iframe srcdoc="{ENTRY}"></iframe>',
    "by a script": f"<p id=here></p><script>setTimeout(() => here.innerHTML = '{ENTRY}', 300)</script>",
    "in a shadow root": f"<p><span id=host></span></p><script>host.attachShadow({{mode: 'open'}}).innerHTML = '{ENTRY}'</script>",
    "in two steps": TWO_STEPS,
}


@pytest.mark.parametrize("how", MADE)
def test_steps_that_a_person_writes_find_a_form_wherever_it_is(site: Site, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    monkeypatch.setattr(member_site, "FORM", MADE[how])
    with MemberSite() as members:
        steps = members.steps.replace("fill #password", "click #next\nfill #password") if how == "in two steps" else members.steps
        tried = sign_in_setup.try_text(site, steps)
        assert tried.said.failure == ""
        assert tried.session and members.signed_in == 1
        wrong = sign_in_setup.try_text(site, steps.replace(PASSWORD, "wr0ng-passw0rd").replace("\nwait a.account", ""))
        assert members.wrong == 1
        assert "Wrong" in wrong.said.title
        assert "wr0ng-passw0rd" not in wrong.said.failure + wrong.said.text


def test_a_form_that_a_script_makes_is_shown(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(member_site, "FORM", MADE["by a script"])
    with MemberSite() as members:
        (form,) = sign_in_setup.read_page(site, f"{members.address}/sign-in").shown.forms
    assert [each.selector for each in form.fields] == ['input[id="user"]', 'input[id="password"]']


def test_a_frame_of_another_host_gets_no_password(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    with MemberSite() as members, MemberSite() as stranger:
        monkeypatch.setattr(member_site, "FORM", f'<iframe src="{stranger.address}/inner"></iframe>')
        monkeypatch.setattr(MemberSite, "answer", _show_form_inside)
        tried = sign_in_setup.try_text(site, members.steps)
        assert tried.said.failure.startswith("step 2 (fill #user): no such element")
        assert stranger.signed_in == stranger.wrong == 0


def _show_form_inside(self: MemberSite, path: str, _target: str, _cookie: str) -> tuple[int, dict[str, str], bytes]:
    return 200, {}, member_site.page("Page", ENTRY if path == "/inner" else member_site.FORM, member=False)


@pytest.mark.parametrize(
    ("address", "said"), [("http://10.0.0.1/", "not an address of the public internet"), ("nonsense", "is not the name of a web site")]
)
def test_an_address_that_may_not_be_fetched_is_refused(site: Site, address: str, said: str) -> None:
    with pytest.raises(sign_in_setup.SetupError, match=said):
        sign_in_setup.read_page(site, address)


def test_the_api_and_the_command_do_the_same(site: Site, person: Callable[[str], Any]) -> None:
    token = api_tokens.create_token(person("editor"), "test", [ApiScope.EDIT])
    client = Client(headers={"Authorization": f"Bearer {token}"})
    with MemberSite() as members:
        body: dict[str, Any] = {"address": f"{members.address}/sign-in"}

        def send(path: str, data: dict[str, Any] | None = None) -> Any:
            return client.post(f"/api/v1/sites/members/sign-in{path}", json.dumps(data or {}), content_type="application/json")

        page = send("/forms", body).json()
        form = page["forms"][0]
        assert form["has_password"] and [each["selector"] for each in form["fields"]] == [CHOICE["name_field"], CHOICE["password_field"]]
        choice = body | {"name": USER, "password": PASSWORD} | {name: CHOICE[name] for name in ("name_field", "password_field", "button")}
        tried = send("", choice).json()
        assert (tried["failure"], tried["saved"], tried["title"]) == ("", True, "Home")
        entry = AuditEntry.objects.get(kind="site.fetching")
        assert (entry.source, entry.by_name) == ("api", "editor") and PASSWORD not in entry.text
        assert send("/try").json()["failure"] == ""
        out = StringIO()
        call_command("sign_in", "members", "--forms", body["address"], stdout=out)
        assert 'password “password”  input[id="password"]' in out.getvalue()
        out = StringIO()
        call_command("sign_in", "members", "--try", stdout=out)
        assert out.getvalue().startswith("Signed in after 4 steps.") and PASSWORD not in out.getvalue()
        members.password = "changed"
        with pytest.raises(CommandError, match="after the last step the page still asks for the password"):
            call_command("sign_in", "members", "--try")
