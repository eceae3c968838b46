"""The type of `Record.origins`, under the name by which code that reads rows knows it."""

from extraction.algorithms.records.record_origins import CorrectionMark, Origin, RecordOrigins

__all__ = ["CorrectionMark", "Origin", "RecordOrigins"]
