"""A cluster's rule as frozen values (ALGORITHMS 4.7): what each attribute is and which XPaths give it.

The paper's rule is one XSLT stylesheet per cluster; `xslt.stylesheet` writes it from these values, which are what is
stored, shown, edited and compared.
"""

from dataclasses import dataclass
from typing import Any, Literal, get_args

from extraction.algorithms.dom.xpath import XPath
from extraction.algorithms.errors import RuleError
from extraction.algorithms.learning.text_range import TextPart

ValueType = Literal["text", "number", "price", "date", "url", "image", "boolean"]

FORMAT = 1
"""Version of the JSON form. A reader refuses others."""


@dataclass(frozen=True, slots=True)
class Selector:
    """Nodes by an XPath from the document's root, and which part of their text. Raises XPathError for a bad one."""

    xpath: str
    part: TextPart | None = None

    def __post_init__(self) -> None:
        XPath(self.xpath)


@dataclass(frozen=True, slots=True)
class AttributeRule:
    """One attribute. The first of `alternatives` that gives a value on a page is used there; none gives none."""

    name: str
    type: ValueType = "text"
    multiple: bool = False
    mandatory: bool = False
    alternatives: tuple[Selector, ...] = ()

    def __post_init__(self) -> None:
        if not self.name.strip() or any(character < " " for character in self.name):
            raise RuleError(f"{self.name!r} is no name for an attribute")
        if self.type not in get_args(ValueType):
            raise RuleError(f"the attribute “{self.name}” has the unknown type {self.type!r}")


@dataclass(frozen=True, slots=True)
class Rule:
    """The attributes of one cluster's records, in the order of the record type. Names are unique."""

    attributes: tuple[AttributeRule, ...] = ()

    def __post_init__(self) -> None:
        names = [attribute.name for attribute in self.attributes]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise RuleError(f"the rule has the attribute “{twice[0]}” twice")

    def to_json(self) -> dict[str, Any]:
        """The rule as JSON values; equal rules give equal JSON, keys in a fixed order."""
        return {"format": FORMAT, "attributes": [_attribute_row(attribute) for attribute in self.attributes]}

    @classmethod
    def from_json(cls, row: dict[str, Any]) -> "Rule":
        """The rule that `to_json` wrote. Raises RuleError or XPathError for anything else."""
        if not isinstance(row, dict) or row.get("format") != FORMAT:
            raise RuleError(f"not a rule of format {FORMAT}: {str(row)[:100]}")
        try:
            return cls(tuple(_attribute(entry) for entry in row["attributes"]))
        except (KeyError, TypeError) as error:
            raise RuleError(f"not a rule: {error!r} in {str(row)[:100]}") from error


def _attribute_row(attribute: AttributeRule) -> dict[str, Any]:
    return {
        "name": attribute.name,
        "type": attribute.type,
        "multiple": attribute.multiple,
        "mandatory": attribute.mandatory,
        "alternatives": [_selector_row(selector) for selector in attribute.alternatives],
    }


def _selector_row(selector: Selector) -> dict[str, Any]:
    part = selector.part
    if part is None:
        return {"xpath": selector.xpath}
    return {"xpath": selector.xpath, "part": {"prefix": part.prefix, "suffix": part.suffix, "pattern": part.pattern}}


def _attribute(row: dict[str, Any]) -> AttributeRule:
    return AttributeRule(
        name=row["name"],
        type=row["type"],
        multiple=bool(row["multiple"]),
        mandatory=bool(row["mandatory"]),
        alternatives=tuple(_selector(entry) for entry in row["alternatives"]),
    )


def _selector(row: dict[str, Any]) -> Selector:
    part = row.get("part")
    return Selector(row["xpath"], TextPart(**part) if part else None)
