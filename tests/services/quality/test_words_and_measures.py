"""What rules and findings say in words, and what is judged: every record once, up to a bound, as a run would find it."""

from collections import Counter
from typing import Any

import pytest

from extraction.algorithms.records.quality.demands import Demand, RuleLimits
from extraction.algorithms.records.quality.judging import Score
from extraction.models import QualityRule, RecordChange, RuleResult, Run, RunRelease, TrackedRecord
from extraction.services.quality import effective_rules, judge_run, measuring, rule_words, suggest_rules
from extraction.services.quality.measuring import measure_records
from extraction.services.quality.rule_words import write_finding, write_percent, write_rule
from extraction.services.quality.subjects import read_moves, read_subjects
from tests.services import lists
from tests.services.quality.shop_rules import add_rule, extract
from tests.services.records.bookshop import Bookshop, open_shop


def demand(kind: str, attribute: str = "", *, allowed: float = 0.0, of_list: str = "", other: str = "", **limits: Any) -> Demand:
    own: Any = {"kind": kind, "attribute": attribute, "list_name": of_list, "other": other}
    return Demand(**own, limits=RuleLimits(**limits), allowed_fraction=allowed)


@pytest.mark.parametrize(
    ("fraction", "text"),
    [
        (0, "0 %"),
        (1, "100 %"),
        (0.5, "50 %"),
        (0.123, "12.3 %"),
        (0.001, "0.1 %"),
        (0.0009, "less than 0.1 %"),
        (0.9991, "more than 99.9 %"),
        (0.999, "99.9 %"),
    ],
)
def test_only_all_is_written_as_all_and_only_none_as_none(fraction: float, text: str) -> None:
    assert write_percent(fraction) == text


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (demand("change", allowed=0.2), "At most 20 % of the records change or go at once"),
        (demand("change", "price", allowed=0.2, of_list="offers"), "price changes in at most 20 % of the rows of offers at once"),
        (demand("length", "title", shortest=3, longest=1500), "title has 3 to 1,500 characters (all records)"),
        (demand("length", "title", longest=1500), "title has at most 1,500 characters (all records)"),
        (demand("length", "title", shortest=3, allowed=0.01), "title has at least 3 characters (at least 99 % of the records)"),
        (demand("range", "price", low="1", high="20", currency="EUR"), "price is from 1 to 20 EUR (all records)"),
        (demand("range", "price", high="20"), "price is at most 20 (all records)"),
        (demand("range", "price", low="1"), "price is at least 1 (all records)"),
        (demand("relation", "price", other="list_price", operator="<="), "price is at most list_price (all records)"),
        (demand("monotony", "pages", direction="up"), "pages never falls (all records)"),
        (demand("monotony", "pages", direction="down"), "pages never rises (all records)"),
        (demand("count", least=0.5, runs=3), "There are at least 50 % as many records as the median of the last 3 released runs"),
        (demand("count", least=0.5, most=2), "There are from 50 % to 200 % as many records as the median of the last 5 released runs"),
        (demand("count", most=2, runs=3), "There are at most 200 % as many records as the median of the last 3 released runs"),
        (demand("values", "state", values=("new",)), "state is “new” (all records)"),
        (
            demand("values", "state", values=tuple("abcdefghij")),
            "state is one of “a”, “b”, “c”, “d”, “e”, “f”, “g”, “h” or one of 2 more (all records)",
        ),
        (demand("language", "text", languages=("de", "xx")), "text is in German or xx (all records)"),
    ],
)
def test_a_rule_in_words(given: Demand, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rule_words, "COUNT_RUNS", 5)
    assert write_rule(given) == words


def test_a_finding_names_what_failed_and_what_nobody_can_tell() -> None:
    score = Score(demand("monotony", "pages", direction="up"))
    assert write_finding(score) == ""
    score.checked, score.unread, score.undecided = 2000, 1200, 3
    assert write_finding(score) == "1,200 of them could not be read; 3 could not be decided"
    assert "older changes" not in write_finding(score, cut_history=True), "nothing was compared"
    score.compared = 5.0
    assert write_finding(score, cut_history=True).endswith("; older changes are no longer kept and were not seen")


@pytest.fixture
def shop(db: None, sent: list[int]) -> Bookshop:
    shop = open_shop(7, count=6)
    shop.visit()
    extract(shop)
    return shop


def scores(*rules: QualityRule) -> list[Score]:
    return [Score(rule.read_demand()) for rule in rules]


def test_so_many_records_are_judged_and_the_rest_is_said_to_be_missing(shop: Bookshop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measuring, "BEAT_EVERY", 2)
    both = scores(add_rule(shop, "range", "price", low="0"), add_rule(shop, "unique", "isbn"))
    beats: list[int] = []
    whole = measure_records(shop.cluster, both, beat=lambda: beats.append(1))
    assert (whole.judged, whole.complete, [each.checked for each in both]) == (6, True, [6, 6])
    assert len(beats) == 3
    part = scores(add_rule(shop, "length", "title", longest=900))
    found = measure_records(shop.cluster, part, limit=4)
    assert (found.judged, found.complete, part[0].checked) == (4, False, 4)
    exact = measure_records(shop.cluster, scores(add_rule(shop, "pattern", "isbn", pattern="9.*")), limit=6)
    assert (exact.judged, exact.complete) == (6, True)


