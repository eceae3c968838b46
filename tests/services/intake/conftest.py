"""What the crawling process of a test finds, in place of the web."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from extraction.fetching.crawl.process import Crawl
from extraction.services.intake import crawl_site
from tests.services import crawler

Net = Callable[..., None]


@pytest.fixture
def net(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Net:
    """net(pages, **others): set what the crawling process finds from now on."""

    def use(pages: Mapping[str, Mapping[str, Any]], **others: Any) -> None:
        program = crawler.write(tmp_path / "net.json", pages, **others)
        monkeypatch.setattr(crawl_site, "Crawl", partial(Crawl, program=program))

    return use


@pytest.fixture
def asked(tmp_path: Path) -> Callable[[], list[str]]:
    """The addresses fetched so far."""
    return lambda: crawler.fetched(tmp_path / "net.json")
