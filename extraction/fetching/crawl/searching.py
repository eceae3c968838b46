"""A search of the site that is asked for each term of a list.

The form is read from its page when the crawl begins, so that hidden fields and tokens are fresh. Only forms that are sent with GET are
filled in: then each term has an address, by which its result page is known, stored and fetched again like any other page. A form that is
sent with POST is refused in words.

A term found something if its first result page has links that the answer for a made-up term (`MADE_UP`) has not. So the links around the
results, which are on every page, do not count. Further result pages are the page's link to the next one or, where it has none, links that
differ from the address in a single number.
"""

import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlsplit

from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response

from extraction.algorithms.errors import PageError
from extraction.fetching.crawl.failures import DOWNLOAD_ERRORS, judge_failure
from extraction.fetching.crawl.frontier import WANTED_TERMS, Frontier
from extraction.fetching.crawl.messages import Address, CrawlPlan, Fetched, Outcome, RenderMode, SearchedTerm, TermState
from extraction.fetching.crawl.needs import RenderError
from extraction.fetching.crawl.page_forms import PageForm, read_forms
from extraction.fetching.crawl.pages import PageLink, ParsedView, view
from extraction.fetching.crawl.scope import key
from extraction.fetching.search_terms import SearchFields, read_fields, split_term

if TYPE_CHECKING:
    from extraction.fetching.crawl.render import Renderer

MADE_UP = "qzxvwjkqyx"
"""A term that no site has."""

