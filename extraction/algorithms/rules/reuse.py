"""Decides whether an old rule may serve a new cluster (Gulhane et al. 2011, section 3.2.3; docs/algorithms.md#reuse-and-relearning).

C is the new cluster, and the C_i are old clusters that share URLs with it. U is the set of shared URLs, each with an old and a new page.
*Cluster match*: C has the same masked shingle signature as C_i. *Page match*, less strict: every page of C is covered by C_i's
masks. Those that pass the strictest test are the candidates. The most important of them (pages times records) has to pass the *field test*
on U, page by page: constant attributes give the same values on the old and on the new version of a page, and mandatory ones have values on
all new pages. Attributes that fail it are learned again from the old values.

An attribute is constant if its value stays the same on one page from visit to visit, such as a title. The paper does not mention
attributes that are neither constant nor mandatory; `monitoring.verdict` judges those.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from extraction.algorithms.rules.rule import AttributeRule
from extraction.algorithms.sketches.shingles import Mask, ShingleVector
from extraction.algorithms.values.comparing import may_be_written_otherwise
from extraction.algorithms.values.read import read_value

Values = Mapping[str, tuple[str, ...]]

Test = Literal["cluster", "page"]

NEWS_SHARE = 0.1
"""Share of the shared pages on which a constant attribute may have another value: a title is corrected now and then."""


@dataclass(frozen=True, slots=True)
class OldCluster:
    """A cluster with a rule. urls: the URLs of its pages. importance: pages times records, or what the site's owner has set."""

    id: int
    masks: frozenset[Mask]
    urls: frozenset[str]
    importance: float


@dataclass(frozen=True, slots=True)
class Reuse:
    """The old cluster whose rule may serve the new one, the test that found it, and U."""

    id: int
    test: Test
    urls: frozenset[str]


@dataclass(frozen=True, slots=True)
class NoReuse:
    """Why no old rule can serve. url: no old cluster shares a URL. shingle: some do, but none has a structure like the new one's."""

    reason: Literal["url", "shingle"]


def choose_old_cluster(
    masks: frozenset[Mask], vectors: Sequence[ShingleVector], urls: frozenset[str], old: Sequence[OldCluster]
) -> Reuse | NoReuse:
    """Return the old cluster for a new one with these masks, vectors and URLs. Ties go to the larger importance, then to the smaller id."""
    sharing = [each for each in old if each.urls & urls]
    if not sharing:
        return NoReuse("url")
    by_test: dict[Test, list[OldCluster]] = {
        "cluster": [each for each in sharing if masks and each.masks == masks],  # without masks, nothing shows that they are the same
        "page": [each for each in sharing if vectors and all(any(mask.covers(vector) for mask in each.masks) for vector in vectors)],
    }
    for test, passed in by_test.items():
        if passed:
            best = min(passed, key=lambda each: (-each.importance, each.id))
            return Reuse(best.id, test, best.urls & urls)
    return NoReuse("shingle")


@dataclass(frozen=True, slots=True)
class FieldTest:
    """Whether a rule still gives what it must. failures: {attribute: reason}, empty if it passed."""

    failures: Mapping[str, str]

    @property
    def passed(self) -> bool:
        return not self.failures


def check_fields(
    attributes: Sequence[AttributeRule],
    old: Mapping[str, Values],
    new: Mapping[str, Values],
    *,
    constant: Collection[str] | None = None,
) -> FieldTest:
    """Compare what a rule gives on the old and on the new version of each page of U.

    old, new: the rule's values by URL.
    constant: the names of the attributes that stay the same on a page; by default those whose type usually does.
    Raises ValueError when old and new are not of the same URLs.
    """
    if old.keys() != new.keys():
        raise ValueError(f"old and new pages differ in their URLs: {sorted(old.keys() ^ new.keys())[:3]}")
    failures = {}
    for attribute in attributes:
        pages = [(url, old[url].get(attribute.name, ()), new[url].get(attribute.name, ())) for url in sorted(new)]
        stays = _usually_stays(attribute) if constant is None else attribute.name in constant
        changed = (
            [url for url, before, now in pages if before and now and _normalise(attribute, before) != _normalise(attribute, now)]
            if stays
            else []
        )
        gone = next((url for url, _, now in pages if attribute.mandatory and not now), None)
        if gone is not None:
            failures[attribute.name] = f"is mandatory and has no value on {gone}"
        elif len(changed) > NEWS_SHARE * len(pages):
            failures[attribute.name] = f"has another value than before on {len(changed)} of {len(pages)} pages, such as {changed[0]}"
    return FieldTest(failures)


def _usually_stays(attribute: AttributeRule) -> bool:
    return attribute.type in ("text", "date", "url", "image") and not attribute.multiple


def _normalise(attribute: AttributeRule, values: tuple[str, ...]) -> frozenset[str]:
    """Return the values as dates, numbers or prices where what the rule has stored of them decides the reading, else as texts."""
    read = (read_value(value, attribute.type, column=attribute.column).value for value in values)
    plain = (" ".join(value.casefold().split()) for value in values)
    return frozenset((one if may_be_written_otherwise(attribute.type) else None) or two for one, two in zip(read, plain, strict=True))
