"""What must hold for any input of a fuzzer."""

import contextlib

from extraction.algorithms.bundles import bundle
from extraction.algorithms.dom.parse import is_unexpected, parse, xml_as_written
from extraction.algorithms.dom.references import find_references, find_style_references, resolve_references
from extraction.algorithms.errors import PageError
from extraction.algorithms.sketches.shingles import compute_vector
from extraction.display import stylesheets
from extraction.display.drawings import make_drawing_inert
from extraction.display.sanitize import sanitize_page
from extraction.fetching.items import ArchiveError
from tests.fetching.archive_files import read_items
from tests.hostile.test_bad_pages import assert_inert


def check_reading(content: bytes) -> None:
    """A page is read or refused in words; reading it again gives the same."""
    try:
        root = parse(content).root
    except PageError as error:
        assert not is_unexpected(error), error
        return
    assert root.tag
    compute_vector(content)
    resolve_references(find_references(root), "https://a.example/")
    with contextlib.suppress(PageError):
        xml_as_written(content)


def check_sanitising(content: bytes) -> None:
    """What is shown of a page is well-formed and can neither run nor load anything."""
    try:
        root = parse(content).root
    except PageError:
        return
    assert_inert(sanitize_page(root))
    make_drawing_inert(content)


def check_sheet(text: str) -> None:
    """A cleaned sheet loads nothing, and neither does it if it is cleaned again."""
    for clean in (stylesheets.clean_sheet, stylesheets.clean_declarations):
        cleaned = clean(text)
        for each in (cleaned, clean(cleaned)):
            assert not [found for found in find_style_references(each) if found.address], each


def check_archive(data: bytes) -> None:
    """An archive is read or refused in words."""
    with contextlib.suppress(ArchiveError):
        read_items(data)


def check_bundle(data: bytes) -> None:
    """A file of rules is read or refused in words."""
    with contextlib.suppress(bundle.BundleError):
        bundle.read_bundle(data)
