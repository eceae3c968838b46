"""ExAlg: the template of pages and the data in them, from equivalence classes of tokens (Arasu & Garcia-Molina, SIGMOD 2003).

    infer_with_exalg([page.root for page in pages]).columns()

Tags and words are read into streams (`tokens`). Roles of tokens that occur equally often on every page form classes (`classes`). The
classes that are ordered and nested (`nesting`) tell the roles of further tokens apart, until nothing changes (`roles`). These classes are
the template, and the words between their tokens are the data (`texts`, `template`, `build`). Departures from the paper are listed in
docs/algorithms.md#exalg. Cost: linear in the tokens for each of some four rounds, and the square of the roles of a class that is not in
order.
"""

from collections.abc import Sequence

from lxml import etree

from extraction.algorithms.alignment.exalg import classes
from extraction.algorithms.alignment.exalg.build import StructureBuilder
from extraction.algorithms.alignment.exalg.roles import differentiate_roles
from extraction.algorithms.alignment.exalg.template import collect_contents
from extraction.algorithms.alignment.exalg.tokens import read_tokens
from extraction.algorithms.alignment.schema import Structure, Tuple

__all__ = ["infer_with_exalg"]


def infer_with_exalg(
    roots: Sequence[etree._Element], *, size: int = classes.SIZE, support: int = classes.SUPPORT, whole: bool = True
) -> Structure:
    """Return the structure of pages of one template. It is empty for fewer than two pages.

    size: SizeThres, the fewest tokens of a class.
    support: SupThres, the fewest pages a class is on. It is lowered to the number of pages.
    whole: whether values are whole texts rather than their rest without the template's words (`texts`).
    """
    if len(roots) < 2:
        return Structure(Tuple(()), tuple({} for _ in roots))
    stream = read_tokens(roots)
    found = differentiate_roles(stream, size=size, support=min(support, len(roots)))
    return StructureBuilder(collect_contents(stream, found, whole=whole)).structure(len(roots))
