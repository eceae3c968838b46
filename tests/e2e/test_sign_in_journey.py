"""An editor sets up a sign-in whose password is on a second page, and one that is in a frame of another host."""

import re
from typing import TYPE_CHECKING

import pytest

from tests.e2e.conftest import Dashboard, sign_in
from tests.e2e.test_journey import see
from tests.fetching import member_site
from tests.fetching.member_site import PASSWORD, USER, MemberSite
from tests.fetching.two_page_site import ENTRY, NAME_FORM, TwoPageSite

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.e2e


def test_an_editor_signs_in_over_two_pages(page: "Page", dashboard: Dashboard, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(member_site, "FORM", NAME_FORM)
    dashboard.manage("shell", "-c", "from extraction.models import Site; Site.objects.create(name='Two pages', slug='two-pages')")
    sign_in(page, "editor")
    with TwoPageSite() as members:
        page.goto("/sites/two-pages/settings/fetching/sign-in/")
        page.get_by_label("Address of the page to sign in").fill(f"{members.address}/sign-in")
        page.get_by_role("button", name="Show its forms").click()
        page.get_by_text("looks for the field for the password on the page that comes then").wait_for()
        see(page, "sign-in-1-name")
        page.get_by_label("Name", exact=True).fill(USER)
        page.get_by_label("Password", exact=True).fill(PASSWORD)
        page.get_by_role("button", name="Try to sign in").click()
        page.get_by_text("Signed in, and saved").wait_for()
        steps = page.get_by_label("Steps").input_value()
        assert re.sub(r"\[.*?\]", "", steps).splitlines()[1:] == [
            "fill input = ••••",
            "click form button",
            "fill input = ••••",
            "click button",
        ]
        see(page, "sign-in-2-saved")


def test_an_editor_opens_the_frame_that_asks_for_the_password(page: "Page", dashboard: Dashboard, monkeypatch: pytest.MonkeyPatch) -> None:
    dashboard.manage("shell", "-c", "from extraction.models import Site; Site.objects.create(name='Framed', slug='framed')")
    sign_in(page, "editor")
    with MemberSite() as members, MemberSite() as other:
        monkeypatch.setattr(member_site, "FORM", f"<iframe src={other.address}/sign-in></iframe>")
        monkeypatch.setattr(other, "answer", lambda *_: (200, {}, member_site.page("Inside", ENTRY, member=False)))
        page.goto("/sites/framed/settings/fetching/sign-in/")
        page.get_by_label("Address of the page to sign in").fill(f"{members.address}/sign-in")
        page.get_by_role("button", name="Show its forms").click()
        page.get_by_text("A frame of another host has fields").wait_for()
        see(page, "sign-in-3-another-host")
        page.get_by_role("button", name="Show the forms of the frame").click()
        page.get_by_role("heading", name="A form with a password").wait_for()
        assert page.get_by_label("Address of the page to sign in").input_value() == f"{other.address}/sign-in"
        see(page, "sign-in-4-frame")
