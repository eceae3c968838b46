"""A run's records are judged once, released or held back, and what is delivered is always the last released state."""

from typing import Any

import pytest
from django.contrib.auth.models import User

from extraction import pipeline
from extraction.algorithms.records.quality.demands import RuleLimits
from extraction.models import Page, QualityRule, RuleFailure, Run, RunRelease
from extraction.models.run_values import RunParameters, RunSummary
from extraction.services.core import runs, signals
from extraction.services.intake import crawl_site
from extraction.services.quality import edit_rules, judge_run, releases
from extraction.services.quality.edit_rules import RuleDraft
from extraction.services.records import extract_records, history
from tests.services import factory
from tests.services.quality.shop_rules import add_rule, extract
from tests.services.records.bookshop import Bookshop, open_shop

pytestmark = pytest.mark.django_db


@pytest.fixture
def shop(sent: list[int]) -> Bookshop:
    return open_shop(7)


@pytest.fixture
def delivered(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, User | None]]:
    """The runs of which deliveries are told, with who released them."""
    told: list[tuple[int, User | None]] = []

    def listen(*, run: Run, cluster: Any, user: User | None, **_: Any) -> None:
        assert releases.find_released_runs([cluster]).get(cluster.pk) == run
        told.append((run.pk, user))

    monkeypatch.setattr(signals.records_released, "receivers", [])
    signals.records_released.connect(listen, weak=False)
    return told


def prices(shop: Bookshop) -> set[str]:
    """What is delivered: the prices at the last released run."""
    run = releases.find_released_runs([shop.cluster]).get(shop.cluster.pk)
    assert run
    return {values["price"][0]["raw"] for values in history.rebuild_records(shop.cluster, after=run).values()}


def test_a_template_without_rules_is_released_at_once(shop: Bookshop, delivered: list[Any]) -> None:
    shop.visit()
    release = extract(shop)
    assert (release.state, release.counts, delivered) == ("released", {"": 12}, [(release.run_id, None)])


def test_a_blocked_run_changes_nothing_of_what_is_delivered_until_an_operator_releases_it(
    shop: Bookshop, delivered: list[Any], person: Any
) -> None:
    add_rule(shop, "range", "price", low="1", high="60", currency="GBP")
    shop.visit()
    first = extract(shop)
    good = prices(shop)
    book = next(iter(shop.books.values()))
    book.pence = 990_000
    shop.visit()
    held = extract(shop)
    assert (held.state, prices(shop), delivered) == ("held", good, [(first.run_id, None)])
    assert held.reasons == [
        "price is from 1 to 60 GBP (all records): 1 of 12 records (8.3 %) fail, for example “9900.00 GBP” is more than 60"
    ]
    failure = RuleFailure.objects.get()
    assert (failure.value, failure.reason, failure.page and failure.page.url) == ("9900.00 GBP", "is more than 60", book.addresses[0])

    operator = person("operator")
    assert releases.release_run(held, operator, "a rare book").taken
    assert prices(shop) - good == {"£9900.00"}
    assert delivered == [(first.run_id, None), (held.run_id, operator)]


def test_after_a_rejection_the_last_good_records_stay_and_later_runs_are_compared_with_them(
    shop: Bookshop, delivered: list[Any], person: Any
) -> None:
    add_rule(shop, "change", "price", allowed=0.5)
    shop.visit()
    first = extract(shop)
    good = prices(shop)
    for book in shop.books.values():
        book.pence += 1
    shop.visit()
    held = extract(shop)
    assert held.state == "held"
    assert releases.reject_run(held, person("operator"), "all prices are wrong").taken
    again = extract(shop)  # nothing has changed since the rejected run, but everything since the released one
    assert (again.state, again.base_id, prices(shop), len(delivered)) == ("held", first.pk, good, 1)
    for book in shop.books.values():
        book.pence -= 1
    shop.visit()
    mended = extract(shop)
    again.refresh_from_db()
    assert (mended.state, again.state, again.note.startswith("Run ")) == ("released", "rejected", True)
    assert prices(shop) == good


def test_a_bad_value_of_a_rejected_run_holds_the_next_run_although_its_page_cannot_be_read_any_more(shop: Bookshop, person: Any) -> None:
    add_rule(shop, "range", "price", low="1", high="60")
    shop.visit()
    extract(shop)
    book = next(iter(shop.books.values()))
    book.pence = 990_000
    shop.visit()
    releases.reject_run(extract(shop), person("operator"))
    Page.objects.get(url=book.addresses[0]).snapshots.update(error="it is broken")
    assert extract(shop).state == "held"


