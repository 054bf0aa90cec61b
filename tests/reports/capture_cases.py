"""A case that was captured live: two sessions, gaps, clocks, configuration, audit trail."""

from __future__ import annotations

from dataclasses import replace

from tests.reports.cases import captured_case
from tests.reports.database_cases import DAY_NS, START_NS
from tunebench.reporting.cases.capture import (
    AuditLine,
    AuditTrail,
    CapturedGap,
    CapturedSession,
    CapturedStream,
    ClockReading,
    FactChange,
    FactComparison,
    HostOverhead,
    LiveCapture,
)
from tunebench.reporting.cases.case import SuccessCase

SECOND_NS = 1_000_000_000
HOUR_NS = 3600 * SECOND_NS
DIGEST = "5f" * 32


def streams(host: str = "db01") -> tuple[CapturedStream, ...]:
    return (
        CapturedStream(
            host,
            "linux.vmstat",
            "vmstat -n -t -w 1 3600",
            "verified",
            1.0,
            3550,
            98.6,
            2,
            3,
            "procps-ng 4.0.2",
            6.84,
            3600.0,
            412_000,
            "none",
            "E-1",
        ),
        CapturedStream(
            host,
            "linux.iostat",
            "iostat -x -t -k 1 3600",
            "verified",
            1.0,
            3600,
            100.0,
            0,
            1,
            "sysstat 12.6.1",
            5.4,
            3600.0,
            1_908_000,
            "none",
            "E-2",
        ),
        CapturedStream(
            host,
            "linux.inventory",
            "t os uname -a; t cpu lscpu",
            "ended",
            None,
            None,
            None,
            0,
            2,
            "",
            None,
            None,
            61_000,
            "none",
            "",
        ),
        CapturedStream(host, "linux.mpstat", "mpstat -P ALL 1 3600", "failed", 1.0, leftovers="none"),
    )


def gaps(host: str = "db01") -> tuple[CapturedGap, ...]:
    start = START_NS + 600 * SECOND_NS
    return (
        CapturedGap(
            host, "linux.vmstat", start, start + 45 * SECOND_NS + SECOND_NS // 2, "network_lost", "prober: 8 s"
        ),
        CapturedGap(host, "linux.vmstat", start + HOUR_NS // 2, None, "client_crash"),
    )


def clocks(host: str = "db01") -> tuple[ClockReading, ...]:
    return (
        ClockReading(host, START_NS, 312_400_000, 1_200_000, "Asia/Seoul"),
        ClockReading(host, START_NS + HOUR_NS, -61_000 * 1_000_000, 900_000, "Asia/Seoul"),
    )


def session(run: str, phase: str, shift_ns: int = 0, *, with_gaps: bool = True) -> CapturedSession:
    return CapturedSession(
        run=run,
        phase=phase,
        label=run,
        state="finished",
        started_ns=START_NS + shift_ns,
        ended_ns=START_NS + shift_ns + HOUR_NS,
        mode="live",
        digest=DIGEST,
        approved_by="김관리",
        approved_ns=START_NS + shift_ns - HOUR_NS,
        approved_how="signed_sheet",
        streams=streams(),
        gaps=gaps() if with_gaps else (),
        clocks=clocks(),
        overheads=(HostOverhead("db01", 7.2, 3600.0, 21),),
    )


CHANGES = (
    FactChange("kernel", "vm.swappiness", "60", "10"),
    FactChange("kernel", "vm.dirty_background_bytes", None, "268435456"),
    FactChange("mount", "/data", "/dev/mapper/vg0-data xfs rw,relatime", "/dev/mapper/vg0-data xfs rw,noatime"),
    FactChange("disk", "sdc", "nvme 1.6T", None),
)


def comparisons() -> tuple[FactComparison, ...]:
    before, after = START_NS + HOUR_NS, START_NS + 7 * DAY_NS
    return (
        FactComparison("db01", "before", "after", before, after, 412, CHANGES, (("limits", "later"),)),
        FactComparison("db02", "before", "after", before, after, 398),
        FactComparison("web01", "before", "after", before, None),
        FactComparison("db01", "before", "before", START_NS, before, 410, CHANGES[:1]),
        FactComparison("db01", "after", "after", after, after + HOUR_NS, 412),
        FactComparison("web01", "after", "after", None, None),
    )


def trail(broken: int | None = None) -> AuditTrail:
    lines = (
        AuditLine(
            1,
            START_NS,
            "hong",
            "plan_approved",
            {
                "approved_by": "김관리",
                "how": "signed_sheet",
                "approved_at": "2007-07-18T23:00:00+00:00",
                "digest": DIGEST,
                "note": "",
            },
        ),
        AuditLine(
            2,
            START_NS + SECOND_NS,
            "hong",
            "capture_command",
            {
                "session_id": 1,
                "host": "db01",
                "command_id": "db01/linux.vmstat",
                "pid": 4711,
                "tool_line": "vmstat -n -t -w 1 3600",
                "verbatim": "exec …",
            },
        ),
        AuditLine(3, START_NS + HOUR_NS, "hong", "an_action_of_the_future", {"host": "db01"}),
    )
    return AuditTrail(lines, 3, "ab" * 32, broken)


def live_case(language: str = "ko") -> SuccessCase:
    live = LiveCapture(
        (session("before", "before"), session("after", "after", 7 * DAY_NS, with_gaps=False)), comparisons(), trail()
    )
    return replace(captured_case(language), live=live)
