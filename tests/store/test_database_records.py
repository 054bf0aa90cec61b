"""What captures say of databases comes back as it was written, is removed with its capture, and is checked."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from tests.store import cases, database_cases
from tunebench.analysis.databases.record import DatabaseRecord, FigureTable, TableRows
from tunebench.core.errors import UserError
from tunebench.domain.databases.choices import KeptLink, LicenceConfirmation
from tunebench.domain.databases.records import STATEMENT_FIGURES, Moment
from tunebench.store import removal
from tunebench.store.artefacts import pending_artefacts, remove_samples
from tunebench.store.audit import trail as audit
from tunebench.store.check import check_project
from tunebench.store.databases import licences, statement_links
from tunebench.store.databases import records as database_records
from tunebench.store.opening import open_project
from tunebench.store.project import Project


def query(project: Project, sql: str) -> list[tuple[object, ...]]:
    with project.reading() as connection:
        return connection.execute(sql).fetchall()


def state_of(project: Project, check: str) -> str:
    return next(result.state for result in check_project(project) if result.check == check)


def test_a_record_comes_back_as_it_was_written(project: Project) -> None:
    odd = replace(
        database_cases.REPORT,
        begin=None,
        elapsed_s=None,
        db_time_s=None,
        end=Moment(),
        faults=(),
        absent=(),
        tables={
            "statement": TableRows("statement").close(),
            "fact": database_cases.table(
                "fact", {"scope": ["", "a\0b"], "name": ["x", "\ud800 lone"], "value": ["줄\n바꿈", '"quoted"\\']}
            ),
        },
    )
    artefact_id = database_cases.store(project, database_cases.REPORT, odd)
    first, second = database_records.list_records(project)
    assert (first.artefact_id, first.run_id, first.position, second.position) == (artefact_id, 1, 0, 1)
    assert first.head == replace(database_cases.REPORT, tables={})
    assert first.rows == {"statement": 2, "statement_text": 2, "wait_event": 2}
    assert database_records.read_record(project, first.id) == database_cases.REPORT
    assert database_records.read_record(project, second.id) == odd
    assert list(database_records.filled(project, [first, second])) == [database_cases.REPORT, odd]
    assert database_records.read_tables(project, first.id, ["wait_event", "io"]) == {"wait_event": database_cases.WAITS}
    assert state_of(project, "database_records") == "ok"


def test_figures_come_back_bit_for_bit(project: Project) -> None:
    values = np.array([np.nan, -0.0, 0.0, 5e-324, 1.7976931348623157e308, 0.1 + 0.2, 33.17, np.inf, 2.0**53 + 2])
    written = FigureTable(
        "io",
        {"kind": ["file"] * 9, "name": [str(number) for number in range(9)]},
        {"reads": values, "writes": np.full(9, np.nan), "gets": np.full(9, 7.0)},
        np.arange(9, dtype=np.int64),
    )
    database_cases.store(project, replace(database_cases.REPORT, tables={"io": written}))
    (stored,) = database_records.list_records(project)
    found = database_records.read_tables(project, stored.id)["io"]
    assert found.figures["reads"].tobytes() == values.tobytes()
    assert np.isnan(found.figure("writes")).all()
    assert set(found.figures) == {"reads", "writes", "gets"}


def test_records_of_a_capture_that_is_not_imported_do_not_count(project: Project) -> None:
    artefact_id = cases.store_artefact(project)
    database_records.write_records(project, artefact_id, [database_cases.REPORT], 0)
    assert database_records.list_records(project) == []
    cases.mark_parsed(project, artefact_id)
    assert len(database_records.list_records(project, artefact_id=artefact_id)) == 1
    assert database_records.list_records(project, run_id=77) == []
    remove_samples(project, artefact_id)
    assert database_records.list_records(project) == []
    assert query(project, "SELECT count(*) FROM database_table") == [(0,)]


def test_texts_are_kept_once_over_snapshots_and_captures(project: Project) -> None:
    tables = database_cases.statements(**{f"q{number}": (1, 1.0) for number in range(50)})
    for name in ("one.csv", "two.csv"):
        database_cases.store(project, *(database_cases.counters(minute, tables) for minute in range(3)), name=name)
    # 50 ids and 50 texts, one container, one user
    assert query(project, "SELECT count(*) FROM shared_text") == [(102,)]
    assert query(project, "SELECT sum(text_count) FROM shared_text_block") == [(102,)]


def test_a_customers_sql_goes_with_its_capture(project: Project) -> None:
    shared, alone = database_cases.statements(kept=(1, 1.0)), database_cases.statements(kept=(1, 1.0), secret=(1, 1.0))
    first = database_cases.store(project, database_cases.counters(0, alone), name="one.csv")
    second = database_cases.store(project, database_cases.counters(0, shared), name="two.csv")
    going = removal.going_with_artefact(project, first)
    assert (going.statements, going.records) == (2, 1)
    removal.remove_artefact(project, first)
    assert query(project, "SELECT count(*) FROM shared_text") == [(4,)]
    (stored,) = database_records.list_records(project)
    assert database_records.read_record(project, stored.id) == database_cases.counters(0, shared)
    assert state_of(project, "database_records") == "ok"
    again = database_cases.store(project, database_cases.counters(0, alone), name="three.csv")
    (back,) = database_records.list_records(project, artefact_id=again)
    assert database_records.read_record(project, back.id) == database_cases.counters(0, alone)
    going = removal.remove_run(project, 1)
    assert (going.statements, going.records, len(going.captures)) == (2, 2, 2)
    assert query(project, "SELECT count(*) FROM shared_text_block UNION ALL SELECT count(*) FROM shared_text") == [
        (0,),
        (0,),
    ]
    assert second != again


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE database_table SET data = CAST(x'00' || substr(data, 2) AS BLOB) WHERE name = 'statement'",
        "UPDATE database_table SET data = CAST(substr(data, 1, length(data) - 3) || x'000000' AS BLOB) WHERE name = 'wait_event'",
        "UPDATE database_table SET row_count = row_count + 1 WHERE name = 'wait_event'",
        "UPDATE database_table SET form = 99",
        "DELETE FROM shared_text_block",
        "UPDATE shared_text_block SET data = zeroblob(9)",
    ],
)
def test_damage_is_found(project: Project, damage: str) -> None:
    database_cases.store(project, database_cases.REPORT)
    assert state_of(project, "database_records") == "ok"
    project.close()
    with sqlite3.connect(project.path) as connection:
        connection.execute(damage)
    connection.close()
    with open_project(project.path) as again:
        result = next(result for result in check_project(again) if result.check == "database_records")
    assert (result.state, result.facts["found"]) == ("failed", ["pgss.csv #0"])


def test_a_damaged_table_is_a_refusal_and_no_crash(project: Project) -> None:
    database_cases.store(project, database_cases.REPORT)
    with project.transaction() as connection:
        connection.execute("DELETE FROM shared_text_block")
    (stored,) = database_records.list_records(project)
    with pytest.raises(UserError, match="project_damaged"):
        database_records.read_record(project, stored.id)


def test_a_writing_that_fails_leaves_nothing(project: Project) -> None:
    artefact_id = cases.store_artefact(project)
    bad = replace(database_cases.REPORT, title=None)  # type: ignore[arg-type]
    with pytest.raises(sqlite3.IntegrityError):
        database_records.write_records(project, artefact_id, [database_cases.REPORT, bad], 0)
    with pytest.raises(sqlite3.IntegrityError):
        database_records.write_records(project, 99, [database_cases.REPORT], 0)
    for name in ("database_record", "database_table", "shared_text", "shared_text_block"):
        assert query(project, f"SELECT count(*) FROM {name}") == [(0,)], name


_WRITER = """
import sys
from pathlib import Path
from tunebench.store.opening import open_project
from tunebench.store.databases.records import write_records
from tests.store import database_cases
with open_project(Path(sys.argv[1])) as project:
    position = 0
    while True:
        tables = database_cases.statements(**{f"q{position}_{number}": (1, 0.5) for number in range(200)})
        write_records(project, int(sys.argv[2]), [database_cases.counters(position, tables)], position)
        position += 1
        print(position, flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="kills a process with a signal")
