"""Reads text reports with the shipped parsers."""

from __future__ import annotations

import math
from zoneinfo import ZoneInfo

import pytest

from tunebench.sdk.parsing import ParseContext
from tunebench.sdk.testkit_runs import Outcome, parse


@pytest.fixture(scope="session")
def parsers(load):
    return {
        "statspack": load("oracle_text", "text_reports:StatspackParser"),
        "awr": load("oracle_text", "text_reports:AwrTextParser"),
    }


@pytest.fixture(scope="session")
def outcome(parsers):
    """Everything that is read out of some bytes; a report's lines always add up."""

    def read(data: bytes, kind: str = "statspack", zone: str = "Asia/Seoul", piece: int = 0) -> Outcome:
        found = parse(parsers[kind], ParseContext(zone=ZoneInfo(zone), zone_source="host"), data, piece)
        assert found.ledger.lines.balanced, found.ledger
        return found

    return read


@pytest.fixture(scope="session")
def one(outcome):
    def read(made, kind: str = "statspack"):
        (record,) = outcome(made.data, kind).records
        return record

    return read


@pytest.fixture(scope="session")
def rows():
    """Rows of a table by their keys: texts, the figures that are reported, and the line."""

    def of(record, table, *keys):
        found = record.table(table)
        named = {}
        for place in range(len(found)):
            row = {name: found.text(name)[place] for name in found.texts}
            figures = {name: found.figure(name)[place] for name in found.figures}
            row |= {name: value for name, value in figures.items() if not math.isnan(value)}
            key = tuple(row.get(name, "") for name in keys)
            assert key not in named, (table, key)
            named[key if len(keys) > 1 else key[0]] = row | {"line": int(found.lines[place])}
        return named

    return of
