"""Browsers in words, from what they say of themselves. That can be made up, so the whole text is shown beside it."""

import re

from django.utils.translation import gettext

BROWSERS = (
    ("Edge", "Edge"),
    ("Edg", "Edge"),
    ("OPR", "Opera"),
    ("SamsungBrowser", "Samsung Internet"),
    ("FxiOS", "Firefox"),
    ("Firefox", "Firefox"),
    ("CriOS", "Chrome"),
    ("HeadlessChrome", "Chrome"),
    ("Chrome", "Chrome"),
    ("Safari", "Safari"),
)
"""Marks in the order in which they count: almost every browser says that it is also another one."""

SYSTEMS = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("Macintosh", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)


def name_browser(agent: str) -> str:
    """Return the browser and its system, such as "Firefox on Windows". A text without known marks is returned shortened."""
    browser = next((name for mark, name in BROWSERS if re.search(rf"\b{mark}/", agent)), "")
    system = next((name for mark, name in SYSTEMS if mark in agent), "")
    if not browser:
        return agent[:60] or gettext("unknown")
    return gettext("%(browser)s on %(system)s") % {"browser": browser, "system": system} if system else browser
