"""Every figure that was put into a made report comes out of it, in every release's form."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from tests.made.awr import text, workload
from tests.made.awr.paper import Paper
from tests.made.awr.text import _LISTS as LISTS
from tests.made.awr.text import _WITH as SHOWN_WITH
from tests.made.awr.text import id_of

FORMS = [
    ("statspack", "9.2"),
    ("statspack", "10.2"),
    ("statspack", "11.2"),
    ("statspack", "19c"),
    ("awr", "10.2"),
    ("awr", "11.2"),
    ("awr", "19c"),
]
RELEASES = {"9.2": "9.2.0.8.0", "10.2": "10.2.0.5.0", "11.2": "11.2.0.4.0", "19c": "19.0.0.0.0"}
LOCALES = ["en", "de", "ko", "ru"]
GIB = 1024**3


def ns(local: datetime) -> int:
    return int(local.replace(tzinfo=ZoneInfo("Asia/Seoul")).timestamp()) * 10**9


def ids(kind, truth):
    paper = Paper(kind, "", "", None)  # type: ignore[arg-type]
    return {id_of(paper, one): one for one in truth.statements}


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize(("kind", "version"), FORMS)
def test_whose_report_and_when(one, kind, version, locale):
    made = text(kind, version, locale=locale)
    record, truth = one(made, kind), made.truth
    identity = record.identity
    assert (identity.engine, identity.name, identity.db_id) == ("oracle", truth.db_name, truth.db_id)
    assert (identity.instance, identity.instance_number, identity.host) == (truth.instance, 1, truth.host)
    assert identity.version[:10] == RELEASES[version][:10]
    assert record.source == ("statspack" if kind == "statspack" else "awr_text")
    assert (record.begin.time_ns, record.end.time_ns) == (ns(truth.begin), ns(truth.end))
    assert (record.begin.snapshot, record.end.snapshot) == (1000, 1001)
    assert (record.begin.sessions, record.end.sessions) == truth.sessions
    assert record.elapsed_s == pytest.approx(truth.elapsed_s, abs=0.31)
    assert record.faults == ()
    if version == "9.2" or (kind, version) == ("awr", "10.2"):
        assert record.end.started_ns is None  # these do not print it
    else:
        fits = locale != "ko" or (kind, version) == ("awr", "19c")  # a Korean month leaves one digit of the minutes
        assert record.end.started_ns == (ns(truth.started) if fits else None)
        assert identity.cpu_count == truth.cpus
    if version == "11.2":
        assert identity.memory_bytes == pytest.approx(truth.memory_gb * GIB, rel=1e-3)


@pytest.mark.parametrize("locale", ["en", "de"])
@pytest.mark.parametrize(("kind", "version"), FORMS)
def test_one_row_for_each_statement(one, rows, kind, version, locale):
    made = text(kind, version, locale=locale)
    found = rows(one(made, kind), "statement", "statement_id")
    by_id = ids(kind, made.truth)
    assert set(found) == {name for names in made.lists.values() for name in names}
    figures = {name: figure for name, figure, _ in LISTS}
    for name, row in found.items():
        lists = [one for one, names in made.lists.items() if name in names]
        assert row["seen_in"].split() == lists
        shown = {figures[one] for one in lists}.union(*(SHOWN_WITH[one] for one in lists))
        for figure in ("elapsed_s", "cpu_s", "block_gets", "block_reads", "rows", "executions", "parse_calls"):
            if figure in shown:
                assert row[figure] == by_id[name].figure(figure), (name, figure)
            else:
                assert figure not in row  # not reported, never 0
        assert row["module"] == by_id[name].module


def test_statements_of_pluggable_databases_stay_apart(one, rows):
    """``   PDB: PDB1`` below a statement's figures, as 19c prints it, names its container and is no part of its text."""
    made = text("awr", "19c", workload=workload(containers=("PDB1", "PDB2")))
    record = one(made, "awr")
    found = rows(record, "statement", "statement_id")
    assert {name: row["container"] for name, row in found.items()} == {
        each.id: each.container for each in made.truth.statements if each.id in found
    }
    assert not any("PDB" in written for written in record.table("statement_text").text("text"))


@pytest.mark.parametrize(("kind", "version"), FORMS)
def test_what_the_lists_leave_out(one, rows, kind, version):
    made = text(kind, version)
    lists = rows(one(made, kind), "statement_list", "figure")
    by_id = ids(kind, made.truth)
    for name, figure, _ in LISTS:
        if name not in made.lists:
            assert figure not in lists
            continue
        row = lists[figure]
        assert row["rows"] == len(made.lists[name])
        assert row["least"] == min(by_id[one].figure(figure) for one in made.lists[name])
        assert row["covered_pct"] == 62.5
        assert row.get("threshold_pct") == (1.0 if kind == "statspack" else None)


@pytest.mark.parametrize("page", [1, 2, 5, 6, 100])
def test_texts_are_joined_over_lines_and_pages(one, rows, page):
    """A page may begin between any two lines of a statement, and repeats its headings."""
    long = "select a.very_long_column_name,  b.other from table_of_something a, other_table b where a.id = b.id and a.flag = :1 "
    work = workload(statements=6)
    work = replace(
        work, statements=tuple(replace(one, text=f"{long}/* {n} */") for n, one in enumerate(work.statements))
    )
    made = text("statspack", workload=work, page=page)
    texts = rows(one(made), "statement_text", "statement_id")
    by_id = ids("statspack", work)
    for name, row in texts.items():
        if by_id[name].text_available:
            assert row["text"] == by_id[name].text
    assert len(texts) >= 5


