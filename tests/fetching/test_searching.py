"""A search that is asked for each term of a list: its form, its result pages, and what gave nothing."""

import hashlib
from dataclasses import replace
from typing import Any

import pytest

from extraction.fetching.crawl.messages import Address, Outcome, Search, SearchedTerm, TermState
from tests.fetching.crawling import Told, crawl
from tests.fetching.search_site import POST_FORM, SearchSite
from tests.fetching.site_pages import Answer, html
from tests.fetching.site_server import SiteServer


def search(site: SearchSite, *terms: str, pages: int = 20, fields: tuple[str, ...] = (), **changes: object) -> Told:
    with SiteServer(site) as server:
        asked = Search(address=f"{server.address}/search", fields=fields, terms=terms, pages=pages)
        given: dict[str, Any] = {"start": (), "robots_sitemaps": False, "allowed_hosts": (server.host,)}
        told = crawl(server, search=asked, **(given | changes))
        return replace_host(told, server.address)


def replace_host(told: Told, host: str) -> Told:
    told.fetched = {url.removeprefix(host): each for url, each in told.fetched.items()}
    told.terms = {term: replace(each, url=each.url.removeprefix(host)) for term, each in told.terms.items()}
    return told


def products(told: Told) -> set[str]:
    return {url for url, each in told.fetched.items() if url.startswith("/product/") and each.outcome is Outcome.OK}


def test_each_term_becomes_a_result_page_whose_links_are_followed():
    site = SearchSite()
    told = search(site, "lamp", "chair", "no such thing", "Stühle & Bänke")
    assert len(products(told)) == 27, "25 lamps on three pages, a chair, and one with other letters"
    states = {term: (each.state, each.links) for term, each in told.terms.items()}
    assert states == {
        "lamp": (TermState.FOUND, 10),
        "chair": (TermState.FOUND, 1),
        "no such thing": (TermState.NOTHING, 0),
        "Stühle & Bänke": (TermState.FOUND, 1),
    }
    lamp = next(each for each in site.asked if each["q"] == ["lamp"])
    assert lamp == {"lang": ["en"], "q": ["lamp"], "in": ["all"], "go": ["1"]}, "all that a browser sends, and no box that is not ticked"
    assert told.terms["lamp"].url == "/find?lang=en&q=lamp&in=all&go=1"
    assert not [url for url in told.fetched if "sort=" in url], "links that sort results lead to nothing new"


def test_further_result_pages_have_a_bound():
    assert len(products(search(SearchSite(), "lamp", pages=1))) == 10
    assert len(products(search(SearchSite(), "lamp", pages=2))) == 20


def test_a_field_that_a_person_named_gets_its_value():
    site = SearchSite()
    search(site, "desk", fields=("q", "in = In names", "sold = yes"))
    assert site.asked[0]["in"] == ["names"] and site.asked[0]["sold"] == ["yes"]


def test_several_fields_take_the_parts_of_a_term():
    site = SearchSite()
    told = search(site, "desk | names", "chair | nowhere", fields=("q", "in"))
    assert [each["in"] for each in site.asked if each["q"] == ["desk"]] == [["names"]]
    assert told.terms["desk | names"].state is TermState.FOUND
    assert told.terms["chair | nowhere"].state is TermState.FAILED
    assert told.terms["chair | nowhere"].message == "its field in does not offer “nowhere”"


def test_a_site_that_answers_404_for_nothing_found_gives_nothing():
    told = search(SearchSite(empty=404), "desk", "no such thing")
    assert told.terms["desk"].state is TermState.FOUND
    assert told.terms["no such thing"].state is TermState.NOTHING


def test_a_search_that_opens_its_only_result_found_something():
    told = search(SearchSite(to_one=True), "desk", "lamp")
    assert told.terms["desk"].state is TermState.FOUND and "/product/102" in told.terms["desk"].message
    assert len(products(told) | {"/product/102"}) == 26


def test_result_pages_that_name_one_canonical_address_are_still_told_apart():
    terms = [f"lamp {n}" for n in range(10, 20)] + ["nothing one", "nothing two", "nothing three", "nothing four", "desk", "chair"]
    told = search(SearchSite(canonical=True), *terms)
    states = [told.terms[term].state for term in terms]
    assert states == [TermState.FOUND] * 10 + [TermState.NOTHING] * 4 + [TermState.FOUND] * 2


def test_many_terms_without_results_are_no_trap():
    terms = [f"word{n}" for n in range(80)]
    told = search(SearchSite(), *terms, "desk")
    assert {told.terms[term].state for term in terms} == {TermState.NOTHING}
    assert told.terms["desk"].state is TermState.FOUND


