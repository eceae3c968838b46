"""From the settings to the records: a site with a sign-in, scrolling, recycled rows, shadow roots and frames gives every record."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.urls import reverse

from extraction.fetching.hidden_texts import HIDDEN
from extraction.models import CrawlAddress, Run, Site, SiteFetching, Snapshot, Source
from extraction.services.core import stored_bytes, stored_pages
from extraction.services.intake import crawl_site
from tests.fetching.member_site import PASSWORD, PLACES, TOTAL, MemberSite
from tests.services.importing import done

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]


def test_every_record_of_a_site_for_members_is_there(signed_in: Callable[[str], Any], sent: list[int], settings: Any) -> None:
    settings.VERTEX_CRAWL_PRIVATE_HOSTS = ["127.0.0.1"]
    with MemberSite(lasts=20) as members:
        site = Site.objects.create(name="Members", slug="members", address=f"{members.address}/home")
        Source.objects.create(site=site, addresses=[f"{members.address}/home"], whole=True, find_sitemaps=False, delay_s=0.0, depth=1)
        entered = {"steps": members.steps, "signed_out": "a.sign-in", "load_more": "button.load-more", "scrolls": "on", "most_loads": "200"}
        answer = signed_in("editor").post(reverse("site_fetching", args=["members"]), entered | {"embedded": "on"})
        assert answer.status_code == 302, answer.content.decode()
        run = done(crawl_site.start_crawl(site))
        assert (run.state, run.error) == (Run.State.DONE, "")
        for path in PLACES:
            snapshot = Snapshot.objects.current().get(page__url=f"{members.address}{path}")
            root = stored_pages.read_root(snapshot)
            found = re.findall(r"\bRow (\d+)\b", "\n".join(root.find("body").itertext()))  # type: ignore[union-attr]
            assert [int(number) for number in found] == list(range(1, TOTAL + 1)), path
            assert snapshot.notice == ""
    assert members.signed_in >= 1
    row = SiteFetching.objects.get()
    assert row.session_at is not None
    screen = signed_in("editor").get(reverse("site_fetching", args=["members"])).content.decode()
    assert f"fill #password = {HIDDEN}" in screen
    kept = [stored_bytes.get_bytes(each.sha256) for each in Snapshot.objects.all()]
    shown = [screen, row.secret, row.session, *CrawlAddress.objects.values_list("message", flat=True)]
    assert not any(PASSWORD in text for text in shown)
    assert not any(b"sign-in" in content for content in kept), "no signed-out page was stored"
