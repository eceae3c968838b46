"""From the settings to the picture: a rendered page has one on its screen and by the API, and a page without one says why."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from extraction.models import ApiScope, Page, PagePicture, Run, Site, Source
from extraction.services.core import api_tokens
from extraction.services.intake import crawl_site
from tests.fetching.search_site import SearchSite
from tests.fetching.site_server import SiteServer
from tests.services.importing import done

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]


def test_pages_have_pictures_where_they_are_asked_for(
    signed_in: Callable[[str], Any], person: Callable[[str], Any], sent: list[int], settings: Any
) -> None:
    settings.VERTEX_CRAWL_PRIVATE_HOSTS = ["127.0.0.1"]
    token = api_tokens.create_token(person("editor"), "test", [ApiScope.READ, ApiScope.EDIT])
    api = Client(headers={"Authorization": f"Bearer {token}"})
    with SiteServer(SearchSite()) as server:
        site = Site.objects.create(name="Shop", slug="shop")
        given = {"find_sitemaps": False, "delay_s": 0.0, "whole": True, "depth": 0}
        Source.objects.create(site=site, addresses=[f"{server.address}/"], **given)
        changed = api.patch("/api/v1/sites/shop/fetching", {"pictures": True}, content_type="application/json")
        assert changed.status_code == 200 and changed.json()["pictures"] is True
        assert done(crawl_site.start_crawl(site)).state == Run.State.DONE
        page = Page.objects.get(site=site)
        assert PagePicture.objects.get().note == "the page was read without a browser"
        told = api.get(f"/api/v1/sites/shop/pages/{page.pk}").json()
        assert (told["picture"], told["picture_note"]) == (False, "the page was read without a browser")
        assert api.get(f"/api/v1/sites/shop/pages/{page.pk}/picture").status_code == 404
        Source.objects.update(rendered="always")
        assert done(crawl_site.start_crawl(site)).state == Run.State.DONE
    page.refresh_from_db()
    assert api.get(f"/api/v1/sites/shop/pages/{page.pk}").json()["picture"] is True
    picture = api.get(f"/api/v1/sites/shop/pages/{page.pk}/picture")
    assert picture.headers["Content-Type"] == "image/jpeg" and picture.content.startswith(b"\xff\xd8\xff")
    shown = signed_in("viewer").get(reverse("page_picture", args=["shop", page.pk, page.current_id]))
    assert shown.content == picture.content and shown.headers["X-Content-Type-Options"] == "nosniff"
