"""Records as Parquet and DuckDB files. Both take batches of typed columns from Apache Arrow."""

from pathlib import Path

import duckdb
import pyarrow as pa

from extraction.algorithms.records import parquet_table
from extraction.algorithms.records.parquet_table import make_schema, read_batches
from extraction.algorithms.records.table import TABLE_NAME, Table

DUCKDB_MEMORY = "256MB"
"""How much DuckDB may keep in memory; by default it takes most of the machine's."""


def write_parquet(path: Path, table: Table) -> None:
    """Write a Parquet file."""
    with path.open("wb") as file:
        parquet_table.write_parquet(file, table)


def write_duckdb(path: Path, table: Table) -> None:
    """Write a DuckDB file with the one table TABLE_NAME. The file must not exist."""
    schema = make_schema(table.columns)
    with duckdb.connect(str(path), config={"memory_limit": DUCKDB_MEMORY, "threads": 1}) as database:
        database.execute("SET TimeZone = 'UTC'")
        database.register("batch", pa.Table.from_batches([], schema=schema))
        database.execute(f"CREATE TABLE {TABLE_NAME} AS SELECT * FROM batch")  # noqa: S608 - a constant  # nosec B608
        for batch in read_batches(table, schema):
            database.register("batch", pa.Table.from_batches([batch]))
            database.execute(f"INSERT INTO {TABLE_NAME} SELECT * FROM batch")  # noqa: S608 - a constant  # nosec B608
        database.unregister("batch")
        database.execute("CHECKPOINT")
