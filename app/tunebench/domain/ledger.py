"""What became of every line of a capture."""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum

from tunebench.core.records import record

ONLY_BLOCK_SINCE_BOOT = "only_block_since_boot"
"""Warning of a capture whose only block was taken for the average since boot that tools print first."""

UNACCOUNTED_ROWS = "rows_unaccounted"
"""Reason, and warning, for rows of numbers that a reader neither stored nor left out for a reason of its own."""


ROWS_LOST = "rows_lost"
"""Warning of a capture with rows of numbers that could not be read, or placed below a heading."""

NOTHING_KEPT = "nothing_kept"
"""Warning of a capture that has such rows, and of whose numbers none was stored."""


UNDERSTOOD = frozenset(
    (
        "average",
        "restart",
        "comment",
        "message",
        "wrapper",
        "preamble",
        "command_output",
        "gc_no_pause",
        "jmeter_no_row",
    )
)
"""Reasons of lines that are known for what they are, and hold no measurement."""

IMPOSSIBLE_VALUES = "impossible_values"
"""Warning of a capture with values that cannot have been measured (`Ledger.impossible`)."""


class ImportState(StrEnum):
    IMPORTED = "imported"
    DUPLICATE = "duplicate"
    UNRECOGNISED = "unrecognised"
    FAILED = "failed"
    KEPT = "kept"  # evidence of a capture that no reader reads into series


@record
class SkippedLines:
    """Lines left out for one reason; `example` is the first of them, cut to 200 characters."""

    reason: str
    count: int
    first_line: int
    example: str


@record
class ImpossibleValues:
    """Values that no measurement gives: `example` is the first, with what it is of; it stands in `first_line`."""

    count: int = 0
    first_line: int = 0
    example: str = ""


@record
class Assumption:
    """Something the capture does not say and the import supplied.

    Attributes:
        subject: ``zone``, ``start``, ``date``, ``interval_s`` or ``date_order``; ``date_order_of``: the capture whose
            dates show their order.
        value: the value used, as text.
        source: ``user``, ``host``, ``path``, ``wrapper``, ``banner``, ``mtime``, ``engagement``, ``default``, or
            ``sibling`` (another capture of the host).
    """

    subject: str
    value: str
    source: str


@record
class LineCounts:
    total: int = 0
    data: int = 0
    header: int = 0
    blank: int = 0
    skipped: int = 0

    @property
    def balanced(self) -> bool:
        """Whether every line is accounted for exactly once."""
        return self.total == self.data + self.header + self.blank + self.skipped


@record
class Ledger:
    """The account of one imported file. Times are UTC nanoseconds; None means unknown.

    `zone_source` is ``stamp`` where the capture's own stamps carry an offset, else the source of the
    zone's `Assumption`. `rows_lost` are rows of numbers that were left out because they could not be read or placed.
    `impossible` values stand in the capture and nowhere else; `samples` are without them.
    `warnings` and `needs` hold catalogue keys below ``ledger.warning.`` and
    ``ledger.need.``, `SkippedLines.reason` a key below ``ledger.skipped.``.
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
    first_ns: int | None = None
    last_ns: int | None = None
    interval_s: float | None = None
    series: int = 0
    samples: int = 0
    gaps: int = 0
    restarts: int = 0
    lines: LineCounts = field(default_factory=LineCounts)
    skipped: tuple[SkippedLines, ...] = ()
    assumptions: tuple[Assumption, ...] = ()
    warnings: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    rows_lost: int = 0
    impossible: ImpossibleValues = ImpossibleValues()

    @property
    def warning_facts(self) -> dict[str, str]:
        """What the sentences of `warnings` need to know."""
        return {
            "count": f"{self.rows_lost:,}",
            "values": f"{self.impossible.count:,}",
            "line": f"{self.impossible.first_line:,}",
            "example": self.impossible.example,
        }

    @property
    def unaccounted(self) -> float:
        """The share of the rows of numbers that a reader neither stored nor named, 0 to 1."""
        lost = sum(skip.count for skip in self.skipped if skip.reason == UNACCOUNTED_ROWS)
        return lost / (lost + self.lines.data) if lost else 0.0

    @property
    def dated_by_file(self) -> bool:
        """Whether nothing but its file's date, which is that of any copy, says when it was measured."""
        return any(assumption.source == "mtime" for assumption in self.assumptions)


def not_understood(ledger: Ledger) -> int:
    """Lines that were left out although they may hold a measurement."""
    return sum(skip.count for skip in ledger.skipped if skip.reason not in UNDERSTOOD)
