"""Which template of a site a page belongs to (docs/algorithms.md#matching): by URL pattern and shingle vector, else by the nearest core."""

from collections.abc import Callable, Mapping, Sequence

from extraction.algorithms.clustering.page_steps import PageSteps
from extraction.algorithms.clustering.template_core import TemplateCore, find_nearest_core
from extraction.algorithms.rules import matching
from extraction.algorithms.rules.matching import RuleCandidate
from extraction.algorithms.rules.url_patterns import SplitAddress


def recognise_page(
    candidates: Sequence[RuleCandidate],
    read_cores: Callable[[], Mapping[int, TemplateCore]],
    *,
    url: str,
    read_vector: Callable[[], int],
    read_steps: Callable[[], PageSteps],
) -> int | None:
    """Return the id of the template that a page belongs to, None if it matches none.

    candidates: all templates of the site, those without a rule included.
    read_cores: returns the cores of the templates that have one.
    url: the page's address.
    read_vector, read_steps: called when the shingle vector and the steps are needed. Errors they raise are passed on.
    """
    fitting = list_fitting(candidates, SplitAddress.parse(url))
    found = matching.match_page(url, read_vector(), fitting) if fitting else None
    if isinstance(found, matching.RuleMatch):
        return found.id
    known = read_cores() if fitting else {}
    cores = {each.id: known[each.id] for each in fitting if each.id in known}
    return find_nearest_core(cores, read_steps()) if cores else None


def recognise_address(candidates: Sequence[RuleCandidate], url: str) -> int | None:
    """Return the id of the template whose record is missing if the page cannot be read, None if the address does not show it."""
    address = SplitAddress.parse(url)
    named = [each for each in list_fitting(candidates, address) if each.patterns]
    return max(named, key=lambda each: (_measure_specificity(each, address) or (), each.size, -each.id)).id if named else None


def list_fitting(candidates: Sequence[RuleCandidate], address: SplitAddress) -> list[RuleCandidate]:
    """Return the templates that an address may be of: those with a pattern that matches, and those without patterns."""
    return [each for each in candidates if not each.patterns or _measure_specificity(each, address) is not None]


def _measure_specificity(candidate: RuleCandidate, address: SplitAddress) -> tuple[int, ...] | None:
    """Return the specificity of the most specific pattern that matches, None if none does."""
    return max((pattern.specificity for pattern in candidate.patterns if pattern.matches(address)), default=None)
