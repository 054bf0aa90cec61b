"""A small cycle with every kind of record, whose parts name each other."""

from __future__ import annotations

from tunebench.domain.cycle.book import CycleEdit, Record, RecordChange
from tunebench.domain.cycle.evidence import Evidence, EvidenceKind, EvidenceTarget
from tunebench.domain.cycle.records import (
    Attachment,
    Cause,
    CauseDomain,
    Confidence,
    Contact,
    CustomerIssue,
    DailyWindow,
    Equality,
    ExperimentSource,
    Figure,
    Iteration,
    Metric,
    Question,
    Result,
    ResultSummary,
    SeriesSource,
    Step,
    StepNumber,
    SystemInScope,
    SystemKind,
    Target,
    Term,
)
from tunebench.domain.cycle.seals import Amendment, Seal
from tunebench.domain.cycle.worksheet import (
    Action,
    Basis,
    ChangeMode,
    Consent,
    Decision,
    ExecutedChange,
    Impact,
    InForce,
    Level,
    ParameterChange,
    Resource,
    Risk,
    Rollback,
    Verification,
)
from tunebench.domain.engagement import Direction
from tunebench.domain.translations import Translation
from tunebench.domain.windows import Exclusion, Occurrence, Window, WindowLoad, WindowRole

SOURCE = SeriesSource("db1", "iostat", "svc_t", "system.disk.wait_time", (("device", "ssd2"),))
WORKSHEET = Action(
    -11,
    -2,
    "maxcontig 128",
    changes=(
        ParameterChange("maxcontig", "6", "128", "/data", ChangeMode.REBUILD),
        ParameterChange("maxphys", "", "1048576"),
    ),
    hypothesis="연속 쓰기가 한 번에 나감",
    cause_ids=(-10,),
    finding="X-DSK-01",
    impacts=(
        Impact(Resource.DISK_THROUGHPUT, 2, 3.0, 3.77, 4.0, "x", Basis.FOUNDING, "000 4.4"),
        Impact(Resource.CPU, -1, None, 10.7, None, "%", Basis.MEASURED, evidence_ids=(-14,)),
    ),
    risks=(
        Risk(
            "임의 읽기 증폭",
            Level.LOW,
            Level.HIGH,
            "svc_t",
            translations=(Translation("text", "en", "Random reads are amplified", "임의 읽기 증폭"),),
        ),
    ),
    rollback=Rollback("tunefs -a 6 /data", 5.0, "유휴 시간", "2007-07-20", "이영진"),
    verifications=(Verification(-7, 10.0),),
    consents=(Consent("DBA", "박과장", Decision.APPROVED, "2007-07-21T10:00:00+09:00", "문서 12", "결재 2007-118"),),
)
SEALED = "20.0 s"
SEALED_SHA256 = "59fef0abe51eddc8df98c3373c54e985660a8bbc13a90844faa75608a464c72c"


KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOddBcLfAwI1mrmVjIUf+Q17w3j3m0yB7weYnNw6R4Ue"
"""Public line of somebody's key."""


def records(run_id: int, sha256: str) -> tuple[Record, ...]:
    """One of every kind, with negative ids by which they name each other."""
    return (
        CustomerIssue(
            -1,
            1,
            "상담 화면이 느림",
            "09시부터 12시까지 느림",
            reported_on="2007-07-19",
            translations=(Translation("title", "en", "The call screen is slow", "상담 화면이 느림"),),
        ),
        Iteration(-2, 1, "1차", opened_on="2007-07-19"),
        SystemInScope(-3, SystemKind.HOST, "db1", "운영 DB", "E4500", host="db1"),
        Contact(-4, "박과장", "OOO", "DBA", "02-000-0000", "dba@example.com", approver_key=KEY),
        Term(-5, "병목", "bottleneck"),
        Step(-6, -2, StepNumber.METRICS, owner="이영진"),
        Metric(
            -7,
            -2,
            "ssd2 응답시간",
            SOURCE,
            "p95",
            "ms",
            Direction.LOWER,
            window=DailyWindow("09:00", "12:00"),
            guards=-11,
            resource="disk_latency",
        ),
        Question(-8, -2, StepNumber.CAUSES, "야간 배치와 겹치는가?", "강경구", owner="박과장", due_on="2007-07-30"),
        Target(-9, -2, -7, Figure(137.8, run_id=run_id, samples=240, evidence_id=-14), 30.0, 1),
        Cause(-10, -2, CauseDomain.SYSTEM, "작은 쓰기", confidence=Confidence.HIGH, share_pct=62.5, issue_ids=(-1,)),
        WORKSHEET,
        ExecutedChange(-12, -11, "maxcontig", "6", "128", "2007-07-22T02:00:00+09:00", "이영진", in_force=InForce.YES),
        Result(-13, -2, -7, Figure(None, "<", run_id, source="튜닝 후", window_id=-17)),
        Evidence(
            -14,
            0,
            "튜닝 전 ssd2",
            EvidenceTarget(EvidenceKind.WINDOW, run_id, None, (1,), ("db1|iostat|svc_t|device=ssd2",), 1, 2),
            (-10,),
        ),
        ResultSummary(
            -15, -2, "disk_latency", "cpu", "측정", "", "", Equality.SAME, "박과장", "2007-07-29", "주문 전체"
        ),
        Attachment(-16, -2, StepNumber.PROBLEM, "면담.txt", sha256, 4),
        Window(
            -17,
            "업무 집중 시간",
            WindowRole.BEFORE,
            WindowLoad.CONTROLLED,
            ("db1",),
            (Occurrence(1, 900, run_id), Occurrence(1000, 1900)),
            (Exclusion(100, 200, "야간 배치"),),
            "Europe/Berlin",
        ),
        Seal(-18, -2, "action.11", SEALED, SEALED_SHA256, "2007-07-21T01:00:00+00:00", "박과장"),
        Amendment(
            -19,
            -2,
            1,
            "target.9",
            "",
            "value",
            "20.0",
            "30.0",
            "고객이 목표를 고침",
            "이영진",
            "2007-07-23T01:00:00+00:00",
            True,
        ),
        Metric(-20, -2, "mkfile", ExperimentSource(1, "real_s", "cold"), "mean", "s", Direction.LOWER),
        Result(-21, -2, -20, Figure(28.87, samples=4, cell=("128",))),
    )


def adding(*made: Record, name: str = "add") -> CycleEdit:
    return CycleEdit(name, tuple(RecordChange(None, record) for record in made))


def changing(before: Record, after: Record) -> CycleEdit:
    return CycleEdit("change", (RecordChange(before, after),))


def removing(*gone: Record) -> CycleEdit:
    return CycleEdit("remove", tuple(RecordChange(record, None) for record in gone))
