"""Keeps the account while a parser reads; closes into a `Ledger`."""

from __future__ import annotations

from dataclasses import dataclass, field

from app.domain.ledger import Assumption, Ledger, LineCounts, SkippedLines
from app.sdk.text import decode_text

EXAMPLE_LENGTH = 200


@dataclass(slots=True)
class _Reason:
    count: int
    first_line: int
    example: str


@dataclass(slots=True)
class LedgerBook:
    """Mutable account of one capture.

    A parser calls exactly one of `data`, `header`, `blank`, `skip` for every line. `total` is counted by
    the line reader, apart from the parser, so that a forgotten line shows.
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
    _reasons: dict[str, _Reason] = field(default_factory=dict)
    _assumptions: dict[str, Assumption] = field(default_factory=dict)
    _warnings: dict[str, None] = field(default_factory=dict)
    _needs: dict[str, None] = field(default_factory=dict)

    def data(self, lines: int = 1) -> None:
        self.data_lines += lines

    def header(self, lines: int = 1) -> None:
        self.header_lines += lines

    def blank(self, lines: int = 1) -> None:
        self.blank_lines += lines

    def skip(self, reason: str, line_number: int, text: bytes | str, lines: int = 1) -> None:
        """Leave `lines` lines out for `reason` (a key below ``ledger.skipped.``)."""
        entry = self._reasons.get(reason)
        if entry is not None:
            entry.count += lines
            if line_number >= entry.first_line:
                return
        if isinstance(text, bytes):
            text = decode_text(text)
        count = lines if entry is None else entry.count
        self._reasons[reason] = _Reason(count, line_number, text.strip()[:EXAMPLE_LENGTH])

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

    def close(
        self, first_ns: int | None = None, last_ns: int | None = None, series: int = 0, samples: int = 0
    ) -> Ledger:
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
            gaps=self.gaps,
            restarts=self.restarts,
            lines=lines,
            skipped=skipped,
            assumptions=tuple(self._assumptions.values()),
            warnings=tuple(self._warnings),
            needs=tuple(self._needs),
        )
