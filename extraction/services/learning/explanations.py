"""Why a rule is as it is: what each feature rules out, which rules it was preferred to, and which of its values to look at.

An explanation is kept with the rule when it is learned, because it is about the pages and the labels of that moment.
"""

from collections.abc import Mapping, Sequence

from extraction.algorithms.learning.committee import Committee, Member
from extraction.algorithms.learning.outliers import find_outliers
from extraction.algorithms.values.column import fits_type
from extraction.models import Attribute
from extraction.models.rule_report import Explanation, FeatureEffect, OddValue, OwnDataReport, Rival, RivalDifference
from extraction.services.suggestions.page_data import Agreement

MAX_RIVALS = 4
"""The largest number of rules shown that fit as well: those nearest in cost."""

MAX_DIFFERENCES = 5
"""The largest number of pages shown on which one of them differs."""

MAX_OUTLIERS = 30
SHOWN_CHARS = 120


def explain_attribute(
    attribute: Attribute,
    committee: Committee,
    values: Mapping[int, Sequence[str]],
    agreement: Agreement | None,
    voted: Sequence[int],
) -> Explanation:
    """Explains why an attribute's rule is as it is.

    values: {snapshot id: different values} that the rule gives.
    agreement: how these values compare with the pages' own data.
    voted: snapshot ids in the order of the committee's votes.
    """
    return Explanation(
        features=_describe_features(committee),
        rivals=describe_rivals(committee, voted),
        odd=describe_outliers(attribute, values),
        own_data=_describe_agreement(agreement),
    )


def describe_rivals(committee: Committee, pages: Sequence[int]) -> tuple[Rival, ...]:
    """Describes the rules that this rule was preferred to. pages: snapshot ids in the order of the votes."""
    if not committee.members:
        return ()
    best, *others = committee.members
    chosen = sorted([*others, *committee.equivalents], key=lambda member: member.total)[:MAX_RIVALS]
    return tuple(_describe_rival(best, member, pages) for member in chosen)


def describe_outliers(attribute: Attribute, values: Mapping[int, Sequence[str]]) -> tuple[OddValue, ...]:
    """Describes values that are unlike those of the other pages."""
    kind = attribute.type
    texts = {text for each in values.values() for text in each} if kind != Attribute.Type.TEXT else set[str]()
    unreadable = {text for text in texts if not fits_type(text, kind)}  # type: ignore[arg-type]
    found = find_outliers(values, unreadable)
    return tuple(OddValue(snapshot=each.page, value=each.value[:SHOWN_CHARS], reason=each.reason) for each in found[:MAX_OUTLIERS])


def _describe_features(committee: Committee) -> tuple[tuple[FeatureEffect, ...], ...]:
    if not committee.members:
        return ()
    best = committee.members[0]
    return tuple(
        tuple(FeatureEffect(words=words, rules_out=count) for words, count in zip(each.features, counts, strict=True))
        for each, counts in zip(best.alternatives, best.ruled_out, strict=True)
    )


def _describe_rival(best: Member, member: Member, pages: Sequence[int]) -> Rival:
    differing = [n for n, (one, other) in enumerate(zip(best.votes, member.votes, strict=True)) if set(one) != set(other)]
    first = member.alternatives[0]
    shown = differing[:MAX_DIFFERENCES]
    return Rival(
        xpath=" ‖ ".join(each.xpath for each in member.alternatives),
        features=tuple(words for each in member.alternatives for words in each.features),
        more=round(member.total - best.total, 2),
        support=first.support,
        several=first.several,
        differs=len(differing),
        pages=tuple(RivalDifference(snapshot=pages[n], mine=_join(best.votes[n]), theirs=_join(member.votes[n])) for n in shown),
    )


def _join(values: Sequence[str]) -> str:
    return " · ".join(values)[:SHOWN_CHARS]


def _describe_agreement(found: Agreement | None) -> OwnDataReport | None:
    if found is None:
        return None
    return OwnDataReport(words=found.words, agree=found.agree, compared=found.compared, different=tuple(found.different))
