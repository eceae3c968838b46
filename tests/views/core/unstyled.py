"""Finds elements of a page in a browser whose style sheet is not loaded."""

from pathlib import Path
from typing import Any

CSS = Path(__file__).parents[3] / "static" / "css"
SHEETS = {str(path.relative_to(CSS)): path.read_text() for path in CSS.rglob("*.css") if not path.stem.startswith("frame")}

FIND = """sheets => {
  const IN_A_STATE = /::[\\w-]+|:(hover|active|focus|focus-visible|focus-within|indeterminate|before|after)(?![\\w-])/g;
  const loaded = [...document.querySelectorAll("link[rel=stylesheet]")].map((link) => link.href);
  const found = [];
  const look = (name, rules) => {
    for (const rule of rules) {
      if (rule.cssRules?.length) look(name, rule.cssRules);
      if (!rule.selectorText) continue;
      const selector = rule.selectorText.replace(IN_A_STATE, "");
      try { if (document.querySelector(selector)) found.push(`${name}: ${rule.selectorText}`); } catch { /* nothing is left of it */ }
    }
  };
  for (const [name, text] of Object.entries(sheets)) {
    if (loaded.some((address) => address.endsWith(`/css/${name}`))) continue;
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    look(name, sheet.cssRules);
  }
  return found;
}"""


def unstyled(page: Any) -> list[str]:
    """Return the style rules that match something on the page but are in sheets that it does not load."""
    return list(page.evaluate(FIND, SHEETS))