def test_a_text_that_was_cut_is_not_whole(one, rows):
    work = workload(statements=4)
    long = "select " + ", ".join(f"column_{n}" for n in range(60)) + " from t"
    work = replace(work, statements=(replace(work.statements[0], text=long), *work.statements[1:]))
    texts = rows(one(text("statspack", workload=work, pieces=4)), "statement_text", "statement_id")
    by_id = ids("statspack", work)
    cut = next(row for name, row in texts.items() if by_id[name].text == long)
    assert cut["complete"] == 0.0
    assert cut["text"] == long[: 4 * 64]
    others = [row for name, row in texts.items() if by_id[name].text != long]
    assert others
    assert all(row["complete"] == 1.0 for row in others)


def test_ids_that_a_list_cuts_are_completed_from_the_others(one, rows):
    """Lists of AWR as wide as the page have room for eleven of thirteen letters."""
    made = text("awr", "11.2", cut_ids=11, top=24)
    found = rows(one(made, "awr"), "statement", "statement_id")
    by_id = ids("awr", made.truth)
    assert set(found) == set(by_id)
    assert all(row["block_gets"] == by_id[name].block_gets for name, row in found.items())


@pytest.mark.parametrize(("kind", "version"), FORMS)
def test_waits(one, rows, kind, version):
    """Names that fill their column are completed; times are printed in seconds."""
    made = text(kind, version)
    found = rows(one(made, kind), "wait_event", "event", "ground")
    ground = "" if version in ("9.2", "10.2") else "foreground"
    assert {name for name, where in found if where == "background"} == {one.name for one in made.truth.background}
    for event in made.truth.events:
        row = found[event.name, ground]
        assert row["waits"] == event.waits
        assert row["time_s"] == round(event.time_s)
        assert row["wait_class"] == event.wait_class
        assert ("timeouts" in row) == (version == "9.2")
    expected = {one.name for one in made.truth.events}
    if not ground:
        expected |= {one.name for one in made.truth.background}
    assert {name for name, where in found if where == ground} == expected


@pytest.mark.parametrize(("kind", "version"), FORMS)
def test_time_model_and_load(one, rows, kind, version):
    made = text(kind, version)
    record, truth = one(made, kind), made.truth
    times = rows(record, "time_model", "name")
    if version == "9.2":
        assert set(times) == {"db_cpu"}  # out of the list of waits
        assert times["db_cpu"]["time_s"] == round(truth.db_cpu_s)
    else:
        assert times["db_time"]["time_s"] == round(truth.db_time_s, 1) == record.db_time_s
        assert times["db_cpu"]["time_s"] == round(truth.db_cpu_s, 1)
        other = rows(record, "activity", "scope", "name")[
            "time_model", "Tablespace encryption elapsed time"[: 35 if kind == "statspack" else 42]
        ]
        assert other["total"] == round(truth.time_model["Tablespace encryption elapsed time"], 1)
    load = rows(record, "load", "name")
    assert load["redo_bytes"]["total"] == truth.activity["redo size"]
    assert load["redo_bytes"]["per_second"] == round(truth.activity["redo size"] / truth.elapsed_s, 1)
    assert load["executions"]["total"] == truth.activity["execute count"]
    assert load["transactions"]["total"] == truth.activity["user commits"] + truth.activity["user rollbacks"]
    assert ("db_time" in load) == (version not in ("9.2", "10.2"))


@pytest.mark.parametrize(("kind", "version"), FORMS)
def test_the_rest(one, rows, kind, version):
    made = text(kind, version)
    record, truth = one(made, kind), made.truth
    activity = rows(record, "activity", "scope", "name")
    for name, total in truth.activity.items():
        assert activity["", name]["total"] == total
    states = rows(record, "state", "scope", "name")
    assert (states["", "logons current"]["begin"], states["", "logons current"]["end"]) == (153, 151)
    files = rows(record, "io", "kind", "name", "file")
    for one_file in truth.files:
        for kind_of, path in (("tablespace", ""), ("file", one_file.file)):
            row = files[kind_of, one_file.tablespace, path]
            assert (row["reads"], row["writes"], row["waits"]) == (
                one_file.reads,
                one_file.writes,
                one_file.buffer_waits,
            )
            assert row["read_avg_s"] == pytest.approx(one_file.read_ms / 1000)
            assert "wait_avg_s" not in row  # blank
    for name, (gets, reads, writes, busy) in truth.pools.items():
        row = files["buffer_pool", name, ""]
        assert (row["gets"], row["read_blocks"], row["write_blocks"], row["waits"]) == (gets, reads, writes, busy)
    segments = rows(record, "segment", "owner", "name", "statistic")
    for segment in truth.segments:
        assert segments[segment.owner, segment.name, "Logical Reads"]["value"] == segment.value
    parameters = rows(record, "parameter", "name")
    for name, (begin, end) in truth.parameters.items():
        assert (parameters[name]["begin"], parameters[name]["end"]) == (begin, end or begin)
    if version in ("11.2", "19c"):
        assert files["function", "Buffer Cache Reads"[:15], ""]["read_bytes"] == pytest.approx(11.8 * GIB)
        assert files["function", "LGWR", ""]["waits"] == 28_700
    if version != "9.2":
        for name, value in truth.os_times.items():
            assert activity["os", name]["total"] == value
        assert (states["os", "LOAD"]["begin"], states["os", "LOAD"]["end"]) == truth.os_states["LOAD"]
        cache = states["cache", "Buffer Cache"]
        assert (cache["begin"], cache["end"]) == (12_288 * 1024**2, 12_416 * 1024**2)
