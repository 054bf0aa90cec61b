"""Figures of metrics: expected values are computed here from the samples that were written, without the program."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.store import cases
from tests.store.cycle_cases import adding
from tunebench.core.errors import UserError
from tunebench.core.messages import catalogue
from tunebench.domain.cycle.book import CycleBook, CycleEdit, RecordChange
from tunebench.domain.cycle.evidence import Evidence, EvidenceKind, EvidenceTarget
from tunebench.domain.cycle.records import (
    DailyWindow,
    Figure,
    Iteration,
    ManualSource,
    MeasurementSource,
    Metric,
    MetricSource,
    Result,
    SeriesSource,
    StatementSource,
    Target,
)
from tunebench.domain.engagement import Direction, Measurement, Phase, Run, Statement
from tunebench.domain.ledger import Ledger
from tunebench.domain.windows import Exclusion, Occurrence, Window, WindowRole
from tunebench.store import engagements, removal, runs
from tunebench.store.artefacts import list_artefacts, remove_samples
from tunebench.store.cycle.records import apply, read_book
from tunebench.store.project import Project
from tunebench.store.queries import list_series
from tunebench.usecases import check
from tunebench.usecases.comparing import windows
from tunebench.usecases.cycle import applying, edits, figures, reading
from tunebench.usecases.cycle import evidence as cycle_evidence
from tunebench.usecases.cycle.acts import set_baseline
from tunebench.usecases.cycle.contradicted import found_text
from tunebench.usecases.cycle.figures import (
    Broken,
    broken_records,
    broken_text,
    check_after,
    figure_of,
    in_window,
    remeasured,
    series_of_evidence,
)
from tunebench.usecases.cycle.measuring import taken, with_evidence

SSD2 = SeriesSource("db1", "iostat", "svc_t", "system.disk.wait_time", (("device", "ssd2"),))
HOUR_NS = 3600 * cases.SECOND_NS


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    opened = cases.new_project(tmp_path)
    yield opened
    opened.close()


def metric(source: MetricSource = SSD2, statistic: str = "mean", unit: str = "ms", **more: object) -> Metric:
    return replace(Metric(1, 1, "m", source, statistic, unit, Direction.LOWER), **more)  # type: ignore[arg-type]


def hours(values: Sequence[float], first: int = 0) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    times = cases.START_NS + (first + np.arange(len(values), dtype=np.int64)) * HOUR_NS
    return np.array([[value] for value in values], dtype=np.float64), times


def run_with(project: Project, values: Sequence[float], since_boot: Sequence[int] = ()) -> Run:
    """One value per hour, from 00:00 UTC on (09:00 in Seoul)."""
    matrix, times = hours(values)
    cases.write_samples(project, cases.batch(matrix, times_ns=times, since_boot=since_boot))
    return runs.list_runs(project)[0]


def value(found: Figure | Broken) -> float:
    assert isinstance(found, Figure) and found.value is not None, found
    return found.value


def why(found: Figure | Broken) -> str:
    """The key of the refusal, its sentence looked at in both languages."""
    assert isinstance(found, Broken), found
    for language in ("ko", "en"):
        sentence = broken_text(found, language)
        assert "⟨" not in sentence and "{" not in sentence, sentence
    return found.key


@pytest.mark.parametrize(
    ("statistic", "expected"),
    [("mean", 5.5), ("p50", 5.5), ("p95", 9.55), ("p99", 9.91), ("max", 10), ("min", 1), ("total", 55), ("value", 10)],
)
def test_statistics_of_one_to_ten(project: Project, statistic: str, expected: float) -> None:
    run = run_with(project, [99, *range(1, 11), np.nan], since_boot=[0])
    found = figure_of(project, metric(statistic=statistic), run)
    assert value(found) == pytest.approx(expected)
    assert isinstance(found, Figure)
    assert (found.run_id, found.samples) == (run.id, 10)
    assert (found.start_ns, found.end_ns) == (cases.START_NS + HOUR_NS, cases.START_NS + 10 * HOUR_NS)


def test_only_the_daily_window_counts(project: Project) -> None:
    run = run_with(project, list(range(48)))  # hour h is 9 + h o'clock in Seoul
    found = figure_of(project, metric(window=DailyWindow("09:00", "12:00")), run)
    assert value(found) == np.mean([0, 1, 2, 24, 25, 26])
    assert isinstance(found, Figure) and found.samples == 6
    over_midnight = figure_of(project, metric(statistic="total", window=DailyWindow("23:00", "01:00")), run)
    assert value(over_midnight) == sum([14, 15, 38, 39])
    assert why(figure_of(project, metric(window=DailyWindow("08:30", "08:31")), run)) == "no_samples"


@pytest.mark.parametrize("zone", ["Asia/Seoul", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe", "UTC"])
def test_a_window_is_of_the_wall_clock_also_where_it_changes(zone: str) -> None:
    year = (
        np.arange(
            int(datetime(2026, 1, 1, tzinfo=UTC).timestamp()), int(datetime(2027, 1, 1, tzinfo=UTC).timestamp()), 1800
        )
        * cases.SECOND_NS
    )
    found = in_window(year, DailyWindow("01:30", "03:00"), ZoneInfo(zone))
    wall = [datetime.fromtimestamp(int(each) // cases.SECOND_NS, tz=ZoneInfo(zone)) for each in year]
    expected = [(each.hour, each.minute) >= (1, 30) and each.hour < 3 for each in wall]
    assert found.tolist() == expected


def test_captures_of_one_run_are_one_series(project: Project) -> None:
    run_with(project, [1, 2])
    matrix, times = hours([2, 3], first=1)
    artefact = cases.store_artefact(project, b"other")
    writer = cases.sample_writer(project, artefact)
    writer.append(cases.batch(matrix, times_ns=times))
    writer.finish()
    cases.mark_parsed(project, artefact)
    found = figure_of(project, metric(statistic="total"), runs.list_runs(project)[0])
    assert value(found) == 6  # the instant that both captured counts once


def test_units_are_turned_into_the_metrics_own(project: Project) -> None:
    run = run_with(project, [5, 7])
    assert value(figure_of(project, metric(unit="s"), run)) == pytest.approx(0.006)
    assert value(figure_of(project, metric(unit="ms/op"), run)) == 6  # named column, own unit


def test_another_tools_column_that_means_the_same(project: Project) -> None:
    run = run_with(project, [5, 7])
    by_metric = SeriesSource("db1", "", "", "system.disk.wait_time", ())
    assert value(figure_of(project, metric(by_metric), run)) == 6
    assert value(figure_of(project, metric(replace(by_metric, host="")), run)) == 6
    assert value(figure_of(project, metric(replace(SSD2, tool="sar", native="await")), run)) == 6
    assert why(figure_of(project, metric(by_metric, unit="%"), run)) == "unit_differs"
    assert why(figure_of(project, metric(replace(by_metric, host="db2")), run)) == "series_missing"
    assert why(figure_of(project, metric(replace(SSD2, native="await", metric="")), run)) == "series_missing"
    assert (
        why(figure_of(project, metric(replace(SSD2, native="x", attributes=(("device", "sd0"),))), run))
        == "series_missing"
    )


def test_two_things_that_fit_are_not_guessed(project: Project) -> None:
    run = run_with(project, [5])
    artefact = cases.store_artefact(project, b"two")
    writer = cases.sample_writer(project, artefact)
    key = replace(cases.keys("svc_t")[0], attributes=(("device", "ssd3"),))
    writer.append(replace(cases.batch([[1.0]]), series=(key,)))
    writer.finish()
    cases.mark_parsed(project, artefact)
    assert (
        why(figure_of(project, metric(SeriesSource("db1", "", "", "system.disk.wait_time")), run)) == "series_unclear"
    )


def test_the_groups_of_one_tool_are_no_other_thing(project: Project) -> None:
    """vmstat heads its idle time as of the group "cpu", iostat does not: a guard on both tools' host has one meaning."""
    run = run_with(project, [5, 7])
    artefact = cases.store_artefact(project, b"vmstat")
    writer = cases.sample_writer(project, artefact)
    grouped = replace(cases.keys("id")[0], attributes=(*cases.keys("id")[0].attributes, ("group", "cpu")))
    writer.append(replace(cases.batch([[1.0]]), series=(grouped,)))
    writer.finish()
    cases.mark_parsed(project, artefact)
    by_metric = metric(SeriesSource("db1", "", "", "system.disk.wait_time"))
    assert value(figure_of(project, by_metric, run)) == 6  # of two tools the one with more samples


