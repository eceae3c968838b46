"""RoadRunner on real pages."""

import json
from pathlib import Path

import pytest

from extraction.algorithms.alignment.roadrunner.infer import infer_from_few_pages
from extraction.algorithms.dom.parse import parse
from tests.quality.scores import f1

SITE = Path(__file__).resolve().parents[4] / ".data" / "extraction" / "job-dice"


@pytest.mark.data
@pytest.mark.skipif(not SITE.is_dir(), reason="the evaluation pages are not in .data/extraction")
def test_all_fields_of_a_job_are_columns() -> None:
    files = sorted((SITE / "pages").glob("*.html"))
    found = infer_from_few_pages([parse(file.read_bytes()).root for file in files])
    read = {page: file.stem for page, file in enumerate(files) if page not in found.unread}
    assert len(read) >= 5
    columns = [{read[page]: [each.text for each in row] for page, row in pages.items()} for pages in found.structure.columns().values()]
    for truth in json.loads((SITE / "truth.json").read_text()).values():
        assert any(f1({page: truth[page] for page in read.values()}, column) == 1 for column in columns)
