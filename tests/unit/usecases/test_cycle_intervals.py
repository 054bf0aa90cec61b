"""Targets against the interval of what was captured: mornings of one host, made with stated seeds."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from io import BytesIO
from math import log
from pathlib import Path
from zoneinfo import ZoneInfo

import openpyxl
import pytest
from scipy import stats

from tests.program import compose
from tests.unit.usecases.compared_captures import MONDAY, TUESDAY, morning
from tests.unit.usecases.cycle_bench import Bench
from tunebench.analysis.comparing.comparison import ComparedSeries, Method
from tunebench.analysis.comparing.improvement import improvement
from tunebench.analysis.comparing.occurrence_figures import Statistic
from tunebench.cli.main import run
from tunebench.core.messages import LANGUAGES, catalogue
from tunebench.diagnosis.cycle.results import GuardStanding, GuardState, TargetStanding, TargetState
from tunebench.domain.comparability import ChangeInterval, FigureInterval
from tunebench.domain.cycle.book import IntervalKey
from tunebench.domain.cycle.records import DailyWindow, Figure, Metric, SeriesSource, Target
from tunebench.domain.cycle.worksheet import Action
from tunebench.domain.engagement import Direction, Engagement
from tunebench.domain.series_names import source_of
from tunebench.domain.windows import Exclusion, Occurrence, Window, WindowRole, run_window
from tunebench.reporting.cycle_words import interval_text
from tunebench.reporting.document import Table
from tunebench.reporting.wording import Wording
from tunebench.reporting.xlsx.workbook import workbook_bytes
from tunebench.store import merged_series
from tunebench.usecases import projects
from tunebench.usecases.comparing import windows
from tunebench.usecases.comparing.compare import compare
from tunebench.usecases.cycle import applying, edits, figures, reading
from tunebench.usecases.cycle import comparable as cycle_comparable
from tunebench.usecases.cycle.acts import record_result
from tunebench.usecases.cycle.intervals import interval
from tunebench.usecases.cycle.words import basis_text, target_text
from tunebench.usecases.importing import imports
from tunebench.usecases.importing.results import ImportOptions
from tunebench.usecases.reports import success_case as reports

USER = SeriesSource("db01", "iostat", "%user")
TYPED = Figure(60.0, source="customer")
"""The baseline: as it is of no run, there is nothing for the gate to refuse."""


@pytest.fixture(scope="module", autouse=True)
def services() -> None:
    compose()


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with projects.create(tmp_path / "case.tune", Engagement("tuning", "ACME", zone="Asia/Seoul")) as project:
        yield Bench(project)


Days = Callable[[int], None]


def ns(moment: datetime) -> int:
    """On the clock of the engagement."""
    return int(moment.replace(tzinfo=ZoneInfo("Asia/Seoul")).timestamp()) * 10**9


@pytest.fixture
def days(bench: Bench, tmp_path: Path) -> Days:
    """Captures so many mornings of three hours after the change, each in a file of its own."""

    def capture(count: int) -> None:
        paths = [
            morning(tmp_path / f"{day}.txt", TUESDAY + timedelta(days=day), 10 + day, devices=1) for day in range(count)
        ]
        options = ImportOptions(run=bench.after.label, phase=bench.after.phase)
        assert imports.import_captures(bench.project, paths, options).complete

    return capture


def measured(bench: Bench, statistic: str = "mean", hours: DailyWindow | None = None) -> Figure:
    """The metric with its baseline and result; the target is set later."""
    here = bench.start()
    made = Metric(0, here.id, "CPU", USER, statistic, "%", Direction.LOWER, window=hours)
    bench.do(edits.add(bench.book, made))
    metric = bench.one(Metric)
    bench.lay_baseline(metric, TYPED, priority=1)
    of_run = projects.find_run(bench.project, bench.after.label)
    figure = figures.measured(bench.project, metric, of_run)
    bench.do(record_result(bench.book, metric.id, figure))
    return figure


def standing(bench: Bench, goal: float) -> TargetStanding:
    bench.do(edits.change(bench.book, replace(bench.one(Target), value=goal)))
    return reading.standing(bench.project).targets[0]


def _count(found: TargetStanding) -> int:
    assert found.interval is not None
    return found.interval.occurrences


def value_of(figure: Figure) -> float:
    assert figure.value is not None
    return figure.value


@pytest.mark.parametrize("factor", [1.246 / 1.24566, 1.245 / 1.24566])
def test_a_target_beside_the_figure_is_undecided(bench: Bench, days: Days, factor: float) -> None:
    days(1)
    figure = measured(bench)
    found = standing(bench, value_of(figure) * factor)
    assert found.state is TargetState.UNDECIDED and not found.descriptive_only
    assert reading.standing(bench.project).next_action.key != "close_met"


def test_one_window_decides_by_what_is_assumed_and_says_so(bench: Bench, days: Days) -> None:
    """The interval again by hand: 10 % between days with three degrees of freedom, and what varies inside."""
    days(1)
    figure = measured(bench)
    value = value_of(figure)
    met, missed = standing(bench, 2 * value), standing(bench, value / 2)
    assert (met.state, met.called) == (TargetState.MET, "met_assumed")
    assert (missed.state, missed.called) == (TargetState.MISSED, "missed_assumed")
    assert met.interval is not None and (met.interval.occurrences, met.interval.source) == (1, "assumed")
    least = stats.t.ppf(0.975, 3) * 0.10
    assert log(met.interval.high / value) == pytest.approx(-log(met.interval.low / value))
    assert least < log(met.interval.high / value) < 1.1 * least  # 180 samples tell their own mean within some per cent
    assert target_text(met, (), (), "en") == "met (one window, variation assumed)"
    for language in LANGUAGES:
        assert "10.0 %" in basis_text(met, language, ZoneInfo("Asia/Seoul"))


def test_several_days_decide_what_one_leaves_open(bench: Bench, days: Days) -> None:
    days(1)
    one = measured(bench)
    goal = 1.2 * value_of(one)
    assert standing(bench, goal).state is TargetState.UNDECIDED
    days(5)
    of_run = projects.find_run(bench.project, bench.after.label)
    five = figures.measured(bench.project, bench.one(Metric), of_run)
    bench.do(record_result(bench.book, bench.one(Metric).id, five))
    found = standing(bench, goal)
    assert (found.state, found.called) == (TargetState.MET, "met")
    assert found.interval is not None and (found.interval.occurrences, found.interval.source) == (5, "measured")


def test_hours_of_the_day_make_each_day_an_occurrence(bench: Bench, days: Days) -> None:
    days(3)
    figure = measured(bench, hours=DailyWindow("09:30", "11:00"))
    found = standing(bench, value_of(figure))
    assert figure.samples == 3 * 90
    assert found.interval is not None and found.interval.occurrences == 3


def test_the_largest_sample_has_no_interval(bench: Bench, days: Days) -> None:
    days(1)
    figure = measured(bench, "max")
    found = standing(bench, value_of(figure))
    assert (found.state, found.interval, found.descriptive_only) == (TargetState.MET, None, True)


def test_typed_figures_are_decided_as_they_stand(bench: Bench) -> None:
    bench.start()
    metric = bench.metric()
    bench.baseline(metric)
    bench.do(record_result(bench.book, metric.id, Figure(1.24566, run_id=bench.after.id)))
    assert standing(bench, 1.246).state is TargetState.MET
    found = standing(bench, 1.245)
    assert (found.state, found.interval, found.descriptive_only) == (TargetState.MISSED, None, True)


def test_a_guard_s_limit_is_held_by_the_interval(bench: Bench, days: Days) -> None:
    days(1)
    bench.executed()
    here, action = bench.book.iterations[-1], bench.one(Action)
    guard = Metric(0, here.id, "CPU", USER, "mean", "%", Direction.LOWER, guards=action.id, resource="cpu")
    bench.do(edits.add(bench.book, guard))
    metric = next(each for each in bench.book.all(Metric) if each.guards == action.id and each.source == USER)
    of_run = projects.find_run(bench.project, bench.after.label)
    figure = figures.measured(bench.project, metric, of_run)
    bench.do(record_result(bench.book, metric.id, figure))
    bench.lay_baseline(metric, TYPED, 1.001 * value_of(figure))
    states = {}
    for share in (2.0, 1.001, 0.5):
        target = next(each for each in bench.book.all(Target) if each.metric_id == metric.id)
        bench.do(edits.change(bench.book, replace(target, value=share * value_of(figure))))
        (found,) = (each for each in reading.standing(bench.project).guards if each.metric.id == metric.id)
        states[share] = found.state, found.called
    assert states == {
        2.0: (GuardState.HELD, "held_assumed"),
        1.001: (GuardState.UNDECIDED, "undecided"),
        0.5: (GuardState.EXCEEDED, "exceeded_assumed"),
    }


def test_an_edited_window_is_asked_for_again(bench: Bench, days: Days, monkeypatch: pytest.MonkeyPatch) -> None:
    """A figure that its window no longer gives is not judged, until it is measured again or the edit is undone."""
    days(3)
    of_run = projects.find_run(bench.project, bench.after.label)
    spans = windows.of_run(bench.project, of_run)
    bench.do(windows.add(bench.project, Window(0, "after", WindowRole.AFTER, occurrences=tuple(spans))))
    metric_figure = measured(bench)
    metric, window = bench.one(Metric), bench.one(Window)
    figure = figures.measured(bench.project, metric, window)
    assert figure.value == pytest.approx(metric_figure.value) and figure.window_id == window.id
    bench.do(record_result(bench.book, metric.id, figure))
    asked = []

    def count(*arguments: object) -> object:
        asked.append(arguments)
        return interval(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(cycle_comparable, "interval", count)
    assert _count(standing(bench, 60.0)) == 3
    assert len(asked) == 1
    bench.do(edits.change(bench.book, replace(bench.one(Target), note="agreed")))
    assert reading.standing(bench.project).targets[0].interval is not None and len(asked) == 1
    done = bench.do(windows.change(bench.project, window, replace(window, occurrences=window.occurrences[:2])))
    outdated = reading.standing(bench.project).targets[0]
    assert outdated.interval is None and outdated.state is not TargetState.MET
    applying.undo(bench.project, done, reason="고객 요청")
    assert _count(reading.standing(bench.project).targets[0]) == 3


def test_the_same_word_and_interval_stand_everywhere(
    bench: Bench, days: Days, capsys: pytest.CaptureFixture[str]
) -> None:
    """Board, command line, JSON, report and workbook."""
    days(1)
    figure = measured(bench)
    goal = round(2 * value_of(figure), 1)
    interval = standing(bench, goal).interval
    assert interval is not None
    word = "met (one window, variation assumed)"
    basis = f"95 % interval {interval.low:.1f} % to {interval.high:.1f} %; occurrences: 1; natural variation 10.0 %"
    document = reports.success_case(bench.project, "en", "2026-08-01", ("cycle_results",))
    table = next(each for each in document.blocks if isinstance(each, Table))
    assert table.rows[0][6].text == f"{word} (subject to: target amended, first none)"  # it was set after the result
    assert any(basis in note for note in table.notes)
    sheet = openpyxl.load_workbook(BytesIO(workbook_bytes(document)))[catalogue("en").text("report.sheet.targets")]
    (cell,) = (each for line in sheet.iter_rows(values_only=True) for each in line if str(each).startswith(word))
    assert basis in str(cell)
    projects.close(bench.project)
    run(["cycle", str(bench.project.path), "show", "--lang", "en"])
    said = capsys.readouterr().out
    assert word in said and basis in said
    run(["cycle", str(bench.project.path), "show", "--json"])
    (told,) = json.loads(capsys.readouterr().out)["iteration"]["targets"]
    assert told["standing"]["state"] == "met"
    assert told["standing"]["interval"] == [interval.low, interval.high]
    assert told["standing"]["basis"] == {
        "mean_of_occurrences": pytest.approx(figure.value),
        "occurrences": 1,
        "natural_variation": {"sd": 0.1, "df": 3.0, "source": "assumed"},
        "short": False,
        "confidence": 0.95,
        "judged_together": 1,
        "difference": None,
    }


def both_sides(bench: Bench, folder: Path, busy_pct: float = 40.0, count: int = 3, devices: int = 1) -> None:
    """The same mornings of two weeks; %user is 40 before, and `busy_pct` after."""
    for run_of, first, busy in ((bench.before, MONDAY, 40.0), (bench.after, MONDAY + timedelta(days=7), busy_pct)):
        paths = [
            morning(
                folder / f"{run_of.label}{day}.txt",
                first + timedelta(days=day),
                10 * run_of.id + day,
                devices=devices,
                busy_pct=busy,
            )
            for day in range(count)
        ]
        imports.import_captures(bench.project, paths, ImportOptions(run=run_of.label, phase=run_of.phase))


@pytest.mark.parametrize(("days", "without_monday"), [(3, Method.OCCURRENCES), (4, Method.PAIRED_OCCURRENCES)])
def test_days_off_pair_the_mornings_as_on_compare(
    bench: Bench, tmp_path: Path, days: int, without_monday: Method
) -> None:
    """A Monday of which the engagement says that it is a holiday is not the like of the Monday before; three pairs of
    four mornings are enough."""
    both_sides(bench, tmp_path, count=days)
    here = bench.start()
    bench.do(edits.add(bench.book, Metric(0, here.id, "CPU", USER, "mean", "%", Direction.LOWER)))
    metric = bench.one(Metric)
    windows_of = [projects.find_run(bench.project, each.label) for each in (bench.before, bench.after)]
    before, now = (figures.measured(bench.project, metric, each) for each in windows_of)
    methods, widths = [], set()
    for holidays in ("none", "none +2026-07-27"):
        projects.update_engagement(bench.project, Engagement("tuning", "ACME", zone="Asia/Seoul", holidays=holidays))
        found = interval(bench.project, bench.book, (metric, now, before))
        compared = compare(bench.project, run_window(bench.before.id), run_window(bench.after.id))
        row = next(each for each in compared.rows if each.series.native == "%user")
        assert found is not None and found.change is not None and found.change.ends is not None
        assert row.interval is not None
        low, high = found.change.ends
        assert (1 / high, 1 / low) == pytest.approx((row.interval.low, row.interval.high), rel=1e-12)
        methods.append(row.method)
        widths.add(high / low)
    assert methods == [Method.PAIRED_OCCURRENCES, without_monday] and len(widths) == 2


@pytest.mark.parametrize(("native", "devices"), [("%user", 1), ("await", 1), ("await", 4)])
@pytest.mark.parametrize("statistic", ["mean", "p95"])
def test_the_ratio_of_a_metric_is_that_of_compare(
    bench: Bench, tmp_path: Path, native: str, devices: int, statistic: str
) -> None:
    """To the last figure: with a stretch excluded on one side, with a morning that has no like on the other, and of the
    last of several disks, whose kind tells how days differ."""
    both_sides(bench, tmp_path, busy_pct=30.0, count=4, devices=devices)
    starts = {bench.before: MONDAY, bench.after: MONDAY + timedelta(days=7)}
    sides = []
    for run_of, first in starts.items():
        own = [first + timedelta(days=day) for day in range(4)]
        if run_of == bench.after:  # the last morning but later on that day: no like of any
            own[3] += timedelta(minutes=45)
        made = Window(
            0,
            run_of.label,
            WindowRole(run_of.phase.value),
            occurrences=tuple(Occurrence(ns(each), ns(each + timedelta(minutes=120)), run_of.id) for each in own),
            exclusions=(Exclusion(ns(first + timedelta(minutes=20)), ns(first + timedelta(minutes=50)), "backup"),)
            if run_of == bench.before
            else (),
        )
        bench.do(windows.add(bench.project, made))
        sides.append(windows.kept_window(bench.project, run_of.label))
    info = [series for series in merged_series.list_merged(bench.project) if series.native == native][-1]
    here = bench.start()
    bench.do(edits.add(bench.book, Metric(0, here.id, "one", source_of(info), statistic, info.unit, Direction.LOWER)))
    metric = bench.one(Metric)
    before, now = (figures.measured(bench.project, metric, each) for each in sides)
    found = interval(bench.project, bench.book, (metric, now, before))
    earlier, later = (windows.resolved(bench.project, each) for each in sides)
    compared = compare(bench.project, earlier, later)
    row = next(each for each in compared.rows if each.series.label == info.label)
    told = row.statistic(Statistic(statistic))
    assert [len(side) for side in compared.left_out] == [1, 1] and row.occurrences == (3, 3)
    assert compared.occurrences_after[0].holes and row.method is Method.PAIRED_OCCURRENCES
    assert told is not None and told.interval is not None and told.ratio is not None
    assert found is not None and found.change is not None and found.change.ends is not None
    low, high = found.change.ends
    assert (1 / high, 1 / low) == pytest.approx((told.interval.low, told.interval.high), rel=1e-12)
    assert found.change.ratio == pytest.approx(1 / told.ratio, rel=1e-12)


def test_what_other_windows_tell_of_the_days_is_reckoned_with_as_in_the_comparison(
    bench: Bench, tmp_path: Path
) -> None:
    """One morning a side; three of four weeks before that nothing is compared with."""
    both_sides(bench, tmp_path, count=1)
    old = [morning(tmp_path / f"old{day}.txt", TUESDAY + timedelta(days=day - 28), 70 + day) for day in range(3)]
    assert imports.import_captures(bench.project, old, ImportOptions(run="history")).complete
    here = bench.start()
    bench.do(edits.add(bench.book, Metric(0, here.id, "CPU", USER, "mean", "%", Direction.LOWER)))
    metric = bench.one(Metric)
    runs = [projects.find_run(bench.project, each.label) for each in (bench.before, bench.after)]
    before, now = (figures.measured(bench.project, metric, each) for each in runs)
    found = interval(bench.project, bench.book, (metric, now, before))
    compared = compare(bench.project, run_window(bench.before.id), run_window(bench.after.id))
    row = next(each for each in compared.rows if each.series.native == "%user")
    assert row.variation is not None and row.interval is not None and row.variation.windows == ("history",)
    assert found is not None and found.change is not None and found.source == "project"
    assert (found.sd, found.df) == pytest.approx((row.variation.sd, row.variation.df))
    assert found.change.ends is not None
    low, high = found.change.ends
    assert (1 / high, 1 / low) == pytest.approx((row.interval.low, row.interval.high), rel=1e-6)


def queue_of_mornings(bench: Bench, folder: Path, **after: float) -> tuple[TargetStanding, ComparedSeries, IntervalKey]:
    """A target that is met by the figures as they are, the row of the comparison, and what the figures are of."""
    for run_of, first, own in ((bench.before, MONDAY, {}), (bench.after, MONDAY + timedelta(days=7), after)):
        paths = [
            morning(folder / f"{run_of.label}{day}.txt", first + timedelta(days=day), day, devices=2, **own)  # type: ignore[arg-type]
            for day in range(3)
        ]
        imports.import_captures(bench.project, paths, ImportOptions(run=run_of.label, phase=run_of.phase))
    info = next(each for each in merged_series.list_merged(bench.project) if each.native == "aqu-sz")
    here = bench.start()
    bench.do(edits.add(bench.book, Metric(0, here.id, "queue", source_of(info), "mean", "", Direction.LOWER)))
    metric = bench.one(Metric)
    runs = [projects.find_run(bench.project, each.label) for each in (bench.before, bench.after)]
    before, now = (figures.measured(bench.project, metric, each) for each in runs)
    bench.lay_baseline(metric, before, priority=1)
    bench.do(record_result(bench.book, metric.id, now))
    found = standing(bench, value_of(now) * 1.5)
    compared = compare(bench.project, run_window(bench.before.id), run_window(bench.after.id))
    row = next(each for each in compared.rows if each.series.label == info.label)
    return found, row, (metric, now, before)


def test_less_load_improves_no_metric(bench: Bench, tmp_path: Path) -> None:
    """The same disks at 0.6 of the requests: the queue of every morning is shorter, at equal load it is not."""
    found, row, key = queue_of_mornings(bench, tmp_path, load=0.6)
    assert found.interval is not None and found.interval.change is not None
    raw = interval(bench.project, bench.book, key)
    assert raw is not None and raw.change is not None and raw.change.verdict == "improved"
    assert found.interval.change.verdict == row.verdict.value != "improved"
    told = found.interval.change.at_load
    assert told is not None and told.ratio is None and row.interval is None, "no load was common to both"
    assert found.improvement.change.value == "changed" and found.state is TargetState.MET
    assert "at equal load: " in basis_text(found, "en", ZoneInfo("Asia/Seoul"))
    assert "같은 부하" in basis_text(found, "ko", ZoneInfo("Asia/Seoul"))


def test_the_ratio_at_equal_load_stands_beside_that_of_the_figures(bench: Bench, tmp_path: Path) -> None:
    """15 % more is asked of disks that are 1.5 times as fast: what Compare tells of either is told here."""
    found, row, _ = queue_of_mornings(bench, tmp_path, load=1.15, faster=1.5)
    assert found.interval is not None and found.interval.change is not None
    told, mean = found.interval.change.at_load, row.statistic(Statistic.MEAN)
    assert told is not None and mean is not None and mean.interval is not None and row.curve is not None
    assert (told.measured, told.ratio, told.verdict) == (row.ratio, mean.ratio, row.verdict.value)
    assert told.measured is not None and told.ratio is not None and told.measured < told.ratio
    ends = f"[{mean.interval.low:.2f}, {mean.interval.high:.2f}]"
    for language, sentence in (
        ("en", "{measured:.2f}x as measured, {ratio:.2f}x {ends} at equal load."),
        ("ko", "측정값의 비율은 {measured:.2f}배, 같은 부하에서의 비율은 {ratio:.2f}배 {ends}입니다."),
    ):
        said = basis_text(found, language, ZoneInfo("Asia/Seoul"))
        assert sentence.format(measured=told.measured, ratio=told.ratio, ends=ends) in said


def guarded(bench: Bench) -> tuple[GuardStanding, TargetStanding]:
    """The same metric as a guard without a limit, and with a target that has still to be set."""
    bench.executed()
    here, action = bench.book.iterations[-1], bench.one(Action)
    sides = [projects.find_run(bench.project, each.label) for each in (bench.before, bench.after)]
    for made in (
        Metric(0, here.id, "guarded", USER, "mean", "%", Direction.LOWER, guards=action.id, resource="cpu"),
        Metric(0, here.id, "wanted", USER, "mean", "%", Direction.LOWER),
    ):
        bench.do(edits.add(bench.book, made))
        metric = bench.one(Metric)
        before, now = (figures.measured(bench.project, metric, each) for each in sides)
        bench.lay_baseline(metric, before)
        bench.do(record_result(bench.book, metric.id, now))
    found = reading.standing(bench.project)
    guard = next(each for each in found.guards if each.metric.name == "guarded")
    target = next(each for each in found.targets if each.metric.name == "wanted")
    return guard, target


@pytest.mark.parametrize(
    ("busy_pct", "state", "verdict"),
    [
        (41.0, "undecided", "inconclusive"),
        (38.0, "undecided", "inconclusive"),
        (36.0, "held", "inconclusive"),  # all of the interval below the 10 % that matter of CPU time
        (60.0, "paid", "regressed"),
        (24.0, "held", "improved"),
    ],
)
def test_a_guard_without_a_limit_goes_by_the_verdict_of_compare(
    bench: Bench, tmp_path: Path, busy_pct: float, state: str, verdict: str
) -> None:
    """By bare figures 41 % after 40 was paid; the ratio of the target beside it was called worse."""
    both_sides(bench, tmp_path, busy_pct)
    compared = compare(bench.project, run_window(bench.before.id), run_window(bench.after.id))
    row = next(each for each in compared.rows if each.series.native == "%user")
    assert row.verdict.value == verdict and row.interval is not None
    guard, target = guarded(bench)
    assert (guard.state, guard.called) == (GuardState(state), state)
    for each in (guard, target):
        change = each.improvement
        assert change.change.value == (verdict if verdict != "inconclusive" else "changed")
        assert change.interval is not None and change.interval[0] < float(change.ratio or 0) < change.interval[1]
        width = log(change.interval[1] / change.interval[0])
        assert width == pytest.approx(log(row.interval.high / row.interval.low), rel=1e-6)


@pytest.mark.parametrize(("busy_pct", "way"), [(41.0, "higher"), (38.0, "lower")])
def test_an_undecided_ratio_is_neither_better_nor_worse_anywhere(
    bench: Bench, tmp_path: Path, capsys: pytest.CaptureFixture[str], busy_pct: float, way: str
) -> None:
    """With its interval and in the same words on the command line, in the report and in the workbook."""
    both_sides(bench, tmp_path, busy_pct)
    guard, target = guarded(bench)
    shown = Wording("en", "Asia/Seoul").ratio(target.improvement)
    assert target.improvement.interval is not None
    low, high = sorted(end if way == "higher" else 1 / end for end in target.improvement.interval)
    assert shown.endswith(f"{way} [{low:.2f}, {high:.2f}]") and low < float(shown.split("×")[0]) < high
    document = reports.success_case(bench.project, "en", "2026-08-01", ("cycle_results",))
    cells = [cell.text for table in document.blocks if isinstance(table, Table) for row in table.rows for cell in row]
    assert sum(each.startswith(shown) for each in cells) == 2
    sheet = openpyxl.load_workbook(BytesIO(workbook_bytes(document)))[catalogue("en").text("report.sheet.targets")]
    told = [str(each) for line in sheet.iter_rows(values_only=True) for each in line]
    assert sum(shown in each for each in told) == 2
    projects.close(bench.project)
    run(["cycle", str(bench.project.path), "show", "--lang", "en"])
    assert capsys.readouterr().out.count(shown) == 2
    run(["cycle", str(bench.project.path), "show", "--json"])
    (of_guard,) = (
        each for each in json.loads(capsys.readouterr().out)["iteration"]["guards"] if each["metric"] == guard.metric.id
    )
    assert (of_guard["state"], tuple(of_guard["ratio_ci95"])) == ("undecided", guard.improvement.interval)
    assert of_guard["ratio_ci95"][0] < of_guard["ratio"] < of_guard["ratio_ci95"][1]


def test_a_guard_that_is_worse_among_three_is_told_everywhere_by_the_interval_that_it_was_judged_by(
    bench: Bench, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With three guards each is judged at 1 - 0.05 / 3, and when one is decided the two that are left at 1 - 0.05 / 2."""
    both_sides(bench, tmp_path, 60.0)
    bench.executed()
    here, action = bench.book.iterations[-1], bench.one(Action)
    sides = [projects.find_run(bench.project, each.label) for each in (bench.before, bench.after)]
    names = {"await", "%util"}
    devices = [
        source_of(info) for info in merged_series.list_merged(bench.project, sides[0].id) if info.native in names
    ]
    for source in (USER, *devices):
        made = Metric(0, here.id, source.native, source, "mean", "%", Direction.LOWER, guards=action.id, resource="cpu")
        bench.do(edits.add(bench.book, made))
        metric = bench.one(Metric)
        before, now = (figures.measured(bench.project, metric, each) for each in sides)
        bench.lay_baseline(metric, before)
        bench.do(record_result(bench.book, metric.id, now))
    worse, *others = (each for each in reading.standing(bench.project).guards if each.interval is not None)
    assert (worse.state, len(others)) == (GuardState.PAID, 2) and worse.interval is not None
    assert all(each.interval is not None and each.interval.together == 2 for each in others)
    assert worse.interval.together == 3 and worse.interval.confidence == pytest.approx(1 - 0.05 / 3)
    assert worse.improvement.interval is not None and worse.improvement.interval[0] > 1.05
    document = reports.success_case(bench.project, "en", "2026-08-01", ("cycle_results",))
    notes = [note for table in document.blocks if isinstance(table, Table) for note in table.notes]
    said = "Guards judged together: 3;"
    assert sum("98.3 % interval" in note and said in note for note in notes) == 1
    sheet = openpyxl.load_workbook(BytesIO(workbook_bytes(document)))[catalogue("en").text("report.sheet.targets")]
    assert sum(said in str(each) for line in sheet.iter_rows(values_only=True) for each in line) == 1
    projects.close(bench.project)
    run(["cycle", str(bench.project.path), "show", "--lang", "en"])
    assert capsys.readouterr().out.count(said) == 1
    run(["cycle", str(bench.project.path), "show", "--json"])
    guards = json.loads(capsys.readouterr().out)["iteration"]["guards"]
    told = {each["metric"]: each["basis"]["judged_together"] for each in guards if each["basis"] is not None}
    assert sorted(told.values()) == [2, 2, 3] and told[worse.metric.id] == 3