@pytest.mark.parametrize(("cpu", "expected"), [("all", ""), ("3", "series_unclear")])
def test_the_whole_of_one_tool_is_what_another_names_without_parts(project: Project, cpu: str, expected: str) -> None:
    """sar says "all" of the idle time of which iostat, that tells no processors apart, says nothing; one of them is
    another thing."""
    run = run_with(project, [5, 7])
    artefact = cases.store_artefact(project, b"sar")
    writer = cases.sample_writer(project, artefact)
    whole = replace(cases.keys("idle")[0], attributes=(*cases.keys("idle")[0].attributes, ("cpu", cpu)))
    writer.append(replace(cases.batch([[1.0]]), series=(whole,)))
    writer.finish()
    cases.mark_parsed(project, artefact)
    figure = figure_of(project, metric(SeriesSource("db1", "", "", "system.disk.wait_time")), run)
    assert (why(figure) if expected else value(figure)) == (expected or 6)


# -- statements, measurements, by hand -----------------------------------------------------------------


def test_statements(project: Project) -> None:
    run = runs.ensure_run(project, "before", Phase.BEFORE)
    engagements.write_statements(
        project,
        run.id,
        [
            Statement(run.id, "oracle", "a", "SELECT 1", executions=4, elapsed_s=590.997, block_gets=100),
            Statement(run.id, "oracle", "b", "SELECT 2", executions=2, elapsed_s=9.003),
        ],
    )
    all_of = metric(StatementSource("elapsed_s"), "total", "s")
    assert value(figure_of(project, all_of, run)) == pytest.approx(600.0)
    assert (
        value(figure_of(project, replace(all_of, source=StatementSource("elapsed_s", "oracle", "a")), run)) == 590.997
    )
    per_execution = replace(all_of, source=StatementSource("elapsed_s", per_execution=True))
    assert value(figure_of(project, per_execution, run)) == pytest.approx(100.0)
    gets = figure_of(project, replace(all_of, source=StatementSource("block_gets")), run)
    assert isinstance(gets, Figure) and (gets.value, gets.bound, gets.samples) == (100.0, ">", 1)
    assert why(figure_of(project, replace(all_of, source=StatementSource("cpu_s")), run)) == "figure_missing"
    assert why(figure_of(project, replace(all_of, source=StatementSource("rows", "mysql")), run)) == "statement_missing"


