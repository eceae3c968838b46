"""`python -m tests.quality.soups [COUNT]`: generated tag soups, and how many lose a word that an HTML5 parser finds."""

import sys

from extraction.algorithms.dom.parse import parse
from extraction.algorithms.errors import PageError
from tests.algorithms.dom.tag_soups import WORD, find_words, make_soups

COUNT = 4_000


def main(count: int) -> int:
    """Print the soups that lose words and how many do; return 1 if any does."""
    losing = as_browser = 0
    for number, soup in enumerate(make_soups(count)):
        try:
            page = parse(soup.encode())
            ours = {word for text in page.root.itertext("*") for word in WORD.findall(str(text))}
            as_browser += page.as_browser
        except PageError:
            ours = set()
        lost = find_words(soup) - ours
        if lost:
            losing += 1
            print(f"soup {number} loses {', '.join(sorted(lost))}: {soup}")
    print(f"{losing:,} of {count:,} soups lose words; {as_browser:,} were read as a browser reads them")
    return int(losing > 0)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else COUNT))
