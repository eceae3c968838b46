"""A simulated year of made-up shops: ``python -m tests.quality.year [--seeds N …] [--shops N] [--days N] [--explain]``.

Each shop has few or many price points, related products, facets, a pager, sales, banners, tests of two variants of its pages, and a
redesign every six weeks: of one value, of half of the pages, of all of them, or of nothing that matters. Fifteen pages are checked daily,
with the code that the product uses: verdicts (`judge_rule`, `confirm_verdict`), baselines (`RuleVerdict.renews_baseline`), rates of change
(`ChangeCounts`) and repairs (`make_repair`). What is really broken is known from the shop, not from the pages.

Printed for each seed: redesigns and breaks; false alarms; breaks missed; breaks told at the first check with exactly the attributes that
broke; repairs that were right; and wrong ones that would have gone live without a person.
"""

import argparse
import os
import random
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

import django

from extraction.algorithms.dom.parse import parse
from extraction.algorithms.learning.page_table import PageTable
from extraction.algorithms.learning.table_reader import read_page_table
from extraction.algorithms.monitoring.constancy import ChangeCounts
from extraction.algorithms.monitoring.evidence import Revisit, Values
from extraction.algorithms.monitoring.places import normalise_values
from extraction.algorithms.monitoring.profiles import Profile
from extraction.algorithms.monitoring.relearning import Relearned, relearn_attribute
from extraction.algorithms.monitoring.verdict import RuleVerdict, confirm_verdict, judge_rule
from extraction.algorithms.rules.apply import extract_or_nothing
from extraction.algorithms.rules.rule import AttributeRule, RuleDefinition
from extraction.algorithms.rules.xslt import Stylesheet, write_stylesheet
from tests.quality.year_events import REDESIGNS
from tests.quality.year_shops import Product, Shop

SHOPS, DAYS = 8, 365

REDESIGN_EVERY = (35, 50)
"""Days from one redesign to the next, at least and at most."""

BROKEN_PAGES, BROKEN_SHARE = 2, 0.1
"""Pages with wrong values from which an attribute is really broken. With fewer, an alarm is neither right nor false."""


@dataclass
class Figures:
    """What a year gave. notes: what went wrong, for people."""

    checks: int = 0
    redesigns: int = 0
    breaks: int = 0
    exact: int = 0
    false_alarms: int = 0
    missed: int = 0
    late: int = 0
    repairs: int = 0
    right_repairs: int = 0
    wrong_automatic: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)

    def add(self, other: "Figures") -> None:
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)


@lru_cache(maxsize=400)
def read_content(content: bytes) -> PageTable:
    """A page as a table. On many days, a page is the same as the day before."""
    return read_page_table(parse(content).root)