@pytest.mark.parametrize(
    ("unit", "expected"),
    [
        ("s", 0.0000911),
        ("ms", 0.0911),
        ("us", 91.1),
        ("\u00b5s", 91.1),
        ("\u03bcs", 91.1),
        ("", 0.0000911),
        ("초", 0.0000911),
        (" ms ", 0.0911),
    ],
)
def test_the_time_of_a_statement_is_exactly_in_the_metrics_unit(project: Project, unit: str, expected: float) -> None:
    run = runs.ensure_run(project, "before", Phase.BEFORE)
    statement = Statement(run.id, "postgresql", "a", "UPDATE x", executions=10, elapsed_s=0.000911, cpu_s=0.0000911)
    engagements.write_statements(project, run.id, [statement])
    of = metric(StatementSource("elapsed_s", per_execution=True), "mean", unit)
    assert value(figure_of(project, of, run)) == expected
    assert value(figure_of(project, replace(of, source=StatementSource("cpu_s")), run)) == expected


def test_the_times_of_statements_in_minutes_and_in_what_is_no_time(project: Project) -> None:
    run = runs.ensure_run(project, "before", Phase.BEFORE)
    engagements.write_statements(
        project,
        run.id,
        [
            Statement(run.id, "oracle", "a", "SELECT 1", executions=3, elapsed_s=0.1, block_gets=7),
            Statement(run.id, "oracle", "b", "SELECT 2", executions=1, elapsed_s=0.2, block_gets=5),
            Statement(run.id, "oracle", "c", "SELECT 3", executions=1, elapsed_s=89.7, block_gets=0),
        ],
    )
    total = metric(StatementSource("elapsed_s"), "total", "min")
    assert value(figure_of(project, total, run)) == 1.5  # 90 s
    assert value(figure_of(project, replace(total, unit="ms"), run)) == 90_000
    assert value(figure_of(project, replace(total, unit="h"), run)) == 0.025
    for unit in ("%", "blocks", "kB"):
        found = figure_of(project, replace(total, unit=unit), run)
        assert why(found) == "unit_differs"
        assert isinstance(found, Broken) and unit in broken_text(found, "en")
    assert value(figure_of(project, replace(total, source=StatementSource("block_gets"), unit="blocks"), run)) == 12


