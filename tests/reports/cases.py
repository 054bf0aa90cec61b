"""Cases the report tests are written for: the published one and one made of captures."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.reports.database_cases import DAY_NS, START_NS, database_case
from tunebench.analysis.comparing.comparison import ComparedSeries
from tunebench.analysis.statistics import Statistics, describe_values
from tunebench.domain.engagement import Direction, Engagement, Host, Kind, Measurement, Phase, Section
from tunebench.domain.ledger import Assumption, ImportState, Ledger, LineCounts, SkippedLines
from tunebench.domain.series import SeriesInfo
from tunebench.reporting.cases.analysis import Judged
from tunebench.reporting.cases.case import (
    EvidenceEntry,
    ImportRecord,
    ResourceSeries,
    RunWindow,
    SeriesSide,
    SuccessCase,
)

_ISSUES_KO = (
    "Application에서 요구하는 데이터 처리(SQL) 프로그램의 Access가 비효율적인 패턴을 보임.",
    "고가용성 시스템으로 구축되지 않음.",
    "RDBMS가 개발 단계부터 통계정보가 없음.",
    "업그레이드된 서버의 자원(CPU, Memory, Disk I/O)에 맞게 DBMS가 최적화되지 않음.",
    "Index 전략 부재(결합 인덱스 전략 없이 Single Index로 구성된 사례 많음).",
    "향후 데이터가 늘어날 경우를 대비한 부분범위 처리 형태의 SQL 전략 없음.",
)
_ISSUES_EN = (
    "The data-processing (SQL) programs the application calls access data in an inefficient pattern.",
    "The system was not built for high availability.",
    "The RDBMS has had no optimizer statistics since development.",
    "The DBMS is not tuned to the resources (CPU, memory, disk I/O) of the upgraded server.",
    "There is no index strategy: many single-column indexes, no composite ones.",
    "There is no partial-range SQL strategy for the time when the data grow.",
)
_APPROACH_KO = (
    "효율적인 access 패턴을 위한 SQL tuning 및 index tuning 진행.",
    "Rule base 사용을 기반으로 하는 tuning 계획 수립 진행.",
    "부분범위 처리 형태로 프로그램(SQL) 튜닝.",
    "로그성 데이터의 주기적인 cleansing을 위한 range partition의 검토와 parallel processing에 대한 검증 및 도입이 요구됨.",
)
_APPROACH_EN = (
    "SQL and index tuning for efficient access patterns.",
    "A tuning plan based on the rule-based optimizer in use.",
    "Programs (SQL) tuned to partial-range processing.",
    "Range partitions for regular cleansing of log data to be examined; parallel processing to be verified and introduced.",
)
_IMPROVEMENT_KO = (
    (
        "각종 wait event 비율이 현저히 감소하였으며 CPU 자원 사용량 감소와 불필요한 disk I/O 제거를 통하여 database 전반에 걸친 "
        "resource 사용량 감소, system performance 향상에 영향을 주었습니다."
    ),
)
_IMPROVEMENT_EN = (
    (
        "The share of wait events fell markedly; lower CPU use and the removal of needless disk I/O reduced resource use "
        "across the database and improved system performance."
    ),
)
_OUTLOOK_KO = (
    "현재 데이터 증가 추이로 볼 때 향후 3년 정도는 무난히 사용할 수 있을 것으로 보임.",
    "추가적 지속적인 tuning 시 system(hardware) life time을 5년까지 유지시킬 수 있음.",
    "데이터가 현재보다 2배 이상으로 증가하거나 대량의 데이터를 가공하여 통계를 생성하는 작업이 많아진다면 I/O 성능 개선은 꼭 필요할 것으로 보임.",
)
_OUTLOOK_EN = (
    "At the present growth of data the system should serve well for about three more years.",
    "With continued tuning the life of the hardware can be extended to five years.",
    "If the data more than double, or bulk statistics jobs become frequent, I/O performance must be improved.",
)


def published_case(language: str = "ko") -> SuccessCase:
    """The success case as it was published: texts and figures, nothing captured."""
    korean = language == "ko"
    narrative = {
        Section.ISSUE: _ISSUES_KO if korean else _ISSUES_EN,
        Section.APPROACH: _APPROACH_KO if korean else _APPROACH_EN,
        Section.IMPROVEMENT: _IMPROVEMENT_KO if korean else _IMPROVEMENT_EN,
        Section.OUTLOOK: _OUTLOOK_KO if korean else _OUTLOOK_EN,
    }
    return SuccessCase(
        engagement=Engagement(
            title="Pro-Active Tuning 성공사례" if korean else "Pro-Active Tuning Success Case",
            customer="OOO 상담원" if korean else "OOO Counselling Agency",
            firm="Goodus",
            consultants=("홍길동", "김튜닝"),
            period_start="2007-07-19",
            period_end="2007-07-26",
            language=language,
            confidentiality="대외비" if korean else "Confidential",
        ),
        narrative=narrative,
        measurements=published_measurements(korean),
        issued="2007-08-01",
        program_version="0.1.0",
    )


def published_measurements(korean: bool) -> tuple[Measurement, ...]:
    lower = Direction.LOWER
    page_28 = "성공사례 28쪽" if korean else "success case, page 28"
    page_29 = "성공사례 29쪽" if korean else "success case, page 29"
    days: dict[str, Any] = {"before_date": "2007-07-19", "after_date": "2007-07-26"}
    return (
        Measurement(
            "logical_io_mean",
            "초당 논리 I/O",
            "Logical I/O",
            "{block}/s",
            "mean",
            lower,
            200_000,
            20_000,
            source=page_29,
            **days,
        ),
        Measurement(
            "response_time",
            "SQL 응답시간",
            "SQL response time",
            "s",
            "total",
            lower,
            590.997,
            33.17,
            decimals=3,
            source=page_28,
        ),
        Measurement(
            "block_access",
            "블록 액세스량",
            "Block accesses",
            "{block}",
            "total",
            lower,
            37_539_159,
            841_817,
            source=page_28,
        ),
        Measurement(
            "cpu_peak",
            "CPU 사용률",
            "CPU utilisation",
            "%",
            "max",
            lower,
            95,
            20,
            after_bound="<",
            source=page_28,
            **days,
        ),
        Measurement(
            "logical_io_peak",
            "초당 논리 I/O",
            "Logical I/O",
            "{block}/s",
            "max",
            lower,
            800_000,
            110_000,
            after_bound="<",
            source=page_29,
            **days,
        ),
    )


def _side(run: str, day: int, values: NDArray[np.float64], interval_s: float, evidence: str) -> SeriesSide:
    start = START_NS + day * DAY_NS
    return SeriesSide(
        run,
        np.arange(len(values), dtype=np.float64) * interval_s,
        values,
        describe_values(values),
        f"2007-07-{19 + day}",
        start,
        start + int(len(values) * interval_s * 1e9),
        interval_s,
        (evidence,),
    )


def _day_curve(height: float, floor: float, noise: float, n: int, seed: int) -> NDArray[np.float64]:
    rng = np.random.default_rng(seed)
    hours = np.arange(n) / n * 24
    curve = floor + height * np.exp(-(((hours - 13) / 4.2) ** 2)) + rng.normal(0, noise, n)
    return np.asarray(np.clip(curve, 0, None), dtype=np.float64)


def captured_series() -> tuple[ResourceSeries, ...]:
    n, step = 2880, 30.0
    few, wide = 288, 300.0
    cpu_before = np.clip(_day_curve(68, 24, 4, n, 1), 0, 95)
    cpu_after = np.clip(_day_curve(14, 4, 1, n, 2), 0, 19.5)
    cpu_before[1200:1260] = np.nan
    reads_before, reads_after = _day_curve(600_000, 90_000, 40_000, few, 3), _day_curve(70_000, 9_000, 6_000, few, 4)
    disk_before, disk_after = _day_curve(120, 9, 9, few, 5), _day_curve(11, 3, 1, few, 6)
    lower, neutral = Direction.LOWER, Direction.NEUTRAL
    return (
        ResourceSeries(
            "cpu",
            "CPU us+sy",
            "%",
            "db01",
            lower,
            _side("before 07-19", 0, cpu_before, step, "E-1"),
            _side("after 07-26", 7, cpu_after, step, "E-2"),
            axis_maximum=100.0,
        ),
        ResourceSeries(
            "logical_io",
            "session logical reads",
            "{block}/s",
            "db01",
            neutral,
            _side("before 07-19", 0, reads_before, wide, "E-3"),
            _side("after 07-26", 7, reads_after, wide, "E-4"),
        ),
        ResourceSeries(
            "disk",
            "ssd2 svc_t",
            "ms",
            "db01",
            lower,
            _side("before 07-19", 0, disk_before, wide, "E-1"),
            _side("after 07-26", 7, disk_after, wide, "E-2"),
        ),
        ResourceSeries(
            "memory", "sr", "{page}/s", "db01", lower, _side("before 07-19", 0, disk_before, wide, "E-1"), None
        ),
    )


def compared(
    label: str,
    unit: str,
    direction: Direction,
    before: Statistics | None,
    after: Statistics | None,
    windows: tuple[tuple[int, int], tuple[int, int]] = ((START_NS, START_NS + DAY_NS),) * 2,
    **figures: Any,
) -> ComparedSeries:
    """One series of db01, by the tool that its label begins with."""
    parts = [
        (_info(label, unit, direction, window),) if side else ()
        for side, window in zip((before, after), windows, strict=True)
    ]
    return ComparedSeries(parts[0], parts[1], before, after, **{"ratio": None, "reason": "", **figures})


def _info(label: str, unit: str, direction: Direction, window: tuple[int, int]) -> SeriesInfo:
    tool, _, native = label.partition(" ")
    return SeriesInfo(
        id=1,
        run_id=1,
        run="run",
        host_id=1,
        host="db01",
        artefact_id=1,
        clock_id=1,
        tool=tool,
        table="",
        native=native,
        metric="",
        unit=unit,
        kind=Kind.GAUGE,
        direction=direction,
        to_base=1.0,
        base_unit=unit,
        count=1,
        missing=0,
        first_ns=window[0],
        last_ns=window[1],
        interval_s=None,
    )


def _comparison(series: tuple[ResourceSeries, ...]) -> tuple[Judged, ...]:
    return tuple(
        Judged(
            compared(
                f"vmstat {item.label}",
                item.unit,
                item.direction,
                item.before.summary if item.before else None,
                item.after.summary if item.after else None,
            ),
            before_evidence=("E-1",),
            after_evidence=("E-2",) if item.after else (),
        )
        for item in series
        for _ in range(6)
    )


def _ledger(lines: LineCounts, skipped: tuple[SkippedLines, ...] = ()) -> Ledger:
    return Ledger(
        tool="iostat",
        hostname="db01",
        zone="Asia/Seoul",
        zone_source="user",
        lines=lines,
        skipped=skipped,
        samples=2880,
        gaps=1,
        restarts=0,
        assumptions=(Assumption("zone", "Asia/Seoul", "user"),),
    )


def captured_case(language: str = "ko", *, texts: bool = True) -> SuccessCase:
    """A case with statements, series and files; without narrative where `texts` is off."""
    base = published_case(language)
    series = captured_series()
    files = (
        "iostat_before.txt",
        "iostat_after.txt",
        "sysstat_before.txt",
        "sysstat_after.txt",
        "awr_before.txt",
        "awr_after.txt",
    )
    evidence = tuple(
        EvidenceEntry(
            f"E-{place}",
            f"captures/db01/{name}",
            f"{place:x}" * 64,
            "db01",
            "before" if place % 2 else "after",
            START_NS,
            START_NS + DAY_NS,
            30.0,
            2880 * place,
            1,
            12_000 + place,
            "solaris_stat.iostat",
            "1.0.0",
        )
        for place, name in enumerate(files, 1)
    )
    imports = tuple(
        ImportRecord(
            entry.key,
            entry.file,
            ImportState.IMPORTED,
            _ledger(LineCounts(12_004, 11_520, 480, 2, 2), (SkippedLines("garbled", 2, 733, "ssd2 0.0 @@@"),)),
        )
        for entry in evidence
    )
    return SuccessCase(
        engagement=base.engagement,
        narrative=base.narrative if texts else {},
        databases=(database_case(),),
        hosts=(Host(1, "db01", "SunOS", "5.10", "Asia/Seoul", "user"),),
        runs=(
            RunWindow("before 07-19", Phase.BEFORE, START_NS, START_NS + DAY_NS, ("db01",), 3, 30.0, "118 tps"),
            RunWindow(
                "after 07-26", Phase.AFTER, START_NS + 7 * DAY_NS, START_NS + 8 * DAY_NS, ("db01",), 3, 30.0, "121 tps"
            ),
        ),
        series=series,
        comparison=_comparison(series),
        evidence=evidence,
        imports=imports,
        issued="2007-08-01",
        program_version="0.1.0",
    )
