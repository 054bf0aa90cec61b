"""`views(text)`, `monitor(text)`, `slow(text)`: what a reader of MySQL makes of a capture."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from tunebench.domain.ledger import Ledger
from tunebench.sdk import ParseContext, SampleBatch
from tunebench.sdk.databases import DatabaseRecord, FigureTable


@dataclass(frozen=True)
class Views:
    records: list[DatabaseRecord]
    ledger: Ledger
    batches: list[SampleBatch]

    @property
    def record(self) -> DatabaseRecord:
        (only,) = self.records
        return only

    def table(self, name: str) -> FigureTable:
        return self.record.table(name)

    def rows(self, name: str) -> list[dict[str, object]]:
        """Every row of a table with its texts and what it reports."""
        table = self.table(name)
        rows: list[dict[str, object]] = [
            {column: texts[row] for column, texts in table.texts.items()} for row in range(len(table))
        ]
        for column, values in table.figures.items():
            for row, value in zip(rows, values.tolist(), strict=True):
                if value == value:  # not NaN
                    row[column] = value
        return rows

    def values(self, name: str, key: str, figure: str) -> dict[str, float]:
        table = self.table(name)
        return dict(zip(table.text(key), table.figure(figure).tolist(), strict=True))


Read = Callable[..., Views]


def reader(load: Callable[[str, str], type], entry: str) -> Read:
    def read(text: str | bytes, piece: int = 1 << 20, **context: object) -> Views:
        data = text.encode() if isinstance(text, str) else text
        known: dict[str, Any] = {"zone": ZoneInfo("UTC"), "zone_source": "host", **context}
        parser = load("mysql", entry)(ParseContext(**known))
        batches: list[SampleBatch] = []
        records: list[DatabaseRecord] = []
        for start in range(0, len(data), piece):
            batches += parser.feed(data[start : start + piece])
            records += parser.take_records()
        batches += parser.finish()
        records += parser.take_records()
        ledger = parser.ledger()
        assert ledger.lines.balanced, ledger.lines
        return Views(records, ledger, batches)

    return read


@pytest.fixture
def views(load: Callable[[str, str], type]) -> Read:
    return reader(load, "parser:MysqlViewsParser")


@pytest.fixture
def monitor(load: Callable[[str, str], type]) -> Read:
    return reader(load, "innodb_monitor:InnodbMonitorParser")


@pytest.fixture
def slow(load: Callable[[str, str], type]) -> Read:
    return reader(load, "slow_log:SlowLogParser")
