"""Times that captures leave open: found, shown before they change, said once for all files, remembered, taken back."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.program import compose
from tests.unit.usecases import daily_captures as made
from tests.unit.usecases.founding_runs import FOUNDING
from tunebench.capture.readings import FirstBlocks
from tunebench.core.errors import Cancelled, UserError
from tunebench.domain.capturing.times import (
    CaptureTimes,
    Correction,
    local,
    placed,
    times_of,
    to_ns,
    truths_of,
    zone_for_shift,
)
from tunebench.domain.engagement import Engagement, Phase
from tunebench.domain.ledger import Assumption
from tunebench.sdk import ParseContext, SampleBatch, SeriesKey
from tunebench.store import artefacts, hosts, queries, runs
from tunebench.store.audit import trail as audit
from tunebench.store.project import Project
from tunebench.usecases import projects
from tunebench.usecases.importing import assembly, imports, resolution
from tunebench.usecases.importing.resolution import OpenHost
from tunebench.usecases.importing.results import ImportOptions

DAY = datetime(2026, 7, 19)
S = 1_000_000_000
HOUR_NS = 3600 * S


@pytest.fixture(scope="module", autouse=True)
def services() -> None:
    compose()


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with projects.create(tmp_path / "case.tune", Engagement("tuning", "ACME")) as made_project:
        yield made_project


def take(project: Project, *paths: Path, host: str = "") -> list[int]:
    report = imports.import_captures(project, list(paths), ImportOptions(run="r", host=host))
    assert report.complete
    return [file.artefact_id or 0 for file in report.files]


def vmstats(project: Project, folder: Path, count: int = 2) -> list[int]:
    paths = []
    for number in range(count):
        path = made.vmstat(folder, f"vm{number}.txt", 30, first_row=100 * number)
        os.utime(path, (1_784_600_000 + 7200 * number,) * 2)
        paths.append(path)
    return take(project, *paths, host="db1")


def spans(project: Project, ids: list[int]) -> list[tuple[int, int]]:
    found = [artefacts.find_artefact(project, id_).ledger for id_ in ids]
    return [(ledger.first_ns or 0, ledger.last_ns or 0) for ledger in found]


def the_host(project: Project) -> OpenHost:
    (found,) = resolution.open_hosts(project)
    return found


def seoul(text: str) -> int:
    return to_ns(datetime.fromisoformat(text), "Asia/Seoul")


# --- what is open
def test_what_a_capture_leaves_open_is_listed_with_its_first_lines(project: Project, tmp_path: Path) -> None:
    vmstats(project, tmp_path, 1)
    take(project, made.sar_day(tmp_path, DAY))
    host = the_host(project)
    assert (host.host.name, host.doubtful) == ("db1", 2)
    vmstat, sar = host.captures
    assert vmstat.times.open_subjects == ("zone", "start", "interval_s")
    assert vmstat.doubtful == ("zone", "start", "interval_s")
    assert vmstat.lines[0].startswith("procs")
    assert vmstat.times.assumed["start"].source == "mtime"
    assert (sar.times.open_subjects, sar.doubtful) == (("zone",), ("zone",))
    assert (vmstat.stamps, sar.stamps) == ((), ("07/19/26", "00:00:00", "00:10:00"))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Linux 6.18.44-fc-v669 (db1) \t11/21/26 \t_x86_64_\t(2 CPU)", ("11/21/26",)),
        ("Linux 5.10.0 (db1) \t21.11.2026", ("21.11.2026",)),
        ("zzz ***Sat Nov 21 16:15:32 KST 2026", ("16:15:32", "KST")),
        ("2026년 11월 21일 16시", ("2026년 11월 21일",)),
    ],
)
def test_a_kernel_is_no_date(line: str, expected: tuple[str, ...]) -> None:
    assert resolution.stamps_in([line]) == expected


def test_an_ambiguous_date_is_open(project: Project, tmp_path: Path) -> None:
    (capture,) = take(project, made.sar_day(tmp_path, datetime(2026, 5, 6), name="x.txt", shown="%m/%d/%Y"))
    (open_capture,) = the_host(project).captures
    assert "date_order" in open_capture.doubtful
    correction = Correction(zone="Asia/Seoul", day_first=True)
    (effect,) = resolution.effects([open_capture], correction)
    resolution.correct(project, [capture], correction)
    assert spans(project, [capture]) == [effect.after]
    assert local(effect.after[0], "Asia/Seoul").date() == date(2026, 6, 5)
    assert not any(host.doubtful for host in resolution.open_hosts(project))


# --- the effect is what comes of it
@pytest.mark.parametrize(
    "correction",
    [
        Correction(zone="UTC"),
        Correction(zone="America/New_York"),
        Correction(start=datetime(2026, 7, 20, 9)),
        Correction(start=datetime(2026, 7, 20, 9), interval_s=5, zone="Asia/Tokyo"),
        Correction(first_day=date(2026, 1, 2), interval_s=0.5),
        Correction(shift_ns=-3 * HOUR_NS),
        Correction(interval_s=60),
    ],
)
def test_what_is_shown_before_is_what_comes_of_it(project: Project, tmp_path: Path, correction: Correction) -> None:
    ids = vmstats(project, tmp_path)
    sar = take(project, made.sar_day(tmp_path, DAY))
    host = the_host(project)
    effects = resolution.effects(host.captures, correction)
    assert resolution.correct(project, [*ids, *sar], correction)
    assert spans(project, [*ids, *sar]) == [effect.after for effect in effects]


def test_files_without_times_keep_their_distance(project: Project, tmp_path: Path) -> None:
    ids = vmstats(project, tmp_path)
    before = spans(project, ids)
    resolution.correct(project, ids, Correction(start=datetime(2026, 7, 20, 9), interval_s=5))
    after = spans(project, ids)
    assert after[0][0] == seoul("2026-07-20 09:00:00")
    assert after[1][0] - after[0][0] == before[1][0] - before[0][0] == 7200 * S
    assert after[0][1] - after[0][0] == 29 * 5 * S


# --- said, remembered, taken back
def test_what_was_said_is_kept_and_can_be_taken_back(project: Project, tmp_path: Path) -> None:
    ids = vmstats(project, tmp_path)
    before = spans(project, ids)
    [number] = resolution.correct(project, ids, Correction(zone="UTC", interval_s=5))
    changed = spans(project, ids)
    assert changed != before
    host = the_host(project)
    assert host.doubtful == 2, "their start is still a guess"
    (said,) = host.said
    assert (said.id, said.said, said.in_force, bool(said.said_by)) == (
        number,
        {"zone": "UTC", "interval_s": "5"},
        True,
        True,
    )
    assert hosts.list_hosts(project)[0].zone == "UTC"
    resolution.take_back(project, number)
    assert spans(project, ids) == before
    assert hosts.list_hosts(project)[0].zone == ""
    assert artefacts.find_artefact(project, ids[0]).ledger.needs == ("start", "interval_s", "zone")
    assert not the_host(project).said[0].in_force
    resolution.renew(project, number)
    assert spans(project, ids) == changed
    actions = [entry.action for entry in audit.list_audit(project)]
    assert [actions.count(name) for name in ("times_resolved", "resolution_taken_back", "resolution_renewed")] == [
        1
    ] * 3


def test_a_later_word_stays_when_an_earlier_is_taken_back(project: Project, tmp_path: Path) -> None:
    ids = vmstats(project, tmp_path)
    [first] = resolution.correct(project, ids, Correction(interval_s=5))
    resolution.correct(project, ids[:1], Correction(interval_s=10))
    resolution.take_back(project, first)
    given_ = [artefacts.find_artefact(project, id_).given for id_ in ids]
    assert given_ == [{"interval_s": "10"}, {}]


def test_it_holds_for_captures_of_the_host_that_come_later(project: Project, tmp_path: Path) -> None:
    ids = vmstats(project, tmp_path, 1)
    [number] = resolution.correct(project, ids, Correction(zone="Asia/Tokyo", interval_s=5))
    (later,) = take(project, made.vmstat(tmp_path, "later.txt", 12, first_row=999), host="db1")
    found = artefacts.find_artefact(project, later)
    assert (found.ledger.zone, found.ledger.zone_source, found.given) == ("Asia/Tokyo", "host", {"interval_s": "5"})
    assert found.ledger.needs == ("start",)
    resolution.take_back(project, number)
    again = artefacts.find_artefact(project, later)
    assert (again.ledger.zone, again.ledger.zone_source) == ("Asia/Seoul", "engagement"), "nobody says Tokyo any more"
    (last,) = take(project, made.vmstat(tmp_path, "last.txt", 12, first_row=1999), host="db1")
    assert artefacts.find_artefact(project, last).given == {}


# --- the only block of a capture
def measured(project: Project, run: str) -> dict[tuple[str, str], list[float]]:
    """(device, column) -> what counts of it, in the unit of the capture."""
    [found] = [each for each in runs.list_runs(project) if each.label == run]
    counts = {}
    for one in queries.list_series(project, run_id=found.id):
        data = queries.read_series(project, one.id)
        counts[dict(one.attributes).get("device", ""), one.native] = data.values[~data.since_boot].tolist()
    return counts


def pasted(project: Project, number: int, run: str, interval_s: float | None = None) -> int:
    """A block of document 000 that was pasted alone: mkfile, with maxcontig 6 or 128."""
    path = FOUNDING / f"iostat_write_maxcontig_{number}.txt"
    said = ImportOptions(run=run, host="svrdb1", zone="Asia/Seoul", start=datetime(2008, 2, 1), interval_s=interval_s)
    [file] = imports.import_captures(project, [path], said).files
    return file.artefact_id or 0


def test_the_only_block_is_an_interval_where_a_person_states_it(project: Project) -> None:
    """The document's own before and after: writes fall to 0.27 times, KB written rise to 3.77 times."""
    pasted(project, 6, "before", interval_s=2)
    pasted(project, 128, "after", interval_s=2)
    before, after = measured(project, "before"), measured(project, "after")
    assert (before["sd0", "w/s"], after["sd0", "w/s"]) == ([141.0], [38.5])
    assert (before["sd0", "kw/s"], after["sd0", "kw/s"]) == ([6743.3], [25411.4])
    [found] = [each for each in the_host(project).captures if each.artefact.name.endswith("_6.txt")]
    assert "only_block_measured" in found.artefact.ledger.warnings and found.artefact.ledger.interval_s == 2


