"""Records as a Parquet file, whose columns have types and meanings."""

from collections.abc import Iterator
from typing import BinaryIO

import pyarrow as pa
from pyarrow import parquet

from extraction.algorithms.records.columns import Column, Kind
from extraction.algorithms.records.table import Table

BATCH_ROWS = 2_000
"""Rows in memory at a time, and in each row group of a Parquet file."""

TYPES: dict[Kind, pa.DataType] = {
    "text": pa.string(),
    "number": pa.float64(),
    "date": pa.date32(),
    "boolean": pa.bool_(),
    "time": pa.timestamp("us", tz="UTC"),
    "integer": pa.int64(),
}


def write_parquet(file: BinaryIO, table: Table) -> None:
    """Write a Parquet file. Each column carries its meaning as metadata. The same rows give the same bytes."""
    schema = make_schema(table.columns)
    with parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        for batch in read_batches(table, schema):
            writer.write_batch(batch)


def make_schema(columns: tuple[Column, ...]) -> pa.Schema:
    """Return the types of the columns. A column with several values holds lists."""
    return pa.schema(
        [
            pa.field(each.name, pa.list_(TYPES[each.kind]) if each.several else TYPES[each.kind], metadata={"description": each.meaning})
            for each in columns
        ]
    )


def read_batches(table: Table, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Return the rows of a table in batches. The table can be read once."""
    for rows in table.read_batches(BATCH_ROWS):
        arrays = [pa.array([row[place] for row in rows], type=field.type) for place, field in enumerate(schema)]
        yield pa.RecordBatch.from_arrays(arrays, schema=schema)