def test_measurements_of_the_success_case(project: Project) -> None:
    engagements.write_measurements(
        project,
        [
            Measurement(
                "cpu_peak", "CPU", "CPU", "%", "max", Direction.LOWER, 95.0, 20.0, after_bound="<", source="000 p. 29"
            ),
            Measurement("one_side", "x", "x", "s", "total", Direction.LOWER, 1.0, None),
        ],
    )
    before, after, other = (runs.ensure_run(project, phase.value, phase) for phase in Phase)
    cpu = metric(MeasurementSource("cpu_peak"), "max", "%")
    assert figure_of(project, cpu, before) == Figure(95.0, "", before.id, source="000 p. 29")
    assert figure_of(project, cpu, after) == Figure(20.0, "<", after.id, source="000 p. 29")
    assert why(figure_of(project, cpu, other)) == "phase_unknown"
    assert why(figure_of(project, metric(MeasurementSource("gone")), before)) == "measurement_missing"
    assert why(figure_of(project, metric(MeasurementSource("one_side")), after)) == "figure_missing"
    assert why(figure_of(project, metric(ManualSource("stop watch")), before)) == "manual"


def test_a_figure_that_is_not_there_is_a_refusal_with_its_sentence(project: Project) -> None:
    run = runs.ensure_run(project, "before", Phase.BEFORE)
    with pytest.raises(UserError) as caught:
        figures.measured(project, metric(), run)
    assert "db1|iostat|svc_t|device=ssd2" in catalogue("en").error(caught.value)
    with pytest.raises(UserError, match="cycle_run_is_before"):
        check_after(run)
    check_after(runs.ensure_run(project, "after", Phase.AFTER))


# -- what is read anew ---------------------------------------------------------------------------------


def measured_cycle(project: Project) -> CycleBook:
    run = run_with(project, [5, 7])
    series = list_series(project)[0]
    pinned = cycle_evidence.window(project, [series.id])
    figure = figure_of(project, metric(), run)
    assert isinstance(figure, Figure)
    apply(
        project,
        adding(
            Iteration(-1, 1, "1차"),
            replace(metric(), id=-2, iteration_id=-1),
            Target(-3, -1, -2, figure, 3.0, 1),
            Result(-4, -1, -2, figure),
            Evidence(-5, 0, "ssd2", pinned, (-3,)),
            Evidence(-6, 0, "전체", EvidenceTarget(EvidenceKind.RUN, run.id)),
        ),
        "lee",
    )
    return read_book(project)


def read_anew(project: Project, name: str, values: Sequence[float]) -> None:
    """As a re-parse does it: what was read from the capture goes, and something comes in its place."""
    remove_samples(project, 1)
    writer = cases.sample_writer(project, 1)
    matrix, times = hours(values)
    writer.append(cases.batch(matrix, names=(name,), times_ns=times))
    writer.finish()
    cases.mark_parsed(project, 1)


def test_nothing_is_broken_as_long_as_the_series_are_there(project: Project) -> None:
    book = measured_cycle(project)
    assert broken_records(project, book) == ()
    read_anew(project, "svc_t", [5, 7])  # new ids, same names
    assert broken_records(project, book) == ()
    (evidence, _run) = book.all(Evidence)
    (info,) = series_of_evidence(project, evidence)
    assert (info.native, info.run) == ("svc_t", "before")


def test_a_target_whose_series_vanished_is_kept_and_marked(project: Project) -> None:
    book = measured_cycle(project)
    read_anew(project, "asvc_t", [5, 7])
    with project.transaction() as connection:
        connection.execute("UPDATE series SET metric = ''")
    broken = broken_records(project, book)
    assert [(type(each.record).__name__, why(each.why)) for each in broken] == [
        ("Target", "series_missing"),
        ("Result", "series_missing"),
        ("Evidence", "evidence_lost"),
    ]
    assert read_book(project) == book
    assert broken_records(project, book, 999) == tuple(each for each in broken if isinstance(each.record, Evidence))


def test_a_pinned_window_that_a_re_parse_left_behind_is_marked(project: Project) -> None:
    book = measured_cycle(project)
    (evidence, run) = book.all(Evidence)
    for shift_ns, expected in ((0, []), (1000 * HOUR_NS, ["evidence_moved"]), (-1000 * HOUR_NS, ["evidence_moved"])):
        start_ns = cases.START_NS + shift_ns
        moved = replace(evidence, target=replace(evidence.target, start_ns=start_ns, end_ns=start_ns + HOUR_NS))
        broken = broken_records(project, CycleBook({**book.records, evidence.id: moved}))
        assert [why(each.why) for each in broken if each.record.id == evidence.id] == expected
    assert run.target.series_names == ()


