"""The only thing a plug-in may import, with `app.sdk.databases`; pinned in `tests/contract/sdk_surface.txt`.

A parser plug-in is a folder with a `plugin.toml` and a class that follows `Parser`; most derive from
`LineParser` and fill `TableBuilder`s. See `plugins/` for the built-in ones: they use this door, and what
their families share (`app.families`).
"""

from app.domain.capturing.run import SystemFact
from app.domain.engagement import CaptureEvent, EventKind
from app.domain.ledger import Assumption, Ledger, LineCounts, SkippedLines
from app.sdk.batches import SampleBatch, SeriesKey
from app.sdk.dates import is_plausible
from app.sdk.ledger_book import LedgerBook
from app.sdk.lines import LineParser
from app.sdk.number_table import NumberTable
from app.sdk.numbers import decode_rows, parse_cell
from app.sdk.parsing import ParseContext, Parser
from app.sdk.round_stamps import RoundStamp, read_frame, read_stamp
from app.sdk.stamped import CounterSteps, Round, StampedParser, body_lines
from app.sdk.tables import TableBuilder
from app.sdk.text import decode_text
from app.sdk.times import TimeKeeper, utc_ns

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
    "parse_cell",
    "read_frame",
    "read_stamp",
    "utc_ns",
]
