"""The methods that find the structure of pages of one template, by name."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from lxml import etree

from extraction.algorithms.alignment.exalg import infer_with_exalg
from extraction.algorithms.alignment.mse import build_structure, find_sections
from extraction.algorithms.alignment.roadrunner.infer import infer_with_roadrunner
from extraction.algorithms.alignment.schema import Structure
from extraction.algorithms.errors import AlignmentError

Method = Callable[[Sequence[etree._Element]], Structure]


def find_sections_structure(roots: Sequence[etree._Element]) -> Structure:
    """Return MSE's sections as a structure with one set for each section."""
    return build_structure(find_sections(roots), len(roots))


METHODS: Mapping[str, Method] = {"exalg": infer_with_exalg, "mse": find_sections_structure, "roadrunner": infer_with_roadrunner}
"""By the names they have on the command line."""

SECOND_OPINIONS: Mapping[str, Method] = {"ExAlg": infer_with_exalg, "RoadRunner": infer_with_roadrunner}
"""Methods whose opinion on suggested fields and lists is shown, by the names that people know."""


def collect_opinions(roots: Sequence[etree._Element], *, methods: Mapping[str, Method] = SECOND_OPINIONS) -> dict[str, Structure]:
    """Return {method: the structure it finds on the pages}, without the methods that give up."""
    found = {}
    for name, method in methods.items():
        with suppress(AlignmentError):
            found[name] = method(roots)
    return found