def test_a_figure_that_a_re_parse_changed_is_marked(project: Project) -> None:
    book = measured_cycle(project)
    read_anew(project, "svc_t", [5, 8])
    assert [why(each.why) for each in broken_records(project, book)] == ["value_changed", "value_changed"]


def test_a_typed_figure_is_not_measured_again(project: Project) -> None:
    book = measured_cycle(project)
    (target,) = book.all(Target)
    typed = replace(target, baseline=Figure(9.9, run_id=1, source="보고서"))
    edit = CycleEdit("set_baseline", (RecordChange(target, typed),))  # as earlier releases let it be typed
    applying.apply(project, edit, reason="고객 보고서")
    assert [type(each.record).__name__ for each in broken_records(project, read_book(project))] == []


# -- the check of the project ---------------------------------------------------------------------------


def wrong(project: Project) -> dict[str, tuple[str, list[object]]]:
    """What the check finds; its sentences looked at in both languages."""
    found = {each.check: each for each in check.check(project) if each.state != "ok"}
    for result in found.values():
        for each in result.facts["found"]:  # type: ignore[attr-defined]
            for language in ("ko", "en"):
                sentence = found_text(each, language)
                assert "⟨" not in sentence and "{" not in sentence, sentence
    return {name: (result.state, result.facts["found"]) for name, result in found.items()}  # type: ignore[misc]


def overwrite(project: Project, record: Target | Result, value: float) -> None:
    """As somebody does it who opens the file with another program."""
    name = "baseline" if isinstance(record, Target) else "after"
    with project.transaction() as connection:
        connection.execute(
            "UPDATE cycle_record SET body = json_set(body, ?, ?) WHERE id = ?", (f"$.{name}.value", value, record.id)
        )


def test_a_result_that_was_written_over_differs_from_what_its_run_says(project: Project) -> None:
    (result,) = measured_cycle(project).all(Result)
    assert wrong(project) == {}
    overwrite(project, result, 0.1)
    record = f"result.{result.id}"
    assert wrong(project) == {
        "cycle_audit": ("failed", [{"record": record, "field": "after.value", "written": 6.0, "stored": 0.1}]),
        "cycle_figures": (
            "failed",
            [{"record": record, "metric": "m", "run": "before", "stored": 0.1, "recomputed": 6.0, "why": None}],
        ),
    }


def test_a_sum_in_another_order_is_no_difference(project: Project) -> None:
    (target,) = measured_cycle(project).all(Target)
    overwrite(project, target, 6.0 * (1 + 1e-12))
    assert "cycle_figures" not in wrong(project)
    overwrite(project, target, 6.0 * (1 + 1e-8))
    assert wrong(project)["cycle_figures"][0] == "failed"


def test_a_figure_whose_captures_were_read_anew_cannot_be_told(project: Project) -> None:
    book = measured_cycle(project)
    read_anew(project, "svc_t", [5, 8])
    ((name, (state, found)),) = wrong(project).items()
    assert (name, state) == ("cycle_sources", "warning")
    assert [(each["record"], each["recomputed"]) for each in found] == [  # type: ignore[index]
        (f"target.{book.all(Target)[0].id}", 6.5),
        (f"result.{book.all(Result)[0].id}", 6.5),
    ]


def test_a_figure_whose_series_is_gone_cannot_be_told(project: Project) -> None:
    measured_cycle(project)
    read_anew(project, "asvc_t", [5, 7])
    with project.transaction() as connection:
        connection.execute("UPDATE series SET metric = ''")
    state, found = wrong(project)["cycle_sources"]
    assert state == "warning"
    assert {(each["recomputed"], each["why"]) for each in found} == {(None, "series_missing")}  # type: ignore[index]


