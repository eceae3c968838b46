"""The floors of the made-up sites whose templates are known."""

from statistics import fmean

from tests.corpus.manuals import manual
from tests.corpus.page_types import many_types, one_template
from tests.quality.templates import measure_site


def test_bare_page_types_do_not_pull_everything_into_one_template() -> None:
    found = [measure_site(many_types(seed)) for seed in range(6)]
    assert fmean(site.purity for site in found) >= 0.85
    assert fmean(site.v_measure for site in found) >= 0.9


def test_a_site_of_one_template_stays_one() -> None:
    assert all(measure_site(one_template(seed)).whole for seed in range(8))


def test_manuals_keep_the_types_that_differ_apart() -> None:
    found = [measure_site(manual(seed)) for seed in range(3)]
    assert fmean(site.v_measure for site in found) >= 0.6
