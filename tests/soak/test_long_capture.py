"""Ten minutes of the default Linux set against a real server, with everything going wrong in the middle.

The sessions are killed, the server is frozen, the network is cut off (where root), and the program itself is killed and
resumed. Afterwards the project must be whole, show exactly those gaps with their causes, hold every sample once, and
agree with what the same tools recorded here without TuneBench.

What "agree" means is reasoned in `tests.e2e.agreement`: both recordings read the same counters of /proc out of step, so
single seconds differ by any factor, while the sums over a stretch of samples are bounded by the other recording's sums
over a little less and a little more time, however busy the machine. vmstat's counts (cs, in) have to fit exactly; shares
of time may miss what intervals were longer than a second; rates of iostat and mpstat, which are divided by an interval
that is not printed, may miss a tenth. Once every 13 seconds there are many context switches, so that samples that were
filed under another time would be seen; the test makes sure of that by moving them.

``make soak``; ``TUNEBENCH_SOAK_S=180`` for a shorter one.
"""

from __future__ import annotations

import json
import os
import shutil
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest

from tests.e2e import network_rig, sshd_rig
from tests.e2e.agreement import EXACT, PERCENT, RATE, Agreement, Allowance, Samples, compare
from tests.e2e.network_rig import Network
from tests.e2e.sshd_rig import Sshd
from tests.program import compose
from tests.soak.long_capture import RECORDERS, STREAMS, Fault, Faults, LocalRecording, Program, marked_processes
from tests.waiting import wait_until
from tunebench.domain.capturing.run import CaptureGap, SessionState, StreamState
from tunebench.domain.ledger import ImportState
from tunebench.domain.series import SeriesInfo
from tunebench.store.project import Project
from tunebench.usecases import browse, projects
from tunebench.usecases.capturing import collecting
from tunebench.usecases.capturing.collecting import SessionDetails

DURATION_S = float(os.environ.get("TUNEBENCH_SOAK_S", "600"))
NS = 1_000_000_000
LONGEST_UNSAID_S = 4
"""The engine calls a stream silent after three intervals; a reading that late is no loss, a longer hole needs a gap."""
SLOWEST_RETURN_S = 60.0
"""A try to connect that is under way (15 s for the banner) and the back-off that follows it."""
COMPARED: tuple[tuple[str, str, str, Allowance], ...] = (
    ("vmstat", "cs", "", EXACT), ("vmstat", "in", "", EXACT), ("vmstat", "us", "", PERCENT),
    ("vmstat", "id", "", PERCENT), ("iostat", "w/s", "device", RATE), ("iostat", "wkB/s", "device", RATE),
    ("mpstat", "%idle", "all", RATE), ("mpstat", "%usr", "all", RATE),
)  # fmt: skip
MISSING = [tool for tool in (*RECORDERS, "sar") if shutil.which(tool) is None]