NOTHING = frozenset({Outcome.NOT_FOUND, Outcome.GONE, Outcome.SOFT_404, Outcome.EMPTY})
"""Outcomes with which sites answer a search that finds nothing."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Answer:
    """The answer for the made-up term. links: keys of its links. final_url: where it led to."""

    links: frozenset[int]
    final_url: str


class SearchError(Exception):
    """The search cannot be asked. The message says why."""


class Searching:
    """The search of a crawl.

    fetch: returns the answer for a request.
    is_reading: whether the form is still to be read; until then it is not known which pages are results.
    """

    def __init__(
        self, plan: CrawlPlan, frontier: Frontier, fetch: Callable[[Request], Awaitable[Response]], renderer: "Renderer | None"
    ) -> None:
        self._plan, self._search = plan, plan.search
        self._frontier, self._fetch, self._renderer = frontier, fetch, renderer
        self._form: PageForm | None = None
        self._taking: tuple[str, ...] = ()
        self._by_parts: dict[tuple[str, ...], str] = {}
        self._firsts: dict[int, list[str]] = {}
        self._further: dict[int, str] = {}
        self._open: set[int] = set()
        self._queued: Counter[str] = Counter()
        self._nothing: _Answer | None = None
        self.is_reading = True

    @property
    def keys(self) -> tuple[str, ...]:
        """The query keys that hold the term."""
        return self._taking

    async def begin(self) -> tuple[list[SearchedTerm], list[Address]]:
        """Read the form and queue the result pages. Return (all terms, the addresses that are new). Raises SearchError."""
        try:
            fields = read_fields(self._search.fields)
            form = await self._read_form(fields)
            self._form, self._taking = form, fields.taking or (self._find_only_text(form, fields),)
            terms, found = self._queue_terms(form, fields)
            self._count_known()
            if self._open:
                self._nothing = await self._ask_made_up(form, fields)
        except ValueError as error:
            raise SearchError(str(error)) from error
        finally:
            self.is_reading = False
        return terms, found

    def find_term(self, url: str) -> str:
        """Return the term of which an address is a result page; "" if it is none."""
        number = key(url)
        if number in self._firsts:
            return self._firsts[number][0]
        return self._further.get(number) or self._by_parts.get(self._read_parts(url) or (), "")

    def is_first(self, url: str) -> bool:
        """Return whether an address is the first result page of a term that has no answer yet."""
        return key(url) in self._open

    def choose_links(self, page: ParsedView, url: str) -> tuple[list[str], list[str]]:
        """Return (further result pages, other links) of a page. Links that sort or narrow the results of a term are left out."""
        term = self.find_term(url)
        left = [link for link in page.links if not (self.find_term(link.url) or (link.is_next and term))]
        others = [link.url for link in left]
        if not term:
            return [link.url for link in left if link.is_next], others
        onward = [link.url for link in page.links if link.is_next] or [
            link.url for link in page.links if self.find_term(link.url) == term and _differs_by_number(link.url, url)
        ]
        return onward, others

    def follow(self, urls: Iterable[str], *, url: str, depth: int, repeats: bool) -> list[Address]:
        """Queue further result pages of the term of a result page, within the bound. Return those that are new.

        repeats: whether the page shows the same as an earlier one. Then it does not count: often the first page has a second address.
        """
        term, found = self.find_term(url), list[Address]()
        self._queued[term] -= repeats
        for each in urls:
            if self._queued[term] >= self._search.pages:
                break
            if new := self._frontier.follow([each], depth=depth, via=url):
                self._further[key(each)] = term
                self._queued[term] += 1
                found += new
        return found

    def conclude(self, told: Fetched, page: ParsedView | None) -> list[SearchedTerm]:
        """Return what the answer for a first result page says about its terms."""
        number = key(told.url)
        self._open.discard(number)
        answer = self._judge(told, page)
        return [replace(answer, term=term, url=told.url) for term in self._firsts[number]]

    # The form

    async def _read_form(self, fields: SearchFields) -> PageForm:
        """Return the form of the search. Raises SearchError."""
        response = await self._get(self._search.address)
        if response.status != 200:
            raise SearchError(f"the page of the form answered {response.status}")
        forms = self._read(response.body, response)
        try:
            form = _choose_form(forms, fields)
        except SearchError:
            content = await self._render(response)
            if content is None:
                raise
            form = _choose_form(self._read(content, response, rendered=True), fields)
        if form.method != "GET":
            raise SearchError(
                f"its form is sent with {form.method}. Vertex fills in forms that are sent with GET only, because the results of others"
                " have no address. If the site shows results under addresses of their own, enter those under List of addresses"
            )
        return form

    async def _get(self, url: str) -> Response:
        try:
            return await self._fetch(Request(url, dont_filter=True))
        except (IgnoreRequest, OSError, *DOWNLOAD_ERRORS) as error:
            raise SearchError(f"its page did not come: {judge_failure(error, address=Address(url=url), url=url).message}") from error

    def _read(self, content: bytes, response: Response, *, rendered: bool = False) -> tuple[PageForm, ...]:
        kind = "text/html; charset=utf-8" if rendered else (response.headers.get("Content-Type") or b"").decode("latin-1")
        try:
            return read_forms(content, url=response.url, content_type=kind)
        except PageError as error:
            raise SearchError(f"its page cannot be read: {error}") from error

    async def _render(self, response: Response) -> bytes | None:
        if self._renderer is None or self._plan.rendered is RenderMode.NEVER:
            return None
        try:
            return (await self._renderer.render(response)).content
        except RenderError as error:
            log.warning("the form of the search is not rendered: %s", error)
            return None

    @staticmethod
    def _find_only_text(form: PageForm, fields: SearchFields) -> str:
        """Return the name of the field that takes the term if a person named none. Raises SearchError."""
        left = [each for each in form.texts if each.name not in fields.fixed]
        texts = [each.name for each in left if each.kind == "search"] or [each.name for each in left]
        if len(texts) != 1:
            raise SearchError(f"say which field takes the term; the form has {_list_names([form])}")
        return texts[0]

    def _queue_terms(self, form: PageForm, fields: SearchFields) -> tuple[list[SearchedTerm], list[Address]]:
        terms, found = list[SearchedTerm](), list[Address]()
        for place, term in enumerate(self._search.terms):
            try:
                url = self._make_address(form, fields, term)
            except ValueError as error:
                terms.append(SearchedTerm(term=term, state=TermState.FAILED, message=str(error)))
                continue
            number = key(url)
            if reason := self._frontier.refusal(url):
                hint = ". Add its host under Hosts" if reason.startswith("another host") else ""
                terms.append(SearchedTerm(term=term, url=url, state=TermState.FAILED, message=f"the form leads to {reason}{hint}"))
                continue
            terms.append(SearchedTerm(term=term, url=url))
            self._by_parts.setdefault(split_term(term, len(self._taking)), term)
            self._firsts.setdefault(number, []).append(term)
            found += self._frontier.search(url, via=self._search.address, wanted=place < WANTED_TERMS)
            if self._frontier.waits(url):
                self._open.add(number)
        return terms, found

    def _make_address(self, form: PageForm, fields: SearchFields, term: str) -> str:
        """Return the address of a term's first result page. Raises ValueError."""
        parts = split_term(term, len(self._taking))
        return form.fill({**fields.fixed, **dict(zip(self._taking, parts, strict=True))})

    def _count_known(self) -> None:
        """Count the result pages of a crawl that is resumed. Those whose address does not tell their term count as other pages."""
        path = urlsplit(self._form.action).path if self._form else ""
        for url in chain(self._plan.known, (address.url for address in self._plan.queued)):
            # Most of perhaps a million addresses are told apart by this alone.
            if "?" in url and path in url and key(url) not in self._firsts and (term := self.find_term(url)):
                self._queued[term] += 1
        for terms in self._firsts.values():
            self._queued[terms[0]] += 1

    # Answers

    async def _ask_made_up(self, form: PageForm, fields: SearchFields) -> _Answer | None:
        """Return the answer for the made-up term; None if there is none, so that it cannot be told which links are results."""
        try:
            response = await self._get(form.fill({**fields.fixed, **self._make_up(form)}))
            content = await self._render(response) or response.body
            kind = (response.headers.get("Content-Type") or b"").decode("latin-1")
            page = view(content, url=response.url, content_type="text/html; charset=utf-8" if content is not response.body else kind)
        except (SearchError, PageError, ValueError) as error:
            log.warning("no answer for a made-up term: %s", error)
            return None
        return _Answer(frozenset(key(link.url) for link in page.links), response.url)

    def _make_up(self, form: PageForm) -> dict[str, str]:
        """Return the made-up term, {field: value}. Fields that only take what they offer get what the first term has there."""
        first = next(iter(self._by_parts))
        texts = {each.name for each in form.texts}
        return {name: MADE_UP if name in texts else part for name, part in zip(self._taking, first, strict=True)}

    def _judge(self, told: Fetched, page: ParsedView | None) -> SearchedTerm:
        empty, outcome = self._nothing, told.outcome
        if outcome in NOTHING:
            return SearchedTerm(term="", state=TermState.NOTHING, links=0, message=told.message)
        if outcome not in (Outcome.OK, Outcome.DUPLICATE):
            return SearchedTerm(term="", state=TermState.FAILED, message=told.message or outcome.value.replace("_", " "))
        if told.final_url and not self._frontier.is_same(told.final_url, told.url) and not self.find_term(told.final_url):
            if empty and self._frontier.is_same(told.final_url, empty.final_url):
                return SearchedTerm(term="", state=TermState.NOTHING, links=0)
            state = TermState.FOUND if empty else TermState.UNCLEAR
            return SearchedTerm(term="", state=state, message=f"it leads to {told.final_url}")
        if page is None:
            return SearchedTerm(term="", state=TermState.UNCLEAR, message=told.message)
        links = {key(link.url) for link in page.links if self._counts(link)}
        if empty is None and links:
            return SearchedTerm(term="", state=TermState.UNCLEAR, message="the site did not answer for a made-up term")
        links -= empty.links if empty else set()
        return SearchedTerm(term="", state=TermState.FOUND if links else TermState.NOTHING, links=len(links))

    def _counts(self, link: PageLink) -> bool:
        return not link.is_next and not self.find_term(link.url) and self._frontier.leads_on(link.url)

    def _read_parts(self, url: str) -> tuple[str, ...] | None:
        """Return what an address of the form's own says in the fields that take the term; None for other addresses."""
        if self._form is None:
            return None
        form, parts = urlsplit(self._form.action), urlsplit(url)
        if (form.netloc, form.path.rstrip("/")) != (parts.netloc, parts.path.rstrip("/")):
            return None
        said = dict(parse_qsl(parts.query, keep_blank_values=True, encoding=self._form.encoding, errors="replace"))
        return tuple(said.get(name, "").strip() for name in self._taking)