def test_where_figure_and_mean_of_the_occurrences_differ_both_are_named() -> None:
    metric = Metric(0, 1, "wait", USER, "p95", "ms", Direction.LOWER, decimals=1)
    found = FigureInterval(18.0, 24.5, 0.95, 5, 0.1, 8.0, "measured", 20.0)
    words = Wording("en", "Asia/Seoul")
    same = interval_text(found, Figure(20.04), metric, words)
    other = interval_text(found, Figure(24.5), metric, words)
    assert other == f"{same} Around the mean of the occurrences, 20 ms; of all samples together it is 24.5 ms."
    told = improvement(49.0, 24.5, Direction.LOWER)
    alike = replace(told, interval=(1.5, 2.6), estimate=2.004)
    assert words.ratio(alike) == f"{words.ratio(told)} [1.50, 2.60]"
    assert words.ratio(replace(alike, estimate=1.8)) == (
        f"{words.ratio(told)}; by the mean of the occurrences 1.80× [1.50, 2.60]"
    )
    near_zero = ChangeInterval("inconclusive", 0.05, difference=(-0.2, 1.4), least=1.0)
    assert "The difference is judged: -0.2 ms to 1.4 ms; less than 1 ms does not matter." in interval_text(
        replace(found, change=near_zero), None, metric, words
    )


