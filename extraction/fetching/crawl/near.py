"""Pages that are nearly the same, so that a sample does not have one twice.

Two pages are when title and first heading are the same and their word shingles have a Jaccard coefficient of `NEAR` at least. The title
counts, since the pages of a shop share most of their words and are different pages all the same. MinHash (Broder 1997) with
datasketch's LSH index; size, seed and scheme are fixed, since they change between releases of datasketch. This module
is imported for samples only: datasketch takes half of the child's start and 60 MB.
"""

from collections import defaultdict
from zlib import crc32

from datasketch import MinHash, MinHashLSH

from extraction.fetching.crawl.pages import PageView
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

    def earlier(self, page: PageView, url: str) -> str:
        """The address of an earlier page that this one nearly is, "" when there is none; then it is remembered."""
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
    """The signature of a text."""
    signature = MinHash(num_perm=PERMUTATIONS, seed=SEED, hashfunc=crc32, scheme=SCHEME)
    signature.update_batch([shingle.encode() for shingle in shingles(words)])
    return signature
