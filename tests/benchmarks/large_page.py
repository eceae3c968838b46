"""`python -m tests.benchmarks.large_page [--bytes 20000000]`: memory and time of learning where one page of the template is huge.

A product page of that size is annotated with a small one; 28 more are small. Printed: what the process's peak memory grew by when
the page was parsed, when its table was made, and when eight attributes were learned, each as a multiple of the page's bytes; times
as multiples of its parse. Ends with 1 where tables and learning need more than `MOST` times the tree's own memory.
"""

import argparse
import resource
import sys
import time

from extraction.algorithms.dom.nodes import Location
from extraction.algorithms.dom.parse import parse
from extraction.algorithms.learning.apriori import Example, Learned, learn_attribute
from extraction.algorithms.learning.corpus import Corpus
from extraction.algorithms.learning.page_table import PageTable
from extraction.algorithms.learning.table_reader import read_page_table
from tests.benchmarks.workbench import FIELDS, product_page

MOST = 2.0
"""Memory of tables and learning beside the large page's tree, as a multiple of it."""


class Meter:
    """The peak memory of this process in bytes, and the time since the last measurement."""

    def __init__(self) -> None:
        self.peak, self.clock = self._peak(), time.process_time()

    @staticmethod
    def _peak() -> int:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

    def since(self) -> tuple[int, float]:
        peak, clock = self._peak(), time.process_time()
        grown, passed = peak - self.peak, clock - self.clock
        self.peak, self.clock = peak, clock
        return grown, passed


def cell(page: PageTable, nth: int) -> Location:
    """The value of a product's nth field."""
    return Location([row for row, element in enumerate(page.nodes) if element.tag == "td"][nth], "text", 1)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bytes", type=int, default=20_000_000)
    size = parser.parse_args().bytes
    content = product_page(0, size).encode()
    meter = Meter()
    root = parse(content).root
    tree, parse_s = meter.since()
    pages = [read_page_table(root)]
    large, table_s = meter.since()
    pages += [read_page_table(parse(product_page(number, 50_000).encode()).root) for number in range(1, 30)]
    corpus = Corpus(pages)
    for nth in range(len(FIELDS)):
        examples = [Example(page, (cell(pages[page], nth),)) for page in range(2)]
        assert isinstance(learn_attribute(corpus, examples), Learned)
    rest, learn_s = meter.since()
    print(f"a page of {size / 1e6:.0f} MB, {len(pages[0].nodes):,} elements, among 29 of 50 kB")
    print(f"  tree {tree / size:.1f} x its bytes, table {large / size:.1f}, other pages and {len(FIELDS)} attributes {rest / size:.1f}")
    print(f"  table {table_s / parse_s:.1f} parses, other pages and attributes {learn_s / parse_s:.1f}")
    return int(large + rest > MOST * tree)


if __name__ == "__main__":
    sys.exit(main())
