"""What of a page the steps of a sign-in reach: its own document, its open shadow roots and its frames of the same host."""

from urllib.parse import urlsplit

from playwright.async_api import Frame, Locator, Page


def list_own_frames(page: Page) -> list[Frame]:
    """Return the frame of a page itself and those of the same host, in the order in which elements are looked for.

    Frames of other hosts, such as advertisements, must not get what is entered.
    """
    return [frame for frame in page.frames if _read_host(frame) == _read_host(page.main_frame)]


async def find_visible(page: Page, at: str) -> Locator | None:
    """Return the first element of a selector in a page or in its frames of the same host, if it is visible."""
    for frame in list_own_frames(page):
        element = frame.locator(f"css={at}").first
        if await element.is_visible():
            return element
    return None


def _read_host(frame: Frame) -> str:
    """Return the host of a frame. One without an address of its own, such as about:srcdoc, belongs to the frame around it."""
    while frame.parent_frame is not None and frame.url.startswith("about:"):
        frame = frame.parent_frame
    return urlsplit(frame.url).netloc