TIMES = ("real    1m26.18s\nuser    0m0.11s\nsys     0m5.21s\n", "real user sys 1m26.18s 0m0.11s 0m5.21s\n")


@pytest.mark.parametrize("times", TIMES)
@pytest.mark.parametrize(("interval_s", "writes"), [(2, [141.0]), (None, [])])
def test_what_time_printed_behind_it_is_no_second_block(
    project: Project, tmp_path: Path, times: str, interval_s: float | None, writes: list[float]
) -> None:
    """Document 000, 4.4: one block of iostat while mkfile ran, and behind it how long mkfile took."""
    path = tmp_path / "iostat.txt"
    path.write_text((FOUNDING / "iostat_write_maxcontig_6.txt").read_text() + times)
    imports.import_captures(
        project, [path], ImportOptions(run="r", zone="UTC", start=datetime(2008, 2, 1), interval_s=interval_s)
    )
    [known] = artefacts.list_artefacts(project)
    assert known.ledger.warnings == (("only_block_measured" if interval_s else "only_block_since_boot"),)
    counts = measured(project, "r")
    assert counts["sd0", "w/s"] == writes
    assert counts["", "real_s"] == [86.18]


def test_the_only_block_of_a_stored_capture_counts_once_its_interval_is_said(project: Project) -> None:
    stored = pasted(project, 6, "before")
    assert measured(project, "before")["sd0", "w/s"] == []
    [capture] = the_host(project).captures
    assert "only_block_since_boot" in capture.artefact.ledger.warnings
    assert "interval_s" in capture.times.open_subjects
    [number] = resolution.correct(project, [stored], Correction(interval_s=2))
    assert measured(project, "before")["sd0", "w/s"] == [141.0]
    resolution.take_back(project, number)
    assert measured(project, "before")["sd0", "w/s"] == []
    resolution.renew(project, number)
    pasted(project, 128, "after")  # nobody said it of this one
    assert measured(project, "after")["sd0", "w/s"] == []


