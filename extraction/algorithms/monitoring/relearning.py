"""A rule for an attribute, learned from its old values (Gulhane et al. 2011, section 3.2.3; docs/algorithms.md#reuse-and-relearning).

The old values of unchanged records are found on the new pages. Their places are used as if an editor had marked them, and the learner
learns a rule from them.

A value stands in several places of a page (a heading, bread crumbs, a link to the page itself), and a value that changed stands in none.
So places vote. Places of one kind (the same tags up to the root) on many pages are a *candidate*. For each of the most frequent
candidates, a rule is learned from a few pages and judged on the pages that it was not learned from: does it give the old value where that
value is found on the page? A page whose value changed does not count. The rule that agrees best is returned, with the figures by which a
person decides, or the setting that lets rules go live without a person.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from extraction.algorithms.dom.nodes import Location
from extraction.algorithms.dom.page_language import detect_language
from extraction.algorithms.dom.xpath_rewriting import drop_conditions, split_union
from extraction.algorithms.learning.apriori import Example, Learned, NotLearned, learn_attribute
from extraction.algorithms.learning.page_table import PageTable
from extraction.algorithms.monitoring.places import STAGES, SoughtValue, Stage, find_value
from extraction.algorithms.rules.apply import read_attribute
from extraction.algorithms.rules.rule import AttributeRule, Selector
from extraction.algorithms.values.comparing import loosen_text, may_be_written_otherwise
from extraction.algorithms.values.read import read_value

MAX_EXAMPLES = 6
"""The largest number of pages that a rule is learned from: more than an editor would mark, but few enough to leave others to judge."""

MAX_MISSED = 3
"""The largest number of pages that are added to the examples because a rule gets them wrong."""

MAX_CANDIDATES = 5
"""The largest number of kinds of places that are tried."""

MAX_LEARNING_PAGES = 36
"""The largest number of pages given to the learner, examples among them."""

ENOUGH = 0.9
"""Agreement from which less certain ways of finding values are not tried."""

MAX_ABSENT = 2
"""The largest number of pages without the value given as examples when the first rule finds something there."""

Path = tuple[str, ...]
Values = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Relearned:
    """A rule learned from old values.

    found: pages where all old values were found.
    learned_from: the pages used as examples, by their index in `pages`.
    judged: how many other pages have the values.
    agreeing: on how many of these the rule gives the values.
    returned: pages that had no value and now get one, which may be news or a mistake.
    stage: how the values were found.
    """

    rule: AttributeRule
    learned: Learned
    found: int
    learned_from: tuple[int, ...]
    judged: int
    agreeing: int
    returned: int
    stage: Stage

    @property
    def agreement_fraction(self) -> float:
        """The share of the judging pages on which the rule gives the expected values; 1 if no page could judge."""
        return self.agreeing / self.judged if self.judged else 1.0


@dataclass(frozen=True, slots=True)
class NotRelearned:
    """Why no rule could be made of the old values, in words."""

    attribute: str
    reason: str


def relearn_attribute(attribute: AttributeRule, pages: Sequence[PageTable], before: Sequence[Values | None]) -> Relearned | NotRelearned:
    """A rule for one attribute of the new pages.

    attribute: the old rule. The new one has its name and type.
    before: the values of each page's old record (same URL), in the pages' order; () if it had no value, None if there is no old record.
    """
    if not any(before):
        return NotRelearned(attribute.name, "none of the old records has a value")
    vote, made, reasons = _Vote(attribute, pages, before), list[Relearned](), list[str]()
    for stage in STAGES:
        for tried in vote.candidates(stage):
            if isinstance(tried, Relearned):
                made.append(tried)
            else:
                reasons.append(tried.reason)
        if any(each.agreement_fraction >= ENOUGH for each in made):
            break
    if made:
        return max(made, key=lambda each: _merit(each, attribute))
    return NotRelearned(attribute.name, reasons[0] if reasons else "none of the old values is on the new pages")


def count_pages(attribute: AttributeRule, pages: Sequence[PageTable]) -> tuple[int, int]:
    """Counts the pages on which the rule gives a value, and those on which it gives several different values."""
    counts = [len(set(read_attribute(attribute, page.root))) for page in pages]
    return sum(count > 0 for count in counts), sum(count > 1 for count in counts)


def _merit(made: Relearned, old: AttributeRule) -> tuple[float, ...]:
    """Return what rules are ordered by: first agreement, then the number of alternatives added to those of the old rule, fewest first.

    Then the number of pages that have the place, the number of pages that gain a value which they lacked (fewest first), and simplicity.
    """
    first = made.learned.alternatives[0]
    return (
        round(made.agreement_fraction, 2),
        -max(0, len(made.rule.alternatives) - max(1, len(old.alternatives))),
        made.found,
        -made.returned,
        -len(made.learned.alternatives),
        round(first.support - first.several, 2),
        bool(find_end_tags(old) & find_end_tags(made.rule)),
        -len(first.features),
        -first.distance,
    )


def find_end_tags(attribute: AttributeRule) -> frozenset[str]:
    """The tags that a rule's XPaths end in."""
    ends = [_END.search(drop_conditions(path)) for each in attribute.alternatives for path in split_union(each.xpath)]
    return frozenset(end.group(1) for end in ends if end)


