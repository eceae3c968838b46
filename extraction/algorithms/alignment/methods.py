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
    """MSE's sections as a structure: a set for each."""
    return build_structure(find_sections(roots), len(roots))


METHODS: Mapping[str, Method] = {"exalg": infer_with_exalg, "mse": find_sections_structure, "roadrunner": infer_with_roadrunner}
"""What can be named on the command line."""

SECOND_OPINIONS: Mapping[str, Method] = {"ExAlg": infer_with_exalg, "RoadRunner": infer_with_roadrunner}
"""Those that are asked what they think of suggested fields and lists, by the names that people know them by."""


def collect_opinions(roots: Sequence[etree._Element], *, methods: Mapping[str, Method] = SECOND_OPINIONS) -> dict[str, Structure]:
    """What each method finds on pages; without those that give up."""
    found = {}
    for name, method in methods.items():
        with suppress(AlignmentError):
            found[name] = method(roots)
    return found
