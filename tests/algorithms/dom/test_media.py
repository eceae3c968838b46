"""Files are what their bytes are; a picture that would unpack to gigabytes is refused before a browser sees it."""

import struct
import time
import zlib

import pytest

from extraction.algorithms.dom import media
from extraction.algorithms.dom.references import ResourceKind
from extraction.demo.images import png


def png_of(width: int, height: int) -> bytes:
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunk = b"IHDR" + header
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I", len(header)) + chunk + struct.pack(">I", zlib.crc32(chunk))


def jpeg_of(width: int, height: int) -> bytes:
    exif = b"\xff\xe1" + struct.pack(">H", 10) + b"Exif\0\0\xff\xc0"
    return b"\xff\xd8" + exif + b"\xff\xc2" + struct.pack(">HBHHB", 17, 8, height, width, 3) + b"\0" * 9


PICTURES = {
    "image/png": lambda w, h: png_of(w, h),
    "image/gif": lambda w, h: b"GIF89a" + struct.pack("<HH", w, h) + b"\0;",
    "image/jpeg": jpeg_of,
    "image/bmp": lambda w, h: b"BM" + b"\0" * 16 + struct.pack("<ii", w, -h),
    "image/avif": lambda w, h: b"\0\0\0\x1cftypavif" + b"\0" * 30 + b"ispe" + struct.pack(">III", 0, w, h),
}


@pytest.mark.parametrize("content_type", PICTURES)
def test_a_picture_is_known_by_its_bytes_and_refused_by_its_pixels(content_type):
    make = PICTURES[content_type]
    assert media.examine(make(300, 200), ResourceKind.IMAGE) == content_type
    for width, height in ((16_000, 16_000), (20_000, 1), (0, 10)):
        with pytest.raises(media.MediaError, match="pixels"):
            media.examine(make(width, height), ResourceKind.IMAGE)


@pytest.mark.parametrize(
    ("start", "size"),
    [
        (b"VP8X\0\0\0\0\0\0\0\0" + (299).to_bytes(3, "little") + (199).to_bytes(3, "little"), True),
        (b"VP8X\0\0\0\0\0\0\0\0" + b"\xff" * 6, False),
        (b"VP8L\0\0\0\0\x2f" + (299 | 199 << 14).to_bytes(4, "little"), True),
        (b"VP8 \0\0\0\0\0\0\0\x9d\x01\x2a" + struct.pack("<HH", 300, 200), True),
    ],
)
def test_webp_in_its_three_forms(start, size):
    content = b"RIFF\0\0\0\0WEBP" + start
    if size:
        assert media.examine(content, ResourceKind.IMAGE) == "image/webp"
    else:
        with pytest.raises(media.MediaError, match="pixels"):
            media.examine(content, ResourceKind.IMAGE)


def test_the_demo_sites_pictures_are_pictures():
    assert media.examine(png(1), ResourceKind.IMAGE) == "image/png"


@pytest.mark.parametrize(
    "content",
    [b"<svg xmlns='x'/>", b"\xef\xbb\xbf<?xml version='1.0'?>\n<!-- by hand --><!DOCTYPE svg PUBLIC 'a' 'b'>\n<svg>", b"<svg:svg>"],
)
def test_a_drawing_is_known_by_its_start(content):
    assert media.examine(content, ResourceKind.IMAGE) == media.SVG


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"<!doctype html><html><script>", ResourceKind.IMAGE),
        (b"<!doctype html><html><body>404", ResourceKind.STYLE),
        (b"\x89PNG\r\n\x1a\n", ResourceKind.STYLE),
        (b"\x89PNG\r\n\x1a\n\0\0", ResourceKind.IMAGE),
        (b"\xff\xd8\xff", ResourceKind.IMAGE),
        (b"OTTO....", ResourceKind.FONT),
        (b"", ResourceKind.IMAGE),
    ],
)
def test_what_is_not_what_was_wanted_is_refused(content, kind):
    with pytest.raises(media.MediaError):
        media.examine(content, kind)


@pytest.mark.parametrize("kind", list(ResourceKind))
def test_what_is_too_large_is_refused_with_the_limit(kind):
    with pytest.raises(media.MediaError, match=f"{media.MAX_BYTES[kind]:,} bytes"):
        media.examine(b"a" * (media.MAX_BYTES[kind] + 1), kind)


def test_fonts_and_sheets():
    assert media.examine(b"wOF2....", ResourceKind.FONT) == "font/woff2" and media.examine(b"a{b:c}", ResourceKind.STYLE) == media.CSS


@pytest.mark.parametrize("content", [b"\xff\xd8" + b"\xff" * 100_000, b"\xff\xd8\xff\xe0\0\0" * 20_000])
def test_a_header_without_end_ends(content):
    with pytest.raises(media.MediaError):
        media.examine(content, ResourceKind.IMAGE)


def gif_with_frame(*, screen: tuple[int, int], frame: tuple[int, int], before: bytes = b"") -> bytes:
    return (
        b"GIF89a" + struct.pack("<HH", *screen) + b"\x80\0\0" + b"\0" * 6 + before + b"," + struct.pack("<HHHH", 0, 0, *frame) + b"\0\2\0;"
    )


@pytest.mark.parametrize("before", [b"", b"!\xf9\4\0\0\0\0\0", b"!\xfe\3abc\2de\0!\xf9\4\0\0\0\0\0"])
def test_a_gif_is_as_large_as_its_first_frame(before: bytes) -> None:
    assert media.examine(gif_with_frame(screen=(1, 1), frame=(300, 200), before=before), ResourceKind.IMAGE) == "image/gif"
    with pytest.raises(media.MediaError, match="pixels"):
        media.examine(gif_with_frame(screen=(1, 1), frame=(60_000, 60_000), before=before), ResourceKind.IMAGE)


def test_blocks_before_the_first_frame_do_not_hide_its_size() -> None:
    for before in (b"!\xfe\0" * 1_000, b"!\xfe" + b"\1a" * 100_000 + b"\0"):
        started = time.process_time()
        with pytest.raises(media.MediaError):
            media.examine(gif_with_frame(screen=(0, 0), frame=(60_000, 60_000), before=before), ResourceKind.IMAGE)
        assert time.process_time() - started < 0.5


def test_a_budget_ends_after_so_many_pixels() -> None:
    budget, picture = media.PictureBudget(130_000), gif_with_frame(screen=(1, 1), frame=(300, 200))
    assert [budget.take(picture) for _ in range(3)] == [True, True, False]
    assert budget.take(gif_with_frame(screen=(50, 50), frame=(50, 50)))
