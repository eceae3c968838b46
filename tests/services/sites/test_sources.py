"""Where a site is fetched from: which hosts follow from its addresses, and which addresses a person may enter."""

import time
from typing import Any

import pytest

from extraction.fetching import url_safety
from extraction.models import AuditEntry, Source
from extraction.services.sites import sources
from extraction.services.sites.sources import AddressError
from tests.services import factory

PUBLIC = url_safety.parse_literal_address("93.184.216.34")


def test_the_hosts_of_a_source_are_those_of_its_addresses_with_and_without_www() -> None:
    source = Source(addresses=["https://www.shop.example/a", "no address"], feeds=["https://news.example:8443/feed"])
    assert sources.list_hosts(source) == ("www.shop.example", "shop.example", "news.example:8443", "www.news.example:8443")
    source.hosts = ["only.example"]
    assert sources.list_hosts(source) == ("only.example",)


def test_an_address_that_cannot_be_a_web_site_is_refused_as_it_is_typed(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def resolve(host: str, _: int) -> list[Any]:
        if host == "nowhere.example":
            raise OSError("Name or service not known")
        return [PUBLIC]

    monkeypatch.setattr(url_safety, "resolve_host", resolve)
    assert sources.check_address("https://shop.example/a") == "https://shop.example/a"
    for address, reason in (
        ("https://intranet/", "“intranet” is not the name of a web site"),
        ("https://nowhere.example/", "There is no host nowhere.example. Check the spelling"),
        ("https://10.0.0.1/", "An administrator can allow it with the setting VERTEX_CRAWL_PRIVATE_HOSTS"),
    ):
        with pytest.raises(AddressError, match=reason):
            sources.check_address(address)


def test_a_proxy_or_a_slow_answer_leaves_the_judging_to_the_connection(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object) -> list[Any]:
        raise AssertionError("nobody is asked")

    monkeypatch.setattr(url_safety, "resolve_host", never)
    settings.VERTEX_CRAWL_PROXY = "http://proxy.example:3128"
    assert sources.check_address("https://shop.example/") == "https://shop.example/"
    settings.VERTEX_CRAWL_PROXY = ""

    def wait(*_: object) -> list[Any]:
        time.sleep(0.3)
        return [PUBLIC]

    monkeypatch.setattr(url_safety, "resolve_host", wait)
    monkeypatch.setattr(sources, "RESOLVE_S", 0.05)
    assert sources.check_address("https://shop.example/") == "https://shop.example/"


@pytest.mark.django_db
def test_only_what_changed_of_a_source_is_in_the_log() -> None:
    site = factory.site()
    site.address = "https://books.example/"
    assert not sources.can_fetch(site) and sources.follow_address(site) and not sources.follow_address(site)
    before = AuditEntry.objects.count()
    sources.save_source(sources.get_source(site))
    assert AuditEntry.objects.count() == before
    assert not sources.follow_address(factory.site("Empty")), "it has no address"
