"""Names that a machine gave are told from those that a person gave."""

import pytest

from extraction.algorithms.learning.generated_names import is_generated_name


@pytest.mark.parametrize(
    "name",
    [
        "css-1q2w3e",
        "css-huh8md",
        "css-1kkonqv",
        "ssrcss-k5ghct-ListItemText",
        "e1q8fsc70",
        "gb-text-b683acb4",
        "Card_root__3xY9a",
        "sc-bdnxRM",
        "jsx-1234567",
        "post-12345",
        "block-content4c1d3239-7902-4fcd-9de3-ad4f6c3a6c6d",
    ],
)
def test_generated(name: str) -> None:
    assert is_generated_name(name)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "title",
        "col-md-6",
        "column2",
        "size-300x250",
        "h3Color",
        "add2WishList",
        "menu1Level",
        "embed-16by9",
        "html5player",
        "recipe__title",
        "block__heading",
        "tasty-recipes-ingredients",
        "grid12",
        "w-1/2",
        "Zutaten-für-4",
    ],
)
def test_chosen_by_a_person(name: str) -> None:
    assert not is_generated_name(name)
