"""`python -m tests.benchmarks.suggestion`: proposing columns for ten pages, as a multiple of parsing them.

Pages of three sizes are written. What is asked of the product is three seconds for ten pages; parsing ten of 100 kB takes some 20 ms, so
every multiple under 100 is well within that.
"""

import time

from extraction.algorithms.dom.parse import parse
from extraction.algorithms.suggestion.suggest import suggest_columns
from tests.algorithms.suggestion.pages import html

PAGES = 10


def page(number: int, size_bytes: int) -> bytes:
    """Book `number`, with enough reviews to reach the size."""
    review = (
        "<div class='review'><b class='who'>Reader {0}</b> <span class='when'>{1} May 20{2}</span><p>Words {0} of reader {1}.</p></div>"
    )
    parts: list[str] = []
    length = 0
    while length < size_bytes:
        parts.append(review.format(number * 7919 + len(parts), 1 + len(parts) % 28, 10 + number % 10))
        length += len(parts[-1])
    return html(number).replace("<div class='footer'>", "".join(parts) + "<div class='footer'>").encode()


def main() -> None:
    for size in (5_000, 50_000, 500_000):
        contents = [page(number, size) for number in range(PAGES)]
        started = time.process_time()
        roots = [parse(content).root for content in contents]
        parsing_s = time.process_time() - started
        started = time.process_time()
        columns = suggest_columns(roots)
        suggesting_s = time.process_time() - started
        times = suggesting_s / parsing_s
        print(f"{PAGES} pages of {size:7,} bytes: {len(columns)} columns in {times:5.1f} times the parsing ({parsing_s:.3f} s)")


if __name__ == "__main__":
    main()
