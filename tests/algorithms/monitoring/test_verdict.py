import pytest

from extraction.algorithms.learning.page_table import PageTable
from extraction.algorithms.monitoring.attribute_changes import AttributeChanges, Finding
from extraction.algorithms.monitoring.chance import PageTexts
from extraction.algorithms.monitoring.constancy import ChangeCounts
from extraction.algorithms.monitoring.evidence import Evidence, EvidenceKind, Revisit, ValueChange
from extraction.algorithms.monitoring.profiles import Profile
from extraction.algorithms.monitoring.verdict import (
    AttributeVerdict,
    RuleVerdict,
    Thresholds,
    VerdictKind,
    _is_enough,
    confirm_verdict,
    is_coverage_lost,
    is_unreachable,
    judge_attribute,
    judge_rule,
    list_judged_attributes,
)
from extraction.algorithms.rules.apply import read_attribute
from extraction.algorithms.rules.rule import AttributeRule, ListRule, RuleDefinition, Selector
from tests.algorithms.monitoring.shops import BOOKS, new, old, page

TITLE = AttributeRule("title", mandatory=True, alternatives=(Selector("/descendant::h1"),))
PRICE = AttributeRule("price", "price", alternatives=(Selector("/descendant::p[@class = 'price']"),))
TAG = AttributeRule("tag", alternatives=(Selector("/descendant::p[@class = 'tag']"),))
RULE = (TITLE, PRICE, TAG)


def values(table):
    return {each.name: read_attribute(each, table.root) for each in RULE}


def visit(before, now, *, covered=True, url="u"):
    return Revisit(url, before, now, values(before), values(now), covered)


def profiles(tables):
    rows = [values(table) for table in tables]
    return {each.name: Profile.learn([row[each.name] for row in rows], type=each.type) for each in RULE}


OLD = [old(*book) for book in BOOKS]
PROFILES = profiles(OLD)


def verdict(fresh, **options):
    return judge_rule(
        RuleDefinition(RULE),
        PROFILES,
        [visit(before, now, url=str(n)) for n, (before, now) in enumerate(zip(OLD, fresh, strict=True))],
        **options,
    )


def test_a_redesign_is_attributed_to_the_attributes_that_broke():
    found = verdict([new(*book) for book in BOOKS])
    assert {name: each.kind for name, each in found.attributes.items()} == {"title": "null", "price": "incorrect", "tag": "ok"}
    assert found.broken == ("title", "price")
    first = found.attributes["title"].evidence[0]
    assert (first.before, first.now, first.strong) == (("The red Book",), (), True)
    assert "The red Book" in first.reason


@pytest.mark.parametrize(
    "change",
    [
        lambda title, price, word: (title, "1" + price, word),  # a new price
        lambda title, price, word: (title + ", second edition", price, word),
        lambda title, price, word: (title, price, f"{word}ish"),
    ],
)
def test_content_that_merely_changed_is_no_break(change):
    assert verdict([old(*change(*book)) for book in BOOKS]).broken == ()


def test_a_sale_with_the_old_price_still_on_the_page_is_no_break():
    def sale(title, price, word):
        return page(f"<body><h1>{title}</h1><del>{price} EUR</del><p class='price'>9{price[1:]} EUR</p><p class='tag'>{word}</p></body>")

    assert verdict([sale(*book) for book in BOOKS]).broken == ()


def test_one_bad_page_is_no_break_and_two_are():
    assert verdict([new(*BOOKS[0]), *OLD[1:]]).broken == ()
    assert verdict([new(*BOOKS[0]), new(*BOOKS[1]), *OLD[2:]]).broken == ("title", "price")


def test_dismissals_raise_what_it_takes():
    fresh = [new(*BOOKS[0]), new(*BOOKS[1]), *OLD[2:]]
    assert verdict(fresh, thresholds=Thresholds().raised(3)).broken == ()
    assert Thresholds().raised(99).strong_fraction == 0.8


