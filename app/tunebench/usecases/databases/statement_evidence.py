"""Where the figures of a statement stand: captures and lines."""

from __future__ import annotations

from collections.abc import Collection

from tunebench.analysis.databases.record import statement_keys
from tunebench.core.records import record
from tunebench.domain.databases.records import StatementKey
from tunebench.store import artefacts
from tunebench.store.artefacts import ArtefactInfo
from tunebench.store.project import Project
from tunebench.usecases.browse import capture_lines
from tunebench.usecases.databases.sides import Side

MOST_LINES = 200
"""As many places as anybody looks at."""


@record
class StatementLine:
    """One row of a capture.

    Attributes:
        line: 1-based; 0 where the row has no line of its own.
        begin_ns, end_ns: of the period it belongs to.
    """

    artefact: ArtefactInfo
    source: str
    line: int
    begin_ns: int | None
    end_ns: int | None

    @property
    def parser(self) -> str:
        return f"{self.artefact.parser_id} {self.artefact.parser_version}".strip()


def statement_lines(project: Project, side: Side, keys: Collection[StatementKey]) -> list[StatementLine]:
    """The rows that a side's figures of these statements come from, the latest period first."""
    rows: list[StatementLine] = []
    for period in reversed(side.used):
        table = period.record.table("statement")
        holders = period.artefacts_of("statement")
        if not holders:
            continue
        lines = [int(table.lines[row]) for row, key in enumerate(statement_keys(table)) if key in keys]
        if not lines:
            continue
        artefact = artefacts.find_artefact(project, holders[0])
        span = period.begin_ns, period.end_ns
        rows += [StatementLine(artefact, period.record.source, line, *span) for line in dict.fromkeys(lines)]
        if len(rows) >= MOST_LINES:
            break
    return rows[:MOST_LINES]


def lines_around(project: Project, row: StatementLine, around: int = 2) -> tuple[int, tuple[str, ...]]:
    """The number of the first line, and the lines as they stand in the capture."""
    first = max(1, row.line - around)
    return first, capture_lines(project, row.artefact.id, first, row.line + around)
