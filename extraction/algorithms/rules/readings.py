"""Reads what a rule gives for an attribute: clean-up first, then the type (docs/algorithms.md#clean-up)."""

from collections.abc import Sequence
from dataclasses import dataclass

from extraction.algorithms.rules.rule import AttributeRule
from extraction.algorithms.values.cleanup.chain import trace_cleanup
from extraction.algorithms.values.cleanup.patterns import PatternBudget
from extraction.algorithms.values.read import read_value
from extraction.algorithms.values.reading import TypedValue


@dataclass(frozen=True, slots=True)
class AttributeReading:
    """The values of an attribute on a page or in a row.

    page: the texts as the page has them. If the attribute has one value, equal texts are one.
    values: the same after clean-up, read.
    problems: why the clean-up dropped values, in words.
    """

    page: tuple[str, ...]
    values: tuple[TypedValue, ...]
    problems: tuple[str, ...] = ()


def read_attribute_values(
    attribute: AttributeRule, raw: Sequence[str], *, base_url: str = "", language: str | None = None, budget: PatternBudget | None = None
) -> AttributeReading:
    """Return the values that a rule's stylesheet gave for an attribute on a page, cleaned up and read as its type.

    base_url: the page's address.
    language: its language as a tag, if known.
    budget: what the patterns of the page's clean-ups may take together.
    """
    page = tuple(raw) if attribute.multiple else tuple(dict.fromkeys(raw))
    if not attribute.cleanup:
        return AttributeReading(page, _read(attribute, page, base_url, language))
    cleaned = trace_cleanup(raw, attribute.cleanup, budget=budget)
    texts = cleaned.values if attribute.multiple else tuple(dict.fromkeys(cleaned.values))
    problems = [f"step {loss.step + 1} of its clean-up dropped “{loss.text[:60]}”: {loss.reason}" for loss in cleaned.losses if loss.reason]
    return AttributeReading(page, _read(attribute, texts, base_url, language), tuple(dict.fromkeys(problems)))


def _read(attribute: AttributeRule, texts: Sequence[str], base_url: str, language: str | None) -> tuple[TypedValue, ...]:
    return tuple(read_value(each, attribute.type, base_url=base_url, language=language, column=attribute.column) for each in texts)
