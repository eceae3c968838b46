"""The screens of a dashboard with nothing in it."""

from typing import Any

import pytest
from django.urls import reverse

from extraction.services.sites import sites
from tests.services import factory

SITE = ("site", "site_pages", "site_runs", "site_settings", "site_import")
CLUSTER = ("cluster", "records", "rules")


@pytest.mark.parametrize("name", ["home", "sites", "record_types", "site_new", "record_type_new"])
def test_a_dashboard_without_sites_says_what_to_do(signed_in: Any, name: str) -> None:
    text = signed_in("editor").get(reverse(name)).content.decode()
    assert "button-primary" in text


@pytest.mark.parametrize("name", SITE)
def test_the_screens_of_a_site_without_pages_work(signed_in: Any, db: None, name: str) -> None:
    site = sites.create_site("Empty")
    assert signed_in("operator").get(reverse(name, args=[site.slug])).status_code == 200


@pytest.mark.parametrize("name", CLUSTER)
def test_the_screens_of_an_empty_template_work(signed_in: Any, db: None, name: str) -> None:
    cluster = factory.cluster(factory.site())
    text = signed_in("editor").get(reverse(name, args=[cluster.site.slug, cluster.number])).content.decode()
    assert "button-primary" in text