def test_of_several_blocks_the_first_stays_an_average_since_boot(project: Project, tmp_path: Path) -> None:
    block = (FOUNDING / "iostat_write_maxcontig_6.txt").read_text()
    heading = block.index("\n") + 1
    path = tmp_path / "iostat.txt"
    path.write_text(block + block[heading:].replace("141.0", "142.0"))
    imports.import_captures(
        project, [path], ImportOptions(run="r", zone="UTC", start=datetime(2008, 2, 1), interval_s=2)
    )
    assert measured(project, "r")["sd0", "w/s"] == [142.0]


@pytest.mark.parametrize(("source", "since_boot"), [("user", False), ("path", True)])
def test_what_the_layout_of_a_bundle_tells_is_no_word_on_the_only_block(source: str, since_boot: bool) -> None:
    reading = FirstBlocks(ParseContext(interval_s=5.0, interval_source=source))
    block = SampleBatch(
        "cpu", np.array([S]), (SeriesKey("cpu", "us"),), np.array([[3.0]]), np.array([True]), np.array([1])
    )
    assert [batch.since_boot.tolist() for batch in [*reading.take([block]), *reading.finish()]] == [[since_boot]]


def test_a_cancel_leaves_everything_as_it_was(project: Project, tmp_path: Path) -> None:
    ids = vmstats(project, tmp_path, 3)
    before = spans(project, ids)

    class GivenUp:
        calls = 0

        def report(self, *_args: object, **_facts: object) -> None:
            return

        def raise_if_cancelled(self) -> None:
            self.calls += 1
            if self.calls == 3:
                raise Cancelled

    with pytest.raises(Cancelled):
        resolution.correct(project, ids, Correction(interval_s=5), GivenUp())
    assert spans(project, ids) == before
    assert the_host(project).said == ()


