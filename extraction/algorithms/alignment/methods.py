"""The methods that find the structure of pages of one template, by name."""

from collections.abc import Callable, Mapping, Sequence

from lxml import etree

from extraction.algorithms.alignment.exalg import exalg
from extraction.algorithms.alignment.mse import mse, structure
from extraction.algorithms.alignment.schema import Structure

Method = Callable[[Sequence[etree._Element]], Structure]


def sections(roots: Sequence[etree._Element]) -> Structure:
    """MSE's sections as a structure: a set for each."""
    return structure(mse(roots), len(roots))


METHODS: Mapping[str, Method] = {"exalg": exalg, "mse": sections}
"""What can be named on the command line."""

SECOND_OPINIONS: Mapping[str, Method] = {"ExAlg": exalg}
"""Those whose sets are compared with the lists that are suggested, by the names that people know them by."""
