"""What a task makes of the vectors of sites, without Spark."""

from collections import Counter

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vertex_spark import cluster_pages
from vertex_spark.cluster_pages import cluster_batches

SITES = st.dictionaries(st.sampled_from(["a.example", "b.example", "c.example"]), st.lists(st.integers(0, 5), min_size=1, max_size=40))


def make_batches(pages: list[tuple[str, int]], rows: int) -> list[pa.RecordBatch]:
    parts = [pages[first : first + rows] for first in range(0, len(pages), rows)]
    columns = [([site for site, _ in part], [vector for _, vector in part]) for part in parts]
    return [pa.RecordBatch.from_arrays([pa.array(s), pa.array(v, pa.int64())], names=["site", "vector"]) for s, v in columns]


@given(sites=SITES, rows=st.integers(1, 50), counted=st.integers(1, 60), least=st.integers(0, 10))
def test_each_vector_of_a_site_is_counted_however_the_pages_come(sites: dict[str, list[int]], rows: int, counted: int, least: int) -> None:
    pages = [(site, -(1 << 60) + vector) for site in sorted(sites) for vector in sites[site]]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cluster_pages, "COUNTED_ROWS", counted)
        found = [row for batch in cluster_batches(make_batches(pages, rows), 2, least) for row in batch.to_pylist()]
    kept = {site for site, vectors in sites.items() if len(vectors) >= least}
    assert Counter({(row["site"], row["vector"]): row["pages"] for row in found if row["vector"] is not None}) == Counter(
        page for page in pages if page[0] in kept
    )
    assert {(row["site"], row["site_pages"]) for row in found} == {(site, len(sites[site])) for site in kept}


def test_pages_of_one_vector_are_a_template_with_all_of_them() -> None:
    batches = make_batches([("a.example", 7)] * 30, 8)
    rows = [row for batch in cluster_batches(batches, 5, 10) for row in batch.to_pylist()]
    assert [(row["template"], row["pages"]) for row in rows] == [(0, 30), (0, 30)]
    assert rows[1]["mask"] is not None
