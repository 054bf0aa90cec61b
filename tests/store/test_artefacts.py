"""Captures are kept verbatim, found by hash, read by line, and parsed anew."""

from __future__ import annotations

import hashlib
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.store import cases, database_cases
from tunebench.core.errors import UserError
from tunebench.domain.capturing.times import deciding
from tunebench.domain.engagement import CaptureEvent, EventKind, Phase
from tunebench.domain.ledger import Assumption, ImportState, Ledger, LineCounts, SkippedLines
from tunebench.sdk.lines import LineReader
from tunebench.store import artefacts, codec, hosts, runs
from tunebench.store.artefacts import (
    PIECE_BYTES,
    artefact_lines,
    begin_artefact,
    find_artefact,
    ledger_from_json,
    ledger_to_json,
    list_artefacts,
    pending_artefacts,
    read_artefact,
    remove_samples,
    set_parse_result,
)
from tunebench.store.audit import trail as audit
from tunebench.store.databases.records import count_records, write_records
from tunebench.store.events import list_events
from tunebench.store.opening import open_project
from tunebench.store.project import Project
from tunebench.store.queries import list_series

LEDGER = Ledger(
    tool="iostat",
    tool_version="",
    os="sunos",
    os_version="5.10",
    hostname="svrdb1",
    locale="C",
    variant="-x",
    zone="Asia/Seoul",
    zone_source="engagement",
    first_ns=1,
    last_ns=2,
    interval_s=5.0,
    series=70,
    samples=700,
    gaps=1,
    restarts=0,
    lines=LineCounts(100, 80, 10, 5, 5),
    skipped=(SkippedLines("unreadable_numbers", 5, 7, "sd0 ****"),),
    assumptions=(Assumption("zone", "Asia/Seoul", "engagement"),),
    warnings=("clock_went_back",),
    needs=("zone", "start"),
)