def test_of_two_operators_who_decide_at_the_same_moment_one_wins_and_the_other_is_told(shop: Bookshop, delivered: list[Any]) -> None:
    add_rule(shop, "required", "isbn")
    next(iter(shop.books.values())).isbn = ""
    shop.visit()
    held = extract(shop)
    ada, bob = (User.objects.create(username=name) for name in ("ada", "bob"))
    seen_by_bob = RunRelease.objects.get(pk=held.pk)
    assert releases.release_run(held, ada).taken
    lost = releases.reject_run(seen_by_bob, bob)
    assert (lost.taken, lost.release.state, lost.release.decided_name) == (False, "released", "ada")
    assert delivered == [(held.run_id, ada)]


def test_a_run_whose_worker_dies_while_it_judges_is_judged_exactly_once(
    shop: Bookshop, delivered: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    add_rule(shop, "required", "title")
    shop.visit()
    run = extract_records.start_extraction(shop.cluster)
    judge = judge_run.judge_run

    def die(*arguments: Any) -> None:
        judge(*arguments)
        raise SystemExit

    monkeypatch.setattr(judge_run, "judge_run", die)
    with pytest.raises(SystemExit):
        pipeline.execute_run(run.pk)
    assert (RunRelease.objects.get().state, delivered) == ("judged", [])
    monkeypatch.setattr(judge_run, "judge_run", judge)
    factory.put(Run.objects.filter(pk=run.pk), Run.State.QUEUED)
    assert pipeline.execute_run(run.pk)
    assert not pipeline.execute_run(run.pk)
    pipeline.start_successors(Run.objects.get(pk=run.pk))  # a message that comes twice
    assert (RunRelease.objects.get().state, len(delivered), RunRelease.objects.get().results.count()) == ("released", 1, 1)


def test_a_verdict_does_not_count_before_the_run_is_done(shop: Bookshop, monkeypatch: pytest.MonkeyPatch) -> None:
    shop.visit()
    monkeypatch.setattr(runs, "_finish", lambda *_, **__: False)  # another worker has the run
    run = extract_records.start_extraction(shop.cluster)
    pipeline.execute_run(run.pk)
    assert releases.find_released_runs([shop.cluster]).get(shop.cluster.pk) is None


def test_a_run_that_gives_far_fewer_records_than_usual_is_held(shop: Bookshop) -> None:
    add_rule(shop, "count", least=0.8)
    shop.visit()
    assert extract(shop).state == "released"  # there is nothing to compare with
    for book in list(shop.books.values())[:4]:
        book.on_sale = False
    shop.visit()
    held = extract(shop)
    assert held.reasons == [
        "There are at least 80 % as many records as the median of the last 5 released runs: 8 are fewer than 80 % of 12"
    ]


def test_a_counter_may_not_fall_and_the_value_at_the_last_released_run_counts(shop: Bookshop, person: Any) -> None:
    add_rule(shop, "monotony", "price", direction="up")
    shop.visit()
    extract(shop)
    book = next(iter(shop.books.values()))
    before = book.pence
    book.pence = before - 50
    shop.visit()
    releases.reject_run(extract(shop), person("operator"))
    book.pence = before - 20  # more than in the rejected run
    shop.visit()
    assert extract(shop).state == "held"
    book.pence = before + 1
    shop.visit()
    assert extract(shop).state == "released"


def test_a_template_has_its_own_rule_in_place_of_that_of_its_type(shop: Bookshop) -> None:
    rule = add_rule(shop, "range", "price", high="0.01")
    shop.visit()
    assert extract(shop).state == "held"
    draft = RuleDraft(kind="range", attribute=rule.attribute, limits=RuleLimits(high="100"), weight="block")
    own = edit_rules.update_rule(rule, draft, None, cluster=shop.cluster)
    assert (own.overrides_id, QualityRule.objects.get(pk=rule.pk).limits) == (rule.pk, {"high": "0.01"})
    assert extract(shop).state == "released"
    edit_rules.delete_rule(own)
    edit_rules.switch_rule(rule, None, enabled=False, cluster=shop.cluster)
    assert extract(shop).results.count() == 0


def test_a_rule_that_can_no_longer_be_judged_counts_as_broken_and_says_why(shop: Bookshop) -> None:
    add_rule(shop, "range", "price", low="1")
    shop.kind.attributes.filter(name="price").update(type="text")
    shop.visit()
    held = extract(shop)
    assert held.state == "held"
    assert "cannot be judged: price is now of the type text" in held.reasons[0]


@pytest.mark.parametrize(("mode", "judged"), [("extract", 1), ("sample", 0)])
def test_a_crawl_that_extracts_at_once_is_judged_too(shop: Bookshop, monkeypatch: pytest.MonkeyPatch, mode: str, judged: int) -> None:
    rule = shop.cluster.rules.serving().get()
    shop.visit()
    extract(shop)
    crawl = runs.start_run(Run.Kind.CRAWL, shop.cluster.site, parameters=RunParameters(mode=mode, rules=(rule.pk,)))
    monkeypatch.setattr(crawl_site, "run_crawl", lambda *_: RunSummary(pages=1))
    pipeline.execute_run(crawl.pk)
    assert RunRelease.objects.filter(run=crawl, state="released").count() == judged
