"""How many pages make a template grows with the site, within two bounds."""

import pytest

from extraction.algorithms.clustering.threshold import LARGEST_THRESHOLD, default_threshold


@pytest.mark.parametrize(("pages", "threshold"), [(0, 2), (1, 2), (120, 2), (121, 3), (180, 3), (181, 4), (10**6, LARGEST_THRESHOLD)])
def test_a_template_has_a_sixtieth_of_the_pages_rounded_up_but_two_at_least(pages: int, threshold: int) -> None:
    assert default_threshold(pages) == threshold