class WatchedShop:
    """A shop's rule and what monitoring knows of it."""

    def __init__(self, shop: Shop) -> None:
        self.shop = shop
        self.figures = Figures()
        self.counts: dict[str, ChangeCounts] = {}
        self.baselines = {self.url(each): self.read(each) for each in shop.watched}
        self.doubted = dict.fromkeys(self.baselines, 0)
        self.learn(RuleDefinition(shop.rules), [each.name for each in shop.rules])

    @staticmethod
    def url(product: Product) -> str:
        return f"/{product.number}"

    def read(self, product: Product) -> PageTable:
        return read_content(self.shop.render(product))

    def learn(self, rule: RuleDefinition, names: list[str]) -> None:
        """Learns attributes from what is true of today's pages, as if an editor had marked them."""
        pages = {self.url(each): self.read(each) for each in self.shop.watched}
        truth = self.tell_truth()
        learned = []
        for each in rule.attributes:
            if each.name in names:
                made = relearn_attribute(each, list(pages.values()), [truth[url][each.name] for url in pages])
                if not isinstance(made, Relearned):
                    continue
                each = made.rule
            learned.append(each)
        self.publish(RuleDefinition(tuple(learned)))
        self.baselines = pages
        self.doubted = dict.fromkeys(pages, 0)

    def settle(self, names: list[str]) -> None:
        """What an editor does after a break: marks the values again. Where one rule cannot read both designs of a site, the site has the
        new one on no page then. What still cannot be read is left out of the records."""
        self.learn(self.rule, names)
        if self._find_unread():
            self.shop.half = None
            self.learn(self.rule, [each.name for each in self.rule.attributes])
        unread = self._find_unread()
        if unread:
            self.publish(RuleDefinition(tuple(each for each in self.rule.attributes if each.name not in unread)))

    def _find_unread(self) -> set[str]:
        truth, rows = self.tell_truth(), {url: self.extract(page) for url, page in self.baselines.items()}
        return {
            each.name
            for each in self.rule.attributes
            if sum(not is_same(each, rows[url].get(each.name, ()), truth[url][each.name]) for url in rows) >= BROKEN_PAGES
        }

    def publish(self, rule: RuleDefinition) -> None:
        self.rule, self.sheet = rule, Stylesheet.compile(write_stylesheet(rule))

    def tell_truth(self) -> dict[str, dict[str, Values]]:
        return {self.url(each): self.shop.tell_truth(each) for each in self.shop.watched}

    def extract(self, page: PageTable) -> Mapping[str, Values]:
        return extract_or_nothing(self.sheet, page.root).merged()

    def visit(self) -> tuple[RuleVerdict, list[Revisit]]:
        """Visits all watched pages once."""
        visits = []
        for product in self.shop.watched:
            url, new = self.url(product), self.read(product)
            old = self.baselines[url]
            visits.append(Revisit(url, old, new, self.extract(old), self.extract(new), True, 1 + self.doubted[url]))
        profiles = {
            each.name: Profile.learn((visit.before.get(each.name, ()) for visit in visits), type=each.type) for each in self.rule.attributes
        }
        return judge_rule(self.rule, profiles, visits, counts=self.counts), visits

    def check(self) -> tuple[RuleVerdict, list[Revisit]]:
        """One check with its second visit, and what follows for baselines and rates of change."""
        verdict, visits = self.visit()
        if verdict.alarming:
            second, visits = self.visit()
            verdict = confirm_verdict(verdict, second)
        for visit in visits:
            if verdict.renews_baseline(visit.url):
                self.baselines[visit.url], self.doubted[visit.url] = visit.new, 0
            elif not verdict.alarming:
                self.doubted[visit.url] += 1
        for name, each in verdict.attributes.items():
            self.counts[name] = self.counts.get(name, ChangeCounts()) + each.counts
        self.figures.checks += 1
        return verdict, visits

    def find_wrong(self, visits: list[Revisit], rule: RuleDefinition | None = None) -> dict[str, int]:
        """{attribute: on how many pages the rule gives something else than what is true}."""
        truth, sheet = self.tell_truth(), Stylesheet.compile(write_stylesheet(rule)) if rule else None
        wrong: Counter[str] = Counter()
        for visit in visits:
            now = extract_or_nothing(sheet, visit.new.root).merged() if sheet else visit.now
            for each in self.rule.attributes:
                wrong[each.name] += not is_same(each, now.get(each.name, ()), truth[visit.url][each.name])
        return dict(wrong)


def is_same(attribute: AttributeRule, given: Values, true: Values) -> bool:
    """Whether the rule gives what is true, as it is stored: a rating with words around it is still the same number."""
    return len(given) == len(true) and normalise_values(attribute, given, None) == normalise_values(attribute, true, None)


def simulate_year(seed: int, *, days: int = DAYS) -> Figures:
    """One shop's year."""
    rng, watched = random.Random(seed + 10_000), WatchedShop(Shop(seed))
    shop, figures, due, kind = watched.shop, watched.figures, rng.randint(*REDESIGN_EVERY), ""
    order = rng.sample(REDESIGNS, len(REDESIGNS))
    pending: dict[str, int] = {}
    for _ in range(days):
        shop.pass_day()
        if shop.day >= due:
            removed = set(shop.design.slots)
            kind = order[figures.redesigns % len(order)](shop, rng)
            removed -= set(shop.design.slots)
            due, figures.redesigns = shop.day + rng.randint(*REDESIGN_EVERY), figures.redesigns + 1
            figures.kinds[kind.partition(": ")[2] or kind] += 1
        else:
            removed = set()
        verdict, visits = watched.check()
        wrong = watched.find_wrong(visits)
        really = {name for name, count in wrong.items() if count >= max(BROKEN_PAGES, BROKEN_SHARE * len(visits))} | removed
        judge_day(watched, verdict, visits, really, wrong, kind, pending)
    return figures


