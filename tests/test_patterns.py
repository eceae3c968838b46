"""No regular expression of ours takes a stranger's text apart in more than linear time, and each finds the same on every Python 3.11.

Each compiled pattern of `extraction` and `annotations` is tried, with the methods that the code calls on it, on texts that repeat a short
piece many times and then fail to match: the form in which backtracking shows. The pieces are made from the pattern's own characters.
"""

import gc
import importlib
import pkgutil
import random
import re
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as reader  # type: ignore[attr-defined]
from types import FrameType

import pytest

import annotations
import extraction

ROOT = Path(__file__).resolve().parents[1]

LENGTH = 40_000
"""Characters of a text. A pattern of quadratic time takes most of a second for it or more, a linear one at most 80 milliseconds."""

LIMIT_S = 0.25

SUSPECTS = ((4_000, 0.001), (16_000, 0.02))
"""Shorter texts, and the seconds that make a pattern a suspect. Only a suspect is tried on the next longer text. A pattern that takes
`LIMIT_S` for a text of `LENGTH`, and quadratic time, takes 2.5 ms for the first of these and 40 ms for the second."""

SHORT_TEXTS = {
    "extraction.fetching.crawl.shapes.IDENTIFIER": 2_000,  # a part of an address
    "extraction.algorithms.dom.references._STANDS_IN": 2_000,  # `references.MAX_ADDRESS`
    "extraction.algorithms.values.": 400,  # `read.MAX_LENGTH`: longer values are not read
}
"""Beginnings of the names of patterns that only see short texts, and the length of these texts."""

COMMON = (*" \na1A_-.,<>'\"()[=/:", "a1", "aB", "a ", "1,", "<!---->", "<a ")
METHODS = ("match", "fullmatch", "search", "finditer", "findall", "sub", "subn", "split")


class TooSlow(Exception):  # noqa: N818
    """Raised by the alarm while a pattern still searches."""


@cache
def methods_by_name() -> Mapping[tuple[str, str], frozenset[str]]:
    """Return the methods that each module calls, by the module and the name before the dot. The module "" stands for all modules."""
    called: dict[tuple[str, str], set[str]] = {}
    calls = re.compile(rf"\b(\w+)\.({'|'.join(METHODS)})\b")
    for folder in ("extraction", "annotations"):
        for path in (ROOT / folder).rglob("*.py"):
            module = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
            for name, method in calls.findall(path.read_text()):
                for key in ((module, name), ("", name)):
                    called.setdefault(key, set()).add(method)
    return {key: frozenset(methods) for key, methods in called.items()}


def patterns_of(value: object) -> Iterator[re.Pattern[str] | re.Pattern[bytes]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, tuple | list):
        for part in value:
            yield from patterns_of(part)


@cache
def all_patterns() -> dict[str, re.Pattern[str] | re.Pattern[bytes]]:
    patterns: dict[str, re.Pattern[str] | re.Pattern[bytes]] = {}
    seen = set()
    for package in (extraction, annotations):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if module.name.endswith("__main__") or ".migrations." in module.name:
                continue
            for name, value in vars(importlib.import_module(module.name)).items():
                for number, pattern in enumerate(patterns_of(value)):
                    if pattern not in seen:
                        seen.add(pattern)
                        patterns[f"{module.name}.{name}" + (f"[{number}]" if number else "")] = pattern
    return patterns


def called_methods(name: str) -> Sequence[str]:
    """Return the methods that the code calls on a pattern; those that take most time if it passes the pattern on."""
    module, _, base = name.partition("[")[0].rpartition(".")
    called = methods_by_name().get((module if base.startswith("_") else "", base))
    return sorted(called) if called else ("fullmatch", "match")