def test_a_program_killed_while_it_stores_leaves_a_capture_that_is_read_again(project: Project) -> None:
    artefact_id = cases.store_artefact(project)
    project.close()
    words = [sys.executable, "-c", _WRITER, str(project.path), str(artefact_id)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        while int(writer.stdout.readline()) < 12:
            continue
        os.kill(writer.pid, signal.SIGKILL)
    with open_project(project.path) as again:
        assert [info.id for info in pending_artefacts(again)] == [artefact_id]
        assert database_records.list_records(again) == []
        assert database_records.count_records(again, artefact_id) >= 12
        assert state_of(again, "database_records") == "ok"
        remove_samples(again, artefact_id)
        database_records.write_records(again, artefact_id, [database_cases.REPORT], 0)
        cases.mark_parsed(again, artefact_id)
        (stored,) = database_records.list_records(again)
        assert database_records.read_record(again, stored.id) == database_cases.REPORT


def _large(statements: int, seed: int) -> DatabaseRecord:
    """Each with 25 figures of measured shapes: counts and seconds over many powers of ten."""
    random = np.random.default_rng(seed)
    ids = [str(number * 1_485_918_269_066_925 % 2**63) for number in range(1, statements + 1)]
    names = [name for name, shape in STATEMENT_FIGURES.items() if shape.behaviour == "counter"][:25]
    whole = {name: np.floor(random.lognormal(6, 3, statements)) for name in names}
    figures = {name: values / 1e6 if name.endswith("_s") else values for name, values in whole.items()}
    texts = [f"SELECT a, b FROM 주문_{number} WHERE c = $1 AND d IN ($2, $3)" for number in range(statements)]
    lines = np.arange(statements, dtype=np.int64)
    return database_cases.counters(
        seed,
        {
            "statement": FigureTable("statement", {"statement_id": ids}, figures, lines),
            "statement_text": FigureTable("statement_text", {"statement_id": ids, "text": texts}, {}, lines),
        },
    )


def timed(act: Callable[[], object]) -> tuple[object, float]:
    start = time.perf_counter()
    return act(), time.perf_counter() - start


def test_a_hundred_thousand_statements(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    record = _large(100_000, 1)
    artefact_id, writing_s = timed(lambda: database_cases.store(project, record))
    (stored,) = database_records.list_records(project, artefact_id=int(str(artefact_id)))
    found, reading_s = timed(lambda: database_records.read_record(project, stored.id))
    assert found == record
    with capsys.disabled():
        print(f"\n100,000 statements x 25: written in {writing_s:.2f} s, read in {reading_s:.2f} s")


def test_snapshots_take_little_more_than_their_figures(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    records = [_large(5_000, seed) for seed in range(10)]
    _, writing_s = timed(lambda: database_cases.store(project, *records))
    stored = database_records.list_records(project)
    _, reading_s = timed(lambda: list(database_records.filled(project, stored, ["statement"])))
    ((tables, texts),) = query(
        project,
        "SELECT (SELECT sum(length(data)) FROM database_table), (SELECT sum(length(data)) FROM shared_text_block)",
    )
    assert isinstance(tables, int) and isinstance(texts, int)
    raw = 10 * 5_000 * 25 * 8
    assert tables < 0.6 * raw
    assert texts < 300_000  # once, not ten times
    with capsys.disabled():
        print(
            f"\n10 snapshots x 5,000 statements x 25: {tables / 1e6:.1f} of {raw / 1e6:.1f} MB, texts {texts / 1e6:.2f} MB,"
            f" written in {writing_s:.2f} s, read in {reading_s:.2f} s"
        )


# -- what people decide --------------------------------------------------------------------------------


def test_links_are_kept_with_a_name_and_taken_away_again(project: Project) -> None:
    kept = statement_links.add_link(project, KeptLink(0, "oracle", "0gx3w", "9abcd", "이영진", note="힌트를 넣음"))
    other = statement_links.add_link(project, KeptLink(0, "postgresql", "-1", "2"))
    assert statement_links.list_links(project) == [kept, other]
    assert statement_links.list_links(project, "oracle") == [kept]
    assert other.author and other.made_at
    with pytest.raises(UserError, match="statement_link_known"):
        statement_links.add_link(project, replace(kept, author="kang"))
    gone = statement_links.remove_link(project, kept.id)
    assert gone == kept
    with pytest.raises(UserError, match="statement_link_missing"):
        statement_links.remove_link(project, kept.id)
    back = statement_links.add_link(project, gone)
    assert replace(back, id=kept.id) == kept
    entries = audit.list_audit(project)[-4:]
    assert [entry.action for entry in entries] == [
        "statements_linked",
        "statements_linked",
        "statements_unlinked",
        "statements_linked",
    ]
    for entry in entries:
        cases.check_audit_sentence(entry)


def test_confirmations_are_only_ever_added(project: Project) -> None:
    kept = licences.add_confirmation(
        project,
        LicenceConfirmation(
            0,
            "oracle.diagnostics_pack",
            "db1",
            "ORCL",
            "박과장",
            "계약 2026-114; control_management_pack_access=DIAGNOSTIC",
        ),
    )
    assert licences.list_confirmations(project) == [kept]
    assert kept.covers("oracle.diagnostics_pack", "db1", "ORCL")
    assert not kept.covers("oracle.diagnostics_pack", "db2", "ORCL")
    assert not kept.covers("oracle.tuning_pack", "db1", "ORCL")
    for sql in ("DELETE FROM licence_confirmation", "UPDATE licence_confirmation SET confirmed_by = 'x'"):
        with pytest.raises(sqlite3.IntegrityError), project.transaction() as connection:
            connection.execute(sql)
    cases.check_audit_sentence(audit.list_audit(project)[-1])
