"""Every pair of colours that meets on a screen can be read: at least 4.5 to 1, in both themes (WCAG 2, 1.4.3)."""

import re
from pathlib import Path

import pytest

TOKENS = (Path(__file__).parents[3] / "static" / "css" / "tokens.css").read_text()
STATES = ("ok", "suspect", "broken", "unreachable", "draft")
GROUNDS = ("bg", "surface", "sunken", "hover")

PAIRS = [
    *((text, ground) for text in ("text", "text-2", "muted", "accent", *STATES) for ground in GROUNDS),
    *((text, "accent-soft") for text in ("text", "text-2", "muted", "accent")),
    *((state, f"{state}-soft") for state in STATES),
    *((f"hue-{n}", ground) for n in range(8) for ground in (*GROUNDS, f"hue-{n}-soft")),
    *(("text", f"hue-{n}-soft") for n in range(8)),
    ("on-accent", "accent"),
    ("on-accent", "accent-strong"),
    ("on-danger", "danger"),
    ("danger", "broken-soft"),
    ("text", "selection"),
    ("accent-strong", "selection"),
    ("accent-strong", "bg"),
    ("text-2", "unreachable-soft"),
]


def block(opening: str) -> dict[str, str]:
    body = TOKENS.split(opening, 1)[1].split("}", 1)[0]
    return dict(re.findall(r"--([\w-]+):\s*(#[0-9a-f]{6})", body))


LIGHT = block(":root {")
DARK = block(':root[data-theme="dark"] {')


def luminance(colour: str) -> float:
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_black_on_white_is_21_to_1() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_every_pair_of_colours_has_enough_contrast(theme: dict[str, str]) -> None:
    poor = {pair: round(ratio, 2) for pair in PAIRS if (ratio := contrast(theme[pair[0]], theme[pair[1]])) < 4.5}
    assert not poor


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_the_edge_of_a_field_can_be_seen(theme: dict[str, str]) -> None:
    assert min(contrast(theme["border-strong"], theme[ground]) for ground in ("bg", "surface", "sunken")) >= 3


def test_the_dark_theme_is_the_same_by_system_setting_and_by_switch() -> None:
    assert block(':root:not([data-theme="light"]) {') == DARK
    assert set(DARK) == set(LIGHT)


def test_no_style_sheet_but_the_tokens_names_a_colour() -> None:
    for file in (Path(__file__).parents[3] / "static" / "css").rglob("*.css"):
        if file.name not in {"tokens.css", "frame.css", "frame-plain.css", "frame-xml.css"}:
            text = re.sub(r"url\([^)]*\)", "", file.read_text())
            assert set(re.findall(r"#[0-9a-f]{3,8}\b", text)) <= {"#fff"}, file.name
