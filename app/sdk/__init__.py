"""The only thing a plug-in may import. Public names are pinned in `tests/contract/sdk_surface.txt`.

A parser plug-in is a folder with a `plugin.toml` and a class that follows `Parser`; most derive from
`LineParser` and fill `TableBuilder`s. See `plugins/` for the built-in ones: they use this door and no other.
"""

from app.domain.capturing.run import SystemFact
from app.domain.engagement import CaptureEvent, EventKind
from app.domain.ledger import Assumption, Ledger, LineCounts, SkippedLines
from app.sdk.batches import SampleBatch, SeriesKey
from app.sdk.ledger_book import LedgerBook
from app.sdk.lines import LineParser
from app.sdk.number_table import NumberTable
from app.sdk.numbers import decode_rows, decode_spans, parse_cell
from app.sdk.pages import Page, page_of
from app.sdk.parsing import ParseContext, Parser
from app.sdk.stamped import Round, StampedParser
from app.sdk.tables import PageRows, TableBuilder
from app.sdk.text import decode_text
from app.sdk.times import TimeKeeper

API_VERSION = "1"

__all__ = [
    "API_VERSION",
    "Assumption",
    "CaptureEvent",
    "EventKind",
    "Ledger",
    "LedgerBook",
    "LineCounts",
    "LineParser",
    "NumberTable",
    "Page",
    "PageRows",
    "ParseContext",
    "Parser",
    "Round",
    "SampleBatch",
    "SeriesKey",
    "SkippedLines",
    "StampedParser",
    "SystemFact",
    "TableBuilder",
    "TimeKeeper",
    "decode_rows",
    "decode_spans",
    "decode_text",
    "page_of",
    "parse_cell",
]
