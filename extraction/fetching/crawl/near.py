"""Pages that are nearly the same, so that a sample does not contain a page twice.

Two pages are nearly the same if their titles and first headings are equal and their word shingles have a Jaccard coefficient of at least
`NEAR`. Titles are compared because different pages of a shop share most of their words. The method is MinHash (Broder 1997) with
datasketch's LSH index. Size, seed and scheme are fixed here, because their defaults change between releases of datasketch. Only samples
import this module: datasketch takes half of the child's start-up time and 60 MB.
"""

from collections import defaultdict
from zlib import crc32

from datasketch import MinHash, MinHashLSH

from extraction.fetching.crawl.pages import ParsedView
from extraction.fetching.crawl.repeats import shingles

PERMUTATIONS = 64
SCHEME = "affine32"
SEED = 1
NEAR = 0.9


class NearDuplicates:
    """Groups of pages that are nearly the same."""

    def __init__(self) -> None:
        self._groups: dict[int, MinHashLSH] = defaultdict(lambda: MinHashLSH(threshold=NEAR, num_perm=PERMUTATIONS))
        self._signatures: dict[str, MinHash] = {}

    def earlier(self, page: ParsedView, url: str) -> str:
        """Return the address of an earlier page that is nearly the same. If there is none, remember this page and return ""."""
        if url in self._signatures:
            return ""
        signature = make_minhash(page.words)
        group = self._groups[crc32(f"{page.title}\n{page.heading}".encode())]
        near = sorted(other for other in group.query(signature) if self._signatures[other].jaccard(signature) >= NEAR)
        if near:
            return str(near[0])
        group.insert(url, signature)
        self._signatures[url] = signature
        return ""


def make_minhash(words: tuple[str, ...]) -> MinHash:
    """Return the MinHash signature of a text."""
    signature = MinHash(num_perm=PERMUTATIONS, seed=SEED, hashfunc=crc32, scheme=SCHEME)
    signature.update_batch([shingle.encode() for shingle in shingles(words)])
    return signature
