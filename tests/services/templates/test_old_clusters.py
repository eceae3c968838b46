"""Which template each page has now, asked for some pages or for all."""

import pytest

from extraction.models import Site
from extraction.services.templates import adopting, cluster_pages


@pytest.mark.django_db
@pytest.mark.parametrize("few", [1, 5_000])
def test_the_templates_of_some_pages_are_those_that_they_have_among_all_pages(
    clustered: Site, monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    every = cluster_pages.find_old_clusters(clustered)
    some = list(every)[::2]
    assert len(some) > 1
    monkeypatch.setattr(adopting, "FEW_PAGES", few)
    assert cluster_pages.find_old_clusters(clustered, [*some, 10**9]) == {page: every[page] for page in some}
