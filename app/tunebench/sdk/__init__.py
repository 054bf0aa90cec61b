"""The only thing a plug-in may import, with `tunebench.sdk.databases`; pinned in `tests/contract/sdk_surface.txt`.

A parser plug-in is a folder with a `plugin.toml` and a class that follows `Parser`; most derive from
`LineParser` and fill `TableBuilder`s. See `plugins/` for the built-in ones: they use this door, and what
their families share (`tunebench.families`).
"""

from tunebench.core.patterns import lazy_pattern
from tunebench.core.records import record
from tunebench.domain.capturing.run import SystemFact
from tunebench.domain.engagement import CaptureEvent, EventKind
from tunebench.domain.ledger import Assumption, Ledger, LineCounts, SkippedLines
from tunebench.sdk.batches import SampleBatch, SeriesKey
from tunebench.sdk.dates import is_plausible
from tunebench.sdk.ledger_book import LedgerBook
from tunebench.sdk.lines import LineParser
from tunebench.sdk.number_table import NumberTable
from tunebench.sdk.numbers import decode_rows, parse_cell
from tunebench.sdk.parsing import ParseContext, Parser
from tunebench.sdk.round_stamps import RoundStamp, read_frame, read_stamp
from tunebench.sdk.stamped import CounterSteps, Round, StampedParser, body_lines
from tunebench.sdk.tables import TableBuilder
from tunebench.sdk.text import decode_text
from tunebench.sdk.times import TimeKeeper, utc_ns

API_VERSION = "1"

__all__ = [
    "API_VERSION",
    "Assumption",
    "CaptureEvent",
    "CounterSteps",
    "EventKind",
    "Ledger",
    "LedgerBook",
    "LineCounts",
    "LineParser",
    "NumberTable",
    "ParseContext",
    "Parser",
    "Round",
    "RoundStamp",
    "SampleBatch",
    "SeriesKey",
    "SkippedLines",
    "StampedParser",
    "SystemFact",
    "TableBuilder",
    "TimeKeeper",
    "body_lines",
    "decode_rows",
    "decode_text",
    "is_plausible",
    "lazy_pattern",
    "parse_cell",
    "read_frame",
    "read_stamp",
    "record",
    "utc_ns",
]
