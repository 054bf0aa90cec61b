"""Shipped definitions, series in JSON and workbooks bear any damage: balanced accounts, equal in pieces, no crash."""

from __future__ import annotations

import io
import random
from functools import cache
from pathlib import Path

import openpyxl
import pytest

from tests.fuzz.mutations import mutate
from tunebench.core.errors import UserError
from tunebench.core.paths import builtin_plugins_folder
from tunebench.plughost.host import PluginHost
from tunebench.plughost.listing import Origin
from tunebench.plughost.plugin_folders import SearchFolder
from tunebench.sdk.batch_check import batch_fault
from tunebench.sdk.simple_table import table_parser
from tunebench.sdk.table_hosts import TableHosts, tells_hosts
from tunebench.sdk.testkit_runs import context_for, count_lines, difference, parse
from tunebench.transport import tables

FIXTURES = sorted(
    path
    for name in ("windows_counters", "esxtop", "monitoring_exports", "measureware", "pcp", "java")
    for path in (builtin_plugins_folder() / name / "fixtures").iterdir()
    if path.suffix != ".log"
)
JSON = (
    b'{"data":{"resultType":"matrix","result":[{"metric":{"__name__":"a"},"values":[[1784538000,"1"],[1784538015.5,"2e3"]]}]}}',
    b'{"MetricDataResults":[{"Label":"c","Timestamps":["2026-07-20T00:05:00+00:00"],"Values":[1.5]}]}',
    b'{"Label":"c","Datapoints":[{"Timestamp":"2026-07-20T00:05:00+00:00","Average":1.0,"Unit":"Percent"}]}',
    b'{"result":[{"itemid":"1","clock":"1784538000","value":"1.0","ns":"2"}]}',
)


@cache
def definitions():
    found = PluginHost([SearchFolder(builtin_plugins_folder(), Origin.BUILTIN)])
    return [entry.definition for entry in found.parsers() if entry.definition is not None]


@pytest.mark.parametrize("seed", range(80))
def test_damaged_tables(seed):
    chance = random.Random(seed)
    path, other = chance.choice(FIXTURES), chance.choice(FIXTURES)
    data = path.read_bytes()[:3_000]
    if chance.random() < 0.2:
        data = data.decode("cp949" if "cp949" in path.name else "utf-8").encode("utf-16")
    data = mutate(data, other.read_bytes()[:3_000], seed)
    for definition in chance.sample(definitions(), 4):
        kind = table_parser(definition)
        whole = parse(kind, context_for(Path(path.name)), data)
        assert whole.ledger.lines.balanced and whole.ledger.lines.total == count_lines(data)
        assert [batch_fault(batch) for batch in whole.batches if batch_fault(batch)] == []
        assert difference(whole, parse(kind, context_for(Path(path.name)), data, 777)) == ""
        assert 0.0 <= kind.sniff(data, path.name) <= 1.0
        if tells_hosts(definition):
            cut = TableHosts(definition)
            for host in cut.hosts([data])[:3]:
                text = b"".join(cut.text_of(host, [data[:500], data[500:]]))
                assert count_lines(text) == whole.ledger.lines.total
                again = parse(kind, context_for(Path(path.name)), text).ledger
                assert again.lines.balanced and again.hostname in ("", host)


REFUSED = {"json_unreadable", "workbook_unreadable", "member_damaged", "bundle_too_many", "archive_too_many"}


def refusal_of(data: bytes, name: str) -> str:
    """Reads all its tables; the key of the one sentence that is said, empty where none is."""
    form = tables.form_of(data[:65536], name)
    try:
        for table in tables.tables_of(form, [data], name, name) if form else ():
            lines = b"".join(table.pieces).decode().split("\n")
            if len({line.count("\t") for line in lines if line}) > 1:
                return "rows of different widths"
    except UserError as refused:
        return refused.key
    return ""


@pytest.mark.parametrize("seed", range(150))
def test_damaged_json(seed):
    chance = random.Random(seed)
    assert refusal_of(mutate(chance.choice(JSON), chance.choice(JSON), seed), "a.json") in {"", *REFUSED}


@cache
def workbook() -> bytes:
    book = openpyxl.Workbook()
    for row in range(30):
        book.active.append([row, row / 7, f"words {row}"])
    book.active.merge_cells("A1:B2")
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


@pytest.mark.parametrize("seed", range(60))
def test_damaged_workbooks(seed):
    assert refusal_of(mutate(workbook(), workbook(), seed), "a.xlsx") in {"", *REFUSED}