def test_a_third_of_the_products_without_a_price_is_no_break_of_an_optional_attribute():
    def gone(title, word):
        return page(f"<body><h1>{title}</h1><p class='tag'>{word}</p></body>")

    third = [gone(title, word) if n % 3 == 0 else old(title, price, word) for n, (title, price, word) in enumerate(BOOKS)]
    assert verdict(third).broken == ()
    assert verdict([gone(title, word) for title, _, word in BOOKS]).broken == ("price",)  # far more than usual


def test_a_mandatory_attribute_that_is_gone_everywhere_is_a_break_though_its_value_is_nowhere():
    gone = [page(f"<body><p class='price'>{price} EUR</p></body>") for _, price, _ in BOOKS]
    assert verdict(gone).attributes["title"].kind == "null"


def test_the_same_text_on_all_pages_is_a_break():
    fresh = [
        page(f"<body><h1>A book of our shop</h1><p class='price'>{price} EUR</p><p class='tag'>{word}</p></body>")
        for _, price, word in BOOKS
    ]
    assert verdict(fresh).attributes["title"].kind == "incorrect"


def test_most_pages_out_of_reach_is_unreachable_never_broken():
    found = judge_rule(RuleDefinition(RULE), PROFILES, [visit(OLD[0], new(*BOOKS[0]))], asked=10)
    assert (found.kind, found.broken) == ("unreachable", ())


def test_a_changed_structure_whose_values_are_right_breaks_no_attribute():
    found = judge_rule(RuleDefinition(RULE), PROFILES, [visit(each, each, covered=False) for each in OLD])
    assert (found.kind, found.covered_fraction, found.broken) == ("shingle", 0.0, ())


def test_the_same_date_in_another_writing_is_the_same():
    date = AttributeRule("when", "date")
    visits = [Revisit("u", each, each, {"when": ("12 September 2018",)}, {"when": ("2018-09-12",)}, True) for each in OLD]
    assert judge_rule(RuleDefinition((date,)), {}, visits).attributes["when"].kind == "ok"


def test_a_profile_knows_what_is_odd():
    profile = PROFILES["price"]
    assert profile.odd(("11.90 EUR",)) == ()
    assert any("read as price" in reason for reason in profile.odd(("Ships soon",)))
    assert any("characters" in reason for reason in profile.odd(("1" * 80,)))
    assert Profile.learn([("a",)] * 3).odd(("b" * 500,)) == ()  # too little history


def test_few_values_on_many_pages_are_a_vocabulary_and_many_values_are_none():
    assert Profile.learn([("New",), ("Used",)] * 8).find_unknown(("Used", "Cart")) == ("Cart",)
    assert Profile.learn([("New",), ("Used",)] * 2).find_unknown(("Cart",)) == (), "too few pages"
    assert Profile.learn([(f"Title {n}",) for n in range(16)]).find_unknown(("Cart",)) == ()
    assert Profile.learn([("9.90",), ("19.90",)] * 8, type="price").find_unknown(("29.90",)) == (), "prices have no vocabulary"


