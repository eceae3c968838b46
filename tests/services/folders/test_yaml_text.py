"""YAML that is written is read alike by any reader, and what the files do not need is refused with its line."""

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from extraction.services.folders import yaml_text
from extraction.services.folders.errors import FolderError
from extraction.services.folders.yaml_text import read_yaml, write_yaml

# YAML has no half characters, and files of a site no NUL.
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\x00"))
TRICKY = st.sampled_from(
    [
        "no",
        "Yes",
        "null",
        "~",
        "",
        " ",
        "12:30",
        "1e5",
        "1.5",
        ".5",
        "0x1f",
        "2026-11-29",
        "a: b",
        "a #b",
        "- a",
        "[x]",
        "{y}",
        "a:",
        "'",
        '"',
        "//h1[@class='a: b']/text()[1]",
        "//a#b",
        "# c",
        "---",
        "...",
        "é",
        "日本",
        "\u2028",
        "\ufeffx",
        "a\nb",
        "\t",
        "=",
        "<<",
        "+1",
        "1_000",
        "NaN",
    ]
)
SCALARS = st.one_of(
    TEXTS, TRICKY, st.integers(-(10**15), 10**15), st.floats(allow_nan=False, allow_infinity=False), st.booleans(), st.none()
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS | TRICKY, inner, max_size=4), max_leaves=25
)
DOCUMENTS = st.dictionaries(TEXTS | TRICKY, VALUES, max_size=5)


@given(DOCUMENTS)
def test_what_is_written_is_read_again(document: dict[str, Any]) -> None:
    assert read_yaml(write_yaml(document).encode(), "a.yaml").plain() == document


@given(DOCUMENTS)
def test_other_readers_of_yaml_read_the_same(document: dict[str, Any]) -> None:
    assert yaml.load(write_yaml(document), Loader=yaml.CSafeLoader) == document
    assert yaml.load(write_yaml(document), Loader=yaml.SafeLoader) == document


@given(st.dictionaries(st.sampled_from(["node", "kind", "text", "attribute"]), TEXTS | TRICKY | st.integers(0, 9), min_size=1))
def test_a_place_stands_on_one_line(place: dict[str, Any]) -> None:
    text = write_yaml({"at": place})
    assert len(text.splitlines()) == 1 and yaml.safe_load(text) == {"at": place}


def test_xpaths_stay_readable() -> None:
    xpath = """//div[@id="main"]/h1[contains(@class, 'name')]/text()[1]"""
    assert write_yaml({"xpath": xpath}) == f"xpath: {xpath}\n"


def test_words_that_other_readers_take_for_truth_are_quoted_and_read_as_texts() -> None:
    assert write_yaml({"a": "no", "b": "12:30"}) == 'a: "no"\nb: "12:30"\n'
    assert read_yaml(b"a: no\nb: 12:30\nc: yes\nd: 2026-11-29\n", "a.yaml").plain() == {
        "a": "no",
        "b": "12:30",
        "c": "yes",
        "d": "2026-11-29",
    }


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a: 1\nb: [1, 2\n", r"a\.yaml:3: it is not YAML"),
        ("a: &x 1\nb: *x\n", r"a\.yaml:1: it defines an anchor"),
        ("a: *x\n", r"a\.yaml:1: it uses an alias"),
        ("a: 1\nb: !!python/object:os.system 2\n", r"a\.yaml:2: it uses the tag"),
        ("a: 1\nb: 2\na: 3\n", r"a\.yaml:3: the key 'a' stands twice"),
        ("", r"a\.yaml: it is empty"),
        ("a: 1\n---\nb: 2\n", r"a\.yaml:2: a second document"),
        ("? [1]\n: 2\n", r"a\.yaml:1: a key must be a text"),
        ("a: " + "[" * 200 + "]" * 200, r"a\.yaml:1: values are nested more than"),
        ('a: "\\0"', r"a\.yaml:1: it holds a character that cannot be stored"),
        ("\ta: 1", r"a\.yaml:1: it is not YAML"),
    ],
)
def test_what_the_files_do_not_need_is_refused_with_its_line(text: str, reason: str) -> None:
    with pytest.raises(FolderError, match=reason):
        read_yaml(text.encode(), "a.yaml")


def test_bytes_that_are_not_utf8_are_refused_with_their_line() -> None:
    with pytest.raises(FolderError, match=r"a\.yaml:2: it is not in UTF-8"):
        read_yaml(b"a: 1\nb: \xff\n", "a.yaml")


def test_a_place_on_one_line_holds_also_what_is_empty() -> None:
    text = write_yaml({"at": {"a": [], "b": {}, "c": None}})
    assert text == "at: {a: [], b: {}, c: null}\n" and yaml.safe_load(text) == {"at": {"a": [], "b": {}, "c": None}}


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf"), b"bytes", {1}])
def test_what_yaml_cannot_hold_is_not_written(value: Any) -> None:
    with pytest.raises(ValueError, match="cannot be written as YAML"):
        write_yaml({"a": value})


def test_a_file_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml_text, "MAX_VALUES", 4)
    assert read_yaml(b"a: [1]\n", "a.yaml").plain() == {"a": [1]}
    with pytest.raises(FolderError, match=r"a\.yaml:2: it holds more than 4 values"):
        read_yaml(b"a: [1]\nb: 2\n", "a.yaml")
    monkeypatch.setattr(yaml_text, "MAX_BYTES", 7)
    assert read_yaml(b"a: [1]\n", "a.yaml").plain() == {"a": [1]}
    with pytest.raises(FolderError, match=r"a\.yaml: it has 8 bytes; at most 7 are read"):
        read_yaml(b"a: [12]\n", "a.yaml")
