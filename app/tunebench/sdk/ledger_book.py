"""Keeps the account while a parser reads; closes into a `Ledger`."""

from __future__ import annotations

from dataclasses import field

from tunebench.core.records import record
from tunebench.domain.ledger import ROWS_LOST, UNACCOUNTED_ROWS, Assumption, Ledger, LineCounts, SkippedLines
from tunebench.sdk.scanning.rows import count_rows
from tunebench.sdk.text import decode_text

EXAMPLE_LENGTH = 200
_FEW = 0.15
"""Less than this share of the printed numbers is few: a table is stored but for the words that name its rows."""

_LOSSES = frozenset({"unreadable_numbers", "not_a_table", "nul_bytes", "table_width", "table_key", "table_time"})
"""A row of numbers that is left out for one of these reasons was a measurement."""
_CUTS = frozenset({"truncated", "too_long"})
"""Likewise, but the last row of a capture may always be cut off: it is a loss where nothing else was stored."""

_LITTLE, _FEWEST_LINES = 0.1, 20


@record(frozen=False)
class _Reason:
    count: int
    first_line: int
    example: str


@record(frozen=False)
class LedgerBook:
    """Mutable account of one capture.

    A parser calls exactly one of `data`, `header`, `blank`, `skip` for every line. `total` is counted by
    the line reader, apart from the parser, so that a forgotten line shows; and so are the lines that are `rows` of
    numbers (`sdk.scanning.rows`), of which each is data or left out for a reason: what a parser booked as a heading
    or as blank is left out as ``rows_unaccounted``, whatever it took it for.

    Attributes:
        rows: lines that are rows of numbers, of those that were given to the parser.
        numbers: at least as many were printed; 0 where nobody counts them.
    """

    tool: str = ""
    tool_version: str = ""
    os: str = ""
    os_version: str = ""
    hostname: str = ""
    locale: str = ""
    variant: str = ""
    zone: str = ""
    zone_source: str = ""
    interval_s: float | None = None
    total: int = 0
    data_lines: int = 0
    header_lines: int = 0
    blank_lines: int = 0
    gaps: int = 0
    restarts: int = 0
    rows: int = 0
    numbers: int = 0
    _named_rows: int = 0
    _lost_rows: int = 0
    _cut_rows: int = 0
    _named_numbers: int = 0
    _reasons: dict[str, _Reason] = field(default_factory=dict)
    _assumptions: dict[str, Assumption] = field(default_factory=dict)
    _warnings: dict[str, None] = field(default_factory=dict)
    _needs: dict[str, None] = field(default_factory=dict)

    def printed(self, text: bytes) -> None:
        """These whole lines are what the parser is about to read."""
        rows, numbers = count_rows(text)
        self.rows += rows
        self.numbers += numbers

    def data(self, lines: int = 1) -> None:
        self.data_lines += lines

    def header(self, lines: int = 1) -> None:
        self.header_lines += lines

    def blank(self, lines: int = 1) -> None:
        self.blank_lines += lines

    def skip(self, reason: str, line_number: int, text: bytes | str, lines: int = 1, rows: int = 0) -> None:
        """Leave `lines` lines out for `reason` (a key below ``ledger.skipped.``).

        Args:
            rows: as many measurements they hold at least, where their words do not tell it (JSON).
        """
        named = max(rows, self._name(text, lines))
        self._lost_rows += named if reason in _LOSSES else 0
        self._cut_rows += named if reason in _CUTS else 0
        entry = self._reasons.get(reason)
        if entry is not None:
            entry.count += lines
            if line_number >= entry.first_line:
                return
        if isinstance(text, bytes):
            text = decode_text(text)
        count = lines if entry is None else entry.count
        self._reasons[reason] = _Reason(count, line_number, text.strip()[:EXAMPLE_LENGTH])

    def _name(self, text: bytes | str, lines: int) -> int:
        """Counts rows that are left out. Of several lines one is known: they may all be rows, and nobody is accused."""
        named = count_rows(text.encode() if isinstance(text, str) else text)
        rows = named.rows if lines == 1 else lines
        self._named_rows += rows
        self._named_numbers += named.numbers * lines
        return rows

    def data_became_skipped(self, reason: str, line_number: int, text: bytes) -> None:
        """A line counted as data turned out to be unreadable."""
        self.data_lines -= 1
        self.skip(reason, line_number, text)

    def assume(self, subject: str, value: str, source: str) -> None:
        self._assumptions[subject] = Assumption(subject, value, source)

    def warn(self, key: str) -> None:
        self._warnings[key] = None

    def need(self, key: str) -> None:
        """Something the user should supply (``zone``, ``start``, ``interval_s``, ``date``)."""
        self._needs[key] = None

    def guess_interval(self) -> float:
        """Nobody says the interval: a second is assumed, and asked for."""
        self.assume("interval_s", "1", "default")
        self.need("interval_s")
        return 1.0

    def _hold_against_what_was_printed(self, samples: int) -> None:
        unaccounted = self.rows - self._named_rows - self.data_lines
        if unaccounted > 0:
            from_blank = max(0, unaccounted - self.header_lines)
            self.header_lines -= unaccounted - from_blank
            self.blank_lines -= from_blank
            self._reasons[UNACCOUNTED_ROWS] = _Reason(unaccounted, 0, "")
            self.rows -= unaccounted  # it may be closed again
            self.warn(UNACCOUNTED_ROWS)
        if 0 < samples < _FEW * (self.numbers - self._named_numbers):
            self.warn("few_numbers_stored")
        printed = self.total - self.blank_lines
        if self.numbers and samples and self.data_lines < _LITTLE * printed and printed >= _FEWEST_LINES:
            self.warn("little_data")

    def close(
        self, first_ns: int | None = None, last_ns: int | None = None, series: int = 0, samples: int = 0
    ) -> Ledger:
        self._hold_against_what_was_printed(samples)
        lost = self._lost_rows + (0 if samples else self._cut_rows)
        if lost:
            self.warn(ROWS_LOST)
        in_order = sorted(self._reasons.items(), key=lambda item: (item[1].first_line, item[0]))
        skipped = tuple(SkippedLines(name, r.count, r.first_line, r.example) for name, r in in_order)
        lines = LineCounts(
            self.total, self.data_lines, self.header_lines, self.blank_lines, sum(s.count for s in skipped)
        )
        return Ledger(
            tool=self.tool,
            tool_version=self.tool_version,
            os=self.os,
            os_version=self.os_version,
            hostname=self.hostname,
            locale=self.locale,
            variant=self.variant,
            zone=self.zone,
            zone_source=self.zone_source,
            first_ns=first_ns,
            last_ns=last_ns,
            interval_s=self.interval_s,
            series=series,
            samples=samples,
            rows_lost=lost,
            gaps=self.gaps,
            restarts=self.restarts,
            lines=lines,
            skipped=skipped,
            assumptions=tuple(self._assumptions.values()),
            warnings=tuple(self._warnings),
            needs=tuple(self._needs),
        )
