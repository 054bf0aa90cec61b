"""Parts of the SDK that the built-in readers of large captures use and that no other plug-in is promised.

They scan many rows at once, or tell days and stamps apart; they change with those readers.
"""

from tunebench.sdk.batches import told_apart
from tunebench.sdk.dates import DAY_FIRST, FIRST_YEAR, LAST_YEAR, MONTH_FIRST, YEAR_FIRST, read_printed_date
from tunebench.sdk.line_stamps import LINE_STAMP_FORMS
from tunebench.sdk.numbers import CELLS, suffix_factors
from tunebench.sdk.round_stamps import MARK, read_collector
from tunebench.sdk.scanning.choice import new_reader, new_scanner
from tunebench.sdk.scanning.scanner import (
    MOST_TABLES,
    Cell,
    Dialect,
    Field,
    Form,
    Key,
    Mark,
    Reader,
    Scan,
    ScannedRows,
    Scanner,
    ScanTable,
)
from tunebench.sdk.series_account import MOST_SERIES, SeriesAccount
from tunebench.sdk.spans import dense_spans, repeated_cells

__all__ = [
    "CELLS",
    "DAY_FIRST",
    "FIRST_YEAR",
    "LAST_YEAR",
    "LINE_STAMP_FORMS",
    "MARK",
    "MONTH_FIRST",
    "MOST_SERIES",
    "MOST_TABLES",
    "YEAR_FIRST",
    "Cell",
    "Dialect",
    "Field",
    "Form",
    "Key",
    "Mark",
    "Reader",
    "Scan",
    "ScanTable",
    "ScannedRows",
    "Scanner",
    "SeriesAccount",
    "dense_spans",
    "new_reader",
    "new_scanner",
    "read_collector",
    "read_printed_date",
    "repeated_cells",
    "suffix_factors",
    "told_apart",
]
