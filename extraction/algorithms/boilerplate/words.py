"""Features of a text: stems of its words without stop words (Lin & Ho 2002, section 4.2; docs/algorithms.md#infodiscoverer).

The paper uses Porter's stemmer for English and its own term base for Chinese. Here Snowball's stemmers serve the languages it supports.
Where words are not separated by spaces (Chinese, Japanese, Thai, …, and Korean, whose particles stick to the words), each two neighbouring
characters are a feature (`dom.words`). Numbers are features, because prices and years tell pages apart as words do.
"""

from collections import Counter
from functools import lru_cache
from typing import Any

import snowballstemmer

from extraction.algorithms.boilerplate.stop_words import STOP_WORDS
from extraction.algorithms.dom.words import is_unspaced, split_words

_STEMMERS = (
    "ar=arabic hy=armenian eu=basque ca=catalan cs=czech da=danish nl=dutch en=english eo=esperanto et=estonian fi=finnish fr=french "
    "de=german el=greek hi=hindi hu=hungarian id=indonesian ga=irish it=italian lt=lithuanian ne=nepali no=norwegian nb=norwegian "
    "nn=norwegian fa=persian pl=polish pt=portuguese ro=romanian ru=russian sr=serbian es=spanish sv=swedish ta=tamil tr=turkish "
    "yi=yiddish"
)
STEMMERS = dict(pair.split("=") for pair in _STEMMERS.split())
"""Snowball's algorithms by language subtag. Some were added late; what an older package lacks is not stemmed."""

DEFAULT_LANGUAGE = "en"
"""For pages that do not state their language, which most do not."""

LONGEST_WORD = 64
"""The number of characters of a word that count. A longer word is an address or a key, and a stemmer's time grows with its length."""


def extract_features(text: str, *, language: str = DEFAULT_LANGUAGE) -> Counter[str]:
    """Return {feature: how often} of a text.

    language: a tag ("de", "pt-BR"). Words of unknown languages are not stemmed.
    """
    subtag = language.replace("_", "-").split("-")[0].lower()
    found: Counter[str] = Counter()
    for word in split_words(text):
        if is_unspaced(word):
            found[word] += 1
        elif stem := _stem(word[:LONGEST_WORD], subtag):
            found[stem] += 1
    return found


@lru_cache(maxsize=100_000)
def _stem(word: str, subtag: str) -> str:
    """Return a word's stem, empty for a stop word."""
    if word in STOP_WORDS.get(subtag, ()):
        return ""
    stemmer = _stemmer(subtag)
    return str(stemmer.stemWord(word)) if stemmer else word


@lru_cache(maxsize=len(STEMMERS))
def _stemmer(subtag: str) -> Any:
    """Return Snowball's stemmer of a language, None if it has none."""
    name = STEMMERS.get(subtag)
    return snowballstemmer.stemmer(name) if name in snowballstemmer.algorithms() else None