def hostile_texts(pattern: re.Pattern[str] | re.Pattern[bytes], length: int) -> Iterator[str]:
    text = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    literals = sorted(set(re.findall(r"[A-Za-z0-9]{2,11}|[^\w\s]", text)))
    source = random.Random(repr(text))
    pieces = [*COMMON, *literals]
    pieces += [source.choice(pieces) + source.choice(pieces) for _ in range(12)]
    for piece in dict.fromkeys(pieces):
        start = source.choice(("", source.choice(pieces)))
        yield start + piece * (length // len(piece)) + source.choice(("\x00", "!", ""))


def apply_pattern(pattern: re.Pattern[str] | re.Pattern[bytes], method: str, text: str) -> None:
    subject: str | bytes = text if isinstance(pattern.pattern, str) else text.encode("utf-8", "surrogatepass")
    empty: str | bytes = "" if isinstance(pattern.pattern, str) else b""
    arguments = (empty, subject) if method in ("sub", "subn") else (subject,)
    result = getattr(pattern, method)(*arguments)
    if method == "finditer":
        list(result)


def stop(_signal: int, _frame: FrameType | None) -> None:
    raise TooSlow


def takes_too_long(pattern: re.Pattern[str] | re.Pattern[bytes], methods: Sequence[str], text: str) -> bool:
    """Return whether a pattern is slow on a text, in each of three tries: another process may take the time of one."""
    for length, suspect_s in SUSPECTS:
        if len(text) > length and _measure_s(pattern, methods, text[: length - 1] + text[-1:], clock=time.perf_counter) < suspect_s:
            return False
    return all(_measure_s(pattern, methods, text) >= LIMIT_S for _ in range(3))


def _measure_s(
    pattern: re.Pattern[str] | re.Pattern[bytes], methods: Sequence[str], text: str, *, clock: Callable[[], float] = time.process_time
) -> float:
    before = signal.signal(signal.SIGVTALRM, stop)
    gc.disable()  # a collection goes through all of Django's objects and takes longer than most patterns
    started = clock()
    signal.setitimer(signal.ITIMER_VIRTUAL, LIMIT_S)
    try:
        for method in methods:
            apply_pattern(pattern, method, text)
    except TooSlow:
        return LIMIT_S
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
        gc.enable()
    return clock() - started


def test_the_measure_finds_exponential_and_quadratic_patterns() -> None:
    assert takes_too_long(re.compile(r"(a+)+b"), ("match",), "a" * 40)
    assert takes_too_long(re.compile(r"\s+x"), ("search",), " " * LENGTH)
    assert takes_too_long(re.compile(r"<!--.*?-->"), ("findall",), "<!--" * (LENGTH // 4))
    assert not takes_too_long(re.compile(r"(?:a++)++b"), ("match",), "a" * LENGTH)


def test_the_texts_made_from_a_pattern_show_that_it_takes_quadratic_time() -> None:
    for planted in (r"\d+(?:px|em)", r"\[(?:[^\[\]]|\[[^\]]*\])*\]"):
        pattern = re.compile(planted)
        assert any(takes_too_long(pattern, ("search",), text) for text in hostile_texts(pattern, LENGTH)), planted


def test_the_methods_that_are_called_on_a_pattern_are_found_in_its_module() -> None:
    assert called_methods("extraction.algorithms.dom.references._STANDS_IN") == ["match"]
    assert called_methods("extraction.algorithms.dom.references._NOT_THERE") == ("fullmatch", "match")


def test_every_pattern_takes_linear_time_on_hostile_text() -> None:
    slow = {}
    for name, pattern in all_patterns().items():
        length = next((most for start, most in SHORT_TEXTS.items() if name.startswith(start)), LENGTH)
        methods = called_methods(name)
        for text in hostile_texts(pattern, length):
            if takes_too_long(pattern, methods, text):
                slow[name] = text[:40]
                break
    assert not slow


def test_the_texts_that_hung_us_are_judged_at_once() -> None:
    from extraction.algorithms.dom import media, references
    from extraction.algorithms.learning.generated_names import is_generated_name
    from extraction.fetching.crawl.outcomes import is_page

    started = time.process_time()
    with pytest.raises(media.MediaError):
        media.examine(b"<!---->" * 500 + b"x", references.ResourceKind.IMAGE)
    assert not is_page(b"<!---->" * 500 + b"<p>", content_type="text/plain")
    assert not is_generated_name("a" + "1" * 50 + "-Z")
    is_generated_name("a" + "1" * 5000 + "Z")
    assert time.process_time() - started < 0.5


def repeats_a_group_possessively(parsed: object) -> bool:
    """Return whether a parsed pattern has a possessive repeat, such as `(ab?)*+`, of more than one character."""
    if isinstance(parsed, tuple) and parsed[:1] == (codes.POSSESSIVE_REPEAT,):
        _least, _most, item = parsed[1]
        if len(item) != 1 or item[0][0] not in (codes.LITERAL, codes.NOT_LITERAL, codes.ANY, codes.IN):
            return True
    return isinstance(parsed, tuple | list | reader.SubPattern) and any(repeats_a_group_possessively(part) for part in parsed)


def test_possessive_repeats_of_groups_are_told_from_those_of_characters() -> None:
    assert repeats_a_group_possessively(reader.parse(r"x(?:y|(?:ab?)*+)"))
    assert not repeats_a_group_possessively(reader.parse(r"x(?:y|a*+[bc]++(?>(?:ab?)*))"))


def test_no_pattern_needs_a_python_that_repeats_groups_rightly() -> None:
    """Before Python 3.11.5, a possessive repeat of a group that backtracks ends too early. An atomic group does not: `(?>(?:ab?)*)`."""
    found = [
        name
        for name, pattern in all_patterns().items()
        if repeats_a_group_possessively(reader.parse(pattern.pattern, pattern.flags & re.VERBOSE))
    ]
    assert not found
