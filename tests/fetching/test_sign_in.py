"""Pages behind a sign-in are fetched, what signed-out visitors see is never taken for them, and nothing that is entered is shown."""

import json
from pathlib import Path
from typing import Any

import pytest

from extraction.fetching.crawl.messages import CrawlPlan, Outcome, Search, TermState
from extraction.fetching.crawl.process import Crawl
from extraction.fetching.hidden_texts import shows_secret
from extraction.fetching.sign_in_steps import Act, SignIn, SignInStep, keep_texts, read_steps, write_steps
from tests.fetching.crawling import Told
from tests.fetching.crawling import take as take_event
from tests.fetching.member_site import PASSWORD, MemberSite, page


def crawl(site: MemberSite, folder: Path, *paths: str, sign_in: SignIn | None = None, **changes: Any) -> tuple[Told, list[str]]:
    """Fetch pages. Return what was told and the sessions that were handed over."""
    told = Told()
    sessions: list[str] = []
    quick: dict[str, Any] = {"delay_s": 0.0, "autothrottle": False, "timeout_s": 20.0, "retries": 0, "soft_404": False, "concurrency": 1}
    usual: dict[str, Any] = {"permitted": ("127.0.0.1",), "follow_links": False, "robots_sitemaps": False}
    urls = tuple(f"{site.address}{path}" for path in paths)
    plan = CrawlPlan(spool=str(folder), urls=urls, sign_in=sign_in or how(site), **(quick | usual | changes))
    with Crawl(plan, keep_session=sessions.append) as running:
        for event in running:
            take_event(told, event)
    return told, sessions


def how(site: MemberSite, **changes: Any) -> SignIn:
    return SignIn(steps=read_steps(site.steps), marker="a.sign-in", **changes)


@pytest.mark.e2e
def test_pages_behind_a_sign_in_are_fetched_with_one_sign_in(tmp_path: Path) -> None:
    with MemberSite() as site:
        told, sessions = crawl(site, tmp_path, "/a", "/b", "/c")
        assert [each.outcome for each in told.fetched.values()] == [Outcome.OK] * 3
        assert (site.signed_in, site.refused, len(sessions)) == (1, 0, 1)
        again, kept = crawl(site, tmp_path, "/d", sign_in=how(site, session=sessions[0]))
        assert again.fetched[f"{site.address}/d"].outcome is Outcome.OK
        assert (site.signed_in, kept) == (1, []), "the session of the last crawl is used"


@pytest.mark.e2e
def test_a_session_that_ends_is_renewed_and_no_signed_out_page_is_taken_for_a_page(tmp_path: Path) -> None:
    with MemberSite(lasts=8) as site:
        paths = [f"/{name}" for name in "abcdefghijklmnopqrst"]
        told, sessions = crawl(site, tmp_path, *paths)
        assert [each.outcome for each in told.fetched.values()] == [Outcome.OK] * len(paths)
        assert site.refused >= 3, "it refused in each of its ways"
        assert site.signed_in == len(sessions) >= 3
        assert all(b"a class=account" in body for body in told.bodies.values())
        assert told.twice == []


@pytest.mark.e2e
def test_a_sign_in_that_fails_is_told_and_not_tried_for_ever(tmp_path: Path) -> None:
    with MemberSite(password="another") as site:
        told, sessions = crawl(site, tmp_path, "/a", "/b", "/c", "/d", sign_in=SignIn(steps=read_steps(site.steps)[:4], marker="a.sign-in"))
        assert {each.outcome for each in told.fetched.values()} == {Outcome.SIGNED_OUT}
        assert told.bodies == {}
        assert {each.message for each in told.fetched.values()} == {
            "signing in failed: after the last step the page still shows a.sign-in",
        }
        assert site.wrong == 2, "after that, the account might be locked"
        assert sessions == []
        assert PASSWORD not in repr(told)


@pytest.mark.e2e
def test_a_step_that_cannot_be_taken_is_named_without_what_it_enters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with MemberSite() as site:
        steps = (SignInStep(act=Act.OPEN, at="http://127.0.0.1:1/"), *read_steps(site.steps)[1:])
        told, _ = crawl(site, tmp_path, "/a", sign_in=SignIn(steps=steps))
        message = told.fetched[f"{site.address}/a"].message
        assert message == "signing in failed: step 1 (open http://127.0.0.1:1/): the address did not open"


@pytest.mark.e2e
def test_signing_in_reaches_no_private_address(tmp_path: Path) -> None:
    with MemberSite() as private, MemberSite() as site:
        told, _ = crawl(site, tmp_path, "/a", sign_in=how(private), permitted=(site.address.removeprefix("http://"),))
        assert told.fetched[f"{site.address}/a"].outcome is Outcome.SIGNED_OUT
        assert private.seen == []


