"""What is suggested does not depend on the hash seed of the process, neither its content nor its order."""

import os
import subprocess
import sys

import pytest

SCRIPT = """
from pathlib import Path

from extraction.algorithms.alignment.mse import find_sections
from extraction.algorithms.dom.parse import parse
from extraction.algorithms.suggestion.lists import suggest_lists
from extraction.algorithms.suggestion.suggest import suggest_columns
from tests.algorithms.learning.listings import MARKUPS
from tests.algorithms.suggestion import pages
from tests.algorithms.suggestion.test_lists import made

cards = ["".join(f"<div class='a{n % 2} card'><p class='b'>Row {page} {n}</p><p class='c'>{n * 7}</p></div>" for n in range(4 + page))
         for page in range(4)]
sites = [made(markup.name) for markup in MARKUPS]
sites.append([parse(f"<body><div>{each}</div></body>".encode()).root for each in cards])
sites.append(pages.roots())
sites += [[parse(file.read_bytes()).root for file in sorted(folder.glob("pages/*.html"))]
          for folder in sorted(Path("tests/corpus/pages/extraction").iterdir()) if folder.is_dir()]
for roots in sites:
    for section in find_sections(roots):
        print(section.label, section.family, section.fields, sorted(section.rows.items()))
    for found in suggest_lists(roots):
        print(found.name, found.fields, found.rows, sorted(found.section.rows.items()))
    for column in suggest_columns(roots):
        print(column.name, column.words, column.score, column.constant, sorted(column.values.items()))
"""


@pytest.fixture(scope="module")
def printed() -> list[str]:
    """What processes of several hash seeds print."""
    running = [
        subprocess.Popen([sys.executable, "-c", SCRIPT], env={**os.environ, "PYTHONHASHSEED": seed}, stdout=subprocess.PIPE, text=True)
        for seed in ("0", "1", "2", "3", "4", "5")
    ]
    texts = [process.communicate(timeout=300)[0] for process in running]
    assert [process.returncode for process in running] == [0] * len(running)
    return texts


def test_something_is_suggested_on_each_site(printed: list[str]) -> None:
    assert len(printed[0].splitlines()) > 40


def test_suggestions_are_the_same_for_every_hash_seed(printed: list[str]) -> None:
    assert len(set(printed)) == 1
