"""The words of dates by language, from Unicode CLDR: months, weekdays, and the patterns in which a language writes its dates."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from babel import Locale

from extraction.algorithms.values.digits import normalise_text
from extraction.algorithms.values.locales import LANGUAGES, find_locale, find_territory
from extraction.algorithms.values.reading import list_words

_EXTRA_MONTHS = {"de": {"mrz": 3, "jänner": 1, "feber": 2}, "en": {"sept": 9}, "es": {"set": 9, "setiembre": 9}}
"""Short forms in daily use that CLDR does not have."""

_WORD_SCRIPTS = {language: (f"{language}-Latn", f"{language}-Cyrl") for language in ("sr", "bs", "uz", "az")}
"""Languages that are written in two scripts."""
_PREPOSITIONS = re.compile(r"^(?:de |d'|di |do |dhen |an )")
_MONTH_FIRST = frozenset(list_words("US PH PR GU VI AS MP UM MH FM PW"))
_EITHER_FIRST = frozenset(list_words("CA KE BZ"))
_PREFIX_LENGTH = 3

Words = dict[str, frozenset[int]]
"""{word, folded: the months that it may name}; 0 stands for a weekday."""


def fold_date_word(word: str) -> str:
    """Return a word of a date as it is looked up."""
    return normalise_text(word).casefold().rstrip(".")


@lru_cache(maxsize=128)
def list_date_words(language: str) -> Words:
    """Return the names of months and weekdays in a language. For "", those of all LANGUAGES."""
    tags = LANGUAGES if not language else _WORD_SCRIPTS.get(language.split("-")[0], (language,))
    found: dict[str, set[int]] = {}
    for locale in filter(None, map(find_locale, tags)):
        own: dict[str, set[int]] = {}
        for word, number in (*_list_names(locale.months), *_EXTRA_MONTHS.get(locale.language, {}).items()):
            own.setdefault(word, set()).add(number)
        if language or locale.language == "en":  # beginnings in one language are names in another
            for prefix, number in _list_prefixes({word: next(iter(numbers)) for word, numbers in own.items()}):
                own.setdefault(prefix, set()).add(number)
        for word, _ in _list_names(locale.days):
            own.setdefault(word, set()).add(0)
        for word, numbers in own.items():
            found.setdefault(word, set()).update(numbers)
    return {word: frozenset(numbers) for word, numbers in found.items()}


def _list_names(contexts: object) -> Iterator[tuple[str, int]]:
    """Yield (name, number), also without a preposition in front of it."""
    for context in ("format", "stand-alone"):
        for width in ("wide", "abbreviated"):
            for number, name in contexts[context][width].items():  # type: ignore[index]
                folded = fold_date_word(str(name))
                if folded and not any(map(str.isdigit, folded)):
                    yield folded, number
                    yield _PREPOSITIONS.sub("", folded), number


def _list_prefixes(names: dict[str, int]) -> Iterator[tuple[str, int]]:
    """Yield the beginnings of names, of three letters or more, that begin the names of one month only."""
    owners: dict[str, set[int]] = {}
    for name, number in names.items():
        if name[:1] < "\u0590":  # scripts with an alphabet of separate letters
            for length in range(_PREFIX_LENGTH, len(name)):
                owners.setdefault(name[:length], set()).add(number)
    for prefix, numbers in owners.items():
        if len(numbers) == 1:
            yield prefix, next(iter(numbers))


@lru_cache(maxsize=512)
def find_date_order(language: str) -> str:
    """Return the order of dates in numbers: "DMY", "MDY" or "YMD"; "" if the language does not tell it.

    English does not, without a country, and neither does a language that writes the year first where a date ends with it.
    """
    locale = find_locale(language)
    if locale is None:
        return ""
    territory = find_territory(language) if "-" in language else ""
    if locale.language == "en":
        return "" if not territory or territory in _EITHER_FIRST else "MDY" if territory in _MONTH_FIRST else "DMY"
    order = "".join(dict.fromkeys(re.findall("[dMy]", _strip_quoted(locale.date_formats["short"].pattern)))).upper()
    if order == "MDY":
        return "MDY" if territory in _MONTH_FIRST or locale.language == "fil" else ""
    return order if order in ("DMY", "YMD") else ""


@lru_cache(maxsize=128)
def list_date_patterns(language: str) -> tuple[re.Pattern[str], ...]:
    """Return what the language's own patterns of dates with words match, with the groups year, month, name and day."""
    tags = _WORD_SCRIPTS.get(language.split("-")[0], (language,)) if language else ()
    found = []
    for locale in filter(None, map(find_locale, tags)):
        patterns = [str(locale.date_formats[size].pattern) for size in ("full", "long", "medium", "short")]
        patterns += [str(pattern) for name, pattern in sorted(locale.datetime_skeletons.items()) if "y" in name and "M" in name]
        found += [_compile_pattern(pattern, locale) for pattern in dict.fromkeys(patterns) if _has_words(pattern)]
    return tuple(found)


def _has_words(pattern: str) -> bool:
    return re.search(r"[ML]{3}", pattern) is not None or re.search(r"[^\W\d_]", re.sub("[dMyEGLc]", "", pattern)) is not None


def _strip_quoted(pattern: str) -> str:
    return re.sub(r"'[^']*'", "", pattern)


def _compile_pattern(pattern: str, locale: Locale) -> re.Pattern[str]:
    parts, seen = [], set[str]()
    for token in re.findall(r"'[^']*'|y+|[ML]+|d+|[Ec]+|G+|[^'yMLdEcG]+", pattern):
        letter = token[0]
        if letter in seen and letter in "yMLd":
            return re.compile(r"(?!)")
        seen.add("M" if letter == "L" else letter)
        if letter == "y":
            parts.append(r"(?P<year>\d{4})")
        elif letter == "d":
            parts.append(r"(?P<day>\d{1,2})")
        elif letter in "ML":
            parts.append(r"(?P<month>\d{1,2})" if len(token) < 3 else f"(?P<name>{_alternatives(_month_names(locale))})")
        elif letter in "Ec":
            parts.append(f"(?:{_alternatives(name for name, _ in _list_names(locale.days))})\\.?")
        elif letter == "G":
            parts.append(f"(?:{_alternatives(fold_date_word(str(name)) for name in locale.eras['abbreviated'].values())})\\.?")
        else:
            parts.append(_literal(normalise_literal(token.strip("'") if letter == "'" else token)))
    return re.compile(r"\s*".join(parts) + r"\.?")


def _month_names(locale: Locale) -> Iterator[str]:
    for context in ("format", "stand-alone"):
        for width in ("wide", "abbreviated"):
            yield from (fold_date_word(str(name)) for name in locale.months[context][width].values())


def normalise_literal(text: str) -> str:
    """Return text of a pattern as `normalise_text` and case folding leave the same text in a value."""
    return normalise_text(text).casefold()


def _literal(text: str) -> str:
    return r"\s*".join(re.escape(word) for word in text.split())


def _alternatives(names: Iterable[str]) -> str:
    return "|".join(f"{re.escape(name)}\\.?" for name in sorted(set(names), key=lambda name: (-len(name), name)) if name)


@lru_cache(maxsize=128)
def list_month_names(language: str) -> dict[str, int]:
    """Return {name, folded: number} with names of several words or with digits."""
    tags = _WORD_SCRIPTS.get(language.split("-")[0], (language,))
    found: dict[str, int] = {}
    for locale in filter(None, map(find_locale, tags)):
        for context in ("format", "stand-alone"):
            for width in ("abbreviated", "wide"):
                found.update({fold_date_word(str(name)): number for number, name in locale.months[context][width].items()})
    return found
