"""Reads made reports with the shipped parser."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from tunebench.sdk.parsing import ParseContext
from tunebench.sdk.testkit_runs import Outcome, parse


@pytest.fixture(scope="session")
def parser(load):
    return load("oracle_awr", "awr_html:AwrHtmlParser")


@pytest.fixture(scope="session")
def outcome(parser):
    """Everything that is read out of some bytes; a report's lines always add up."""

    def read(data: bytes, zone: str = "Asia/Seoul", source: str = "host", piece: int = 0) -> Outcome:
        found = parse(parser, ParseContext(zone=ZoneInfo(zone), zone_source=source), data, piece)
        assert found.ledger.lines.balanced, found.ledger
        return found

    return read


@pytest.fixture(scope="session")
def one(outcome):
    """The one record of a report of one instance."""

    def read(made, **context):
        (record,) = outcome(made.data, **context).records
        return record

    return read


@pytest.fixture(scope="session")
def rows():
    """Rows of a table by their keys: texts and the figures that are reported."""

    def of(record, table, *keys):
        found = record.table(table)
        columns = {name: found.text(name) for name in found.texts}
        figures = {name: found.figure(name).tolist() for name in found.figures}
        named = {}
        for place in range(len(found)):
            row = {name: column[place] for name, column in columns.items()}
            row |= {name: column[place] for name, column in figures.items() if not math.isnan(column[place])}
            key = tuple(row.get(name, "") for name in keys)
            assert key not in named, (table, key)
            named[key if len(keys) > 1 else key[0]] = row | {"line": int(found.lines[place])}
        return named

    return of


@pytest.fixture(scope="session")
def seoul():
    """A wall-clock time of the host as UTC nanoseconds."""

    def ns(local: datetime) -> int:
        moment = local.replace(tzinfo=ZoneInfo("Asia/Seoul")).astimezone(UTC)
        return int((moment - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds()) * 10**9

    return ns