class TestConfirming:
    @staticmethod
    def verdict(kind: VerdictKind = "incorrect", doubted: tuple[str, ...] = (), **kinds: VerdictKind) -> RuleVerdict:
        proof = (Evidence("u", "incorrect", True, ("a",), ("b",), "why"),)
        attributes = {
            name: AttributeVerdict(each, 4, 1.0, () if each == "ok" else proof, frozenset(doubted)) for name, each in kinds.items()
        }
        return RuleVerdict(kind, 4, 4, 1.0, attributes)

    def test_only_what_broke_in_both_visits_is_broken(self) -> None:
        found = confirm_verdict(self.verdict(title="null", price="ok"), self.verdict(title="null", price="incorrect"))
        assert (found.kind, found.broken) == ("null", ("title",))
        assert (found.attributes["price"].kind, found.attributes["price"].evidence) == ("ok", ())

    def test_nothing_is_broken_when_the_second_visit_finds_other_faults(self) -> None:
        assert confirm_verdict(self.verdict(title="null", price="ok"), self.verdict(title="ok", price="null")).kind == "ok"

    def test_two_pages_in_doubt_on_the_second_visit_confirm_what_the_first_one_found(self) -> None:
        first = self.verdict(title="incorrect", doubted=("/1", "/2", "/3"))
        assert confirm_verdict(first, self.verdict("ok", title="ok", doubted=("/4", "/5"))).broken == ("title",)
        assert confirm_verdict(first, self.verdict("ok", title="ok", doubted=("/4",))).broken == ()

    def test_a_page_that_either_visit_doubts_keeps_its_baseline(self) -> None:
        found = confirm_verdict(self.verdict(title="null", doubted=("/1",)), self.verdict("ok", title="ok"))
        assert (found.kind, found.renews_baseline("/1"), found.renews_baseline("/2")) == ("ok", False, True)

    def test_lost_coverage_must_be_lost_in_both_visits(self) -> None:
        assert confirm_verdict(self.verdict("shingle", title="null"), self.verdict("shingle", title="ok")).coverage_lost
        assert not confirm_verdict(self.verdict("null", title="null"), self.verdict("shingle", title="ok")).coverage_lost

    def test_counts_and_certainty_and_comparisons_of_both_visits(self) -> None:
        def made(kind: VerdictKind, certain: bool, url: str) -> RuleVerdict:
            one = AttributeVerdict(kind, 4, 1.0, (), frozenset({url}), frozenset({f"{url}c"}), certain, ChangeCounts(4, 1))
            return RuleVerdict(kind, 4, 4, 1.0, {"title": one})

        both = confirm_verdict(made("null", True, "/1"), made("incorrect", False, "/2")).attributes["title"]
        assert (both.kind, both.certain, both.counts) == ("incorrect", False, ChangeCounts())
        assert (both.doubted, both.compared) == (frozenset({"/1", "/2"}), frozenset({"/1c", "/2c"}))
        assert confirm_verdict(made("null", True, "/1"), made("null", True, "/2")).attributes["title"].certain
        assert confirm_verdict(made("ok", True, "/1"), made("ok", True, "/2")).attributes["title"].counts == ChangeCounts(4, 1)


@pytest.mark.parametrize(
    ("probability", "evidence", "pages", "plausible", "enough"),
    [
        (1e-5, 2, 20, False, True),
        (1.1e-5, 2, 20, False, False),
        (1e-5, 1, 5, False, False),
        (1e-5, 2, 21, False, False),
        (1e-5, 3, 21, False, True),
        (1e-3, 3, 3, False, True),
        (1e-3, 7, 7, False, True),
        (1.1e-3, 7, 7, False, False),
        (1e-3, 8, 8, False, False),
        (1e-3, 2, 2, False, False),
        (1e-3, 6, 7, False, False),
        (1e-3, 7, 7, True, False),
        (None, 7, 7, False, False),
    ],
)
def test_one_sign_breaks_a_rule_if_it_is_improbable_and_on_a_tenth_of_the_pages_and_two(
    probability: float | None, evidence: int, pages: int, plausible: bool, enough: bool
) -> None:
    """On all of three to seven pages, a hundred times the probability is enough, unless the values may be right."""
    proof = tuple(Evidence(f"u{n}", "null", True, (), (), "") for n in range(evidence))
    assert _is_enough(Finding("s", proof, probability, plausible), Thresholds(), pages=pages) == enough


def test_dismissals_multiply_what_it_takes_up_to_a_bound() -> None:
    assert Thresholds().raised(0) == Thresholds()
    two = Thresholds().raised(2)
    assert (two.significance, two.strong_fraction, two.weak_fraction, two.least_pages) == pytest.approx((1e-7, 0.225, 0.7875, 2))
    assert Thresholds().raised(3).weak_fraction == 0.8


@pytest.mark.parametrize(("reached", "asked", "unreachable"), [(0, 0, True), (0, 4, True), (1, 2, False), (4, 10, True), (5, 10, False)])
def test_half_of_the_pages_must_answer(reached: int, asked: int, unreachable: bool) -> None:
    assert is_unreachable(reached=reached, asked=asked) == unreachable


