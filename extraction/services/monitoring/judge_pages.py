"""Judges a template's rule by comparing its bellwethers' old pages with the pages fetched now.

This module reads rows and pages and hands values to `algorithms.monitoring.verdict`, which decides.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lxml import etree

from extraction.algorithms.clustering.page_steps import collect_steps
from extraction.algorithms.dom.parse import parse
from extraction.algorithms.errors import PageError
from extraction.algorithms.learning.page_table import PageTable
from extraction.algorithms.learning.table_reader import read_page_table
from extraction.algorithms.monitoring.constancy import ChangeCounts
from extraction.algorithms.monitoring.evidence import Revisit
from extraction.algorithms.monitoring.profiles import Profile
from extraction.algorithms.monitoring.verdict import RuleVerdict, Thresholds, confirm_verdict, judge_rule
from extraction.algorithms.rules.apply import extract_or_nothing
from extraction.algorithms.rules.rule import RuleDefinition
from extraction.algorithms.rules.xslt import Stylesheet
from extraction.algorithms.sketches import shingles
from extraction.fetching.crawl.messages import Outcome
from extraction.models import Bellwether, Breakage, Rule
from extraction.services.monitoring import history
from extraction.services.monitoring.fetch_pages import PageAnswer
from extraction.services.rules import rules
from extraction.services.templates.page_matching import Matcher

Values = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class WatchedRule:
    """A template's rule and the old pages of its bellwethers, read once for each check.

    matcher: recognises the site's templates, as a crawl does.
    old: the baselines that can be read, by URL.
    before: the rule's values on them, by URL.
    counts: how often the values of each attribute have changed in earlier checks.
    """

    rule: Rule
    bellwethers: Sequence[Bellwether]
    definition: RuleDefinition
    sheet: Stylesheet
    matcher: Matcher
    old: Mapping[str, PageTable]
    before: Mapping[str, Values]
    profiles: Mapping[str, Profile]
    counts: Mapping[str, ChangeCounts]
    thresholds: Thresholds

    @property
    def urls(self) -> list[str]:
        """The bellwethers' addresses."""
        return [each.page.url for each in self.bellwethers]


@dataclass(frozen=True, slots=True)
class BellwetherVisit:
    """What one visit found. answers: the answers of all bellwethers, by URL. pages: the pages that could be read."""

    answers: Mapping[str, PageAnswer]
    pages: Sequence[Revisit]
    verdict: RuleVerdict


def read_watched(rule: Rule, bellwethers: Sequence[Bellwether]) -> WatchedRule:
    """Reads the rule and the bellwethers' baselines."""
    sheet, definition = rules.compile_rule(rule), rule.read_definition()
    old = {each.page.url: page for each in bellwethers if (page := history.read_page(each.baseline)) is not None}
    before = {url: extract_or_nothing(sheet, page.root).merged() for url, page in old.items()}
    return WatchedRule(
        rule=rule,
        bellwethers=bellwethers,
        definition=definition,
        sheet=sheet,
        matcher=Matcher(rule.cluster.site),
        old=old,
        before=before,
        profiles=history.learn_profiles(rule, definition, list(before.values())),
        counts=history.count_changes(rule, definition, sheet),
        thresholds=Thresholds().raised(Breakage.objects.filter(cluster=rule.cluster, state=Breakage.State.DISMISSED).count()),
    )


def judge_answers(watched: WatchedRule, answers: Mapping[str, PageAnswer]) -> BellwetherVisit:
    """Judge the rule by the answers from the bellwethers' addresses."""
    answers = _mark_walls(answers, {each.page.url: each.baseline.sha256 for each in watched.bellwethers})
    pages = [page for url in watched.old if (page := _revisit(watched, url, answers.get(url))) is not None]
    verdict = judge_rule(
        watched.definition,
        watched.profiles,
        pages,
        counts=watched.counts,
        asked=len(watched.bellwethers),
        thresholds=watched.thresholds,
    )
    return BellwetherVisit(answers, pages, verdict)


def confirm_visit(first: BellwetherVisit, second: BellwetherVisit) -> tuple[BellwetherVisit, bool]:
    """Return what two visits say together, and whether the second one confirms that something is wrong.

    If the pages could not be reached again, the first visit stands, unconfirmed.
    """
    if second.verdict.kind == "unreachable":
        return first, False
    verdict = confirm_verdict(first.verdict, second.verdict)
    return BellwetherVisit(second.answers, second.pages, verdict), verdict.alarming


def _revisit(watched: WatchedRule, url: str, answer: PageAnswer | None) -> Revisit | None:
    """Return a page then and now, or None if it cannot be read now."""
    root = _parse(answer) if answer else None
    if answer is None or answer.content is None or root is None:
        return None
    now = extract_or_nothing(watched.sheet, root).merged()
    covered = _is_recognised(watched, url, answer.content, root)
    visits = 1 + next(each.doubted for each in watched.bellwethers if each.page.url == url)
    return Revisit(url, watched.old[url], read_page_table(root), watched.before[url], now, covered, visits)


def _is_recognised(watched: WatchedRule, url: str, content: bytes, root: etree._Element) -> bool:
    """Whether a crawl would still give the page to the rule's template. It would, too, if nothing is known to recognise it by."""
    cluster, matcher = watched.rule.cluster_id, watched.matcher
    if not matcher.knows(cluster):
        return True
    return matcher.recognise(url, lambda: shingles.compute_vector(content), lambda: collect_steps(root)) == cluster


def _parse(answer: PageAnswer) -> etree._Element | None:
    """Return the tree of an answer's page, or None if the answer is not a page or cannot be read."""
    if answer.content is None or answer.outcome not in (Outcome.OK, Outcome.DUPLICATE):
        return None
    try:
        return parse(answer.content, content_type=answer.content_type or None).root
    except PageError:
        return None


def _mark_walls(answers: Mapping[str, PageAnswer], known: Mapping[str, str]) -> dict[str, PageAnswer]:
    """Return the answers. The same content at several addresses is marked as a wall: it is a challenge, a notice or a front page.

    Pages that were the same before, such as a product at two addresses, are none.

    known: {address: digest of its baseline}.
    """
    shown: dict[bytes, list[str]] = defaultdict(list)
    for url in sorted(answers):
        if content := answers[url].content:
            shown[content].append(url)
    wall = PageAnswer(Outcome.LOGIN_OR_BOT, message="Several addresses gave the same page.")
    walls = {url for urls in shown.values() if len({known.get(url) for url in urls}) > 1 for url in urls}
    return {url: wall if url in walls else each for url, each in answers.items()}
