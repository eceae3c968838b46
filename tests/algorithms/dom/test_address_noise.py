"""Addresses without the keys that tell where a visitor came from."""

import pytest

from extraction.algorithms.dom.address_noise import strip_tracking


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("https://s.example/p/1?utm_source=related&utm_medium=box", "https://s.example/p/1"),
        ("https://s.example/p?id=1&gclid=x&lang=de#a", "https://s.example/p?id=1&lang=de#a"),
        ("https://s.example/p?id=a%20b&x", "https://s.example/p?id=a%20b&x"),
        ("https://s.example/p", "https://s.example/p"),
        ("https://s.example/p?", "https://s.example/p?"),
        ("https://s.example/p?sid=12345678", "https://s.example/p?sid=12345678"),
    ],
)
def test_only_tracking_keys_are_left_out(written: str, kept: str) -> None:
    assert strip_tracking(written) == kept