def test_what_changes_nothing_is_not_kept(project: Project, tmp_path: Path) -> None:
    sar = take(project, made.sar_day(tmp_path, DAY))
    assert resolution.correct(project, sar, Correction(interval_s=5)) == []
    assert the_host(project).said == ()


def test_refusals(project: Project, tmp_path: Path) -> None:
    ids = vmstats(project, tmp_path, 1)
    with pytest.raises(UserError, match="zone_unknown"):
        resolution.correct(project, ids, Correction(zone="Seoul"))
    with pytest.raises(UserError, match="nothing_to_resolve"):
        resolution.correct(project, [], Correction(zone="UTC"))
    with pytest.raises(UserError, match="resolution_unknown"):
        resolution.take_back(project, 7)


# --- host and run
def places(project: Project) -> dict[str, tuple[str, str]]:
    """Capture -> its host and its run, as the project shows them."""
    overview = projects.overview(project)
    names = {host.id: host.name for host in overview.hosts}
    return {each.name: (names[each.host_id or 0], view.run.label) for view in overview.runs for each in view.artefacts}


def test_captures_are_put_to_a_host_and_a_run_and_back(project: Project, tmp_path: Path) -> None:
    """All that was read of them goes with them; hosts and runs without captures are not shown."""
    folder = tmp_path / "web01"
    folder.mkdir()
    ids = take(project, *(made.vmstat(folder, f"vm{n}.txt", 30, first_row=100 * n) for n in range(2)))
    sar = take(project, made.sar_day(tmp_path, DAY))
    before, series_before = places(project), queries.list_series(project)
    assert before["vm0.txt"] == ("unknown", "r")
    correction = Correction(host=" db1\n", run="tuned", phase=Phase.AFTER, interval_s=5)
    [number] = resolution.correct(project, [*ids, *sar], correction)
    assert set(places(project).values()) == {("db1", "tuned")}
    [view] = projects.overview(project).runs
    assert (view.run.phase, view.host_names) == (Phase.AFTER, ("db1",))
    assert {(each.host, each.run) for each in queries.list_series(project)} == {("db1", "tuned")}
    needs = [artefacts.find_artefact(project, id_).ledger.needs for id_ in ids]
    assert needs == [("start", "zone"), ("start", "zone")], "the host is no question any more, nor the interval"
    resolution.take_back(project, number)
    assert places(project) == before
    again = queries.list_series(project)
    assert [
        replace(each, id=old.id, run_id=old.run_id, clock_id=old.clock_id)
        for each, old in zip(again, series_before, strict=True)
    ] == series_before
    resolution.renew(project, number)
    assert set(places(project).values()) == {("db1", "tuned")}


def test_a_host_said_later_stays_when_an_earlier_word_is_taken_back(project: Project, tmp_path: Path) -> None:
    ids = vmstats(project, tmp_path)
    [first] = resolution.correct(project, ids, Correction(host="web01"))
    resolution.correct(project, ids[:1], Correction(host="web02"))
    resolution.take_back(project, first)
    assert places(project) == {"vm0.txt": ("web02", "r"), "vm1.txt": ("db1", "r")}


def test_the_whole_text_goes_where_all_that_was_read_of_it_goes(project: Project) -> None:
    session = Path(__file__).resolve().parents[2] / "fixtures/sections/collect_script.txt"
    report = imports.import_captures(project, [session], ImportOptions(run="r"))
    parts = [file.artefact_id or 0 for file in report.files if file.state == "imported"]
    resolution.correct(project, parts, Correction(host="db1", run="before"))
    assert set(places(project).values()) == {("db1", "before")} and len(places(project)) == len(parts) + 1


