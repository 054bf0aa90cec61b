"""What holds at the moment of a round: sessions, waits, locks, the lag of standby servers; and series of them."""

from __future__ import annotations

import csv
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest

from plugins.postgresql.sessions import Sessions, WaitSamples
from tunebench.sdk.databases import DatabaseIdentity, Moment

CAPTURES = Path(__file__).parents[3] / "fixtures" / "postgresql"
REPLICATION = """\
application_name,client_addr,state,sync_state,current_lsn,sent_lsn,write_lsn,flush_lsn,replay_lsn,write_lag,flush_lag,replay_lag
standby1,10.0.0.2,streaming,sync,1/10000400,1/10000300,1/10000200,1/10000200,1/10000000,00:00:00.001,00:00:00.0025,1 day 00:00:01.5
standby2,10.0.0.3,streaming,async,1/10000400,1/10000400,1/10000400,1/10000400,1/10000400,,,
"""


def states(found) -> dict[tuple[object, object], object]:
    return {(row["scope"], row["name"]): row["end"] for row in found.rows("state")}


def test_how_far_standbys_are_behind(views):
    found = views(REPLICATION)
    first, second = "pg_stat_replication standby1 10.0.0.2", "pg_stat_replication standby2 10.0.0.3"
    assert states(found) == {
        (first, "write_lag"): 0.001,
        (first, "flush_lag"): 0.0025,
        (first, "replay_lag"): 86401.5,
        (first, "write_behind"): 0x200,
        (first, "flush_behind"): 0x200,
        (first, "replay_behind"): 0x400,
        (second, "write_behind"): 0,
        (second, "flush_behind"): 0,
        (second, "replay_behind"): 0,
    }, "an idle standby tells no times: not 0 but unknown"
    facts = {(row["scope"], row["name"]): row["value"] for row in found.rows("fact")}
    assert facts[first, "sync_state"] == "sync" and facts[second, "state"] == "streaming"


def test_lags_are_series(views):
    at = "@tunebench at 2026-11-21T02:48:00Z\n@section pg_stat_replication\n"
    found = views(f"{at}{REPLICATION}@end\n")
    samples = {
        (key.native, dict(key.attributes)["process"]): value
        for batch in found.batches
        for key, value in zip(batch.series, batch.values[0].tolist(), strict=True)
        if batch.table == "replication"
    }
    assert samples["replay_lag", "standby1 10.0.0.2"] == 86401.5
    assert samples["replay_behind", "standby1 10.0.0.2"] == 0x400
    assert samples["replay_behind", "standby2 10.0.0.3"] == 0
    assert samples["replay_lag", "standby2 10.0.0.3"] != samples["replay_lag", "standby2 10.0.0.3"], "NaN"


@pytest.mark.parametrize(("received", "pending", "delay"), [("0/2000", 4096, 7.0), ("0/1000", 0, 0.0)])
def test_the_standbys_own_view(views, received, pending, delay):
    """Everything replayed: an old transaction says that nobody writes, not that the standby is late."""
    text = f"now,receive_lsn,replay_lsn,replay_timestamp\n2026-11-21 02:48:10+00,{received},0/1000,2026-11-21 02:48:03+00\n"
    found = states(views(text))
    assert found["pg_stat_wal_receiver", "replay_delay"] == delay
    assert found["pg_stat_wal_receiver", "replay_behind"] == pending


def test_slots_hold_the_log_back(views):
    found = views("slot_name,slot_type,database,active,retained_bytes\nold,physical,,f,123456\n")
    assert states(found) == {("pg_replication_slots old", "retained"): 123456}
    assert {"scope": "pg_replication_slots old", "name": "active", "value": "f"} in found.rows("fact")


def test_sessions_of_an_export(views):
    """Rows of sessions, one each; what is no client's is not counted, nor is our own."""
    text = (
        "datname,pid,application_name,state,wait_event_type,wait_event,backend_type\n"
        "a,1,app,active,Lock,transactionid,client backend\na,2,app,active,,,client backend\n"
        "a,3,app,idle,Client,ClientRead,client backend\na,4,tunebench,active,,,client backend\n,5,,,Activity,X,walwriter\n"
    )
    found = views(text, modified_ns=1_795_229_280 * 10**9)
    assert states(found) == {("sessions", "active"): 2, ("sessions", "idle"): 1}
    assert found.record.end.sessions == 3
    by_native = {
        key.native: value
        for batch in found.batches
        if batch.table == "active sessions"
        for key, value in zip(batch.series, batch.values[0].tolist(), strict=True)
    }
    assert by_native["Lock"] == 1 and by_native["CPU"] == 1 and by_native["IO"] == 0


def test_locks_that_are_waited_for(views):
    rows = "locktype,mode,granted\nrelation,AccessShareLock,t\ntransactionid,ShareLock,f\ntransactionid,ShareLock,f\n"
    assert states(views(rows)) == {("pg_locks", "transactionid ShareLock"): 2}
    counted = "locktype,mode,granted,locks\ntransactionid,ShareLock,f,5\n"
    assert states(views(counted)) == {("pg_locks", "transactionid ShareLock"): 5}


