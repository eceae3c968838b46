"""Why a rule is as it is: what each feature rules out, what it was chosen over, and which of its values to look at.

Kept with the rule when it is learned, since it is about the pages and the labels of that moment.
"""

from collections.abc import Mapping, Sequence

from extraction.algorithms.errors import PageError, RuleError, XPathError
from extraction.algorithms.learning import odd
from extraction.algorithms.learning.committee import Committee, Member
from extraction.algorithms.rules import apply, xslt
from extraction.algorithms.rules.rule import RuleDefinition
from extraction.algorithms.rules.values import read
from extraction.models import Attribute, Cluster, Snapshot
from extraction.models.rule_report import Explanation, FeatureEffect, OddValue, OwnDataReport, Rival, RivalDifference
from extraction.services.core import stored_pages
from extraction.services.core.runs import Progress
from extraction.services.learning.workspaces import Labels, Workspace
from extraction.services.suggestions import page_data

MAX_RIVALS = 4
"""Rules shown that fit as well: those nearest in cost."""

MAX_DIFFERENCES = 5
"""Pages shown on which one of them differs."""

MAX_ODD = 30
SHOWN_CHARS = 120


def report(
    cluster: Cluster,
    space: Workspace,
    value: RuleDefinition,
    attributes: Sequence[Attribute],
    labels: Mapping[int, Labels],
    progress: Progress,
) -> dict[str, Explanation]:
    """{attribute: why its rule is as it is} for the rule's own attributes."""
    mine = [attribute for attribute in attributes if any(each.name == attribute.name for each in value.attributes)]
    progress(progress.run.done, message="Looking for values that stand out")
    pages = page_data.checked(cluster)
    given = _given(value, pages)
    items = page_data.items_of(pages)
    found = {}
    for attribute in mine:
        values = {pk: list(dict.fromkeys(each.get(attribute.name, ()))) for pk, each in given.items()}
        committee = space.committee(attribute, labels[attribute.pk])
        found[attribute.name] = Explanation(
            features=_features(committee),
            rivals=rivals(committee, list(space.pages)),
            odd=odd_values(attribute, values),
            own_data=_own(page_data.agreement(attribute, values, items)),
        )
    return found


def rivals(committee: Committee, pages: Sequence[int]) -> tuple[Rival, ...]:
    """What the rule was chosen over. pages: snapshot ids in the order of the votes."""
    if not committee.members:
        return ()
    best, *others = committee.members
    chosen = sorted([*others, *committee.twins], key=lambda member: member.total)[:MAX_RIVALS]
    return tuple(_rival(best, member, pages) for member in chosen)


def odd_values(attribute: Attribute, values: Mapping[int, Sequence[str]]) -> tuple[OddValue, ...]:
    """Values unlike those of the other pages."""
    kind = attribute.type
    typed = kind != Attribute.Type.TEXT
    found = odd.odd(values, (lambda text: read(text, kind).value is not None) if typed else None)  # type: ignore[arg-type]
    return tuple(OddValue(snapshot=each.page, value=each.value[:SHOWN_CHARS], reason=each.reason) for each in found[:MAX_ODD])


def _features(committee: Committee) -> tuple[tuple[FeatureEffect, ...], ...]:
    if not committee.members:
        return ()
    best = committee.members[0]
    return tuple(
        tuple(FeatureEffect(words=words, rules_out=count) for words, count in zip(each.features, counts, strict=True))
        for each, counts in zip(best.alternatives, best.ruled_out, strict=True)
    )


def _rival(best: Member, member: Member, pages: Sequence[int]) -> Rival:
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
        pages=tuple(RivalDifference(snapshot=pages[n], mine=_shown(best.votes[n]), theirs=_shown(member.votes[n])) for n in shown),
    )


def _shown(values: Sequence[str]) -> str:
    return " · ".join(values)[:SHOWN_CHARS]


def _own(found: page_data.Agreement | None) -> OwnDataReport | None:
    if found is None:
        return None
    return OwnDataReport(words=found.words, agree=found.agree, compared=found.compared, different=tuple(found.different))


def _given(value: RuleDefinition, pages: Sequence[Snapshot]) -> dict[int, Mapping[str, Sequence[str]]]:
    """What the rule gives on the pages; one that cannot be read is left out."""
    sheet = xslt.Stylesheet.compile(xslt.stylesheet(value))
    found: dict[int, Mapping[str, Sequence[str]]] = {}
    for page in pages:
        try:
            found[page.pk] = apply.extract(sheet, stored_pages.read_root(page)).values
        except (PageError, RuleError, XPathError):
            continue
    return found
