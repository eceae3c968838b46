"""The picture of a page that a browser shows: bounded in its size, and compressed."""

from dataclasses import dataclass

from playwright.async_api import Error, Page

WIDTH_PX = 1280
MOST_HEIGHT_PX = 6_000
"""A page that is longer is cut off below."""

QUALITIES = (60, 30)
"""Qualities of a JPEG: the second is used if the picture is too large in the first. At 60, small text is easy to read."""

MOST_BYTES = 2 * 1024**2
TIMEOUT_MS = 15_000


@dataclass(frozen=True, slots=True)
class Screenshot:
    """A picture. content: a JPEG; None if none could be taken. note: why, or what is missing in it, in words."""

    content: bytes | None = None
    note: str = ""


async def take_screenshot(page: Page) -> Screenshot:
    """Return the picture of a page from its top, within the bounds. It fails with a reason, because the page itself is read anyway."""
    try:
        height = int(await page.evaluate("() => Math.max(document.documentElement.scrollHeight, innerHeight)"))
        clip = {"x": 0, "y": 0, "width": WIDTH_PX, "height": min(height, MOST_HEIGHT_PX)}
        for quality in QUALITIES:
            taken = await page.screenshot(
                type="jpeg",
                quality=quality,
                full_page=True,
                clip=clip,  # type: ignore[arg-type]
                animations="disabled",
                scale="css",
                timeout=TIMEOUT_MS,
            )
            if len(taken) <= MOST_BYTES:
                cut = f"the page is {height:,} pixels high; its picture shows the first {MOST_HEIGHT_PX:,}"
                return Screenshot(taken, cut if height > MOST_HEIGHT_PX else "")
    except Error as error:
        return Screenshot(note=f"the browser could not take a picture: {(str(error).strip().splitlines() or ['no reason'])[0][:150]}")
    return Screenshot(note=f"its picture has more than {MOST_BYTES:,} bytes")