def test_a_measurement_of_the_success_case_is_looked_up_again(project: Project) -> None:
    run = run_with(project, [1])
    engagements.write_measurements(
        project,
        [Measurement("response", "응답", "Response", "s", "total", Direction.LOWER, 9.0, 3.0, source="000, p. 28")],
    )
    response = replace(metric(MeasurementSource("response"), unit="s"), id=-2, iteration_id=-1)
    figure = figure_of(project, response, run)
    assert isinstance(figure, Figure) and figure.value == 9.0
    apply(project, adding(Iteration(-1, 1, "1차"), response, Target(-3, -1, -2, figure, 3.0, 1)), "lee")
    assert wrong(project) == {}
    (target,) = read_book(project).all(Target)
    overwrite(project, target, 90.0)
    (said,) = wrong(project)["cycle_figures"][1]
    assert (said["stored"], said["recomputed"]) == (90.0, 9.0)  # type: ignore[index]


# -- over a window -------------------------------------------------------------------------------------


def kept_window(project: Project, *occurrences: Occurrence, exclusions: tuple[Exclusion, ...] = ()) -> Window:
    made = Window(0, "Peak", WindowRole.AFTER, occurrences=occurrences, exclusions=exclusions)
    (done,) = applying.apply(project, windows.add(project, made)).changes
    assert isinstance(done.after, Window)
    return done.after


def dated_run(project: Project, values: Sequence[float]) -> Run:
    """`run_with`, its capture with the account that tells its times."""
    run = run_with(project, values)
    (info,) = list_artefacts(project)
    last_ns = cases.START_NS + (len(values) - 1) * HOUR_NS
    cases.mark_parsed(project, info.id, Ledger(first_ns=cases.START_NS, last_ns=last_ns, series=1))
    return run


def hour_span(first: float, last: float) -> tuple[int, int]:
    """Hours after 09:00 in Seoul, as `hours` counts them."""
    return cases.START_NS + round(first * HOUR_NS), cases.START_NS + round(last * HOUR_NS)


def test_a_window_gives_the_figure_of_its_occurrences(project: Project) -> None:
    run = dated_run(project, [1, 2, 4, 8, 16, 32, 64])
    hole = Exclusion(*hour_span(4.5, 5.5), "배치")
    window = kept_window(project, Occurrence(*hour_span(1, 2)), Occurrence(*hour_span(4, 6)), exclusions=(hole,))
    found = figure_of(project, metric(), window)
    assert value(found) == pytest.approx((2 + 4 + 16 + 64) / 4)
    assert isinstance(found, Figure)
    assert (found.run_id, found.window_id, found.samples) == (run.id, window.id, 4)
    assert (found.start_ns, found.end_ns) == (hour_span(1, 1)[0], hour_span(6, 6)[0])
    daily = metric(window=DailyWindow("13:00", "14:00"))
    assert value(figure_of(project, daily, window)) == 16


def test_what_a_window_cannot_tell(project: Project) -> None:
    run = dated_run(project, [1, 2])
    window = kept_window(project, Occurrence(*hour_span(0, 1)))
    assert why(figure_of(project, metric(replace(SSD2, native="nothing", metric="")), window)) == "series_missing"
    assert why(figure_of(project, metric(MeasurementSource("elapsed")), window)) == "window_of_captures"
    removal.remove_run(project, run.id)  # the window names none
    assert why(figure_of(project, metric(), window)) == "no_samples"


def test_a_figure_of_a_window_is_computed_again_over_it(project: Project) -> None:
    """Its evidence is where it lies; a window that was changed since says otherwise, and one that is used stays."""
    dated_run(project, [1, 2, 4, 8])
    window = kept_window(project, Occurrence(*hour_span(0, 1)))
    applying.apply(project, adding(Iteration(-1, 1, "1차"), replace(metric(), id=-2, iteration_id=-1)))
    (one,) = reading.read(project).all(Metric)
    figure, place = taken(project, one, window)
    assert place is not None and (place.start_ns, place.end_ns) == hour_span(0, 1)
    book = reading.read(project)
    applying.apply(project, with_evidence(book, figure, place, "Peak", lambda told: set_baseline(book, one.id, told)))
    assert [each.measured_over for each in remeasured(project, reading.read(project), {})] == ["Peak"]
    assert not broken_records(project, reading.read(project))
    with pytest.raises(UserError, match="cycle_record_in_use"):
        applying.apply(project, windows.remove(window))
    with pytest.raises(UserError, match="cycle_record_in_use"):
        edits.remove(reading.read(project), window.id)
    applying.apply(
        project, windows.change(project, window, replace(window, occurrences=(Occurrence(*hour_span(2, 3)),)))
    )
    (broken,) = broken_records(project, reading.read(project))
    assert (broken.why.key, broken.why.facts["now"]) == ("value_changed", "6")