# --- by an event
def test_a_capture_without_times_is_aligned_by_an_event(project: Project, tmp_path: Path) -> None:
    path = made.vmstat(tmp_path, "vm.txt", 40, spike_at=20)
    ids = take(project, path, host="db1")
    (capture,) = the_host(project).captures
    peaks = [mark for mark in resolution.landmarks(project, 1) if mark.kind == "peak"]
    seen = peaks[0].time_ns
    assert (seen, peaks[0].text) == (capture.times.first_ns + 20 * S, "us 95")
    really = seoul("2026-07-20 14:32:05")
    correction = resolution.aligned([capture], seen, really)
    resolution.correct(project, ids, correction)
    assert spans(project, ids)[0][0] == capture.times.first_ns + really - seen
    moved = [mark for mark in resolution.landmarks(project, 1) if mark.kind == "peak"]
    assert moved[0].time_ns == really


def test_stamps_without_zone_are_aligned_by_their_zone(project: Project, tmp_path: Path) -> None:
    take(project, made.sar_day(tmp_path, DAY))
    (capture,) = the_host(project).captures
    first = capture.times.first_ns
    assert resolution.aligned([capture], first, first + 9 * HOUR_NS) == Correction(zone="UTC")
    assert resolution.aligned([capture], first, first + HOUR_NS) == Correction(zone="Etc/GMT-8")
    with pytest.raises(UserError, match="align_impossible"):
        resolution.aligned([capture], first, first + 7 * 60 * S)


# --- pure
def capture_of(start: str = "2026-07-19 09:00:00", zone: str = "Asia/Seoul") -> CaptureTimes:
    first = to_ns(datetime.fromisoformat(start), zone)
    assumed = {"start": Assumption("start", start, "mtime"), "interval_s": Assumption("interval_s", "1", "default")}
    return CaptureTimes(1, zone, "engagement", first, first + 60 * S, 1.0, assumed, {}, ("start", "interval_s"))


@given(st.integers(-500, 500), st.integers(1, 3600))
def test_a_shift_moves_a_capture_by_just_that(minutes: int, interval_s: int) -> None:
    capture = capture_of()
    correction = Correction(shift_ns=minutes * 60 * S, interval_s=interval_s)
    truths = truths_of([capture], correction)[1]
    first, last = placed(capture, truths)
    assert first - capture.first_ns == minutes * 60 * S
    assert last - first == 60 * S * interval_s


@given(st.sampled_from(["Asia/Seoul", "America/New_York", "Asia/Kolkata", "UTC"]), st.integers(-20, 20))
def test_the_zone_for_a_shift_shifts_by_it(zone: str, hours: int) -> None:
    capture = capture_of(zone=zone)
    found = zone_for_shift(capture, hours * HOUR_NS)
    if found:
        moved = to_ns(capture.local_first, found)
        assert moved - capture.first_ns == hours * HOUR_NS


def test_a_capture_without_samples_has_no_time() -> None:
    from tunebench.domain.ledger import Ledger

    assert times_of(1, Ledger(), {}) is None


def test_the_days_of_files_without_a_date_move_together() -> None:
    def dated(number: int, day: str) -> CaptureTimes:
        first = to_ns(datetime.fromisoformat(day), "UTC")
        return CaptureTimes(
            number,
            "UTC",
            "user",
            first,
            first + HOUR_NS,
            60.0,
            {"date": Assumption("date", day, "mtime")},
            {},
            ("date",),
        )

    captures = [dated(1, "2026-11-21"), dated(2, "2026-11-22")]
    truths = truths_of(captures, Correction(first_day=date(2007, 7, 19)))
    assert truths == {1: {"date": "2007-07-19"}, 2: {"date": "2007-07-20"}}
    assert placed(captures[1], truths[2])[0] == to_ns(datetime(2007, 7, 20), "UTC")
    by_event = truths_of(captures, Correction(shift_ns=-2 * 24 * HOUR_NS + 5 * S))
    assert by_event == {1: {"date": "2026-11-19"}, 2: {"date": "2026-11-20"}}
    assert timedelta(days=1) == datetime(2026, 11, 20) - datetime(2026, 11, 19)
    assert assembly.shift_words(-2 * 24 * HOUR_NS) == "-2d"
