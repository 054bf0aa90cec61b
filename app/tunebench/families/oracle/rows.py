"""Collects what one report says, table by table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from tunebench.core.records import record
from tunebench.families.oracle.values import Numbers
from tunebench.sdk.databases import FigureTable, TableRows


@record(frozen=False)
class Collected:
    """The rows of the tables of one record.

    Attributes:
        warnings: keys below ``ledger.warning.``.
    """

    numbers: Numbers
    rows: dict[str, TableRows] = field(default_factory=dict)
    warnings: dict[str, None] = field(default_factory=dict)

    def add(self, table: str, line: int, texts: Mapping[str, str], figures: Mapping[str, float | None]) -> None:
        self.rows.setdefault(table, TableRows(table)).add(line, texts, figures)

    def fact(self, line: int, scope: str, name: str, value: str) -> None:
        if value:
            self.add("fact", line, {"scope": scope, "name": name, "value": value}, {})

    def tables(self) -> dict[str, FigureTable]:
        return {name: rows.close() for name, rows in self.rows.items() if len(rows)}
