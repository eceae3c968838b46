"""Every word that a template shows is marked for translation."""

import re
from pathlib import Path

import pytest

from tests.translations.catalogues import ROOT
from tests.translations.marks import find_unmarked

TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: str(path.relative_to(ROOT / "templates")))
def test_every_word_of_a_template_is_marked(path: Path) -> None:
    assert list(find_unmarked(path.read_text())) == []


@pytest.mark.parametrize(
    "template",
    [
        "<p>Some text</p>",
        '<p title="Some text"></p>',
        '{% include "a.html" with title="Some text" %}',
        '{{ name|default:"Some text" }}',
        '{% badge "ok" "Some text" %}',
    ],
)
def test_unmarked_words_are_found(template: str) -> None:
    assert list(find_unmarked(template)) == ["Some text"]


@pytest.mark.parametrize(
    "template",
    [
        '<p title="{% translate "Some text" %}">{% blocktranslate %}{{ count }} of them{% endblocktranslate %} 12 kB</p>',
        '{% include "a.html" with title=_("Some text") %}',
        "{# Some text #}<script>let some = text</script>",
    ],
)
def test_marked_words_and_units_pass(template: str) -> None:
    assert list(find_unmarked(template)) == []


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: str(path.relative_to(ROOT / "templates")))
def test_what_is_counted_is_not_renamed_in_the_same_tag(path: Path) -> None:
    """Django works out the number last, and would count the letters of the text that `with` has put in its place."""
    for counted, named in re.findall(r"\{% blocktranslate[^%]* count \w+=(\w+)[^%]*? with ([^%]*)%\}", path.read_text()):
        assert counted not in re.findall(r"(\w+)=", named)
