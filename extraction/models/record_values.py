"""The types of `Record.values` and `Record.rows`, under the name by which code that reads rows knows them."""

from extraction.algorithms.records.record_values import RecordValue, Values, read_rows, read_values, rows_as_json, values_as_json

__all__ = ["RecordValue", "Values", "read_rows", "read_values", "rows_as_json", "values_as_json"]
