"""The comparison of two runs from captures to verdicts: no false alarms, the gate, splits, the JSON contract."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from io import StringIO
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from tests.program import compose
from tests.unit.analysis.comparing.samples_made import info
from tests.unit.usecases.compared_captures import MONDAY, SUNDAY, TUESDAY, morning
from tests.unit.usecases.cycle_bench import Bench
from tests.unit.usecases.daily_captures import vmstat
from tunebench.analysis.comparing.comparability import Busy
from tunebench.analysis.comparing.comparison import ComparedSeries, Comparison
from tunebench.analysis.inference.verdict import Verdict
from tunebench.cli.comparing import lines as compare_lines
from tunebench.cli.console import Console
from tunebench.columns import comparing_words
from tunebench.contract import comparing as compare_shapes
from tunebench.domain.comparability import CheckState, GateCheck
from tunebench.domain.engagement import CaptureEvent, Engagement, EventKind, Phase, StoredEvent
from tunebench.domain.windows import Stretch, WindowLoad, run_window
from tunebench.store import engagements, events, merged_series
from tunebench.store.project import Project
from tunebench.usecases import projects
from tunebench.usecases.comparing import compare, stretches
from tunebench.usecases.comparing.sides import samples_in
from tunebench.usecases.importing import imports
from tunebench.usecases.importing.results import ImportOptions
from tunebench.usecases.reports import success_case as reports

SEOUL = ZoneInfo("Asia/Seoul")
MINUTE_NS = 60_000_000_000


@pytest.fixture(scope="module", autouse=True)
def services() -> None:
    compose()


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with projects.create(tmp_path / "case.tune", Engagement("tuning", "ACME")) as made:
        yield made


Take = Callable[..., Comparison]


@pytest.fixture
def compared(project: Project, tmp_path: Path) -> Take:
    """Imports a morning before and one after, and compares them."""

    def take(before: dict[str, object] | None = None, after: dict[str, object] | None = None) -> Comparison:
        for run, phase, own in (("old", Phase.BEFORE, before), ("new", Phase.AFTER, after)):
            wanted = {"start": MONDAY if run == "old" else TUESDAY, "seed": 1 if run == "old" else 2} | (own or {})
            path = morning(tmp_path / f"{run}.txt", **wanted)  # type: ignore[arg-type]
            report = imports.import_captures(project, [path], ImportOptions(run=run, phase=phase))
            assert report.complete, [file.error for file in report.files]
        return again(project)

    return take


def again(project: Project) -> Comparison:
    old, new = (projects.find_run(project, label) for label in ("old", "new"))
    return compare.compare(project, run_window(old.id), run_window(new.id))


def check(found: Comparison, name: str) -> GateCheck:
    return next(one for one in found.gate if one.check.value == name)


def verdicts(found: Comparison) -> Counter[Verdict]:
    return Counter(row.verdict for row in found.rows)


# -- the whole -----------------------------------------------------------------------------------------


def test_two_mornings_alike_give_hardly_any_false_alarm(compared: Take) -> None:
    """Of 286 series none is different; seeds 11 and 12."""
    found = compared({"seed": 11, "devices": 40}, {"seed": 12, "devices": 40})
    judged = [row for row in found.rows if row.p is not None]
    assert len(judged) > 250
    assert sum(row.changed for row in judged) <= 0.02 * len(judged)
    assert verdicts(found)[Verdict.IMPROVED] + verdicts(found)[Verdict.REGRESSED] <= 2


def test_a_morning_twice_as_fast_is_improved_with_an_interval_around_two(compared: Take) -> None:
    found = compared(after={"faster": 2.0})
    for name in ("await", "%util", "%user"):
        rows = [row for row in found.rows if row.native == name]
        judged = [row for row in rows if row.verdict is not Verdict.INSUFFICIENT_DATA]
        assert len(judged) >= len(rows) - 1, name  # three hours are few: 1 in 20 looks slowly correlated by chance
        assert {row.verdict for row in judged} == {Verdict.IMPROVED}, name
        for row in judged:
            assert row.interval is not None
            assert row.interval.low < row.headline < row.interval.high  # type: ignore[operator]
            assert 1.7 < row.headline < 2.35  # type: ignore[operator]
    assert {row.verdict for row in found.rows if row.native == "r/s"} == {Verdict.DESCRIPTIVE_ONLY}


def test_response_times_of_larger_requests_are_not_judged(compared: Take) -> None:
    found = compared(after={"faster": 0.5, "request_kib": 64.0})
    waits = [row for row in found.rows if row.native == "await"]
    assert {(row.verdict, row.reason) for row in waits} == {(Verdict.NOT_COMPARABLE, "request_size_differs")}
    assert waits[0].facts["after_size_bytes"] == pytest.approx(64 * 1024, rel=0.01)
    assert "64.0 KiB" in comparing_words.reason_text(waits[0], "en", SEOUL)


def test_a_run_against_itself_overlaps(project: Project, compared: Take) -> None:
    compared()
    old = projects.find_run(project, "old")
    found = compare.compare(project, run_window(old.id), run_window(old.id))
    assert {(row.verdict, row.reason) for row in found.rows} == {(Verdict.NOT_COMPARABLE, "windows_overlap")}


def test_sides_that_only_their_files_dates_put_at_the_same_time_are_described(project: Project, tmp_path: Path) -> None:
    """Somebody copied both at once: that tells neither that they overlap nor which was first."""
    for number, (run, phase) in enumerate((("old", Phase.BEFORE), ("new", Phase.AFTER))):
        path = vmstat(tmp_path, f"{run}.txt", 40, 100 * number)
        os.utime(path, (1_795_300_000, 1_795_300_000))
        imports.import_captures(project, [path], ImportOptions(run=run, phase=phase, host="db1"))
    found = again(project)
    assert {(row.verdict, row.reason) for row in found.rows} == {(Verdict.DESCRIPTIVE_ONLY, "undated")}
    assert all(row.before_statistics and row.after_statistics for row in found.rows)
    assert "elapsed time" in comparing_words.reason_text(found.rows[0], "en", SEOUL)
    assert (check(found, "C2").state, check(found, "C2").reason) == (CheckState.UNKNOWN, "dated_by_file")


def test_two_windows_of_one_run_are_two_windows(project: Project, compared: Take) -> None:
    compared()
    old = projects.find_run(project, "old")
    assert old.first_ns is not None
    half = old.first_ns + 90 * MINUTE_NS
    found = compare.compare(project, run_window(old.id, None, half - 1), run_window(old.id, half, None))
    assert {row.before_statistics.n for row in found.rows if row.before_statistics} == {89}  # the first is since boot
    assert "windows_overlap" not in {row.reason for row in found.rows}
    assert check(found, "C2").facts["overlap_pct"] == pytest.approx(100 / 3, abs=1)  # 09-10:30 and 10:30-12


def test_an_empty_window_says_so(project: Project, compared: Take) -> None:
    compared()
    old, new = (projects.find_run(project, label) for label in ("old", "new"))
    found = compare.compare(project, run_window(old.id, 0, 1), run_window(new.id))
    assert {(row.verdict, row.reason) for row in found.rows} == {(Verdict.INSUFFICIENT_DATA, "no_samples")}
    assert check(found, "C2").state is CheckState.UNKNOWN


def test_a_stretch_of_a_run_holds_no_sample_of_another_run(project: Project, compared: Take) -> None:
    """Both were captured at that time, and only the other one has the series."""
    compared()
    old, new = (projects.find_run(project, label) for label in ("old", "new"))
    assert old.first_ns is not None and old.last_ns is not None
    parts = tuple(each for each in merged_series.list_merged(project, old.id) if each.native == "%user")
    counts = [
        len(samples_in(project, parts, Stretch(old.first_ns, old.last_ns, run_id)).times_ns)
        for run_id in (old.id, None, new.id)
    ]
    assert counts == [180, 180, 0]


def test_a_device_of_one_side_only_is_listed(compared: Take) -> None:
    found = compared({"devices": 2}, {"devices": 3})
    alone = {row.series.device for row in found.rows if row.reason == "one_side_only"}
    assert alone == {"sdc"}
    apart = [row for row in found.rows if not row.measured_on_both]
    assert {row.series.device for row in apart} == {"sdc"}
    printed = StringIO()
    compare_lines.show_comparison(found, SEOUL, Console("en", json_wanted=False, out=printed))
    compared_rows, _, listed = printed.getvalue().partition(f"Not measured on both sides: {len(apart)} series")
    assert "iostat sda" in compared_rows and "iostat sdc" not in compared_rows
    assert sum("sdc" in line and line.rstrip().endswith("after") for line in listed.splitlines()) == len(apart)
    assert compared_rows.startswith("Load (disk requests per second): "), "what asked for the work comes first"
    assert " 1 → 1 " in compared_rows and " 10 % (assumed) " in compared_rows


def test_a_step_in_the_middle_is_offered_as_a_split(compared: Take) -> None:
    found = compared({"step_at": 90})
    offer = found.split_offers[0]
    assert (offer.side, offer.host, offer.reason) == ("before", "db01", "change_point")
    expected_ns = round((MONDAY + timedelta(minutes=90)).replace(tzinfo=SEOUL).timestamp()) * 1_000_000_000
    assert abs(offer.at_ns - expected_ns) <= 3 * MINUTE_NS
    assert check(found, "C6").state is CheckState.ADJUST
    assert {row.reason for row in found.rows if row.native == "r/s"} == {"change_inside"}


# -- the gate ------------------------------------------------------------------------------------------


def test_the_gate_has_ten_checks_and_says_what_it_does_not_know(compared: Take) -> None:
    found = compared()
    assert [one.check.value for one in found.gate] == [f"C{number}" for number in range(1, 11)]
    states = {one.check.value: one.state for one in found.gate}
    assert states["C2"] is CheckState.PASS
    assert states["C3"] is CheckState.PASS  # of the disks' requests
    assert states["C5"] is CheckState.PASS
    assert {states[name] for name in ("C4", "C7", "C8", "C10")} == {CheckState.UNKNOWN}
    for language in ("ko", "en"):
        for one in found.gate:
            text = comparing_words.check_text(one, language, SEOUL)
            assert text and "{" not in text and "⟨" not in text


def test_at_another_load_every_judged_row_says_so(compared: Take) -> None:
    """Nothing was tuned: the disks are 0.6 times as busy because 0.6 times as much was asked of them."""
    found = compared(after={"load": 0.6})
    assert (check(found, "C3").state, check(found, "C3").reason) == (CheckState.ADJUST, "work_only")
    assert Verdict.IMPROVED not in verdicts(found)
    assert Verdict.REGRESSED not in verdicts(found)
    for row in found.rows:
        if row.native == "%util":  # proportional to the requests: as they are it fell, per request it did not
            assert row.per_unit_of == "system.disk.operations"
            assert row.headline == pytest.approx(1 / 0.6, rel=0.15)
            assert row.estimate == pytest.approx(1.0, rel=0.15)
        if row.native in ("await", "aqu-sz"):
            assert (row.verdict, row.reason) == (Verdict.NOT_COMPARABLE, "no_common_load")
    judged = [row for row in found.rows if row.verdict in (Verdict.EQUIVALENT, Verdict.INCONCLUSIVE)]
    said = "fell to 0.6"
    for row in judged:
        assert any(said in comparing_words.caution_text(one, "en", SEOUL) for one in row.cautions), row.native
    printed = StringIO()
    compare_lines.show_comparison(found, SEOUL, Console("en", json_wanted=False, out=printed))
    lines = [line for line in printed.getvalue().splitlines() if line.startswith("see await") and "%util" in line]
    assert lines and all(said in line for line in lines)


def test_hosts_that_share_the_work_otherwise_are_not_at_equal_load(project: Project, tmp_path: Path) -> None:
    """As much as before was asked of both together, nearly all of it of one of them."""
    for run, phase, start, shares in (
        ("old", Phase.BEFORE, MONDAY, (1.0, 1.0)),
        ("new", Phase.AFTER, TUESDAY, (1.9, 0.1)),
    ):
        for seed, (host, asked) in enumerate(zip(("db01", "web01"), shares, strict=True), start.day):
            path = morning(tmp_path / f"{run}-{host}.txt", start=start, seed=seed, load=asked)
            assert imports.import_captures(project, [path], ImportOptions(run=run, phase=phase, host=host)).complete
    found = again(project)
    load = check(found, "C3")
    assert (load.state, load.reason, load.facts["host"]) == (CheckState.ADJUST, "other_hosts", "web01")
    assert load.facts["ratio"] == pytest.approx(0.1, rel=0.1)
    judged = [row for row in found.rows if row.verdict in (Verdict.IMPROVED, Verdict.REGRESSED)]
    assert {row.series.host for row in judged} == {"db01", "web01"}
    assert all("load_shifted" in {one.key for one in row.cautions} for row in judged)
    assert all("web01" in comparing_words.check_text(load, language, SEOUL) for language in ("ko", "en"))


def test_where_no_load_is_told_every_judged_row_says_so(compared: Take) -> None:
    found = compared({"devices": 0}, {"devices": 0, "faster": 2.0})
    assert check(found, "C3").state is CheckState.UNKNOWN
    user = next(row for row in found.rows if row.native == "%user")
    assert (user.verdict, [one.key for one in user.cautions]) == (
        Verdict.IMPROVED,
        ["variation_assumed", "load_unknown"],
    )


def test_a_sunday_is_no_working_day(compared: Take) -> None:
    found = compared(after={"start": SUNDAY, "faster": 2.0})
    assert (check(found, "C2").state, check(found, "C2").facts["overlap_pct"]) == (CheckState.REFUSE, 0.0)
    waits = [row for row in found.rows if row.native == "await"]
    assert {(row.verdict, row.reason) for row in waits} == {(Verdict.NOT_COMPARABLE, "gate")}
    assert waits[0].facts == {"checks": ["C2"]}


def test_hours_that_overlap_in_part_give_a_caution(compared: Take) -> None:
    """09:00 to 12:00 against 10:00 to 13:00: two hours of three."""
    found = compared(after={"start": TUESDAY + timedelta(hours=1), "faster": 2.0})
    assert check(found, "C2").state is CheckState.ADJUST
    wait = next(row for row in found.rows if row.native == "await")
    assert wait.verdict is Verdict.IMPROVED
    assert "check_C2" in {caution.key for caution in wait.cautions}


def test_another_machine_without_a_record_is_refused_and_with_one_is_not(project: Project, compared: Take) -> None:
    found = compared(after={"host": "db02"})
    assert (check(found, "C1").state, check(found, "C1").reason) == (CheckState.REFUSE, "hosts_differ")
    assert not any(comparing_words.further_statistics(row) for row in found.rows), (
        "p95 and p99 are refused with the row"
    )
    Bench(project).executed()  # on Monday evening
    found = again(project)
    assert (check(found, "C1").state, check(found, "C1").reason) == (CheckState.ADJUST, "differences_and_record")


def test_one_recorded_change_passes(project: Project, compared: Take) -> None:
    compared()
    Bench(project).executed()
    found = again(project)
    assert (check(found, "C1").state, check(found, "C1").facts["recorded"]) == (CheckState.PASS, ["maxcontig"])


def test_a_recorded_disk_is_one_difference_that_is_recorded(
    project: Project, compared: Take, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two tools saw the disk come, and the change log has it: nothing differs without a record."""
    compared()
    old, new = (projects.find_run(project, label) for label in ("old", "new"))
    assert old.last_ns is not None and new.first_ns is not None
    (host_id,) = {row.before.host_id for row in again(project).rows if row.before}
    found: dict[str, tuple[CheckState, object]] = {}
    for name in ("sdd", "maxcontig"):
        came = CaptureEvent(EventKind.DEVICE_ADDED, (old.last_ns + new.first_ns) // 2, text=name)
        seen = [StoredEvent(host_id, new.id, capture, came) for capture in (1, 2)]
        monkeypatch.setattr(events, "list_events", lambda *_, seen=seen: seen)
        gate = check(again(project), "C1")
        found[f"{name} alone"] = gate.state, gate.facts["parameter_count"]
    Bench(project).executed()  # maxcontig
    found["recorded"] = (gate := check(again(project), "C1")).state, gate.facts["parameter_count"]
    assert found == {
        "sdd alone": (CheckState.ADJUST, 1),
        "maxcontig alone": (CheckState.ADJUST, 1),
        "recorded": (CheckState.PASS, 0),
    }


def test_a_restart_inside_refuses_and_offers_its_time(
    project: Project, compared: Take, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared()
    old = projects.find_run(project, "old")
    assert old.first_ns is not None
    at_ns = old.first_ns + 60 * MINUTE_NS
    (host_id,) = {row.before.host_id for row in again(project).rows if row.before}
    event = CaptureEvent(EventKind.RESTART, at_ns)
    monkeypatch.setattr(events, "list_events", lambda *_: [StoredEvent(host_id, old.id, 1, event)])
    found = again(project)
    assert (check(found, "C5").state, check(found, "C5").reason) == (CheckState.REFUSE, "restart")
    assert [(one.side, one.at_ns) for one in found.split_offers if one.reason == "restart"] == [("before", at_ns)]


def test_a_backup_in_one_window_only_refuses(project: Project, compared: Take) -> None:
    compared()
    new = projects.find_run(project, "new")
    assert new.first_ns is not None
    engagements.add_note(project, "time", None, new.first_ns + MINUTE_NS, "RMAN 백업 수행", "이영진")
    found = again(project)
    assert (check(found, "C10").state, check(found, "C10").facts["side"]) == (CheckState.REFUSE, "after")


def test_a_run_is_not_looked_at_where_only_a_file_s_date_puts_it(
    project: Project, compared: Take, tmp_path: Path
) -> None:
    """A back-up on the day on which somebody copied the vmstat says nothing about the morning that is compared."""
    compared()
    path = vmstat(tmp_path, "vmstat.txt")
    copied_s = 1_795_300_000  # 2026-11-22
    os.utime(path, (copied_s, copied_s))
    imports.import_captures(project, [path], ImportOptions(run="old", phase=Phase.BEFORE))
    engagements.add_note(project, "time", None, (copied_s + 2) * 1_000_000_000, "RMAN 백업 수행", "이영진")
    assert check(again(project), "C10").state is CheckState.UNKNOWN
    case = reports.build_case(project, "ko")
    mornings = [(MONDAY, MONDAY + timedelta(minutes=179)), (TUESDAY, TUESDAY + timedelta(minutes=179))]
    assert [(run.start_ns, run.end_ns) for run in case.runs] == [
        tuple(round(moment.replace(tzinfo=SEOUL).timestamp()) * 1_000_000_000 for moment in morning)
        for morning in mornings
    ]


def test_a_disk_that_was_full_makes_improvements_lower_bounds(compared: Take) -> None:
    found = compared({"busy_pct": 95.0}, {"busy_pct": 40.0})
    assert check(found, "C9").state is CheckState.ADJUST
    user = next(row for row in found.rows if row.native == "%user")
    assert user.verdict is Verdict.IMPROVED
    assert "lower_bound" in {caution.key for caution in user.cautions}


@pytest.mark.parametrize("verdict", list(Verdict))
@pytest.mark.parametrize(
    ("host", "device", "limits"),
    [("db01", "", True), ("db01", "sda", True), ("db01", "sdb", False), ("db02", "", False), ("db02", "sda", False)],
)
def test_only_an_improvement_over_what_was_saturated_is_a_lower_bound(
    verdict: Verdict, host: str, device: str, limits: bool
) -> None:
    """Demand that was cut off before makes a gain too small; nothing follows for what got worse or stayed."""
    before = replace(info(), host="db01", attributes={"device": "sda"})
    row = ComparedSeries((before,), (), None, None, None, "", verdict)
    told = [(one.key, one.facts) for one in compare._gated(row, (), (), [Busy(host, device, "full", 99.0)]).cautions]
    assert told == ([("lower_bound", {"resource": "full"})] if limits and verdict is Verdict.IMPROVED else [])


@pytest.mark.parametrize(
    ("minutes", "groups"), [((0, 5), 1), ((0, 5, 10), 1), ((0, 5.01), 2), ((0, 5, 10.5), 2), ((0, 10, 20), 3)]
)
@pytest.mark.parametrize("others", [[], [("after", "db1")], [("before", "db2"), ("after", "db2")]])
def test_changes_up_to_five_minutes_apart_are_one_offer(
    minutes: tuple[float, ...], groups: int, others: list[tuple[str, str]]
) -> None:
    """On each side and host for itself; each change near the one before it."""
    changes = compare._Changes()
    for side, host in [("before", "db1"), *others]:
        for place, minute in enumerate(minutes):
            changes.changes.append((side, host, int(minute * MINUTE_NS), 2.0 + place, f"series {place}"))
    offers = changes.offers()
    assert len(offers) == groups * (1 + len(others))
    assert sum(len(offer.series) for offer in offers) == len(minutes) * (1 + len(others))
    for offer in offers:  # at the largest change, which is the last
        assert offer.at_ns == int(minutes[int(offer.change or 0) - 2] * MINUTE_NS)


@pytest.mark.parametrize(
    ("step_s", "generated", "verdict"),
    [
        (1, False, Verdict.DESCRIPTIVE_ONLY),
        (25, False, Verdict.DESCRIPTIVE_ONLY),
        (32, False, Verdict.IMPROVED),
        (8, True, Verdict.DESCRIPTIVE_ONLY),
        (12, True, Verdict.IMPROVED),
    ],
)
def test_minutes_of_production_are_described(
    compared: Take, monkeypatch: pytest.MonkeyPatch, step_s: int, generated: bool, verdict: Verdict
) -> None:
    """Sixty samples: thirty minutes and more are judged, ten and more of a load generator's work."""
    load = WindowLoad.CONTROLLED if generated else WindowLoad.PRODUCTION
    monkeypatch.setattr(stretches, "load_of", lambda *_windows: load)
    short = {"minutes": 60, "step_s": step_s, "devices": 0}
    found = compared(short, {**short, "faster": 2.0})
    user = next(row for row in found.rows if row.native == "%user")
    assert (user.verdict, user.interval is not None) == (verdict, True)
    if verdict is Verdict.DESCRIPTIVE_ONLY:
        assert "a verdict takes" in comparing_words.reason_text(user, "en", SEOUL)


# -- contract and speed --------------------------------------------------------------------------------

SERIES_KEYS = {
    "metric", "native", "attributes", "host", "tool", "unit", "direction", "before", "after", "ratio", "ratio_of_means",
    "ci95", "n_eff", "verdict", "reason", "facts", "method", "difference", "difference_ci95", "p", "p_adjusted", "margin",
    "changed", "cautions", "estimate", "occurrences", "natural_variation", "per_unit_of", "would_settle", "statistic",
    "statistics", "at_load", "led_by",
}  # fmt: skip


def test_the_json_shape_is_the_contract(compared: Take) -> None:
    found = compared({"devices": 2}, {"devices": 3, "faster": 2.0})
    shapes = [json.loads(compare_shapes.compared_series(row, SEOUL), parse_constant=pytest.fail) for row in found.rows]
    assert {frozenset(shape) for shape in shapes} == {frozenset(SERIES_KEYS)}
    wait = next(shape for shape in shapes if shape["native"] == "await")
    assert set(wait["before"]) == {"n", "mean", "p50", "p95", "max", "hd"}
    assert len(wait["ci95"]) == len(wait["n_eff"]) == 2
    assert wait["verdict"] == "improved"
    alone = next(shape for shape in shapes if shape["reason"] == "one_side_only")
    assert (alone["ci95"], alone["verdict"]) == (None, "not_comparable")
    for shape in [compare_shapes.gate_check(one, SEOUL) for one in found.gate]:
        assert set(shape) == {"check", "state", "reason", "facts"}


def test_every_verdict_and_reason_has_words(compared: Take) -> None:
    found = compared({"step_at": 90, "devices": 3}, {"faster": 2.0})
    for row in found.rows:
        for language in ("ko", "en"):
            text = comparing_words.row_text(row, language, SEOUL)
            assert text and "{" not in text and "⟨" not in text
            for caution in row.cautions:
                assert "{" not in comparing_words.caution_text(caution, language, SEOUL)
