"""What is doubtful about the values that a rule gives, for its report and for the question before it is published."""

from collections.abc import Collection, Mapping, Sequence

from django.utils.translation import gettext

from extraction.algorithms.learning.page_groups import PageGroup
from extraction.algorithms.learning.value_doubts import ValueDoubt, find_empty_languages, find_value_doubts
from extraction.algorithms.rules.rule import AttributeRule, RuleDefinition
from extraction.algorithms.values.cleanup.chain import clean_values
from extraction.algorithms.values.column import fits_type
from extraction.models import Attribute, Cluster, Label, Rule
from extraction.models.rule_report import DoubtReport, FailedAttribute, GroupReport
from extraction.services.rules import cleanup_chains

Columns = Mapping[str, Mapping[int, Sequence[str]]]
"""{attribute: {snapshot: its values, before clean-up}}, also for snapshots without a value."""


JUDGED_VALUES, JUDGED_CHARS = 50, 300
"""How many values of an attribute on a page, and how many characters of each, are compared with those of other pages."""


def shorten_values(values: Sequence[str]) -> tuple[str, ...]:
    """Return the part of a page's values that is compared with those of other pages."""
    return tuple(value[:JUDGED_CHARS] for value in values[:JUDGED_VALUES])


class Doubtful(Exception):  # noqa: N818
    """The rule gives values that a person should look at first. doubts: why, a sentence for each."""

    def __init__(self, doubts: Sequence[str]) -> None:
        super().__init__(" ".join(doubts))
        self.doubts = list(doubts)


def find_doubts(cluster: Cluster, rule: RuleDefinition, columns: Columns, groups: Sequence[PageGroup]) -> tuple[DoubtReport, ...]:
    """Return what is doubtful about the values of each attribute of a rule, also of lists.

    groups: groups of the pages in `columns`.
    """
    cleaned = {each.name: each for each in cleanup_chains.carry_cleanups(cluster, rule).every}
    said = find_said_pages(cluster)
    found = []
    for name, values in columns.items():
        known = said.get(name, set())
        judged = judge_values(cleaned[name], values, groups, known)
        for doubt in [*judged, *find_empty_languages(values, groups, said=known, besides=judged)]:
            found.append(DoubtReport(attribute=name, kind=doubt.kind, words=doubt.words, count=doubt.count, pages=doubt.pages))
    return tuple(found)


def judge_values(
    attribute: AttributeRule, values: Mapping[int, Sequence[str]], groups: Sequence[PageGroup], said: Collection[int]
) -> list[ValueDoubt]:
    """Return what is doubtful about the values of one attribute, after its clean-up."""
    read = {page: clean_values(tuple(each), attribute.cleanup) for page, each in values.items()} if attribute.cleanup else values
    unread = set[str]()
    if attribute.type != "text":
        unread = {text for text in {text for each in read.values() for text in each} if not fits_type(text, attribute.type)}
    return find_value_doubts(read, groups, unread=unread, said=said)


def find_said_pages(cluster: Cluster) -> dict[str, set[int]]:
    """Return {attribute: the snapshots on which a person said what its value is, or that there is none}."""
    found: dict[str, set[int]] = {}
    for name, snapshot in Label.objects.filter(cluster=cluster).values_list("attribute__name", "snapshot").distinct():
        found.setdefault(name, set()).add(snapshot)
    return found


def count_in_groups(columns: Columns, groups: Sequence[PageGroup]) -> tuple[GroupReport, ...]:
    """Return how many pages of each group have a value of each attribute, and a page that has none."""
    return tuple(
        GroupReport(
            name=group.name,
            checked=len(group.pages),
            hits={name: sum(bool(each) for page, each in values.items() if page in group.pages) for name, values in columns.items()},
            without={
                name: min(empty)
                for name, values in columns.items()
                if (empty := [page for page, each in values.items() if page in group.pages and not each])
            },
        )
        for group in groups
    )


def replace_doubts(old: Sequence[DoubtReport], new: Sequence[DoubtReport], attribute: str) -> tuple[DoubtReport, ...]:
    """Return the doubts of a version in which one attribute changed."""
    return (*(each for each in old if each.attribute != attribute), *new)


def describe_doubts(rule: Rule) -> list[str]:
    """Return what to look at before a version is published, a sentence for each doubt."""
    return [f"{each.attribute}: {each.words}." for each in list_doubts(rule)]


def list_doubts(rule: Rule) -> tuple[DoubtReport, ...]:
    """Return the doubts of a version: first the attributes that it should have but lacks, then the values that look wrong.

    It should have those that are marked and those that are mandatory. A repair has other words for what it does not find again, see
    `breakages`.
    """
    report = rule.read_report()
    if report.repaired_from:
        return report.doubts
    definition = rule.read_definition()
    given = {each.name for each in definition.every} | {each.name for each in definition.lists}
    failed = [each for each in report.failed if each.name not in given]
    lacking = _find_lacking(rule.cluster, given | {each.name for each in failed})
    return (*(_doubt_failed(each) for each in failed), *lacking, *report.doubts)


def _find_lacking(cluster: Cluster, known: Collection[str]) -> list[DoubtReport]:
    """Return a doubt for each mandatory attribute that is not among the known names. Each record without it is incomplete."""
    wanted = Attribute.objects.of_cluster(cluster).filter(mandatory=True).exclude(name__in=known)
    words = gettext("mandatory, but not in this rule, so every record lacks it")
    return [DoubtReport(attribute=each.name, kind="lacking", words=words) for each in wanted]


def _doubt_failed(failed: FailedAttribute) -> DoubtReport:
    reason = failed.reason.removeprefix(f"{failed.name}: ").rstrip(".")
    pages = (failed.snapshot,) if failed.snapshot else ()
    return DoubtReport(attribute=failed.name, kind="unlearned", words=f"not learned: {reason}", count=len(pages), pages=pages)


def refuse_doubtful(rule: Rule) -> None:
    """Raise Doubtful if a person should look at values of the rule before it is published. Versions that were live are not asked about."""
    found = describe_doubts(rule) if rule.unpublished else []
    if found:
        raise Doubtful(found)
