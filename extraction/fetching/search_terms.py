"""What a person says about a search: which fields of its form are filled in, and with what.

A line is the name of a field, which then takes the term, or `name = value` for a field that always has this value. If several fields take
the term, its parts stand between `|`, one for each: `Berlin | hotel`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

SEPARATOR = "|"

MAX_TERMS = 10_000
MAX_TERM = 200
"""The most terms of a search, and the most characters of one. Each is at least one request."""

MAX_FIELDS = 20


@dataclass(frozen=True, slots=True)
class SearchFields:
    """taking: the names of the fields that take the term; none for the form's only text field. fixed: {name: value} of the others."""

    taking: tuple[str, ...] = ()
    fixed: Mapping[str, str] = field(default_factory=dict)

    @property
    def parts(self) -> int:
        """How many parts a term has."""
        return max(1, len(self.taking))


def read_fields(lines: Sequence[str]) -> SearchFields:
    """Return the fields in these lines. Raises ValueError, which says what is wrong in words."""
    taking, fixed = list[str](), dict[str, str]()
    for line in lines:
        name, equals, value = (part.strip() for part in line.partition("="))
        if not name:
            raise ValueError(f"“{line[:60]}” does not begin with the name of a field.")
        if name in taking or name in fixed:
            raise ValueError(f"{name[:60]} stands there twice.")
        if equals:
            fixed[name] = value
        else:
            taking.append(name)
    if len(lines) > MAX_FIELDS:
        raise ValueError(f"There are {len(lines)} fields; at most {MAX_FIELDS} are accepted.")
    return SearchFields(tuple(taking), fixed)


def split_term(term: str, parts: int) -> tuple[str, ...]:
    """Return the parts of a term, one for each field that takes it. Raises ValueError if it has another number of parts."""
    found = tuple(part.strip() for part in term.split(SEPARATOR)) if parts > 1 else (term.strip(),)
    if len(found) != parts or not any(found):
        raise ValueError(f"“{term[:60]}” must have {parts} parts with {SEPARATOR} between them, one for each field.")
    return found


def check_search(address: str, fields: Sequence[str], terms: Sequence[str]) -> None:
    """Raise ValueError, which says what is wrong in words, unless these make a search or none at all."""
    wanted = read_fields(fields)
    if terms and not address:
        raise ValueError("Give the address of the page with the search form, too.")
    if address and not terms:
        raise ValueError("Give the terms to search for, one on each line.")
    if len(terms) > MAX_TERMS:
        raise ValueError(f"There are {len(terms):,} terms; at most {MAX_TERMS:,} are accepted.")
    for term in terms:
        if len(term) > MAX_TERM or not term.isprintable():
            raise ValueError(f"“{term[:60]}…” is too long or has characters that no form takes; a term may have {MAX_TERM} characters.")
        split_term(term, wanted.parts)