def test_values_that_seem_to_be_double_are_looked_at_a_second_time_also_up_to_the_bound(
    shop: Bookshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measuring, "BEAT_EVERY", 1)
    first, second, *_ = TrackedRecord.objects.order_by("pk")
    second.values = second.values | {"title": first.values["title"]}
    second.save()
    titles = Counter(each.values["title"][0]["raw"] for each in TrackedRecord.objects.all())
    double = sum(count for count in titles.values() if count > 1)
    rule = add_rule(shop, "unique", "title")
    (whole,) = scores(rule)
    beats: list[int] = []
    measure_records(shop.cluster, [whole], beat=lambda: beats.append(1))
    assert whole.failing == double >= 2 and len(beats) == 12, "a beat for each record, twice"
    (part,) = scores(rule)
    assert not measure_records(shop.cluster, [part], limit=1).complete
    assert part.failing <= 1


def test_the_rows_of_a_list_without_a_key_are_read_from_the_records_of_the_pages(db: None, sent: list[int]) -> None:
    from extraction import pipeline
    from extraction.services.records import extract_records
    from tests.services.folders import rich_site

    cluster = lists.shops()
    rich_site.publish(cluster)
    run = extract_records.start_extraction(cluster)
    assert pipeline.execute_run(run.pk)
    found = list(read_subjects(cluster, ["", "offers"], [""]))
    rows = [(values, place) for values, place in found if place.list_name == "offers"]
    expected = [name for n in range(6) for name, _ in lists.offers(n)]
    assert sorted(values["thing"][0]["raw"] for values, _ in rows) == sorted(expected)
    assert {place.record_id for _, place in rows} == {None} and len({place.page_id for _, place in rows}) == 6
    assert all(place.list_name == "offers" for _, place in read_subjects(cluster, ["offers"], []))
    assert len(list(read_subjects(cluster, ["offers"], []))) == len(expected)


def test_a_record_that_was_joined_to_another_has_no_move_of_its_own(shop: Bookshop) -> None:
    since = Run.objects.filter(kind=Run.Kind.EXTRACT).latest("pk")
    changed, joined, *_ = shop.books.values()
    for book in (changed, joined):
        book.pence += 100
    shop.visit()
    extract(shop)
    moved = {move.place.record_id for move in read_moves(shop.cluster, since, [""])}
    assert moved == set(TrackedRecord.objects.filter(key__in=[[changed.isbn], [joined.isbn]]).values_list("pk", flat=True))
    other = TrackedRecord.objects.get(key=[joined.isbn])
    target = TrackedRecord.objects.exclude(key__in=[[changed.isbn], [joined.isbn]]).order_by("pk")[0]
    TrackedRecord.objects.filter(pk=other.pk).update(state=TrackedRecord.State.JOINED, joined=target)
    assert {move.place.record_id for move in read_moves(shop.cluster, since, [""])} == moved - {other.pk}


def test_changes_that_do_not_fit_together_are_unclear(shop: Bookshop) -> None:
    since = Run.objects.filter(kind=Run.Kind.EXTRACT).latest("pk")
    book, *_ = shop.books.values()
    book.pence += 100
    shop.visit()
    extract(shop)
    (move,) = read_moves(shop.cluster, since, [""])
    assert not move.unclear and move.before and move.after and move.before["price"] != move.after["price"]
    change = RecordChange.objects.filter(kind="changed").latest("pk")
    change.values["price"]["to"] = [{"raw": "£0.01", "value": "0.01 GBP", "problem": ""}]
    change.save()
    (move,) = read_moves(shop.cluster, since, [""])
    assert move.unclear


def test_a_rule_that_compares_with_what_cannot_be_compared_says_why(shop: Bookshop) -> None:
    rule = add_rule(shop, "range", "price", low="1")
    rule.kind, rule.limits, rule.other = "relation", {"operator": "<="}, shop.kind.attributes.get(name="title")
    assert "price and title are" in (effective_rules.find_obstacle(rule.read_demand(), rule, [""]) or "")
    moving = QualityRule(record_type=shop.kind, kind="change", limits={}, allowed_fraction=0.1)
    assert effective_rules.find_obstacle(moving.read_demand(), moving, [""]) == ""
    assert "have no key, so their changes are not tracked" in effective_rules.find_obstacle(moving.read_demand(), moving, [])


def test_a_price_that_only_ever_rose_is_suggested_to_go_on_so(shop: Bookshop, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(4):
        for book in shop.books.values():
            book.pence += 100
            book.stock += 1
        shop.visit()
        extract(shop)
    found = suggest_rules.suggest_rules(shop.kind)
    monkeypatch.setattr(suggest_rules, "MAX_RECORDS", 3)
    part = suggest_rules.suggest_rules(shop.kind)
    assert (found.records, found.complete, part.records, part.complete) == (6, True, 3, False)
    offered = [(each.text, each.offer.basis.seen) for each in found.rules if each.draft.kind == "monotony"]
    assert [seen for _, seen in offered] == ["24 changes, all upwards"] and "price never falls" in offered[0][0]


def test_a_run_is_judged_once(shop: Bookshop) -> None:
    release = RunRelease.objects.latest("pk")
    add_rule(shop, "range", "price", low="999999")
    again = judge_run.judge_template(release.run, release.cluster)
    assert (again.pk, again.reasons, again.judged_at) == (release.pk, [], release.judged_at)
    assert RunRelease.objects.count() == 1


def test_the_results_of_old_runs_are_forgotten_before_their_verdicts(shop: Bookshop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judge_run, "KEPT_RESULTS", 2)
    add_rule(shop, "range", "price", low="1", weight="note")
    for _ in range(3):
        extract(shop)
    kept = list(RunRelease.objects.order_by("-pk").values_list("pk", flat=True))
    assert len(kept) == 4
    assert set(RuleResult.objects.values_list("release", flat=True)) == set(kept[:2])
