"""`read(text)`: what the reader of Oracle's views makes of a capture; `captured(probe, home)`: what a probe prints."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from tests.contract.conftest import render_probe
from tests.unit.plugins.conftest import load_parser
from tunebench.core.paths import builtin_plugins_folder
from tunebench.domain.ledger import Ledger
from tunebench.plughost.host import PluginHost
from tunebench.plughost.listing import Origin
from tunebench.plughost.plugin_folders import SearchFolder
from tunebench.sdk import ParseContext, SampleBatch
from tunebench.sdk.databases import DatabaseRecord


@dataclass(frozen=True)
class Views:
    records: list[DatabaseRecord]
    ledger: Ledger
    batches: list[SampleBatch]

    @property
    def record(self) -> DatabaseRecord:
        (only,) = self.records
        return only


def rows_of(record: DatabaseRecord, name: str) -> list[dict[str, Any]]:
    """Every row of a table with its texts and what it reports."""
    table = record.table(name)
    rows: list[dict[str, Any]] = [{c: texts[row] for c, texts in table.texts.items()} for row in range(len(table))]
    for column, values in table.figures.items():
        for row, value in zip(rows, values.tolist(), strict=True):
            if value == value:
                row[column] = value
    return rows


@pytest.fixture
def read() -> Callable[..., Views]:
    def read(text: str | bytes, piece: int = 0, **context: Any) -> Views:
        data = text.encode() if isinstance(text, str) else text
        context.setdefault("zone", ZoneInfo("Asia/Seoul"))
        parser: Any = load_parser("oracle_views", "parser:OracleViewsParser")(
            ParseContext(zone_source="host", **context)
        )
        step = piece or len(data) or 1
        batches = [batch for at in range(0, len(data), step) for batch in parser.feed(data[at : at + step])]
        batches += parser.finish()
        ledger = parser.ledger()
        assert ledger.lines.balanced
        return Views(list(parser.take_records()), ledger, batches)

    return read


@cache
def host() -> PluginHost:
    return PluginHost([SearchFolder(builtin_plugins_folder(), Origin.BUILTIN)])


@pytest.fixture
def captured() -> Callable[..., bytes]:
    """The output of a probe's rounds, a stamp before each as the house puts it there."""

    def captured(probe_id: str, home: Path, rounds: int = 1, exit_code: int = 0, **values: str) -> bytes:
        probe = next(probe for probe in host().probes() if probe.id == probe_id)
        rendered = render_probe(probe, sid="orcl1", home=str(home), alias="", **values)
        out = b""
        for number in range(rounds):
            done = subprocess.run(
                ["sh", "-c", rendered.line], env=rendered.environment, capture_output=True, timeout=60, check=False
            )
            assert (done.returncode, done.stderr) == (exit_code, b"")
            out += b"@tunebench at 2026-11-21T02:%d:00Z\n" % (48 + 10 * number) + done.stdout
        return out

    return captured
