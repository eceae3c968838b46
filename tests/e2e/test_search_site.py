"""A site whose pages are found by its search only: from the settings to its pages and to the terms that found nothing."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from extraction.models import ApiScope, Page, Run, Site, Source
from extraction.services.core import api_tokens
from extraction.services.intake import crawl_site, search_terms
from extraction.views.core import run_words
from tests.fetching.search_site import POST_FORM, SearchSite
from tests.fetching.site_server import SiteServer
from tests.services.importing import done

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

FORM = {"page_limit": "500", "delay_s": "0", "concurrency": "4", "rendered": "never", "whole": "1", "search_pages": "5"}


def make_site(host: str, *terms: str, **changes: Any) -> Site:
    site = Site.objects.create(name="Shop", slug="shop")
    given = {"search_address": f"http://{host}/search", "search_terms": list(terms), "find_sitemaps": False, "delay_s": 0.0}
    Source.objects.create(site=site, whole=True, **(given | changes))
    return site


def crawl_again(site: Site) -> Run:
    return done(crawl_site.start_crawl(site))


@pytest.fixture(autouse=True)
def local(settings: Any) -> None:
    settings.VERTEX_CRAWL_PRIVATE_HOSTS = ["127.0.0.1"]


def test_the_pages_behind_a_search_are_fetched_and_the_run_says_what_found_nothing(
    signed_in: Callable[[str], Any], person: Callable[[str], Any], sent: list[int]
) -> None:
    editor = signed_in("editor")
    with SiteServer(SearchSite()) as server:
        site = Site.objects.create(name="Shop", slug="shop")
        entered = {"search_address": f"{server.address}/search", "search_terms": "lamp\nchair\nno such thing", "search_fields": "q"}
        answer = editor.post(reverse("source_edit", args=["shop"]), FORM | entered)
        assert answer.status_code == 302, answer.content.decode()
        run = crawl_again(site)
        assert (run.state, run.error) == (Run.State.DONE, "")
        products = Page.objects.filter(site=site, url__contains="/product/", current__isnull=False)
        assert products.count() == 26
        again = crawl_again(site)  # its result pages are known now, and are asked again
    assert search_terms.count_by_state(run) == search_terms.count_by_state(again) == {"found": 2, "nothing": 1}
    summary = run.read_summary()
    assert (summary.terms, summary.empty_terms, summary.unasked_terms) == (3, 1, 0)
    assert "1 search term that found nothing" in run_words.write_sentence(run)
    shown = editor.get(run.get_absolute_url()).content.decode()
    assert "Results by search term" in shown and "no such thing" in shown
    listed = editor.get(reverse("run_search_terms", args=[run.pk]), {"state": "nothing"}).content.decode()
    assert "no such thing" in listed and "chair" not in listed
    assert editor.get(reverse("run_search_terms", args=[run.pk]), {"state": "nonsense"}).status_code == 404
    token = api_tokens.create_token(person("viewer"), "test", [ApiScope.READ])
    told = Client(headers={"Authorization": f"Bearer {token}"}).get(f"/api/v1/runs/{run.pk}/search-terms?state=nothing").json()
    assert [(each["term"], each["links"]) for each in told["items"]] == [("no such thing", 0)]
    assert list(search_terms.write_lines(run)) == ["2 search terms: found something", "1 search term: found nothing: no such thing"]


def test_a_search_that_is_sent_with_post_is_refused_in_words(sent: list[int]) -> None:
    with SiteServer(SearchSite(form=POST_FORM)) as server:
        alone = crawl_again(make_site(server.host, "lamp"))
        assert alone.state == Run.State.FAILED and "its form is sent with POST" in alone.error
        Source.objects.update(addresses=[f"{server.address}/"])
        run = crawl_again(Site.objects.get())
    assert run.state == Run.State.DONE
    assert "its form is sent with POST" in run.problems.get().reason


def test_a_crawl_that_is_resumed_keeps_what_terms_found_and_forgets_terms_that_were_removed(sent: list[int]) -> None:
    with SiteServer(SearchSite()) as server:
        site = make_site(server.host, "desk", "nope")
        run = crawl_again(site)
        Run.objects.filter(pk=run.pk).update(state=Run.State.FAILED)
        Source.objects.update(search_terms=["desk", "chair"])
        again = done(resume(run))
    assert dict(again.search_terms.values_list("term", "state")) == {"desk": "found", "chair": "found"}


def resume(run: Run) -> Run:
    from extraction.services.core import runs

    run.refresh_from_db()
    runs.resume_run(run)
    run.refresh_from_db()
    return run


def test_terms_that_the_page_limit_leaves_over_are_told(sent: list[int]) -> None:
    with SiteServer(SearchSite()) as server:
        run = crawl_again(make_site(server.host, *(f"lamp {n}" for n in range(1, 10)), page_limit=3))
    counts = search_terms.count_by_state(run)
    assert counts["waiting"] >= 6 and run.read_summary().unasked_terms == counts["waiting"]