@dataclass(frozen=True)
class Captured:
    """What came of it, for the checks. `gaps` by probe, in the order of time."""

    project: Project
    details: SessionDetails
    faults: list[Fault]
    local: LocalRecording
    gaps: dict[str, list[CaptureGap]]

    def series(self, tool: str) -> list[SeriesInfo]:
        return [info for info in browse.list_series(self.project, "before") if info.tool == tool]

    def segments(self, info: SeriesInfo) -> list[Samples]:
        """The samples between the gaps; those since boot are left out."""
        data = browse.series_data(self.project, info.id)
        starts_ns = [gap.start_ns for gap in self.gaps[f"linux.{info.tool}"]]
        found: list[list[tuple[int, float]]] = [[] for _ in range(len(starts_ns) + 1)]
        for at_ns, value, boot in zip(data.times_ns, data.values, data.since_boot, strict=True):
            if not boot:
                found[sum(start_ns < at_ns for start_ns in starts_ns)].append((int(at_ns) // NS, float(value)))
        return list(found)


def own_network() -> Network | None:
    """Where there can be none, everything but the cut is played, and the output says so."""
    reason = network_rig.missing()
    try:
        if not reason:
            return Network()
    except RuntimeError as failure:  # a container may forbid it even to root
        reason = str(failure)
    print(f"the network is not cut off: {reason}")
    return None


@pytest.fixture
def world(tmp_path: Path) -> Iterator[tuple[Sshd, Network | None]]:
    reason = sshd_rig.missing() or (f"not installed: {', '.join(MISSING)}" if MISSING else "")
    if reason:
        pytest.skip(reason)
    with ExitStack() as stack:
        network = own_network()
        if network is not None:
            stack.callback(network.remove)
        sshd = Sshd(network.address, network.prefix) if network else Sshd()
        stack.callback(sshd.remove)
        yield sshd.start(), network


@pytest.mark.soak
def test_ten_minutes_with_everything_going_wrong(tmp_path: Path, world: tuple[Sshd, Network | None]) -> None:
    sshd, network = world
    program = Program(tmp_path, sshd)
    with LocalRecording(tmp_path) as local:
        program.capture(DURATION_S)
        faults = Faults(program, sshd, network, DURATION_S)
        try:
            faults.play()
            code = program.finish(DURATION_S + 120)
        finally:
            program.kill()
    said = (tmp_path / "program.log").read_text()
    assert code == 0, said[-3000:]
    assert "{" not in said, "a sentence was not filled in"
    assert wait_until(lambda: not sshd.account_pids(), 5.0), "something of the sessions is left on the server"
    program.run("check", program.project)
    compose()
    project = projects.open_(program.project, read_only=True)
    try:
        captured = read_back(project, faults.played, local)
        agreement = compare_all(captured)
        figures = {
            "gaps": shown_gaps(captured),
            "samples": check_samples(captured),
            "agreement": agreement,
            "server_cpu_pct": server_cpu_pct(captured),
            "program_until_killed": {"peak_mb": round(faults.peak_mb, 1), "cpu_s": faults.cpu_s},
        }
        (tmp_path / "figures.json").write_text(json.dumps(figures, indent=1))
        print(json.dumps(figures, indent=1))
        check_gaps(captured)
        check_streams(captured)
        assert not marked_processes(captured.details.plan.nonce)
        assert not {name: found for name, found in agreement.items() if found["contradictions"]}
        check_that_moved_samples_would_be_seen(captured)
    finally:
        projects.close(project)


def read_back(project: Project, faults: list[Fault], local: LocalRecording) -> Captured:
    (session,) = collecting.list_sessions(project)
    details = collecting.details(project, session.id)
    gaps = {
        probe: sorted(
            (gap for gap in details.gaps if details.plan.command(gap.stream).probe == probe),
            key=lambda gap: gap.start_ns,
        )
        for probe in {command.probe for command in details.plan.commands}
    }
    return Captured(project, details, faults, local, gaps)


# --- gaps


def check_gaps(captured: Captured) -> None:
    """One gap per fault in every stream, of its cause, around its time, and nothing else missing."""
    for probe in STREAMS:
        gaps = captured.gaps[probe]
        assert len(gaps) == len(captured.faults), (probe, gaps)
        for gap, fault in zip(gaps, captured.faults, strict=True):
            assert gap.cause in fault.causes, (probe, fault.name, gap)
            assert gap.end_ns is not None, (probe, fault.name)
            begin_s, end_s = gap.start_ns / NS, gap.end_ns / NS
            assert fault.began_s - LONGEST_UNSAID_S < begin_s < fault.began_s + 2, (probe, fault, begin_s)
            assert fault.ended_s - 2 < end_s < fault.ended_s + SLOWEST_RETURN_S, (probe, fault, end_s)
    elsewhere = {probe: gaps for probe, gaps in captured.gaps.items() if len(gaps) > len(captured.faults)}
    assert not elsewhere


def shown_gaps(captured: Captured) -> list[dict[str, object]]:
    return [
        {
            "fault": fault.name,
            "lasted_s": round(fault.ended_s - fault.began_s, 1),
            "probe": probe,
            "cause": str(gap.cause),
            "gap_s": round(((gap.end_ns or 0) - gap.start_ns) / NS, 1),
            "evidence": gap.evidence,
        }
        for probe in STREAMS
        for gap, fault in zip(captured.gaps[probe], captured.faults, strict=False)
    ]


def check_streams(captured: Captured) -> None:
    assert captured.details.session.state is SessionState.FINISHED
    for stream in captured.details.streams:
        assert stream.leftovers == "none", stream
        assert stream.state is StreamState.VERIFIED, stream
        if captured.details.plan.command(stream.command_id).probe in STREAMS:
            assert stream.artefact_id is not None, stream
            artefact = projects.find_artefact(captured.project, stream.artefact_id)
            assert artefact.state is ImportState.IMPORTED, artefact
            assert artefact.ledger.lines.balanced, artefact


# --- samples


def check_samples(captured: Captured) -> dict[str, dict[str, object]]:
    """Each once, none inside a gap, and none missing outside."""
    figures: dict[str, dict[str, object]] = {}
    for probe in STREAMS:
        tool = probe.removeprefix("linux.")
        clocks: dict[int, list[SeriesInfo]] = {}
        for info in captured.series(tool):
            clocks.setdefault(info.clock_id, []).append(info)
        assert clocks, tool
        for series in clocks.values():
            times_ns = [int(at) for at in browse.series_data(captured.project, series[0].id).times_ns]
            assert not doubled(captured.project, series, tool == "vmstat"), (tool, series[0].table)
            inside = [at for at in times_ns for gap in captured.gaps[probe] if gap.start_ns < at < (gap.end_ns or at)]
            assert not inside, (tool, series[0].table, inside)
            figures[f"{tool} {series[0].table}"] = samples_of(captured.segments(series[0]), len(times_ns))
    return figures


def doubled(project: Project, series: list[SeriesInfo], sleeps: bool) -> list[object]:
    """Samples that came twice: the same stamp and the same values.

    Two that are stamped alike may differ only where the tool is woken by an alarm and reads close to the change of
    seconds; one that sleeps a second after each sample (`sleeps`) cannot be early.
    """
    columns = [browse.series_data(project, info.id) for info in series]
    common = [column for column in columns if len(column.times_ns) == len(columns[0].times_ns)]
    stamps = list(map(int, columns[0].times_ns))
    rows = stamps if sleeps else list(zip(stamps, *(map(float, column.values) for column in common), strict=True))
    return [row for row, times in Counter(rows).items() if times > 1]


def samples_of(segments: list[Samples], samples: int) -> dict[str, object]:
    steps = [two[0] - one[0] for segment in segments for one, two in pairwise(segment)]
    assert max(steps) <= LONGEST_UNSAID_S, steps
    lengths = [len(segment) for segment in segments]
    return {"samples": samples, "segments": lengths, "longest_step_s": max(steps), "late": sum(s > 1 for s in steps)}


# --- values


def compare_all(captured: Captured) -> dict[str, dict[str, object]]:
    figures: dict[str, dict[str, object]] = {}
    for tool, native, device, allowance in COMPARED:
        for info in captured.series(tool):
            if info.native == native and (device != "all" or "all" in info.attributes.values()):
                named = info.attributes.get("device", device)
                found = compare(captured.segments(info), captured.local.samples(tool, native, named), allowance)
                assert found.stretches, (tool, native, named)
                figures[f"{tool} {native} {named}".strip()] = shown(found)
    assert len(figures) >= len(COMPARED), sorted(figures)
    return figures


def shown(found: Agreement) -> dict[str, object]:
    return {
        "captured": round(found.captured, 1),
        "local": round(found.local, 1),
        "difference_pct": round(100 * found.difference, 2),
        "stretches": found.stretches,
        "contradictions": found.contradictions[:5],
    }


def check_that_moved_samples_would_be_seen(captured: Captured) -> None:
    info = next(info for info in captured.series("vmstat") if info.native == "cs")
    local = captured.local.samples("vmstat", "cs")
    for seconds in (-7, 7):
        moved = [[(at + seconds, value) for at, value in segment] for segment in captured.segments(info)]
        assert compare(moved, local, EXACT).contradictions, "a clock that is wrong would not be noticed"


def server_cpu_pct(captured: Captured) -> dict[str, float]:
    """Processor time of each command over the time it ran, as its wrapper reported it; ends that came only."""
    found: dict[str, float] = {}
    for command_id, segments in captured.details.segments.items():
        whole = [
            (one.cpu_s, (one.ended_ns - one.began_ns) / NS)
            for one in segments
            if one.cpu_s is not None and one.ended_ns is not None and one.began_ns is not None
        ]
        if whole and captured.details.plan.command(command_id).interval_s is not None:
            found[command_id] = round(100 * sum(cpu for cpu, _ in whole) / sum(s for _, s in whole), 3)
    return found