def clients_of(text: str) -> list[Counter[tuple[str, str, str]]]:
    """Sessions of clients by (state, wait type, wait), round by round: read with nothing of the reader's."""
    rounds = []
    for part in text.split("@section pg_stat_activity\n")[1:]:
        rows = csv.DictReader(part.partition("@section")[0].splitlines())
        counts: Counter[tuple[str, str, str]] = Counter()
        for row in rows:
            if row["backend_type"] == "client backend":
                counts[row["state"], row["wait_event_type"], row["wait_event"]] += int(row["sessions"])
        rounds.append(counts)
    return rounds


@pytest.mark.parametrize("piece", [331, 1 << 20])
def test_a_capture_of_activity_gives_series_and_its_waits(views, piece):
    data = (CAPTURES / "activity.txt").read_bytes()
    found, rounds = views(data, piece), clients_of(data.decode())
    assert len(rounds) == 4 and sum(rounds[0].values()) > 0
    active = [sum(n for (state, _, _), n in counts.items() if state == "active") for counts in rounds]
    batches = [batch for batch in found.batches if batch.table == "sessions"]
    assert [batch.values[0][0] for batch in batches] == active
    waits = [batch for batch in found.batches if batch.table == "active sessions"]
    assert [batch.values[0].sum() for batch in waits] == active
    record = found.record
    assert (record.source, record.reach) == ("pg_stat_activity", "period")
    seen: Counter[str] = Counter()
    for counts in rounds:
        for (state, kind, event), n in counts.items():
            seen[event or kind or "CPU"] += n if state == "active" else 0
    assert found.values("wait_event", "event", "samples") == {event: n for event, n in seen.items() if n}
    assert sum(found.table("wait_event").figure("share_pct")) == pytest.approx(100)
    assert record.elapsed_s == (record.end.time_ns - record.begin.time_ns) / 1e9
    counted = {"scope": "samples", "name": "rounds", "unit": "1", "total": 4.0}
    assert found.rows("activity") == [counted]


def test_two_snapshots_are_two_records(views):
    data = (CAPTURES / "snapshots.txt").read_bytes()
    found = views(data)
    first, second = found.records
    assert {batch.table for batch in found.batches} == {"load", "time_model", "wait_class"}
    assert first.identity.key == second.identity.key and first.end.started_ns == second.end.started_ns
    sections = data.decode().split("@section pg_stat_statements\n")[2].partition("@section")[0]
    rows = {
        row["queryid"]: row for row in csv.DictReader(sections.splitlines()) if "/* tunebench */" not in row["query"]
    }
    table = second.table("statement")
    assert dict(zip(table.text("statement_id"), table.figure("executions").tolist(), strict=True)) == {
        queryid: float(row["calls"]) for queryid, row in rows.items()
    }
    assert set(table.text("container")) <= {"bench", "postgres"} and set(table.text("user")) == {"postgres"}
    assert {
        "statement",
        "statement_text",
        "load",
        "time_model",
        "wait_class",
        "activity",
        "state",
        "io",
        "segment",
        "parameter",
        "fact",
    } == second.tables.keys()
    text = data.decode().splitlines()
    for line, queryid in zip(table.lines.tolist(), table.text("statement_id"), strict=True):
        assert queryid in text[line - 1]


def test_a_clock_beside_the_columns_of_a_view_is_the_moment(views):
    text = (
        "now,userid,dbid,queryid,query,calls,total_exec_time,rows\n"
        "2026-11-20 10:00:00.25+09,10,5,77,select 1,3,1.5,3\n2026-11-20 10:00:00.25+09,10,5,78,select 2,4,2.5,4\n"
    )
    found = views(text, modified_ns=5)
    assert found.record.end.time_ns == round(datetime(2026, 11, 20, 1, tzinfo=UTC).timestamp()) * 10**9 + 250_000_000
    assert found.ledger.assumptions == () and found.ledger.first_ns == found.record.end.time_ns


def test_samples_are_told_in_slices_that_can_be_followed() -> None:
    """25 rounds of 2 s: slices of ten rounds, and what is left goes with the last one."""
    source, identity = "pg_stat_activity", DatabaseIdentity("postgresql", "app")
    samples = WaitSamples(source)
    for number in range(25):
        waits = {("Lock", "tuple"): 1} if number < 10 else {("CPU", ""): 2}
        samples.add(
            identity,
            Moment(number * 2_000_000_000 + 1),
            Sessions({"active": 1}, waits, dict.fromkeys(waits, number), 1),
        )
    first, second = samples.records()
    assert (first.elapsed_s, second.elapsed_s) == (18.0, 30.0)
    assert [list(each.table("activity").figure("total")) for each in (first, second)] == [[10.0], [15.0]]
    assert [dict(zip(each.table("wait_event").text("event"), each.table("wait_event").figure("samples"), strict=True)) for each in (first, second)] == [{"tuple": 10.0}, {"CPU": 30.0}]  # fmt: skip