def test_a_sample_asks_its_terms_too():
    told = search(SearchSite(), "lamp", "nope", sample=True, page_limit=50)
    assert told.terms["lamp"].state is TermState.FOUND and told.terms["nope"].state is TermState.NOTHING


@pytest.mark.parametrize(
    ("form", "fields", "words"),
    [
        (POST_FORM, (), "its form is sent with POST. Vertex fills in forms that are sent with GET only"),
        ("<p>Nothing here</p>", (), "its page has no form"),
        ("<form><input name=a><input name=b></form>", (), "say which field takes the term; the form has a, b"),
        ("<form><input name=a></form>", ("q",), "no form of its page has the fields q; there are a"),
        ("<form><input name=user><input type=password name=p></form>", (), "no form of its page looks like a search"),
        ("<form action=/x><input name=a></form><form action=/y><input name=b></form>", (), "several forms that could be the search"),
    ],
)
def test_a_form_that_cannot_be_filled_in_says_why(form, fields, words):
    told = search(SearchSite(form=form), "lamp", fields=fields)
    assert words in told.problem and not told.terms and not told.fetched


def test_a_search_page_that_does_not_come_says_why():
    class Gone(SearchSite):
        def answer(self, target, headers):
            return html("Gone", "", status=410)

    assert "the page of the form answered 410" in search(Gone(), "lamp").problem


def test_a_form_that_leads_to_another_host_says_where():
    site = SearchSite(form="<form action='http://127.0.0.1:9/find' role=search><input name=q></form>")
    told = search(site, "lamp")
    assert told.terms["lamp"].state is TermState.FAILED
    assert "another host: 127.0.0.1:9. Add its host under Hosts" in told.terms["lamp"].message


def test_robots_txt_counts_for_results_too():
    class Forbidden(SearchSite):
        def answer(self, target, headers):
            if target == "/robots.txt":
                return Answer(b"User-agent: *\nDisallow: /find", headers=(("Content-Type", "text/plain"),))
            return super().answer(target, headers)

    told = search(Forbidden(), "lamp")
    assert told.terms["lamp"] == SearchedTerm(
        term="lamp", url="/find?lang=en&q=lamp&in=all&go=1", state=TermState.FAILED, message="robots.txt disallows it"
    )


def test_a_crawl_that_goes_on_asks_only_what_is_left():
    site = SearchSite()
    with SiteServer(site) as server:
        result = "{}/find?lang=en&q={}&in=all&go=1"
        asked = Search(address=f"{server.address}/search", terms=("lamp", "desk"))
        known, queued = (result.format(server.address, "lamp"),), (Address(url=result.format(server.address, "desk")),)
        told = crawl(server, search=asked, start=(), robots_sitemaps=False, allowed_hosts=(server.host,), known=known, queued=queued)
    assert told.terms["lamp"].state is TermState.WAITING, "nothing new is known of it"
    assert told.terms["desk"].state is TermState.FOUND
    assert [each["q"] for each in site.asked] == [["qzxvwjkqyx"], ["desk"]]


def test_an_unchanged_result_page_still_says_what_it_found():
    with SiteServer(SearchSite()) as server:
        asked = Search(address=f"{server.address}/search", terms=("desk",))
        given: dict[str, Any] = {"search": asked, "start": (), "robots_sitemaps": False, "allowed_hosts": (server.host,)}
        first = crawl(server, **given)
        url = first.terms["desk"].url
        stored = Address(url=url, sha256=hashlib.sha256(first.bodies[url]).hexdigest(), etag='"1"')
        again = crawl(server, **given, queued=(stored,))
    assert again.terms["desk"].state is TermState.FOUND


class EchoingSite(SearchSite):
    """A shop whose result pages all look alike."""

    def answer(self, target: str, headers: dict[str, str]) -> Answer:
        if target.startswith("/find"):
            return html("Results", f"<p>All that there is for {target.partition('q=')[2]}</p><a href=/about>About</a>")
        return super().answer(target, headers)


def test_a_sample_that_goes_on_asks_the_terms_that_are_left_in_any_case():
    terms = tuple(f"word{n}" for n in range(45))
    with SiteServer(EchoingSite()) as server:
        address = f"{server.address}/search"
        queued = tuple(Address(url=f"{server.address}/find?lang=en&q={term}&in=all&go=1", via=address) for term in terms)
        plan: dict[str, Any] = {"start": (), "robots_sitemaps": False, "allowed_hosts": (server.host,), "page_limit": 100}
        told = crawl(server, search=Search(address=address, terms=terms), queued=queued, sample=True, **plan)
    assert {each.state for each in told.terms.values()} == {TermState.NOTHING}
