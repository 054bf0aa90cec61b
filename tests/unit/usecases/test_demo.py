"""The demo: what its world is made to be is what its captures, its answer, its cycle and its papers say."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from datetime import date, datetime
from html import unescape
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from tests.program import compose
from tunebench.analysis.answering.answer import CauseAnswer
from tunebench.analysis.capacity.outcome import Outcome as Forecast
from tunebench.core.paths import resources_folder
from tunebench.diagnosis.cycle.disclosures import EXCEPTIONS
from tunebench.diagnosis.cycle.results import GuardState, TargetState
from tunebench.domain.comparability import CheckState
from tunebench.domain.cycle.records import Outcome, StepState
from tunebench.domain.experiments.records import TrialRole
from tunebench.reporting.delivered import Recipe
from tunebench.reporting.html.writing import html_bytes
from tunebench.reporting.shapes import Shape
from tunebench.store.artefacts import artefact_lines, list_artefacts
from tunebench.store.audit.trail import list_audit
from tunebench.store.project import Project
from tunebench.usecases import projects
from tunebench.usecases.answering.chosen import answer_for, windows_to_answer
from tunebench.usecases.capacity import outlook
from tunebench.usecases.capacity.series import list_subjects
from tunebench.usecases.comparing import compare, windows
from tunebench.usecases.cycle import comparable, reading
from tunebench.usecases.databases.run_statements import statements_over
from tunebench.usecases.databases.sessions import session_history
from tunebench.usecases.databases.snapshots import databases
from tunebench.usecases.demo import captures, engagement
from tunebench.usecases.demo.world import World
from tunebench.usecases.experiments import reading as experiment_reading
from tunebench.usecases.findings.diagnose import diagnose
from tunebench.usecases.reports import success_case

HANGUL = re.compile("[가-힣]")
SEOUL = ZoneInfo("Asia/Seoul")
BROUGHT = datetime(2026, 9, 2, tzinfo=SEOUL)
NAMES = {"before": "8/18-21 09-18h", "after": "8/25-28 09-18h"}
WEEKS = {"before": range(18, 22), "after": range(25, 29)}
"""Days of August that are compared: no Monday, for the 17th was a substitute holiday."""
A_LITTLE = {
    "sar": [date(2026, 8, 20), date(2026, 8, 20)],
    "orders": [date(2026, 8, 20), date(2026, 8, 20)],
    "minutes": [date(2026, 8, 20), date(2026, 8, 20)],
    "oracle": [date(2026, 8, 20), date(2026, 8, 21)],
}


def world(**other: object) -> World:
    return World({**tomllib.loads((resources_folder() / "demo" / "world.toml").read_text(encoding="utf-8")), **other})


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Language -> project."""
    compose()
    folder = tmp_path_factory.mktemp("demo")
    return {language: engagement.build(folder / language, language=language) for language in ("ko", "en")}


