"""Shares in per cent never claim more than they say."""

import pytest

from extraction.services.core.percent import write_percent


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (0, "0 %"), (1e-9, "<1 %"), (0.0099, "<1 %"), (0.01, "1 %"), (0.5, "50 %"), (0.985, "98 %"), (0.995, "99.5 %"),
        (0.99999, "99.9 %"), (1, "100 %"),
    ],
)  # fmt: skip
def test_only_all_is_100_and_only_nothing_is_0_per_cent(share: float, words: str) -> None:
    assert write_percent(share) == words


def test_no_share_of_up_to_two_thousand_pages_is_rounded_to_all_or_nothing() -> None:
    for total in (2, 3, 7, 82, 199, 200, 201, 999, 1_999):
        for hits in {0, 1, total // 2, total - 1, total}:
            assert (write_percent(hits / total) == "100 %") == (hits == total)
            assert (write_percent(hits / total) == "0 %") == (hits == 0)