def test_sides_in_different_units_are_compared_in_that_of_the_metric(bench: Bench, tmp_path: Path) -> None:
    """The same numbers, as kilobytes before and as megabytes after (iostat -m)."""
    for run_of, first, heading in ((bench.before, MONDAY, "rkB/s"), (bench.after, MONDAY + timedelta(days=7), "rMB/s")):
        paths = [
            morning(tmp_path / f"{run_of.label}{day}.txt", first + timedelta(days=day), day, devices=1)
            for day in range(3)
        ]
        for path in paths:
            told = path.read_text(encoding="utf-8").replace("rkB/s", heading).replace("wkB/s", "f/s")
            path.write_text(told, encoding="utf-8")
        imports.import_captures(bench.project, paths, ImportOptions(run=run_of.label, phase=run_of.phase))
    listed = merged_series.list_merged(bench.project)
    info = next(each for each in listed if each.native == "rkB/s")
    source = SeriesSource(info.host, info.tool, info.native, info.metric, tuple(sorted(info.attributes.items())))
    here = bench.start()
    bench.do(edits.add(bench.book, Metric(0, here.id, "read", source, "mean", info.unit, Direction.HIGHER)))
    metric = bench.one(Metric)
    sides = [projects.find_run(bench.project, each.label) for each in (bench.before, bench.after)]
    before, now = (figures.measured(bench.project, metric, each) for each in sides)
    found = interval(bench.project, bench.book, (metric, now, before))
    assert found is not None and before.value is not None and now.value is not None
    assert now.value == pytest.approx(1024 * before.value)
    assert found.change is not None and found.change.verdict == "improved" and found.low < now.value < found.high