def test_steps_are_read_and_written_without_what_they_enter() -> None:
    steps = read_steps("open https://a.example/in\nfill input[name=user] = ada = eve\n\nCLICK button\nwait .account")
    assert [(step.act, step.at, step.text) for step in steps] == [
        (Act.OPEN, "https://a.example/in", ""),
        (Act.FILL, "input[name=user]", "ada = eve"),
        (Act.CLICK, "button", ""),
        (Act.WAIT, ".account", ""),
    ]
    written = write_steps(steps, "••••")
    assert "eve" not in written and "eve" not in repr(steps) and "eve" not in repr(SignIn(steps=steps))
    assert keep_texts(read_steps(written), {"input[name=user]": "ada = eve"}, "••••") == steps
    with pytest.raises(ValueError, match="is not stored"):
        keep_texts(read_steps(written), {}, "••••")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("press #a", "Line 1 does not begin with"),
        ("open https://a.example\nfill #password s3cret", "Line 2 must say what to fill in"),
        ("open https://a.example\nfill #password = ", "Line 2 must say what to fill in"),
        ("click", "which element"),
        ("fill #a = s3cret", "first step must open"),
        ("open https://a.example\nfill #a = s3cret\nfill #a = s3cret", "Two steps fill #a"),
        ("open https://a.example\n" * 31, "at most 30"),
    ],
)
def test_steps_that_cannot_be_read_are_refused(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said) as refused:
        read_steps(text)
    assert "s3cret" not in str(refused.value)


def test_the_address_of_the_sign_in_is_known_whatever_its_query() -> None:
    sign_in = SignIn(steps=read_steps("open https://a.example/in/?lang=de"))
    assert sign_in.is_sign_in_address("https://A.example/in?next=/page")
    assert not sign_in.is_sign_in_address("https://a.example/inside")


def test_a_plan_with_a_sign_in_crosses_the_pipe() -> None:
    plan = CrawlPlan(
        spool="", sign_in=SignIn(steps=read_steps("open https://a.example\nfill #p = s3cret"), session=json.dumps({"cookies": []}))
    )
    assert CrawlPlan.from_json(plan.to_json()) == plan
    assert "s3cret" in plan.list_secrets().values()
    assert "s3cret" not in repr(plan)


def test_a_sign_in_is_completed_with_what_the_second_page_asks_for() -> None:
    begun = SignIn(steps=read_steps("open https://a.example\nfill #user = ada l\nclick #next"), later_password="s3cret")
    plan = CrawlPlan(spool="", sign_in=begun, tries_sign_in=True)
    assert CrawlPlan.from_json(plan.to_json()) == plan
    assert "s3cret" not in repr(plan) and {"s3cret", "ada l"} <= set(plan.list_secrets().values())
    whole = begun.complete("#password", "#enter")
    assert [str(step) for step in whole.steps[3:]] == ["fill #password", "click #enter"]
    assert (whole.steps[3].text, whole.later_password) == ("s3cret", "")
    assert whole.has_second_page() and not begun.has_second_page()


@pytest.mark.parametrize(
    ("selector", "stored"),
    [
        ('form[action="/enter?user=ada%20l"] input', False),
        ('form[action="/enter?user=ada+l"] input', False),
        ('input[title="ada l"]', False),
        ('input[id="bob"]', False),
        ('input[name="password"]', True),
    ],
)
def test_a_selector_that_shows_what_is_filled_in_is_not_stored(selector: str, stored: bool) -> None:
    assert shows_secret(selector, {"step 2": "ada l", "step 3": "bob"}) is not stored


class SearchingMembers(MemberSite):
    """Members who find things by a search only."""

    def answer(self, path: str, target: str, cookie: str) -> tuple[int, dict[str, str], bytes]:
        status, headers, body = super().answer(path, target, cookie)
        if status == 200 and path == "/home" and b"class=account" in body:
            body = page("Home", "<form action=/find role=search><input name=q></form>")
        if status == 200 and path == "/find" and b"class=account" in body:
            body = page("Results", "<a href=/thing>A lamp</a>" if "q=lamp" in target else "<p>Nothing</p>")
        return status, headers, body


@pytest.mark.e2e
def test_a_search_behind_a_sign_in_is_asked_although_the_session_has_ended(tmp_path: Path) -> None:
    stale = {"cookies": [{"name": "member", "value": "stale", "domain": "127.0.0.1", "path": "/"}], "origins": []}
    with SearchingMembers() as site:
        search = Search(address=f"{site.address}/home", terms=("lamp", "unicorn"))
        sign_in = how(site, session=json.dumps(stale))
        told, sessions = crawl(site, tmp_path, sign_in=sign_in, search=search, follow_links=True, max_depth=1)
    assert told.problem == "" and len(sessions) >= 1
    assert {term: each.state for term, each in told.terms.items()} == {"lamp": TermState.FOUND, "unicorn": TermState.NOTHING}
    assert told.fetched[f"{site.address}/thing"].outcome is Outcome.OK