def find_held_attribute(attribute: AttributeRule) -> str:
    """Return the HTML attribute that a rule takes its value from ("src"), or "" if it takes text."""
    held = _HELD.search(attribute.alternatives[0].xpath) if attribute.alternatives else None
    return held.group(1) if held else ""


_END = re.compile(r"(?<![\w.-])([\w.-]++)(?:/(?:text\(\)|@[\w:.-]++))?\s*+$")
_HELD = re.compile(r"@([\w:.-]+)$")


@dataclass(frozen=True, slots=True)
class _FoundValues:
    """Where a page's old values stand: the places of each, and each place's tags up to the root."""

    page: int
    places: tuple[tuple[Location, ...], ...]
    paths: tuple[tuple[Path, ...], ...]

    def kinds(self) -> set[Path]:
        return {path for row in self.paths for path in row}

    def choose(self, kind: Path) -> tuple[Location, ...]:
        """Chooses a place for each value: one of this kind after the previous value's place, else the one nearest to such places."""
        both = [list(zip(places, paths, strict=True)) for places, paths in zip(self.places, self.paths, strict=True)]
        nodes = [place.node for row in both for place, path in row if path == kind]
        middle, chosen = nodes[len(nodes) // 2], list[Location]()
        for row in both:
            free = [(place, path) for place, path in row if place not in chosen]
            of_kind = [place for place, path in free if path == kind]
            after = [place for place in of_kind if not chosen or place > chosen[-1]]
            nearest = sorted((place for place, _ in free), key=lambda place: abs(place.node - middle))
            chosen += (after or of_kind or nearest)[:1]
        return tuple(chosen)


class _Vote:
    """Where one attribute's old values are on the new pages, and the rules learned from these places."""

    def __init__(self, attribute: AttributeRule, pages: Sequence[PageTable], before: Sequence[Values | None]) -> None:
        self.attribute, self.pages, self.held_in = attribute, pages, find_held_attribute(attribute)
        # The record may have several values of a single-valued attribute if the rule found several: the first is what was meant.
        self.before = [values if attribute.multiple or not values else values[:1] for values in before]

    def candidates(self, stage: Stage) -> Iterator[Relearned | NotLearned]:
        """Yield the rules learned from the kinds of places that most pages have, until a rule agrees on all pages."""
        found = self._find_values(stage)
        counts = Counter(kind for each in found for kind in sorted(each.kinds()))
        # Of kinds that as many pages have, the one that holds more of the values: bread crumbs name the first of several subjects.
        held = Counter(kind for each in found for row in each.paths for kind in set(row))
        for kind in sorted(counts, key=lambda kind: (-counts[kind], -held[kind]))[:MAX_CANDIDATES]:
            marked = {each.page: each.choose(kind) for each in found if kind in each.kinds()}
            tried = self._learn(marked, {each.page for each in found}, stage)
            yield tried
            if isinstance(tried, Relearned) and tried.judged and tried.agreeing == tried.judged and len(marked) == len(found):
                return

    def _find_values(self, stage: Stage) -> list[_FoundValues]:
        """Finds the pages that have the old values. If there are several values, four fifths are enough; the rest may be gone."""
        found = []
        for number, (page, values) in enumerate(zip(self.pages, self.before, strict=True)):
            each = [
                tuple(find_value(page, SoughtValue(value, self.attribute.type, self.held_in, self.attribute.column), stage))
                for value in values or ()
            ]
            there = tuple(places for places in each if places)
            if there and len(there) >= 0.8 * len(each):
                found.append(_FoundValues(number, there, tuple(tuple(trace_path(page, place) for place in places) for places in there)))
        return found

    def _learn(self, marked: Mapping[int, tuple[Location, ...]], findable: set[int], stage: Stage) -> Relearned | NotLearned:
        first, examples = self._learn_missed(marked, findable, stage)
        if isinstance(first, NotLearned) or not first.returned:
            return first
        empty = [n for n, values in enumerate(self.before) if values == () and read_attribute(first.rule, self.pages[n].root)]
        second = self._judge({**examples, **dict.fromkeys(empty[:MAX_ABSENT], ())}, len(marked), findable, stage)
        # A value may be back (a book in stock again): only a rule just as simple as the first may say that the pages really lack it.
        if isinstance(second, NotLearned):
            return first
        simple = len(second.rule.alternatives) <= len(first.rule.alternatives)
        better = second.agreement_fraction >= first.agreement_fraction and second.returned < first.returned
        return second if simple and better else first

    def _learn_missed(
        self, marked: Mapping[int, tuple[Location, ...]], findable: set[int], stage: Stage
    ) -> tuple[Relearned | NotLearned, dict[int, tuple[Location, ...]]]:
        """Return a rule and its examples. A page that the rule misses, such as one in another language, becomes an example, too, as long as
        the rule agrees with more of the others by that and two pages are left to judge."""
        examples = self._choose_examples(marked)
        most = max(MAX_EXAMPLES, len(examples) + MAX_MISSED)
        made = self._judge(examples, len(marked), findable, stage)
        while isinstance(made, Relearned) and made.agreeing < made.judged and made.judged > 2 and len(examples) < most:
            missed = next((n for n in marked if n not in examples and not self._agrees(made.rule, n)), None)
            if missed is None:
                break
            more = {**examples, missed: marked[missed]}
            tried = self._judge(more, len(marked), findable, stage)
            if isinstance(tried, NotLearned) or tried.agreement_fraction <= made.agreement_fraction:
                break
            made, examples = tried, more
        return made, examples

    def _choose_examples(self, marked: Mapping[int, tuple[Location, ...]]) -> dict[int, tuple[Location, ...]]:
        """Pages to learn from: complete ones that differ in their values, spread over all pages, since neighbours are often alike.

        With more than two pages, at least half are left to judge.
        """
        wanted = min(MAX_EXAMPLES, max(2, len(marked) // 2))
        whole = [n for n in marked if len(marked[n]) == len(self.before[n] or ())] or list(marked)
        fresh = list({self.before[n]: n for n in reversed(whole)}.values())[::-1]
        chosen = [fresh[n * len(fresh) // wanted] for n in range(wanted)] if len(fresh) > wanted else fresh
        others = [n for n in marked if n not in chosen]
        return {n: marked[n] for n in [*chosen, *others[: wanted - len(chosen)]]}

    def _judge(self, examples: Mapping[int, tuple[Location, ...]], found: int, findable: set[int], stage: Stage) -> Relearned | NotLearned:
        """Return the rule learned from the examples, with how far the other pages agree with it."""
        others = [n for n in range(len(self.pages)) if n not in examples]
        spread = others[:: max(1, len(others) // (MAX_LEARNING_PAGES - len(examples)))]
        chosen = [*examples, *spread][:MAX_LEARNING_PAGES]
        made = learn_attribute(
            [self.pages[n] for n in chosen],
            [Example(at, places) for at, places in enumerate(examples.values())],
            multiple=self.attribute.multiple,
            mandatory=self.attribute.mandatory,
        )
        if isinstance(made, NotLearned):
            return made
        rule = replace(self.attribute, alternatives=tuple(Selector(each.xpath, each.part) for each in made.alternatives))
        judging = [n for n in others if n in findable]
        agreeing = sum(self._agrees(rule, n) for n in judging)
        returned = sum(bool(read_attribute(rule, self.pages[n].root)) for n in others if self.before[n] == ())
        return Relearned(rule, made, found, tuple(examples), len(judging), agreeing, returned, stage)

    def _agrees(self, rule: AttributeRule, number: int) -> bool:
        """Whether the rule gives what the old record had: the same value or, of several values, an F1 of 0.8, since lists change."""
        expected = {loosen_text(value) for value in self.before[number] or ()}
        given = {loosen_text(value) for value in read_attribute(rule, self.pages[number].root)}
        if not expected or not self.attribute.multiple:
            return expected == given or (bool(expected) and self._same_reading(rule, number))
        return 2 * len(expected & given) >= 0.8 * (len(expected) + len(given))

    def _same_reading(self, rule: AttributeRule, number: int) -> bool:
        """Whether the rule gives the same number, price or date, written in another way."""
        given = read_attribute(rule, self.pages[number].root)
        if not given or not may_be_written_otherwise(self.attribute.type):
            return False
        language = detect_language(self.pages[number].root)
        both = (*(self.before[number] or ()), *given)
        readings = {read_value(value, self.attribute.type, language=language, column=self.attribute.column).value for value in both}
        return None not in readings and len(readings) == 1


def trace_path(page: PageTable, place: Location) -> Path:
    """Return the place's kind and the tags from it up to the root."""
    element = page.nodes[place.node]
    return (place.kind, str(element.tag), *(str(above.tag) for above in element.iterancestors()))
