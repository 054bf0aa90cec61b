"""Definitions written as in a manifest, and what they make of a text."""

from __future__ import annotations

import tomllib
from datetime import date
from typing import Any
from zoneinfo import ZoneInfo

from tunebench.sdk import ParseContext
from tunebench.sdk.simple_table import table_parser
from tunebench.sdk.table_definition import TableDefinition
from tunebench.sdk.table_reading import read_table_definitions
from tunebench.sdk.testkit_runs import Outcome, merged, parse
from tunebench.sdk.toml_tables import Problem, TableReader

QUEUES = """
[[tables]]
id = "local.queues"
tool = "queues"
name = { en = "Queues", ko = "큐" }
files = ["queue*.log"]
[tables.time]
rule = "columns"
columns = ["time"]
format = "%Y-%m-%d %H:%M:%S"
[[tables.sections]]
table = "queue"
heading = ["time", "queue", "depth"]
key = { device = "queue" }
[tables.sections.columns]
"""


def read(text: str) -> tuple[TableDefinition | None, list[Problem]]:
    reader = TableReader(tomllib.loads(text))
    found = read_table_definitions(reader, "tables")
    return (found[0] if found else None), reader.problems


def definition(text: str) -> TableDefinition:
    found, problems = read(text)
    assert found is not None, [problem.text("en") for problem in problems]
    assert problems == []
    return found


def outcome(text: str, data: str | bytes, piece: int = 0, **context: Any) -> Outcome:
    """The capture of a host in Seoul; `context` is the user's word."""
    known: dict[str, Any] = {
        "file_name": "queue.log",
        "modified_ns": 1_700_000_000 * 10**9,
        "zone": ZoneInfo("Asia/Seoul"),
    }
    raw = data.encode() if isinstance(data, str) else data
    made = parse(table_parser(definition(text)), ParseContext(**(known | context)), raw, piece)
    assert made.ledger.lines.balanced
    return made


def series(made: Outcome) -> dict[str, list[tuple[int, float]]]:
    """``"in depth"`` -> (UTC seconds, value), in the order of the capture."""
    return {
        " ".join([*(value for _, value in key.attributes), key.native]): [(t // 10**9, v) for t, v, _, _ in rows]
        for key, rows in merged(made.batches).items()
    }


def skipped(made: Outcome) -> dict[str, int]:
    return {one.reason: one.count for one in made.ledger.skipped}


def sniff(text: str, data: str | bytes, file_name: str = "x.txt") -> float:
    raw = data.encode() if isinstance(data, str) else data
    return table_parser(definition(text)).sniff(raw, file_name)


NOVEMBER_21 = date(2026, 11, 21)
AT = 1_795_245_013
"""2026-11-21 16:10:13 in Seoul: 07:10:13 UTC."""
