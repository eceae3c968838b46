"""Each bad archive gives its good pages, and names what was refused; nothing is unpacked without bound or to a place of its choosing."""

import time
from collections import Counter

import pytest

from extraction.fetching.items import ArchiveError
from tests.fetching.archive_files import page_names, read_items, refusals
from tests.hostile.bad_archives import BadArchive, make_archives

ARCHIVES = make_archives()
LIMIT_S = 1.5


def test_the_corpus_is_large_and_its_names_are_different() -> None:
    assert len(ARCHIVES) >= 110
    assert not [name for name, count in Counter(each.name for each in ARCHIVES).items() if count > 1]


@pytest.mark.parametrize("kind", sorted({each.name.split(":")[0] for each in ARCHIVES}))
def test_a_bad_archive_gives_its_good_pages_and_names_the_rest(kind: str) -> None:
    for archive in ARCHIVES:
        if archive.name.startswith(f"{kind}:"):
            started = time.process_time()
            _check(archive)
            assert time.process_time() - started < LIMIT_S, archive.name


def _check(archive: BadArchive) -> None:
    try:
        found = read_items(archive.content)
    except ArchiveError as error:
        assert archive.error and archive.error in str(error), (archive.name, str(error))
        return
    assert not archive.error, archive.name
    assert tuple(page_names(found)) == archive.pages, archive.name
    told = [f"{name}: {reason}" for name, reason in refusals(found).items()]
    assert bool(told) == bool(archive.refused), (archive.name, told)
    assert any(archive.refused in each for each in told) or not told, (archive.name, told)