def _choose_form(forms: Iterable[PageForm], fields: SearchFields) -> PageForm:
    """Return the form that has the fields that a person named or, if none is named, the one that is a search. Raises SearchError."""
    found, named = list(forms), {*fields.taking, *fields.fixed}
    if not found:
        raise SearchError("its page has no form. A form that scripts make needs a browser: see Render with a browser")
    fitting = [form for form in found if named <= {each.name for each in form.fields}] if fields.taking else found
    if fields.taking and not fitting:
        raise SearchError(f"no form of its page has the fields {', '.join(sorted(named))}; there are {_list_names(found)}")
    if not fields.taking:
        fitting = [form for form in found if form.texts and not form.has_password and named <= {each.name for each in form.fields}]
        fitting = [form for form in fitting if form.is_search] or fitting
        if not fitting:
            raise SearchError(f"no form of its page looks like a search; its fields are {_list_names(found)}")
    if len({form.action for form in fitting}) > 1 and not any(form.is_search for form in fitting):
        raise SearchError(f"its page has several forms that could be the search; name its field: {_list_names(fitting)}")
    return next((form for form in fitting if form.is_search), fitting[0])


def _list_names(forms: Iterable[PageForm]) -> str:
    names = dict.fromkeys(each.name for form in forms for each in form.fields if each.name and each.kind != "hidden")
    return ", ".join(list(names)[:20]) or "no fields with a name"


def _differs_by_number(one: str, other: str) -> bool:
    """Return whether two addresses of one path differ in a single query key, whose value is a number."""
    first, second = (dict(parse_qsl(urlsplit(url).query, keep_blank_values=True)) for url in (one, other))
    names = [name for name in {**first, **second} if first.get(name) != second.get(name)]
    return len(names) == 1 and first.get(names[0], "").isdecimal() and second.get(names[0], "1").isdecimal()