@pytest.fixture(scope="module", params=["ko", "en"])
def language(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def project(files: dict[str, Path], language: str) -> Iterator[Project]:
    with projects.open_(files[language], read_only=True) as opened:
        yield opened


# -- the captures ------------------------------------------------------------------------------------------------


def test_one_seed_gives_the_same_bytes_and_another_others(tmp_path: Path) -> None:
    texts = []
    for name, made in (("one", world()), ("again", world()), ("other", world(seed=1))):
        paths = captures.write(made, A_LITTLE, tmp_path / name, BROUGHT)
        texts.append({path.name: path.read_bytes() for path in paths})
    assert texts[0] == texts[1] and len(texts[0]) == 9
    assert all(texts[0][name] != texts[2][name] for name in texts[0])


def test_a_day_does_not_depend_on_which_others_were_asked_for(tmp_path: Path) -> None:
    (alone,) = captures.write(world(), {"oracle": [date(2026, 8, 21), date(2026, 8, 21)]}, tmp_path / "alone", BROUGHT)
    both = captures.write(world(), {"oracle": [date(2026, 8, 20), date(2026, 8, 21)]}, tmp_path / "both", BROUGHT)
    assert alone.read_bytes() == both[1].read_bytes()


COUNTER = re.compile(r'(?m)^\d+,1,"([^"]+)",(?:[\w /]+,\d+,0,)?(\d+)$')
"""Of statistics and times the value, of events the time waited."""


def test_counters_of_the_database_never_fall(tmp_path: Path) -> None:
    """Not from day to day either, nor over the change."""
    counters: dict[str, list[int]] = {}
    for path in captures.write(world(), {"oracle": [date(2026, 8, 17), date(2026, 8, 28)]}, tmp_path, BROUGHT):
        for name, value in COUNTER.findall(path.read_text(encoding="utf-8")):
            counters.setdefault(name, []).append(int(value))
    assert len(counters) > 40 and {"redo size", "DB time", "log file sync"} < counters.keys()
    assert [name for name, values in counters.items() if values != sorted(values)] == []


def test_every_capture_comes_in_whole_and_names_its_host(project: Project) -> None:
    kept = list_artefacts(project)
    assert len(kept) == 131
    assert {reason.reason for one in kept for reason in one.ledger.skipped} == {"average", "message", "wrapper"}
    assert all(one.ledger.lines.balanced for one in kept)
    names = {host.id: host.name for host in projects.overview(project).hosts}
    assert set(names.values()) == {"app01", "db01"}
    assert all(one.name.startswith(names[one.host_id or 0]) for one in kept)


# -- the answer --------------------------------------------------------------------------------------------------


def logged(project: Project, days: range) -> float:
    """Mean response of all orders of these days, from the lines of the log alone."""
    spent = done = 0.0
    for capture in list_artefacts(project):
        if capture.name in {f"app01_jmeter_08{day}.log" for day in days}:
            for line in artefact_lines(project, capture.id, 1, 10_000):
                found = re.search(rb"orders \+ +(\d+) in .* Avg: +(\d+) ", line)
                if found:
                    done, spent = done + int(found[1]), spent + int(found[1]) * int(found[2])
    return spent / done


def test_response_is_that_of_all_orders_as_the_log_has_them(project: Project) -> None:
    book = comparable.asked(project, reading.read(project))
    standing = reading.standing(project)
    top = standing.targets[0]
    assert book.current is not None and top.baseline is not None and top.now is not None
    assert top.baseline.value == pytest.approx(logged(project, WEEKS["before"]), rel=1e-9)
    assert top.now.value == pytest.approx(logged(project, WEEKS["after"]), rel=1e-9)
    assert (top.baseline.value, top.now.value) == pytest.approx((48, 26), rel=0.02)


def test_the_answer_says_better_redo_worse_and_which_statement_got_worse(project: Project) -> None:
    before, after = windows_to_answer(project)
    assert before is not None and after is not None
    for window, days in ((before, WEEKS["before"]), (after, WEEKS["after"])):
        begins = [datetime.fromtimestamp(one.span[0] / 1e9, SEOUL) for one in window.occurrences]
        assert [(begin.day, begin.hour) for begin in begins] == [(day, 9) for day in days]
    answer = answer_for(project)
    assert answer is not None
    (worse,) = (one.subject for one in answer.worse if one.judged)
    assert isinstance(worse, CauseAnswer) and worse.text.startswith("SELECT s.item_id")
    assert [price.metric.resource for price in answer.price] == ["disk_throughput", "memory"]
    compared = compare.compare(project, windows.ready(project, before), windows.ready(project, after))
    assert {check.check.value for check in compared.gate if check.state is not CheckState.PASS} == {"C10"}
    means = {
        (row.series.host, row.series.tool, row.native, row.attributes.get("device", "")): (first.mean, second.mean)
        for row in compared.rows
        if (first := row.before_statistics) is not None and (second := row.after_statistics) is not None
    }
    wait, memory, redo = (
        means["db01", tool, native, device]
        for tool, native, device in (("sar", "await", "sdb"), ("sar", "%memused", ""), ("oracle", "redo_bytes", ""))
    )
    assert wait == pytest.approx((14, 6), rel=0.05)
    assert None not in memory and memory[1] - memory[0] == pytest.approx(4, abs=0.5)  # type: ignore[operator]
    assert redo[1] / redo[0] == pytest.approx(1.4, rel=0.05)  # type: ignore[operator]


# -- the cycle ---------------------------------------------------------------------------------------------------


def test_the_target_is_met_as_amended_and_the_first_one_stays(project: Project) -> None:
    standing = reading.standing(project)
    assert (standing.outcome, [step.state for step in standing.steps]) == (Outcome.MET, [StepState.DONE] * 7)
    assert [target.state for target in standing.targets] == [TargetState.MET] * 3
    assert [guard.state for guard in standing.guards] == [GuardState.HELD] * 2
    value, baseline = standing.amendments
    assert (value.field, value.old, value.new, value.amended_at[:10]) == ("value", "25.0", "30.0", "2026-08-12")
    assert baseline.field == "baseline"


def test_nothing_stands_in_the_way_and_nothing_is_disclosed(project: Project) -> None:
    standing = reading.standing(project)
    assert standing.gates == () and standing.contradicted == ()
    assert [gate.key for gate in standing.disclosures if gate.key in EXCEPTIONS] == []
    assert standing.disclosures == ()


def test_the_trail_goes_by_the_story_and_says_first_that_it_is_made_up(project: Project) -> None:
    entries = list_audit(project)
    assert (entries[0].action, entries[1].action) == ("demo_begun", "project_created")
    times = [entry.time for entry in entries]
    assert times == sorted(times)
    assert (times[0][:10], times[-1][:10]) == ("2026-08-03", "2026-09-02")


@pytest.mark.parametrize("shape", [Shape.RESULT, Shape.REPORT, Shape.AUDIT_FORM, Shape.STUDY])
@pytest.mark.parametrize("read_in", ["ko", "en"])
def test_every_paper_is_in_its_language_and_says_that_it_is_the_demo(
    project: Project, language: str, read_in: str, shape: Shape
) -> None:
    case = success_case.build_case(project, read_in, "2026-09-02")
    assert case.untranslated == ()
    page = html_bytes(success_case.pdf_document(case, Recipe(read_in, "2026-09-02", shape))).decode()
    texts = [unescape(text).strip() for text in re.split(r"<[^>]*>", page)]
    assert any(("데모" if read_in == "ko" else "emo") in text for text in texts)
    if read_in == "en":
        korean = {text for text in texts if HANGUL.search(text)}
        assert not {text for text in korean if "Amendment" not in text}, (language, shape)


# -- no view is empty --------------------------------------------------------------------------------------------


def test_findings_are_the_disk_its_database_and_the_copy(project: Project) -> None:
    before, _ = windows_to_answer(project)
    assert before is not None
    found = diagnose(project, windows.ready(project, before)).findings
    assert {one.host for one in found} == {"db01"} and len(found) <= 9
    copied = [one for one in found if one.attributes.get("device") == "sdc"]
    begin, end = (datetime(2026, 8, 20, *clock, tzinfo=SEOUL).timestamp() * 1e9 for clock in ((14, 0), (14, 50)))
    assert copied and all(begin <= part.start_ns <= part.end_ns <= end for one in copied for part in one.evidence)
    assert {one.attributes.get("device") for one in found if one.scope == "device"} == {"sdb", "sdc"}


def test_a_forecast_has_an_answer(project: Project) -> None:
    subjects = list_subjects(project)
    assert outlook.outlook(project, subjects[0].id).forecast.outcome is Forecast.NOT_WITHIN
    space = next(one for one in subjects if one.info.native == "%fsused")
    assert outlook.outlook(project, space.id).forecast.outcome is Forecast.DATED


def test_sessions_over_time_have_twelve_classes_and_38_statements_two_of_them_another_plan(project: Project) -> None:
    (database,) = databases(project)
    history = session_history(project, database, statements=True)
    assert history is not None and history.statements is not None
    named = [layer for layer in history.over.layers if layer.name]
    assert len(named) == 12 and history.statements.statements
    plans: dict[str, set[str]] = {}
    for side in WEEKS:
        for statement in statements_over(project, windows.kept_window(project, NAMES[side])):
            plans.setdefault(statement.statement_id, set()).add(statement.plan)
    assert len(plans) == 38
    assert {one for one, own in plans.items() if len(own) > 1} == {"5kxw0h3q7cd2a", "9d1f6s0muz4yt"}


def test_the_experiment_is_done_and_read_ahead_pays_only_with_gathered_commits(project: Project) -> None:
    (experiment,) = experiment_reading.read(project).experiments.values()
    trials = experiment_reading.read(project).trials_of(experiment.id)
    assert len(trials) == 18 + 6 and all(trial.stands for trial in trials)
    means = {}
    for cell in experiment.all_cells:
        values = [
            trial.value("elapsed_s") or 0.0
            for trial in trials
            if trial.cell == cell and trial.role is TrialRole.MEASURE
        ]
        assert len(values) == 3
        means[cell] = sum(values) / 3
    alone, gathered = (means["256", rows] / means["2048", rows] for rows in ("1", "1000"))
    assert alone < 1.1 and gathered > 1.5


def test_it_is_small(files: dict[str, Path]) -> None:
    assert all(path.stat().st_size < 6_000_000 for path in files.values())