def judge_day(
    watched: WatchedShop,
    verdict: RuleVerdict,
    visits: list[Revisit],
    really: set[str],
    wrong: Mapping[str, int],
    kind: str,
    pending: dict[str, int],
) -> None:
    """Compares a day's verdict with the truth, and repairs what is broken."""
    figures, told = watched.figures, set(verdict.broken)
    names = {each.name for each in watched.rule.attributes}
    really &= names
    false = {name for name in told - really if not wrong.get(name)}
    where = f"{watched.shop.name}, day {watched.shop.day} ({kind}; {len(watched.shop.points)} price points)"
    if false:
        figures.false_alarms += 1
        reasons = [verdict.attributes[name].evidence[0].reason for name in sorted(false)]
        figures.notes.append(f"FALSE {where}: {sorted(false)}: {reasons}")
    if really:
        figures.breaks += 1
        if really <= told:
            figures.exact += not false
        else:
            figures.missed += 1
            figures.notes.append(f"MISSED {where}: {sorted(really - told)}; told {sorted(told)}; wrong {dict(wrong)}")
    if told & really:
        try_repair(watched, verdict, visits, told & really, where)
    if told | really:
        watched.settle(sorted(told | really))


def try_repair(watched: WatchedShop, verdict: RuleVerdict, visits: list[Revisit], broken: set[str], where: str) -> None:
    """Makes the repair that the product would propose, and looks whether it is right and whether it would go live without a person."""
    from extraction.services.monitoring.history import KnownPage
    from extraction.services.monitoring.repairs import make_repair

    figures = watched.figures
    pages = [KnownPage(each.url, each.old, each.new, each.before, {}) for each in visits]
    repair = make_repair(watched.rule, broken, pages)
    wrong = watched.find_wrong(visits, repair.value)
    figures.repairs += 1
    right = not any(wrong[name] for name in broken)
    figures.right_repairs += right
    if not right and repair.valid and repair.simple and all(verdict.attributes[name].certain for name in broken):
        figures.wrong_automatic += 1
        figures.notes.append(f"WRONG REPAIR {where}: {sorted(name for name in broken if wrong[name])}")


def simulate_shops(seed: int, *, shops: int = SHOPS, days: int = DAYS) -> Figures:
    """The years of several shops."""
    total = Figures()
    for number in range(shops):
        total.add(simulate_year(seed * 1_000 + number, days=days))
    return total


def list_figures(found: Figures) -> list[tuple[str, float]]:
    """The figures as `make quality` prints them; each is 1 at best, except for the counts."""
    return [
        ("redesigns", found.redesigns),
        ("breaks", found.breaks),
        ("days without a false alarm", 1 - found.false_alarms / max(found.checks, 1)),
        ("breaks found", 1 - found.missed / max(found.breaks, 1)),
        ("breaks told with the right attributes", found.exact / max(found.breaks, 1)),
        ("repairs that are right", found.right_repairs / max(found.repairs, 1)),
        ("no wrong repair goes live by itself", 1 - found.wrong_automatic / max(found.repairs, 1)),
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    parser.add_argument("--shops", type=int, default=SHOPS)
    parser.add_argument("--days", type=int, default=DAYS)
    parser.add_argument("--explain", action="store_true", help="print each false alarm, missed break and wrong repair")
    options = parser.parse_args()
    bad = 0
    for seed in options.seeds:
        found = simulate_shops(seed, shops=options.shops, days=options.days)
        bad += found.false_alarms + found.missed + found.wrong_automatic
        print(
            f"seed {seed}: {found.checks:,} checks, {found.redesigns} redesigns of {len(found.kinds)} kinds, {found.breaks} breaks; "
            f"false alarms {found.false_alarms}, missed {found.missed}, right attributes {found.exact} of {found.breaks}; "
            f"repairs right {found.right_repairs} of {found.repairs}, wrong ones live by themselves {found.wrong_automatic}",
            flush=True,
        )
        for note in found.notes if options.explain else ():
            print(f"  {note}")
    return 1 if bad else 0


def set_up_django() -> None:
    """The repairs are a service, so the models must be known. No database is used."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "vertex.settings")
    django.setup()


if __name__ == "__main__":
    set_up_django()
    sys.exit(main())
