"""A page loads the style sheets of the classes that it uses, and no others."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
CSS = ROOT / "static" / "css"
TEMPLATES = ROOT / "templates"


def parent(name: str) -> str:
    """The template that a template extends, "" for none."""
    found = re.match(r'{% extends "([^"]+)" %}', (TEMPLATES / name).read_text())
    return found[1] if found else ""


EVERY = sorted(str(path.relative_to(TEMPLATES)) for path in TEMPLATES.rglob("*.html"))
FRAMES = {name for name in EVERY if parent(name) == "base.html" and Path(name).name.startswith("_")}
"""Templates of the dashboard that only other pages extend."""

PAGES = [name for name in EVERY if parent(name) in {"base.html", *FRAMES} and name not in FRAMES]

FETCHED = {
    "extraction/monitoring/breakage.html": {"extraction/monitoring/_breakage_effect.html", "extraction/monitoring/_breakage_looks.html"},
    "extraction/lab/lab_method.html": {"extraction/lab/_lab_shares.html"},
    "extraction/lab/wrapper.html": {"extraction/lab/_wrapper.html"},
    "extraction/rules/rule.html": {"extraction/rules/_effect.html"},
    "extraction/quality/rule.html": {"extraction/quality/_tried.html"},
    "extraction/rules/rule_difference.html": {"extraction/rules/_effect.html"},
    "extraction/suggestions/suggested.html": {
        "extraction/suggestions/_opinions.html",
        "extraction/suggestions/_suggested.html",
        "extraction/suggestions/_suggested_lists.html",
    },
    "extraction/templates/cluster.html": {
        "extraction/core/_shares.html",
        "extraction/lab/_structure.html",
        "extraction/templates/_odd_pages.html",
    },
    "annotations/record_type.html": {"annotations/_offered.html"},
}
"""What htmx puts into a page later."""

TAGS = {"badge": "badge badge-sign", "bar": "bar", "bars": "bar", "spark": "spark", "strip": "bar lab-strip", "icon": "icon"}
"""The classes that our template tags write, and the functions of the same names in core/dom.js."""

ADDED = {"at", "with-script", "htmx-request", "over"}
"""Classes that scripts of every page add to what is there."""


def closure(name: str) -> str:
    """The source of a template with that of all that it includes."""
    source, waiting, seen = "", {name}, set[str]()
    while waiting:
        each = waiting.pop()
        seen.add(each)
        text = (TEMPLATES / each).read_text()
        source += text
        waiting |= ({*re.findall(r'{% include "([^"]+)"', text)} | FETCHED.get(each, set())) - seen
    return source


def classes(source: str) -> set[str]:
    """The classes in a source, and those that its tags and the workbench's scripts write."""
    written = re.findall(r'class="((?:{%.*?%}|{{.*?}}|[^"])*)"', source) + [
        TAGS[tag] for tag in re.findall(r"{% (\w+)", source) if tag in TAGS
    ]
    for script in re.findall(r"{% static 'js/(\w+)/host\.js' %}", source):
        for file in (ROOT / "static" / "js" / script).glob("*.js"):
            text = file.read_text()
            written += re.findall(r"(?:class: |className = |classList\.\w+\(|button\()[`\"]([^`\"]*)", text)
            made = re.search(r'import { (.*) } from "../core/dom.js"', text)
            written += [TAGS[name] for name in (made[1].split(", ") if made else ()) if name in TAGS]
    return set(re.findall(r"[a-z][\w-]*", " ".join(written))) | ADDED


def needs(sheet: Path, used: set[str]) -> bool:
    """Whether a rule of the sheet may hold for something of these classes."""
    text = re.sub(r"/\*.*?\*/|url\([^)]*\)", "", sheet.read_text(), flags=re.DOTALL)
    text = re.sub(r":(is|not)\([^)]*\)|@(media|keyframes)[^{]*{", "", text)
    for selectors in re.findall(r"([^{}]+){", text):
        for selector in selectors.split(","):
            named = set(re.findall(r"\.([a-z][\w-]*)", selector))
            if named - ADDED and named <= used:
                return True
    return False


def loaded(name: str) -> list[str]:
    """The sheets that a template names."""
    return re.findall(r'"([^"]+)"', " ".join(re.findall(r"{% stylesheets (.*?) %}", (TEMPLATES / name).read_text())))


BASE = loaded("base.html")
ROOMS = sorted(path for path in CSS.rglob("*.css") if not path.stem.startswith("frame") and path.parent != CSS)


def wanted(name: str) -> set[str]:
    """The sheets that a template needs."""
    used = classes(closure(name))
    return {str(sheet.relative_to(CSS).with_suffix("")) for sheet in ROOMS if needs(sheet, used)}


@pytest.mark.parametrize("page", PAGES)
def test_a_page_loads_the_sheets_of_its_classes_and_no_others(page: str) -> None:
    assert sorted(loaded(page)) == sorted(wanted(page) - set(BASE))


@pytest.mark.parametrize("page", ["base.html", "500.html"])
def test_a_page_outside_the_frame_of_screens_loads_all_sheets_it_needs(page: str) -> None:
    assert wanted(page) <= set(loaded(page)) and loaded(page)[0] == "tokens"


def test_every_sheet_is_loaded_by_some_page() -> None:
    named = {name for page in PAGES for name in loaded(page)} | set(BASE)
    assert {str(sheet.relative_to(CSS).with_suffix("")) for sheet in ROOMS} <= named