def test_half_of_the_pages_must_be_given_to_the_cluster() -> None:
    assert is_coverage_lost(0.49) and not is_coverage_lost(0.5)
    found = judge_rule(RuleDefinition(RULE), PROFILES, [visit(each, each, covered=n > 2) for n, each in enumerate(OLD)])
    assert (found.kind, found.covered_fraction) == ("ok", 5 / 8)


def test_attributes_of_lists_are_judged_with_the_values_of_all_rows() -> None:
    rows = ListRule("l", (Selector("//li"),), (AttributeRule("x", mandatory=True, alternatives=(Selector("b"),)),))
    assert [(each.name, each.multiple, each.mandatory) for each in list_judged_attributes(RuleDefinition(RULE, (rows,)))] == [
        ("title", False, True),
        ("price", False, False),
        ("tag", False, False),
        ("x", True, False),
    ]


def test_counts_are_of_pages_with_a_value_and_of_those_on_which_it_changed() -> None:
    """Two of eight tags changed; one page had none before. Pages in doubt count later."""
    fresh = [old(title, price, "other" if n < 2 else word) for n, (title, price, word) in enumerate(BOOKS)]
    assert verdict(fresh).attributes["tag"].counts == ChangeCounts(8, 2)
    assert verdict(OLD).attributes["tag"].counts == ChangeCounts(8, 0)
    _, price, word = BOOKS[0]
    untitled = page(f"<body><p class='price'>{price} EUR</p><p class='tag'>{word}</p></body>")
    doubted = verdict([untitled, *OLD[1:]])
    assert (doubted.broken, doubted.held) == ((), frozenset({"0"}))
    assert doubted.attributes["tag"].counts == ChangeCounts(7, 0)
    assert not doubted.renews_baseline("0") and doubted.renews_baseline("1")
    slipped = verdict([new(*BOOKS[0]), *OLD[1:]])
    assert (slipped.broken, len(slipped.held)) == ((), 8), "the test compared all pages"
    assert not verdict([new(*book) for book in BOOKS]).renews_baseline("99"), "no baseline moves while a rule is broken"


def proof(kind: EvidenceKind, *urls: int, strong: bool = True) -> tuple[Evidence, ...]:
    return tuple(Evidence(f"u{n}", kind, strong, ("a",), (), "why") for n in urls)


BREAKING, DOUBTFUL, USUAL = 1e-9, 0.05, 0.06
"""Probabilities of signs."""


