"""Blocks of pages that conclude something, as they are meant and as hard as they come, in both languages."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tunebench.reporting.document import (
    BarLevel,
    Block,
    Cell,
    Chip,
    Claim,
    ColumnKind,
    DayDots,
    DayLine,
    DayRow,
    DayTarget,
    DotFigure,
    DotRow,
    GroupedBars,
    LevelLine,
    LevelLines,
    LevelPanel,
    LevelPoint,
    Member,
    MemberGroup,
    NextBox,
    RatioGroup,
    RatioMap,
    RatioRow,
    Role,
    Run,
    Span,
    Spans,
    StackBar,
    StackedSides,
    StackSide,
    Strip,
    Table,
    TableHead,
    TextColumn,
    TextColumns,
    Tone,
    Waterfall,
    WaterfallRow,
)

NAN = float("nan")
LONG_KO = "대한민국 서울특별시 전산센터 통합 데이터베이스 서버 증설분 이중화 예비기"
LONG_EN = "integrated-database-standby-node-of-the-second-data-centre.internal.example.com"


def _noise(count: int, level: float, spread: float, seed: int) -> np.ndarray:
    return level * np.exp(np.random.default_rng(seed).normal(0, spread, count))


def _long(language: str) -> str:
    return LONG_KO if language == "ko" else LONG_EN


# -- words ---------------------------------------------------------------------------------------------


def claim(language: str) -> Claim:
    if language == "ko":
        return Claim(
            (Run("트랜잭션 응답시간 "), Run("363 ms", Role.BEFORE), Run(" → ", Role.MUTED), Run("0.43 ms", Role.AFTER)),
            "물음 — 최대 부하(클라이언트 4개)에서 트랜잭션 응답시간을 1 ms 이하로 낮출 수 있는가?",
            (
                Chip("목표 1 ms보다 낮음 · 판정 보류", Tone.WARNING),
                Chip("개선 1.31배", Tone.STRONG),
                Chip("악화 1건", Tone.BAD),
            ),
            "한 번씩 2분 측정 — 판정에는 10분 이상이 필요하며 실행 간 변동 5 %는 측정한 값이 아니라 가정한 값임",
            ("착수 때보다 839배 짧음 (반복 2의 기준선 → 반복 3의 결과)", "이번 반복만: 0.939 → 0.433 ms, 2.17배"),
        )
    return Claim(
        (Run("Transaction response "), Run("363 ms", Role.BEFORE), Run(" → ", Role.MUTED), Run("0.43 ms", Role.AFTER)),
        "Question — can a transaction at full load (4 clients) be answered within 1 ms?",
        (Chip("below the target of 1 ms · verdict pending", Tone.WARNING), Chip("26: not shown")),
        "one run of 2 minutes each — a verdict takes 10 or more",
        ("839 times shorter than at the start (baseline of iteration 2 → result of iteration 3)",),
    )


def hard_claim(language: str) -> Claim:
    name = _long(language)
    return Claim(
        (Run(f"{name} & <{name}> "), Run("1,234,567.89 ms", Role.BEFORE), Run(" → "), Run(f"{name}0.43", Role.AFTER)),
        name * 3,
        tuple(Chip(f"{name} {number}", tone) for number, tone in enumerate(Tone)) + (Chip(f"{name} {name} {name}"),),
        f"{name} {name}",
        (f"{name} {name} {name}",),
    )


def columns(language: str) -> TextColumns:
    if language == "ko":
        return TextColumns(
            (
                TextColumn(
                    "얼마나 확실한가",
                    (
                        "구간이 한 번씩이고 각각 2분임. 부하 발생기의 판정에는 10분 이상이 필요함.",
                        "부하: 클라이언트 4개로 같음.",
                    ),
                ),
                TextColumn(
                    "치른 대가", ("장애 때 잃을 수 있는 커밋 0 → 최대 600 ms 분량. 허용 한도 600 ms 이내로 유지.",)
                ),
                TextColumn("다음 할 일", ("설정마다 3회, 순서를 섞어 다시 실행하면 판정할 수 있음.",), Tone.STRONG),
            )
        )
    return TextColumns(
        (
            TextColumn("How sure", ("One window each, 2 minutes long.", "Load: 4 clients each.")),
            TextColumn("What next", ("Measure all three again, three runs of 10 minutes each.",), Tone.STRONG),
        )
    )


def hard_columns(language: str) -> TextColumns:
    name = _long(language)
    return TextColumns(tuple(TextColumn(name, (name, f"{name} " * 6), tone) for tone in Tone))


def next_box(language: str) -> NextBox:
    sentence = (
        "다음 할 일 — 세 구간을 10분씩 3회 다시 측정하면 판정할 수 있음."
        if language == "ko"
        else "What next — Measure all three again, three runs of 10 minutes each; then a verdict is possible."
    )
    return NextBox((sentence,), 'capture demo.tune --run "full-load 3" --duration 600')


def hard_next_box(language: str) -> NextBox:
    name = _long(language)
    return NextBox((f"{name} " * 8, name), f'capture "{name}.tune" --run "{name}" --output {"x" * 200}')


def chip_table(language: str) -> Table:
    korean = language == "ko"
    heads = ("서버", "전 → 후", "판정") if korean else ("Host", "before → after", "Verdict")
    words = ("개선", "악화", "판정 보류") if korean else ("improved", "regressed", "undecided")
    columns = (TableHead(heads[0], weight=2), TableHead(heads[1], ColumnKind.NUMBER), TableHead(heads[2]))
    tones = (Tone.STRONG, Tone.BAD, Tone.PLAIN, Tone.WARNING)
    rows = [
        (Cell(f"seoul-db{number:02}"), Cell("18.8 → 22.2 %", 18.8), Cell(word, tone=tone, is_chip=True))
        for number, (word, tone) in enumerate(zip((*words, _long(language)), tones, strict=True))
    ]
    return Table("chips", columns, (*rows, (Cell(_long(language)), Cell("—"), Cell("", is_chip=True))))


# -- figures -------------------------------------------------------------------------------------------


def spans(language: str) -> Spans:
    korean = language == "ko"
    titles = (
        ("처음: 기본 키 없음", "기본 키 복원 뒤", "synchronous_commit = off 뒤")
        if korean
        else ("Start: no primary key", "Primary key restored", "synchronous_commit = off")
    )
    middle = _noise(120, 0.9, 0.2, 2)
    middle[95:99] *= 4
    return Spans(
        "초당 평균 응답시간 (로그 눈금, 120초씩) · 가로선은 트랜잭션 수로 가중한 평균"
        if korean
        else "Mean response per second (log scale, 120 s each) · lines: mean weighted by transactions",
        (
            Span(titles[0], _noise(120, 363, 0.14, 1), 363.0, "363 ms"),
            Span(titles[1], middle, 0.939, "0.939 ms"),
            Span(titles[2], _noise(120, 0.433, 0.2, 3), 0.433, "0.433 ms"),
        ),
        "pgbench progress, dbdemo01, Asia/Seoul.",
        ((1.0, "목표 1 ms" if korean else "target 1 ms"),),
    )


def linear_spans(language: str) -> Spans:
    """Two windows from zero, a stretch that is missing, dense noise over everything."""
    values = _noise(5_000, 40, 0.5, 4)
    values[1_000:2_000] = NAN
    values[0] = 0.0
    after = np.random.default_rng(5).uniform(0, 100, 5_000)
    return Spans(
        _long(language),
        (Span(_long(language), values, 44.1, "44.1 %"), Span(_long(language), after, 50.0, "50.0 %")),
        "linear",
        ((50.0, _long(language)), (20.0, _long(language))),
    )


def hard_spans(language: str) -> Spans:
    name = _long(language)
    missing = "측정되지 않음" if language == "ko" else "not measured"
    return Spans(
        name,
        (
            Span(f"{name} {name}", np.full(50, 1e9), 1e9, "1,000,000,000 ms"),
            Span(name, np.full(10, NAN), None, missing),
            Span(name, np.array([]), 0.001, "0.001 ms"),
            Span("x", np.array([NAN, 3.0, NAN, 4.0]), 3.5, f"3.5 ms {name}"),
        ),
        name,
        ((0.001, name),),
    )


def strip(language: str) -> Strip:
    korean = language == "ko"
    random = np.random.default_rng(8)
    lower = tuple(Member(float(ratio)) for ratio in np.exp(random.normal(np.log(0.61), 0.04, 14)))
    same = tuple(Member(float(ratio)) for ratio in np.exp(random.normal(0.0, 0.03, 25)))
    return Strip(
        "서버마다의 변화 (점 하나가 서버 한 대, 하루 평균 CPU 사용률의 비)"
        if korean
        else "Change of each host (a dot is a host)",
        (
            MemberGroup("14대: 36~43 % 낮아짐" if korean else "14 hosts: 36 to 43 % lower", lower, Role.AFTER),
            MemberGroup(
                "26대: 변화가 입증되지 않음" if korean else "26 hosts: not shown to have changed",
                (*same, Member(0.84, "host14")),
            ),
        ),
        "sar",
        (0.9, 1.1),
        "실질 변화 없음의 폭 ±10 %" if korean else "no practical change ±10 %",
    )


def hard_strip(language: str) -> Strip:
    """All named, all alike but for those of nothing, of a thousandth and of ten thousand times; one unmeasured."""
    name = _long(language)
    named = tuple(Member(1.0, f"{name}-{number:02}") for number in range(40))
    odd = (Member(0.0, f"{name}-0"), Member(0.001, f"{name}-1"), Member(10_000.0, f"{name}-2"), Member(None, "x"))
    return Strip(
        name, (MemberGroup(name, named), MemberGroup(f"{name} {name}", odd, Role.BEFORE)), name, (0.99, 1.01), name
    )


def narrow_strip(language: str) -> Strip:
    group = MemberGroup("12", tuple(Member(1 + number / 1000) for number in range(12)))
    return Strip("narrow", (group,), _long(language))


def ratio_map(language: str) -> RatioMap:
    random = np.random.default_rng(9)
    rows = []
    for number in range(40):
        level = 0.6 if number < 14 else 1.0
        ratios = tuple(float(ratio) for ratio in level * np.exp(random.normal(0, 0.05, 24)))
        rows.append(RatioRow(f"host{number:02}", ratios, "48 → 28 %", f"{100 * (level - 1):+.0f} %"))
    return RatioMap(
        "언제, 어느 서버인가 (행 서버, 열 시각, 색 같은 시각의 비)" if language == "ko" else "When, and which host",
        tuple(f"{hour:02}" for hour in range(24)),
        (RatioGroup(tuple(rows[:14]), Role.AFTER), RatioGroup(tuple(rows[14:]))),
        ("절반", "같음", "두 배") if language == "ko" else ("half", "equal", "double"),
        "sar %idle",
    )


def hard_ratio_map(language: str) -> RatioMap:
    name = _long(language)
    cycle = (0.0, 1e-6, 0.5, 1.0, None, 2.0, 1e6)
    rows = tuple(
        RatioRow(
            f"{name}-{number:02}",
            tuple(cycle[(number + hour) % 7] for hour in range(48)),
            "1,234,567.8 → 0.0001 GiB/s",
            "+123,456,789 %",
        )
        for number in range(40)
    )
    columns = tuple(f"10.12 {hour:02}:30" for hour in range(48))
    groups = (RatioGroup(rows[:1], Role.BEFORE), RatioGroup(rows[1:5], Role.AFTER), RatioGroup(rows[5:]))
    return RatioMap(name, columns, groups, (name[:12], name[:14], name[:16]), name)


def stacks(language: str) -> StackedSides:
    random = np.random.default_rng(10)
    korean = language == "ko"

    def side(title: str, level: float, mean_text: str, out: range) -> StackSide:
        bars = tuple(
            StackBar(
                f"9.{7 + number}",
                tuple(level * share * float(random.uniform(0.9, 1.1)) for share in (0.45, 0.4, 0.06, 0.03, 0.06)),
                number in out,
            )
            for number in range(20)
        )
        return StackSide(title, bars, level, mean_text)

    return StackedSides(
        "평균 활성 세션, 시간대마다 (09시·14시, 각 60분)" if korean else "Average active sessions by hour",
        side(
            "튜닝 전 (9.7-9.18)" if korean else "Before (7 to 18 September)",
            1.45,
            "평균 1.45" if korean else "mean 1.45",
            range(16, 20),
        ),
        side(
            "튜닝 후 (9.21-10.2)" if korean else "After (21 September to 2 October)",
            0.96,
            "평균 0.96" if korean else "mean 0.96",
            range(6, 10),
        ),
        ("CPU", "User I/O", "Commit", "Concurrency", "미분류" if korean else "unclassified"),
        "AWR",
        "비교에서 뺌(추석·짝이 되는 요일)" if korean else "left out of the comparison",
    )


def hard_stacks(language: str) -> StackedSides:
    name = _long(language)
    bars = tuple(
        StackBar(f"{name[:9]} {number}", (1e6, NAN, 0.0, *(1e5,) * 9), number % 5 == 0) for number in range(120)
    )
    classes = tuple(f"{name[:30]} {number}" for number in range(12))
    return StackedSides(name, StackSide(name, bars, 1.9e6, name), StackSide(name, (), None, "—"), classes, name, name)


def waterfall(language: str) -> Waterfall:
    korean = language == "ko"
    before, after = ("튜닝 전", "튜닝 후") if korean else ("Before", "After")
    sessions = "평균 활성 세션" if korean else "average active sessions"
    return Waterfall(
        "왜 줄었나 — DB 시간의 변화를 원인으로 나눔 (합이 정확히 맞음)"
        if korean
        else "Why: the change of DB time by cause",
        (
            WaterfallRow(before, 0, 1.45, "1.45", True, sessions),
            WaterfallRow("orders 조회 · SALES", 1.45, 1.02, "-0.43", False, "실행당 0.80 → 0.16초", Tone.STRONG),
            WaterfallRow("price_list 조회 · SALES", 1.02, 0.85, "-0.17", False, "실행 327,117 → 80,578회", Tone.STRONG),
            WaterfallRow("그 밖 모두" if korean else "all others", 0.85, 0.83, "-0.02", False, "나머지 SQL·미기록"),
            WaterfallRow("employee 조회 · HR", 0.83, 0.96, "+0.13", False, "실행당 0.050 → 0.356초", Tone.BAD),
            WaterfallRow(after, 0, 0.96, "0.96", True, sessions),
        ),
        "AWR",
        upright=True,
    )


def hard_waterfall(language: str) -> Waterfall:
    name = _long(language)
    steps = tuple(
        WaterfallRow(
            name, 5.0 - number, 4.0 - number, "-1,000,000.0", False, name, Tone.STRONG if number % 2 else Tone.BAD
        )
        for number in range(8)
    )
    first = WaterfallRow(name, 0, 5, "5,000,000.0", True, name)
    last = WaterfallRow(name, 0, -3, "-3,000,000.0", True)
    return Waterfall(name, (first, *steps, last), name, upright=True)


def flat_waterfall(language: str) -> Waterfall:
    rows = (WaterfallRow("0", 0, 0, "0", True), WaterfallRow("0", 0, 0, "+0"), WaterfallRow("0", 0, 0, "0", True))
    return Waterfall("zero", rows, _long(language), upright=True)


def _heads_of_days(language: str) -> tuple[str, str, str]:
    if language == "ko":
        return "무엇이", "하루 평균 (점 하나가 하루, 막대는 평균)", "얼마나, 그래서 무엇이 문제인가"
    return "What", "Mean of a day (a dot is a day, the stroke their mean)", "How much, and why it matters"


def day_dots(language: str) -> DayDots:
    korean = language == "ko"
    before, after = ("전", "후") if korean else ("before", "after")
    return DayDots(
        _heads_of_days(language),
        (
            DayRow(
                "메모리 여유 seoul-db01" if korean else "Free memory seoul-db01",
                "쓸 수 있는 메모리 (GiB)" if korean else "available memory (GiB)",
                (
                    DayLine(before, (10.7, 10.6, 10.8), 10.7, "10.7", Role.BEFORE),
                    DayLine(after, (7.9, 7.95, 7.8), 7.9, "7.9", Role.AFTER),
                ),
                Chip("악화" if korean else "worse", Tone.BAD),
                "26 % 줄어듦 [21, 31]. 전체 32 GiB의 25 %가 남음. 페이징 없음 — 한계까지는 여유 있음."
                if korean
                else "26 % less [21, 31]. 25 % of 32 GiB are left; nothing is paged.",
                "kbmemfree·kbmemused를 한 줄로" if korean else "kbmemfree and kbmemused are one line",
            ),
            DayRow(
                "CPU seoul-was01",
                "CPU 사용률 (%)" if korean else "CPU busy (%)",
                (
                    DayLine(before, (18.2, 18.8, 19.3), 18.8, "18.8", Role.BEFORE),
                    DayLine(after, (21.4, 22.2, 23.4), 22.2, "22.2", Role.AFTER),
                ),
                Chip("악화" if korean else "worse", Tone.BAD),
                "1.18배 늘어남 [1.14, 1.23]." if korean else "1.18 times more [1.14, 1.23].",
                zoomed="축이 0에서 시작하지 않음" if korean else "the axis does not begin at zero",
            ),
        ),
        "sar",
    )


def audited_dots(language: str) -> DayDots:
    """Before and after against a target that was changed."""
    korean = language == "ko"
    names = ("튜닝 전", "튜닝 후") if korean else ("before", "after")
    targets = ("처음 목표 5 ms", "수정된 목표 9 ms ①") if korean else ("first target 5 ms", "amended target 9 ms")
    row = DayRow(
        "조회 응답시간" if korean else "Response of the query",
        "사흘, 09:00-12:00" if korean else "three days, 09:00 to 12:00",
        (
            DayLine(names[0], (9.8, 10.0, 10.2), 10.0, "10.0 ms", Role.BEFORE),
            DayLine(names[1], (7.7, 8.0, 8.3), 8.0, "8.0 ms", Role.AFTER),
        ),
        Chip("처음 목표 미달성" if korean else "first target missed", Tone.BAD),
        targets=(DayTarget(5.0, targets[0], Tone.BAD), DayTarget(9.0, targets[1], Tone.WARNING)),
    )
    return DayDots(_heads_of_days(language), (row,), "E-3")


def hard_day_dots(language: str) -> DayDots:
    name = _long(language)
    lines = (
        DayLine(name, (1e9, NAN, 0.0), 0.0, name, Role.BEFORE),
        DayLine(name, (), None, name[:10], Role.AFTER),
        DayLine("x", (1e9,) * 30, 1e9, "1,000,000,000.0", Role.START),
    )
    rows = (
        DayRow(
            name,
            name,
            lines,
            Chip(name, Tone.WARNING),
            name * 2,
            name * 2,
            name,
            (DayTarget(0.0, name), DayTarget(1e9, name), DayTarget(1e9, "x")),
        ),
        DayRow(name, "", (), None),
        DayRow("x", "x", (DayLine("x", (-5.0, 5.0), 0.0, "0", Role.AFTER),)),
        DayRow("x", "x", (DayLine("x", (7.0,), 7.0, "7", Role.AFTER),), zoomed="x"),
    )
    return DayDots((name, name, name), rows, name)


def target_dots(language: str) -> DotFigure:
    korean = language == "ko"
    pending = "판정 보류" if korean else "verdict pending"
    return DotFigure(
        (
            DotRow(
                "트랜잭션 응답시간\n가중 평균 · 우선순위 1",
                0.939,
                0.433,
                None,
                None,
                ("0.433 ms", f"≤ 1 ms · {pending}"),
                Tone.WARNING,
                363.5,
            ),
            DotRow(
                "UPDATE pgbench_branches\n실행당 수행시간 · 우선순위 2",
                1.2,
                0.396,
                0.3,
                0.5,
                ("0.0198 ms", "≤ 0.05 ms"),
            ),
            DotRow("처리량\n초당 트랜잭션", 0.235, 0.108, None, None, ("9,231 /s", "≥ 1,000 /s"), Tone.PLAIN, 90.9),
            DotRow("장애 때 잃을 수 있는 커밋\n보호 지표 (치른 대가)", None, 1.0, None, None, ("< 600 ms", "≤ 600 ms")),
        ),
        ("이번 변경 전", "지금 (95 % 구간)", "목표")
        if korean
        else ("before this change", "now (95 % interval)", "target"),
        "targets",
        ("목표 이내", "목표 밖") if korean else ("within the target", "beyond"),
        "처음" if korean else "start",
    )


def hard_target_dots(language: str) -> DotFigure:
    name = _long(language)
    rows = (
        DotRow(f"{name}\n{name}", 0.0, 1e-7, 0.0, 2.0, (f"1,234,567.8 ms {name}", name), Tone.BAD, 1e9),
        DotRow(name, None, 0.0, None, None, ("0", ""), start=0.0),
    )
    return DotFigure(rows, (name, name, name), name, (name, name), name)


def plain_dots(language: str) -> DotFigure:
    """As it was before there was a start."""
    rows = (
        DotRow("x", 2.0, 1.5, 1.4, 1.6, ("1.5", "missed"), Tone.BAD),
        DotRow("y\nz", 1.0, 1.0, None, None, ("1", "met")),
    )
    return DotFigure(rows, ("before", "result", "target"), _long(language))


def grouped_bars(language: str) -> GroupedBars:
    korean = language == "ko"
    levels = (
        ("ext3 4K", "mke2fs -j", 1011.0, "가장 짧음" if korean else "shortest", 85.0),
        ("XFS 512 B", "-l size=32768b, logbufs=8", 1254.0, "1.24배" if korean else "1.24x", 195.0),
        ("ReiserFS 4K", "mkreiserfs", 1264.0, "1.25배" if korean else "1.25x", 214.0),
        ("ext3 1K", "-b 1024", 1614.0, "1.60배" if korean else "1.60x", 90.0),
        ("ext3 1K writeback", "-b 1024, data=writeback", 2445.0, "2.42배" if korean else "2.42x", 106.0),
    )
    return GroupedBars(
        "경과 시간과 시스템 CPU 시간" if korean else "Elapsed and system CPU time",
        "초" if korean else "s",
        ("경과 시간 (real)", "CPU 시간 중 시스템 (sys)") if korean else ("elapsed (real)", "system CPU (sys)"),
        tuple(
            BarLevel(name, detail, value, f"{value:,.0f}", factor, second, f"{second:.0f}", value == 1011)
            for name, detail, value, factor, second in levels
        ),
        "R-1",
    )


def hard_grouped_bars(language: str) -> GroupedBars:
    name = _long(language)
    levels = tuple(
        BarLevel(
            name, name, number * 1e8, f"{number * 1e8:,.0f}", f"{number:,}.00x", number * 1e8, f"{number * 1e8:,.0f}"
        )
        for number in range(10)
    )
    return GroupedBars(
        name,
        name[:10],
        (name, name),
        (*levels, BarLevel("x", "", None, "—", "", None, "—"), BarLevel("y", "", 0.0, "0")),
        name,
    )


def single_bars(language: str) -> GroupedBars:
    level = BarLevel("x", "", -2.0, "-2", is_best=True)
    return GroupedBars("one", "", ("x",), (level, BarLevel(_long(language), "", 3.0, "3")), "one")


def level_lines(language: str) -> LevelLines:
    korean = language == "ko"
    numbers = (1, 5, 10, 16, 20, 30, 100)

    def panel(title: str, top: float) -> LevelPanel:
        def line(name: str, drop: float) -> LevelLine:
            shape = (0.1, 0.45, 0.75, 0.9, 0.96, 1.0, drop)
            return LevelLine(
                name,
                tuple(
                    LevelPoint(number, top * share, top * share * 0.95, top * share * 1.05)
                    for number, share in zip(numbers, shape, strict=True)
                ),
            )

        return LevelPanel(title, (line("RAID10", 0.93), line("RAID5", 0.8)))

    return LevelLines(
        "초당 트랜잭션" if korean else "Transactions per second",
        (panel("버퍼풀 12G" if korean else "buffer pool 12G", 5900), panel("버퍼풀 8G", 2750), panel("버퍼풀 4G", 850)),
        "/s",
        "동시 접속 수" if korean else "connections",
        "made",
    )


def hard_level_lines(language: str) -> LevelLines:
    name = _long(language)
    lines = tuple(
        LevelLine(f"{name} {number}", (LevelPoint(0, 1e9), LevelPoint(1, 1e9, 0, 2e9))) for number in range(14)
    )
    odd = LevelPanel(name, (LevelLine("only here", (LevelPoint(0.5, -4.0),)), LevelLine("nothing", ())))
    return LevelLines(
        name, (LevelPanel(name, lines), LevelPanel("x", ()), odd, LevelPanel("y", lines)), name, name, name
    )


CASES: tuple[Callable[[str], Block], ...] = (
    claim,
    hard_claim,
    columns,
    hard_columns,
    next_box,
    hard_next_box,
    chip_table,
    spans,
    linear_spans,
    hard_spans,
    strip,
    hard_strip,
    narrow_strip,
    ratio_map,
    hard_ratio_map,
    stacks,
    hard_stacks,
    waterfall,
    hard_waterfall,
    flat_waterfall,
    day_dots,
    audited_dots,
    hard_day_dots,
    target_dots,
    hard_target_dots,
    plain_dots,
    grouped_bars,
    hard_grouped_bars,
    single_bars,
    level_lines,
    hard_level_lines,
)