@pytest.mark.parametrize("size", [0, 1, PIECE_BYTES - 1, PIECE_BYTES, PIECE_BYTES + 1, 11 * PIECE_BYTES + 77])
def test_bytes_come_back_as_they_were(project: Project, size: int) -> None:
    data = random.Random(size).randbytes(size // 3) + b"0.0 " * ((size - size // 3) // 4)
    data += b"x" * (size - len(data))
    artefact_id = cases.store_artefact(project, data)
    pieces = list(read_artefact(project, artefact_id))
    assert b"".join(pieces) == data
    assert all(len(piece) <= PIECE_BYTES for piece in pieces)
    info = find_artefact(project, artefact_id)
    assert (info.size_bytes, info.sha256) == (size, hashlib.sha256(data).hexdigest())


def test_text_is_stored_small(project: Project) -> None:
    line = b"ssd2 13.0 31.0 120.5 20650.3 0.0 6.0 137.8 2 100\n"
    info = find_artefact(project, cases.store_artefact(project, line * 100_000))
    assert info.stored_bytes < info.size_bytes / 50


def test_the_pieces_that_were_written_do_not_matter(project: Project) -> None:
    data = random.Random(1).randbytes(3 * PIECE_BYTES)
    writer = begin_artefact(project, runs.ensure_run(project, "r", Phase.OTHER).id, "a", "/a", 0)
    cuts = sorted(random.Random(2).sample(range(len(data)), 50))
    for start, end in zip([0, *cuts], [*cuts, len(data)], strict=True):
        writer.write(data[start:end])
    stored = writer.finish()
    assert stored.sha256 == hashlib.sha256(data).hexdigest()
    assert b"".join(read_artefact(project, stored.artefact_id)) == data


def test_a_capture_that_is_there_already_is_kept_once(project: Project) -> None:
    first = cases.store_artefact(project, b"same\n" * PIECE_BYTES)
    writer = begin_artefact(project, runs.ensure_run(project, "after", Phase.AFTER).id, "b", "/b", 0)
    writer.write(b"same\n" * PIECE_BYTES)
    stored = writer.finish()
    assert (stored.duplicate_of, stored.artefact_id, stored.size_bytes) == (first, first, 5 * PIECE_BYTES)
    assert [info.id for info in list_artefacts(project)] == [first]
    with project.reading() as connection:
        assert connection.execute("SELECT count(*) FROM artefact_chunk").fetchone() == (5,)


def test_a_capture_being_written_is_not_listed_and_may_be_given_up(project: Project) -> None:
    writer = begin_artefact(project, runs.ensure_run(project, "r", Phase.OTHER).id, "a", "/a", 0)
    writer.write(bytes(20 * PIECE_BYTES))
    assert list_artefacts(project) == []
    assert pending_artefacts(project) == []
    writer.abandon()
    with project.reading() as connection:
        assert connection.execute("SELECT count(*) FROM artefact_chunk").fetchone() == (0,)
    with pytest.raises(UserError, match="artefact_missing"):
        find_artefact(project, writer.artefact_id)


# -- lines ---------------------------------------------------------------------------------------------


def lines_as_parsers_see_them(data: bytes) -> list[bytes]:
    reader = LineReader()
    return reader.feed(data) + reader.finish()


SAMPLES = {
    "empty": b"",
    "no end": b"one\ntwo\nthree",
    "windows": b"one\r\ntwo\r\n\r\n",
    "blank lines": b"\n\n\n",
    "mark": b"\xef\xbb\xbfone\ntwo\n",
    "utf-16": "시각\r\ncpu ਊ\nlast".encode("utf-16"),
}


@pytest.mark.parametrize("name", SAMPLES)
def test_lines_have_the_numbers_that_parsers_give_them(project: Project, name: str) -> None:
    data = SAMPLES[name]
    expected = lines_as_parsers_see_them(data)
    artefact_id = cases.store_artefact(project, data)
    assert artefact_lines(project, artefact_id, 1, 100) == expected
    for number in range(1, len(expected) + 3):
        assert artefact_lines(project, artefact_id, number, number) == expected[number - 1 : number]


@settings(max_examples=40)
@given(st.lists(st.sampled_from([b"", b"a", b"bb\r", b"c" * 40]), max_size=40), st.booleans(), st.integers(1, 60))
def test_lines_across_pieces(
    tmp_path_factory: pytest.TempPathFactory, parts: list[bytes], ended: bool, piece: int
) -> None:
    data = b"\n".join(parts) + (b"\n" if ended else b"")
    expected = lines_as_parsers_see_them(data)
    with pytest.MonkeyPatch.context() as patch, cases.new_project(tmp_path_factory.mktemp("lines")) as project:
        patch.setattr(artefacts, "PIECE_BYTES", piece)
        artefact_id = cases.store_artefact(project, data)
        for first in range(1, len(expected) + 2):
            for last in (first, first + 1, first + 7):
                assert artefact_lines(project, artefact_id, first, last) == expected[first - 1 : last]


def test_a_line_far_in_is_found_without_unpacking_the_rest(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    artefact_id = cases.store_artefact(project, b"".join(b"line %07d of the capture\n" % n for n in range(1, 400_001)))
    unpacked: list[int] = []

    def counted(blob: bytes, size_bytes: int) -> bytes:
        unpacked.append(size_bytes)
        return codec.decompress_bytes(blob, size_bytes)

    monkeypatch.setattr(artefacts, "decompress_bytes", counted)
    assert artefact_lines(project, artefact_id, 399_000, 399_001) == [
        b"line 0399000 of the capture",
        b"line 0399001 of the capture",
    ]
    assert len(unpacked) <= 3


@pytest.mark.parametrize(("first", "last"), [(0, 1), (-5, 1)])
def test_lines_before_the_first_are_not_there(project: Project, first: int, last: int) -> None:
    assert artefact_lines(project, cases.store_artefact(project), first, last) == [b"one"]
    assert artefact_lines(project, 1, 2, 1) == []


# -- parsing -------------------------------------------------------------------------------------------


def test_a_ledger_survives_the_way_into_the_file() -> None:
    assert ledger_from_json(ledger_to_json(LEDGER)) == LEDGER
    assert ledger_from_json("{}") == Ledger()


def test_a_parse_result_is_kept(project: Project) -> None:
    artefact_id = cases.store_artefact(project)
    assert [info.id for info in pending_artefacts(project)] == [artefact_id]
    assert find_artefact(project, artefact_id).state == "pending"
    host = hosts.ensure_host(project, "svrdb1")
    events = [CaptureEvent(EventKind.GAP, 5, 9), CaptureEvent(EventKind.RESTART, 3, None, "LINUX RESTART")]
    set_parse_result(
        project,
        artefact_id,
        host_id=host.id,
        parser_id="sun.iostat",
        parser_version="1.2",
        state=ImportState.IMPORTED,
        ledger=LEDGER,
        events=events,
        given={"zone": "Asia/Seoul"},
    )
    info = find_artefact(project, artefact_id)
    assert (info.host_id, info.parser_id, info.parser_version, info.state) == (
        host.id,
        "sun.iostat",
        "1.2",
        ImportState.IMPORTED,
    )
    assert (info.ledger, info.given) == (LEDGER, {"zone": "Asia/Seoul"})
    assert (info.name, info.source_path, info.modified_ns) == ("iostat.txt", "/var/tmp/iostat.txt", 7)
    assert pending_artefacts(project) == []
    assert [stored.event for stored in list_events(project)] == [events[1], events[0]]
    assert (runs.list_runs(project)[0].first_ns, runs.list_runs(project)[0].last_ns) == (1, 2)


def test_the_date_of_a_copy_does_not_stretch_a_run(project: Project) -> None:
    spans = {"own": (100, 200), "late": (900, 910), "early": (1, 5)}

    def parsed(*names: str, source: str = "mtime") -> tuple[int | None, int | None, bool]:
        for name in names:
            assumed = () if name == "own" else (Assumption("start", "2026-11-22 22:10:00", source),)
            first_ns, last_ns = spans[name]
            set_parse_result(
                project,
                ids[name],
                host_id=None,
                parser_id="p",
                parser_version="1",
                state=ImportState.IMPORTED,
                ledger=Ledger(first_ns=first_ns, last_ns=last_ns, assumptions=assumed),
                events=(),
                given={},
            )
        (run,) = runs.list_runs(project)
        return run.first_ns, run.last_ns, run.dated_by_file

    ids = {name: cases.store_artefact(project, name.encode()) for name in spans}
    assert parsed() == (None, None, False)
    assert parsed("late", "early") == (1, 910, True), "nothing else says when it was"
    assert parsed("own") == (100, 200, False)
    assert parsed("late", source="user") == (100, 910, False), "what a person says counts"
    (run,) = runs.list_runs(project)
    assert runs.ensure_run(project, run.label, run.phase) == run
    counting = [each.name for each in deciding(list_artefacts(project))]
    assert len(counting) == 2, "the captures that count are the same for whoever asks"


def test_events_are_found_by_host_and_window(project: Project) -> None:
    for number, (host, events) in enumerate(
        {
            "db1": [CaptureEvent(EventKind.GAP, 10, 20), CaptureEvent(EventKind.RESTART, 30)],
            "db2": [CaptureEvent(EventKind.COMMENT, 15, None, "load test")],
        }.items()
    ):
        artefact_id = cases.store_artefact(project, b"%d" % number)
        set_parse_result(
            project,
            artefact_id,
            host_id=hosts.ensure_host(project, host).id,
            parser_id="p",
            parser_version="1",
            state=ImportState.IMPORTED,
            ledger=Ledger(),
            events=events,
            given={},
        )

    def starts(**window: int) -> list[int]:
        return [stored.event.start_ns for stored in list_events(project, **window)]

    db2 = hosts.ensure_host(project, "db2").id
    assert starts() == [10, 15, 30]
    assert starts(host_id=db2) == [15]
    assert starts(start_ns=20) == [10, 30]
    assert starts(start_ns=21) == [30]
    assert starts(end_ns=10) == [10]
    assert starts(start_ns=12, end_ns=16) == [10, 15]
    assert list_events(project, host_id=db2)[0].run_id == runs.list_runs(project)[0].id


def test_before_a_new_parse_all_of_the_old_one_goes_but_the_evidence(project: Project) -> None:
    artefact_id = cases.write_samples(project, cases.batch([[1.0], [2.0]]))
    set_parse_result(
        project,
        artefact_id,
        host_id=1,
        parser_id="p",
        parser_version="1",
        state=ImportState.IMPORTED,
        ledger=LEDGER,
        events=[CaptureEvent(EventKind.GAP, 1, 2)],
        given={},
    )
    write_records(project, artefact_id, [database_cases.REPORT], 0)
    assert count_records(project, artefact_id) == 1
    remove_samples(project, artefact_id)
    assert list_series(project) == []
    assert list_events(project) == []
    assert count_records(project, artefact_id) == 0
    assert b"".join(read_artefact(project, artefact_id)) == b"one\ntwo\n"
    assert [info.id for info in pending_artefacts(project)] == [artefact_id]
    writer = cases.sample_writer(project, artefact_id)
    writer.append(cases.batch([[3.0]]))
    writer.finish()
    assert [info.count for info in list_series(project)] == [1]


def test_the_trail_does_not_speak_of_samples_that_never_were(project: Project) -> None:
    artefact_id = cases.store_artefact(project)
    remove_samples(project, artefact_id)
    assert "samples_removed" not in [entry.action for entry in audit.list_audit(project)]


def test_samples_of_a_parse_that_was_not_concluded_go_when_the_project_is_opened(project: Project) -> None:
    artefact_id = cases.store_artefact(project)
    writer = cases.sample_writer(project, artefact_id)
    writer.append(cases.batch([[1.0]]))
    writer.finish()
    project.close()
    with open_project(project.path) as again:
        assert list_series(again) == []
        assert [info.id for info in pending_artefacts(again)] == [artefact_id]