@pytest.mark.parametrize(
    ("findings", "kind", "fraction", "certain", "doubted"),
    [
        ([], "ok", 0, True, ""),
        ([Finding("s", proof("null", 1, 2, 3), USUAL)], "ok", 0, True, ""),
        ([Finding("s", proof("null", 1, 2, 3), DOUBTFUL)], "ok", 0.3, True, "123"),
        ([Finding("s", proof("null", 1, 2, 3), BREAKING)], "null", 0.3, True, "123"),
        ([Finding("s", proof("incorrect", 1, 2, 3), BREAKING, plausible=True)], "incorrect", 0.3, False, "123"),
        ([Finding("s", proof("null", 1, 2), BREAKING, True), Finding("t", proof("null", 3, 4), BREAKING)], "null", 0.4, True, "1234"),
        ([Finding("s", (*proof("null", 1, 2), *proof("incorrect", 3, 4)), BREAKING)], "null", 0.4, True, "1234"),
        ([Finding("s", (*proof("null", 1), *proof("incorrect", 2, 3)), BREAKING)], "incorrect", 0.3, True, "123"),
        ([Finding("s", (*proof("null", 1, 2), *proof("incorrect", 3, 4, 5, 6)), BREAKING)], "incorrect", 0.6, True, "123456"),
        ([Finding("missing", proof("null", 1, 2, 3), None)], "ok", 0.3, True, "123"),
        ([Finding("missing", proof("null", 1, 2, 3, 4), None)], "null", 0.4, True, "1234"),
        ([Finding("missing", proof("null", 1, 2), None), Finding("odd", proof("incorrect", 3, 4), None)], "null", 0.4, True, "1234"),
        ([Finding("odd", proof("incorrect", 1, 2, 3), None)], "ok", 0.3, True, ""),
        ([Finding("odd", proof("incorrect", 1), None), Finding("s", proof("null", 2), DOUBTFUL)], "ok", 0.2, True, "2"),
        ([Finding("s", proof("null", 1, 2), BREAKING), Finding("t", proof("incorrect", 2, 3), DOUBTFUL)], "null", 0.3, True, "123"),
    ],
)
def test_an_attribute_is_judged_by_its_signs_on_ten_pages(
    findings: list[Finding], kind: VerdictKind, fraction: float, certain: bool, doubted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tested sign breaks it on two pages; signs that are not tested on more than 3.5. What is only odd puts no page in doubt."""
    monkeypatch.setattr("extraction.algorithms.monitoring.verdict.find_signs", lambda _: findings)
    changes = [ValueChange(TITLE, None, visit(each, each, url=f"u{n}"), PageTexts(each, each)) for n, each in enumerate([OLD[0]] * 10)]
    found = judge_attribute(changes, ChangeCounts(), Thresholds())
    assert (found.kind, found.pages, found.certain) == (kind, 10, certain)
    assert found.fraction == pytest.approx(fraction)
    assert found.doubted == {f"u{number}" for number in doubted}


def test_the_pages_that_a_suspicious_sign_compared_are_needed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    signs = [
        Finding("s", proof("null", 1), DOUBTFUL, compared=frozenset({"a"})),
        Finding("t", proof("null", 2), USUAL, compared=frozenset({"b"})),
        Finding("u", proof("null", 3), None, compared=frozenset({"c"})),
    ]
    monkeypatch.setattr("extraction.algorithms.monitoring.verdict.find_signs", lambda _: signs)
    changes = [ValueChange(TITLE, None, visit(OLD[0], OLD[0], url=f"u{n}"), PageTexts(OLD[0], OLD[0])) for n in range(10)]
    assert judge_attribute(changes, ChangeCounts(), Thresholds()).compared == {"a", "c"}
    assert judge_attribute([], ChangeCounts(), Thresholds()) == AttributeVerdict("ok", 0, 0.0)


def test_a_value_that_stood_elsewhere_too_stands_there_by_chance_for_certain() -> None:
    def chance(old_html: str) -> float:
        before, now = page(f"<body>{old_html}</body>"), page("<body><p>a</p></body>")
        pages = [ValueChange(TITLE, None, Revisit("u", before, now, {"title": ("a",)}, {"title": ()}, True), PageTexts(before, now))]
        return AttributeChanges(pages, ChangeCounts()).estimate_standing_chance(pages[0])

    assert chance("<h1>a</h1><p>a</p>") == 1
    assert chance("<h1>a</h1>") == pytest.approx(1 / 2), "no other value was seen: one of two"


def test_a_page_that_had_no_value_and_has_one_now_counts_among_the_pages() -> None:
    """Three of eight pages gain a tag, one had none then and now."""

    def tagged(n: int, tag: str) -> PageTable:
        title, price, _ = BOOKS[n]
        return page(f"<body><h1>{title}</h1><p class='price'>{price} EUR</p>{f'<p class=tag>{tag}</p>' if tag else ''}</body>")

    before = [tagged(n, "" if n < 4 else "old") for n in range(8)]
    now = [tagged(n, "new" if n < 3 else "" if n == 3 else "old") for n in range(8)]
    found = judge_rule(RuleDefinition(RULE), PROFILES, [visit(*both, url=str(n)) for n, both in enumerate(zip(before, now, strict=True))])
    assert found.attributes["tag"].pages == 7 and found.attributes["title"].pages == 8
    assert found.attributes["tag"].counts == ChangeCounts(4, 0)
