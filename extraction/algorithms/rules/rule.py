"""A cluster's rule as frozen values (docs/algorithms.md#rule-learning): what each attribute is and which XPaths give it.

The paper's rule is one XSLT stylesheet for each cluster. `xslt.write_stylesheet` writes it from these values; the values are stored, shown,
edited and compared.
"""

from dataclasses import dataclass, field
from typing import Any, get_args

from extraction.algorithms.dom.rows import leaves_row
from extraction.algorithms.dom.xpath import XPath
from extraction.algorithms.errors import RuleError
from extraction.algorithms.learning.text_range import TextPart
from extraction.algorithms.values.cleanup.chain import CleanupError, CleanupStep, read_steps
from extraction.algorithms.values.evidence import NO_EVIDENCE, ColumnEvidence
from extraction.algorithms.values.reading import ValueType

FORMAT = 2
"""Version of the JSON form of a rule with lists. A rule without lists is written as version 1. Other versions are refused."""


@dataclass(frozen=True, slots=True)
class Selector:
    """An XPath from the root that selects nodes, and the part of their text that is the value. Raises XPathError for a bad one."""

    xpath: str
    part: TextPart | None = None

    def __post_init__(self) -> None:
        XPath(self.xpath)


@dataclass(frozen=True, slots=True)
class AttributeRule:
    """One attribute. On each page, the first of `alternatives` that gives a value is used.

    column: what its values on the template's pages show, by which each of them is read. Rules that select the same are equal, whatever
        their pages showed.
    cleanup: the steps that change its values before they are read. The stylesheet gives the values before these steps.
    """

    name: str
    type: ValueType = "text"
    multiple: bool = False
    mandatory: bool = False
    alternatives: tuple[Selector, ...] = ()
    column: ColumnEvidence = field(default=NO_EVIDENCE, compare=False)
    cleanup: tuple[CleanupStep, ...] = ()

    def __post_init__(self) -> None:
        if not self.name.strip() or any(character < " " for character in self.name):
            raise RuleError(f"{self.name!r} cannot be the name of an attribute")
        if self.type not in get_args(ValueType):
            raise RuleError(f"the attribute “{self.name}” has the unknown type {self.type!r}")


@dataclass(frozen=True, slots=True)
class ListRule:
    """Repeating records of a page. rows: XPaths of the elements that the rows are or begin with; the first that selects anything is used.

    attributes: those of a row. Their XPaths begin at the row's element; one that goes along its siblings ends where the next row begins. A
    row without any value does not count.
    """

    name: str
    rows: tuple[Selector, ...]
    attributes: tuple[AttributeRule, ...] = ()

    def __post_init__(self) -> None:
        if not self.name.strip() or any(character < " " for character in self.name):
            raise RuleError(f"{self.name!r} cannot be the name of a list")
        if not self.rows or any(selector.part for selector in self.rows):
            raise RuleError(f"the rows of the list “{self.name}” need an XPath, and no part of a text")
        absolute = [s.xpath for each in self.attributes for s in each.alternatives if s.xpath.lstrip().startswith("/")]
        if absolute:
            raise RuleError(f"“{absolute[0]}” in the list “{self.name}” begins at the page; in a list an XPath begins at the row")

    @property
    def leaves_rows(self) -> bool:
        """Whether a value may be in the siblings of the row's element, so that it has to be before the next row."""
        return any(leaves_row(selector.xpath) for attribute in self.attributes for selector in attribute.alternatives)


@dataclass(frozen=True, slots=True)
class RuleDefinition:
    """The attributes of one cluster's records and its lists, in the order of the record type. Names are unique."""

    attributes: tuple[AttributeRule, ...] = ()
    lists: tuple[ListRule, ...] = ()

    def __post_init__(self) -> None:
        for kind, names in (("attribute", [each.name for each in self.every]), ("list", [each.name for each in self.lists])):
            twice = sorted({name for name in names if names.count(name) > 1})
            if twice:
                raise RuleError(f"the rule has the {kind} “{twice[0]}” twice")

    @property
    def every(self) -> tuple[AttributeRule, ...]:
        """Return the page's own attributes and those of its lists."""
        return (*self.attributes, *(attribute for each in self.lists for attribute in each.attributes))

    def as_json(self) -> dict[str, Any]:
        """Return the rule as JSON values. Rules that are equal, their columns too, give equal JSON, with the keys in a fixed order."""
        own = [_attribute_row(attribute) for attribute in self.attributes]
        if not self.lists:
            return {"format": 1, "attributes": own}
        return {"format": FORMAT, "attributes": own, "lists": [_list_row(each) for each in self.lists]}

    @classmethod
    def from_json(cls, row: dict[str, Any]) -> "RuleDefinition":
        """Return the rule that `as_json` wrote. Raises RuleError or XPathError for anything else."""
        if not isinstance(row, dict) or row.get("format") not in (1, FORMAT):
            raise RuleError(f"not a rule of format 1 or {FORMAT}: {str(row)[:100]}")
        try:
            return cls(tuple(_attribute(entry) for entry in row["attributes"]), tuple(_list(entry) for entry in row.get("lists", ())))
        except (KeyError, TypeError, CleanupError) as error:
            raise RuleError(f"not a rule: {error!r} in {str(row)[:100]}") from error


def _attribute_row(attribute: AttributeRule) -> dict[str, Any]:
    row = {
        "name": attribute.name,
        "type": attribute.type,
        "multiple": attribute.multiple,
        "mandatory": attribute.mandatory,
        "alternatives": [_selector_row(selector) for selector in attribute.alternatives],
    }
    column, cleanup = attribute.column.as_json(), [step.as_json() for step in attribute.cleanup]
    return row | ({"column": column} if column else {}) | ({"cleanup": cleanup} if cleanup else {})


def _list_row(each: ListRule) -> dict[str, Any]:
    return {
        "name": each.name,
        "rows": [_selector_row(selector) for selector in each.rows],
        "attributes": [_attribute_row(attribute) for attribute in each.attributes],
    }


def _selector_row(selector: Selector) -> dict[str, Any]:
    part = selector.part
    if part is None:
        return {"xpath": selector.xpath}
    row = {"prefix": part.prefix, "suffix": part.suffix, "pattern": part.pattern}
    return {"xpath": selector.xpath, "part": row | ({"separator": part.separator} if part.separator else {})}


def _attribute(row: dict[str, Any]) -> AttributeRule:
    return AttributeRule(
        name=row["name"],
        type=row["type"],
        multiple=bool(row["multiple"]),
        mandatory=bool(row["mandatory"]),
        alternatives=tuple(_selector(entry) for entry in row["alternatives"]),
        column=ColumnEvidence.from_json(row.get("column", {})),
        cleanup=read_steps(row.get("cleanup", [])),
    )


def _list(row: dict[str, Any]) -> ListRule:
    rows = tuple(_selector(entry) for entry in row["rows"])
    return ListRule(row["name"], rows, tuple(_attribute(entry) for entry in row["attributes"]))


def _selector(row: dict[str, Any]) -> Selector:
    part = row.get("part")
    return Selector(row["xpath"], TextPart(**part) if part else None)
