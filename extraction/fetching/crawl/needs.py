"""Which pages need a browser, and what one makes of them."""

from collections import Counter
from dataclasses import dataclass

from extraction.fetching.crawl.messages import Rendering
from extraction.fetching.crawl.pages import PageView
from extraction.fetching.crawl.shapes import Shape

FEW_WORDS = 60
"""Words of a plain page that may be a shell: a header, a footer, "please enable JavaScript"."""

MORE = 1.5
MORE_WORDS = 50
"""A browser shows what the plain page lacks when it has so many times its words, and so many more."""

TRIALS = 3
MAX_TRIALS = 60
"""Pages of a shape, and of a site, that are rendered to find out whether that brings anything."""


class RenderError(Exception):
    """A browser could not show a page; the message says why."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """content: the tree as HTML, UTF-8. url: where the page's scripts had brought it. screenshot: PNG."""

    content: bytes
    url: str
    screenshot: bytes | None = None


class Needs:
    """Which pages go through a browser.

    when_needed: those whose plain page is a shell (few words and a script, or an empty element in which a script framework builds
    the page), and those of shapes of which two of the first three showed much more in a browser.
    """

    def __init__(self, mode: Rendering) -> None:
        self._mode = mode
        self._tried: Counter[Shape] = Counter()
        self._gained: Counter[Shape] = Counter()

    def rendering(self, page: PageView, shape: Shape) -> bool:
        """Whether to render a page."""
        if self._mode is not Rendering.WHEN_NEEDED or is_shell(page):
            return self._mode is not Rendering.NEVER
        if self._tried[shape] >= TRIALS:
            return 2 * self._gained[shape] > TRIALS
        return page.has_script and self._tried.total() < MAX_TRIALS

    def compare(self, plain: PageView, seen: PageView, shape: Shape) -> bool:
        """Whether the rendered page is to be used, which is remembered for its shape."""
        if self._mode is Rendering.ALWAYS or is_shell(plain):
            return True
        gain = len(seen.words) >= max(MORE * len(plain.words), len(plain.words) + MORE_WORDS)
        if self._tried[shape] < TRIALS:
            self._tried[shape] += 1
            self._gained[shape] += gain
        return gain


def is_shell(page: PageView) -> bool:
    """Whether a plain page is there for its scripts only."""
    return page.has_script and (page.has_empty_root or len(page.words) < FEW_WORDS)
