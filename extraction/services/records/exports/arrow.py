"""Records as Parquet and DuckDB files. Both take batches of typed columns from Apache Arrow."""

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pyarrow as pa
from pyarrow import parquet

from extraction.services.records.exports.columns import Column, Kind
from extraction.services.records.exports.table import TABLE_NAME, Table

BATCH_ROWS = 2_000
"""Rows in memory at a time, and in each row group of a Parquet file."""

DUCKDB_MEMORY = "256MB"
"""How much DuckDB may keep in memory; by default it takes most of the machine's."""

_TYPES: dict[Kind, pa.DataType] = {
    "text": pa.string(),
    "number": pa.float64(),
    "date": pa.date32(),
    "boolean": pa.bool_(),
    "time": pa.timestamp("us", tz="UTC"),
    "integer": pa.int64(),
}


def write_parquet(path: Path, table: Table) -> None:
    """Write a Parquet file. Each column carries its meaning as metadata."""
    schema = _make_schema(table.columns)
    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        for batch in _read_batches(table, schema):
            writer.write_batch(batch)


def write_duckdb(path: Path, table: Table) -> None:
    """Write a DuckDB file with the one table TABLE_NAME. The file must not exist."""
    schema = _make_schema(table.columns)
    with duckdb.connect(str(path), config={"memory_limit": DUCKDB_MEMORY, "threads": 1}) as database:
        database.execute("SET TimeZone = 'UTC'")
        database.register("batch", pa.Table.from_batches([], schema=schema))
        database.execute(f"CREATE TABLE {TABLE_NAME} AS SELECT * FROM batch")  # noqa: S608 - a constant
        for batch in _read_batches(table, schema):
            database.register("batch", pa.Table.from_batches([batch]))
            database.execute(f"INSERT INTO {TABLE_NAME} SELECT * FROM batch")  # noqa: S608 - a constant
        database.unregister("batch")
        database.execute("CHECKPOINT")


def _make_schema(columns: tuple[Column, ...]) -> pa.Schema:
    return pa.schema(
        [
            pa.field(each.name, pa.list_(_TYPES[each.kind]) if each.several else _TYPES[each.kind], metadata={"description": each.meaning})
            for each in columns
        ]
    )


def _read_batches(table: Table, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    for rows in table.read_batches(BATCH_ROWS):
        arrays = [pa.array([row[place] for row in rows], type=field.type) for place, field in enumerate(schema)]
        yield pa.RecordBatch.from_arrays(arrays, schema=schema)
