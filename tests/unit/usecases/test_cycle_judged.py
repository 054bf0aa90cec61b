"""A target's verdict asks the gate of the comparison: two captured mornings, and a change at a stated moment."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from weakref import WeakKeyDictionary
from zoneinfo import ZoneInfo

import pytest

from tests.program import compose
from tests.unit.usecases.compared_captures import MONDAY, TUESDAY, morning
from tests.unit.usecases.cycle_bench import Bench, refused, sign_results
from tunebench.cli.main import run as run_verb
from tunebench.core.messages import LANGUAGES
from tunebench.diagnosis.cycle import board as cycle_board
from tunebench.diagnosis.cycle.results import TargetState, VerificationState, verification_standings
from tunebench.domain.cycle.book import CycleEdit, RecordChange
from tunebench.domain.cycle.records import (
    Iteration,
    MeasurementSource,
    Metric,
    Outcome,
    Result,
    SeriesSource,
    StatementSource,
    Target,
)
from tunebench.domain.cycle.worksheet import Action, Consent, Decision, ExecutedChange
from tunebench.domain.engagement import Direction, Engagement, Phase, Statement
from tunebench.domain.windows import Occurrence, Window, WindowRole
from tunebench.reporting.shapes import Shape
from tunebench.reporting.success_case import available_sections, build_document
from tunebench.store import engagements, runs
from tunebench.store.artefacts import list_artefacts
from tunebench.store.project import Project
from tunebench.store.removal import remove_run
from tunebench.usecases import projects
from tunebench.usecases.comparing import windows
from tunebench.usecases.comparing.compare import compare
from tunebench.usecases.cycle import case as cycle_case
from tunebench.usecases.cycle import comparable as cycle_comparable
from tunebench.usecases.cycle import edits, figures, reading
from tunebench.usecases.cycle.acts import approve_action, close_iteration, execute_action, record_result, set_baseline
from tunebench.usecases.cycle.contradicted import contradictions, found_text
from tunebench.usecases.cycle.edits import add_typed
from tunebench.usecases.cycle.engagement import set_engagement
from tunebench.usecases.cycle.words import refusal_texts, target_text
from tunebench.usecases.importing import imports
from tunebench.usecases.importing.results import ImportOptions
from tunebench.usecases.reports import success_case as reports

SEOUL = ZoneInfo("Asia/Seoul")
NIGHT_BEFORE, FIVE_MINUTES_BEFORE = "2026-07-20T22:00:00+09:00", "2026-07-21T08:55:00+09:00"
APPROVED = Consent("DBA", "박과장", Decision.APPROVED, "2026-07-20T18:00:00+09:00")


@pytest.fixture(scope="module", autouse=True)
def services() -> None:
    compose()


Measure = Callable[[str], Bench]


@pytest.fixture
def measure(tmp_path: Path) -> Iterator[Measure]:
    """A change at that moment, after a morning of 40 % user time and before one of 20 %; the target is 36 %, which half an hour can tell."""
    opened: list[Project] = []

    def make(at: str) -> Bench:
        project = projects.create(tmp_path / "case.tune", Engagement("tuning", "ACME", zone="Asia/Seoul"))
        opened.append(project)
        bench = Bench(project)
        for run, start, faster in ((bench.before, MONDAY, 1.0), (bench.after, TUESDAY, 2.0)):
            path = morning(tmp_path / f"{run.label}.txt", start, 3, minutes=30, devices=1, faster=faster)
            assert imports.import_captures(project, [path], ImportOptions(run=run.label, phase=run.phase)).complete
        here = bench.start()
        user = Metric(0, here.id, "CPU", SeriesSource("db01", "iostat", "%user"), "mean", "%", Direction.LOWER)
        bench.do(edits.add(bench.book, user))
        before, after = (projects.find_run(project, phase.value) for phase in (Phase.BEFORE, Phase.AFTER))
        metric = bench.one(Metric)
        bench.do(set_baseline(bench.book, metric.id, figures.measured(project, metric, before)))
        bench.target(36.0)
        bench.do(add_typed(bench.book, "cause", {"domain": "database", "title": "full scans"}))
        action = bench.action(metric)
        bench.do(approve_action(bench.book, action.id, APPROVED))
        bench.do(execute_action(bench.book, action.id, "이영진", at))
        bench.do(record_result(bench.book, metric.id, figures.measured(project, metric, after)))
        sign_results(bench)
        return bench

    yield make
    for project in opened:
        project.close()


def test_a_change_the_night_before_leaves_the_target_met(measure: Measure) -> None:
    bench = measure(NIGHT_BEFORE)
    (standing,) = reading.standing(bench.project).targets
    assert (standing.state, standing.refusals) == (TargetState.MET, ())
    for margin, state in ((None, VerificationState.CONFIRMED), (40.0, VerificationState.UNDECIDED)):
        action = bench.one(Action)  # half an hour tells that it fell, not that by so much
        check = replace(action.verifications[0], margin_pct=margin)
        bench.do(edits.change(bench.book, replace(action, verifications=(check,))))
        assert [each.state for each in verification_standings(bench.book, bench.one(Action))] == [state]
    bench.do(close_iteration(bench.book, bench.one(Iteration).id, by="이영진", on="2026-07-21"))
    assert standing.called == "met_described"  # half an hour proves nothing of a day
    assert reading.standing(bench.project).outcome is Outcome.UNPROVEN


@pytest.mark.parametrize("value", [36.0, 30.0, 1.0])
def test_a_change_five_minutes_before_refuses_met_and_missed(measure: Measure, value: float) -> None:
    bench = measure(FIVE_MINUTES_BEFORE)
    bench.do(edits.change(bench.book, replace(bench.one(Target), value=value)))
    board = reading.standing(bench.project)
    (standing,) = board.targets
    assert standing.state is TargetState.NOT_COMPARABLE
    assert board.next_action.key == "measure_comparably"
    assert [gate.key for gate in board.gates] == ["top_target_not_comparable"]
    assert dict(board.steps[6].counts) == {"targets_met": 0, "targets_missed": 0}
    action = bench.one(Action)
    assert [each.state for each in verification_standings(bench.book, action)] == [VerificationState.NOT_COMPARABLE]
    for language in LANGUAGES:
        assert target_text(standing, (), (), language).endswith(" (C7)")
        (sentence,) = refusal_texts(standing, language, SEOUL)
        assert sentence.startswith("C7: ") and "2026-07-21 08:55:00" in sentence
    close = close_iteration
    here = bench.one(Iteration)
    assert refused(lambda: close(bench.book, here.id, by="이영진", on="")).key == "top_target_not_comparable"
    assert refused(lambda: close(bench.book, here.id, by="", on="", reason="교체")).key == "acceptance_without_name"
    bench.do(close(bench.book, here.id, by="이영진", on="2026-07-21", reason="다시 재지 않음"))
    assert reading.standing(bench.project).outcome is Outcome.UNPROVEN


def _minutes(start: datetime, minutes: int) -> Occurrence:
    start_ns = int(start.replace(tzinfo=SEOUL).timestamp()) * 10**9
    return Occurrence(start_ns, start_ns + minutes * 60 * 10**9)


def test_what_was_measured_after_the_change_and_not_taken_is_told(measure: Measure, tmp_path: Path) -> None:
    """Four mornings after the change and a window, of which one morning is the result; one is removed again."""
    bench = measure(NIGHT_BEFORE)
    for number in (2, 3, 4):
        path = morning(tmp_path / f"day{number}.txt", TUESDAY + timedelta(days=number), 3, minutes=30, devices=1)
        options = ImportOptions(run=f"day{number}", phase=Phase.OTHER)  # a label hides no morning
        assert imports.import_captures(bench.project, [path], options).complete
    best = (_minutes(TUESDAY + timedelta(days=2), 10),)
    bench.do(windows.add(bench.project, Window(0, "best minutes", occurrences=best)))
    remove_run(bench.project, projects.find_run(bench.project, "day4").id)
    runs.ensure_run(bench.project, "nothing of the kind", Phase.AFTER)  # the figure cannot have been taken from it
    found = {each.key: each.facts for each in reading.standing(bench.project).disclosures}
    assert found["not_taken"] == {
        "metric": ("CPU",),
        "chosen": "after",
        "n": 3,
        "others": ("day2", "day3", "best minutes"),
    }
    assert found["captures_removed"] == {"n": 1, "names": ("day4.txt",)}
    assert str(found["target_after_captures"]["earlier"]) < str(found["target_after_captures"]["recorded"])
    told = cycle_case.cycle_case(bench.project, "en")
    assert told is not None and any("day2, day3, best minutes" in each for each in told.iterations[0].exceptions)
    typed = Statement(projects.find_run(bench.project, "day3").id, "oracle", "9babjv8yq8ru3", "SELECT 1")
    engagements.write_statements(bench.project, typed.run_id, [typed])
    others = []
    for source in (StatementSource("elapsed_s"), MeasurementSource("cpu_pct")):
        bench.do(edits.change(bench.book, replace(bench.one(Metric), source=source)))
        others.append({each.key: each.facts for each in reading.standing(bench.project).disclosures}.get("not_taken"))
    assert others[0] is not None and others[0]["others"] == ("day3", "best minutes") and others[1] is None


def test_a_window_that_was_moved_until_it_fitted_is_told(measure: Measure) -> None:
    bench = measure(NIGHT_BEFORE)
    metric, result = bench.one(Metric), bench.one(Result)
    laid = Window(0, "peak", WindowRole.AFTER, occurrences=(_minutes(TUESDAY, 15),))
    bench.do(windows.add(bench.project, laid))
    for minutes in (16, 17, 18):
        kept = windows.kept_window(bench.project, "peak")
        moved = replace(kept, occurrences=(_minutes(TUESDAY, minutes),))
        bench.do(windows.change(bench.project, kept, moved))
    figure = figures.measured(bench.project, metric, windows.kept_window(bench.project, "peak"))
    bench.do(edits.change(bench.book, replace(result, after=figure)))
    found = {each.key: each.facts for each in reading.standing(bench.project).disclosures}
    assert 0 < int(str(found["part_of_run"]["share"])) < 95 and found["part_of_run"]["run"] == "after"
    assert found["window_laid_again"] == {"metric": ("CPU",), "window": "peak", "n": 3}
    assert "not_taken" not in found


def test_a_window_leaves_out_what_lay_there_and_no_night_between(measure: Measure, tmp_path: Path) -> None:
    """Two mornings of one run: a window of both leaves out nothing, one of the first leaves out half of what lay there;
    what comes in later was no part of the choice."""
    bench = measure(NIGHT_BEFORE)
    metric = bench.one(Metric)

    def bring_in(number: int) -> Occurrence:
        start = TUESDAY + timedelta(days=20 + number)
        path = morning(tmp_path / f"late{number}.txt", start, 3, minutes=30, devices=1)
        options = ImportOptions(run="late", phase=Phase.AFTER)
        assert imports.import_captures(bench.project, [path], options).complete
        return _minutes(start, 30)

    mornings = (bring_in(0), bring_in(1))
    bench.do(windows.add(bench.project, Window(0, "both", WindowRole.AFTER, occurrences=mornings)))
    bench.do(windows.add(bench.project, Window(0, "first", WindowRole.AFTER, occurrences=mornings[:1])))
    bring_in(2)
    shares = []
    for name in ("both", "first"):
        figure = figures.measured(bench.project, metric, windows.kept_window(bench.project, name))
        bench.do(edits.change(bench.book, replace(bench.one(Result), after=replace(figure, evidence_id=None))))
        gates = [gate for gate in reading.standing(bench.project).disclosures if gate.key == "part_of_run"]
        shares.append([gate.facts["share"] for gate in gates if gate.facts["run"] == "late"])
    assert shares == [[], [50]]


def test_the_report_says_of_the_target_what_the_gate_says(measure: Measure) -> None:
    bench = measure(FIVE_MINUTES_BEFORE)
    told = cycle_case.cycle_case(bench.project, "en")
    assert told is not None
    (target,) = told.iterations[0].targets
    assert (target.state, target.checks) == ("not_comparable", ("C7",))
    assert target.refusals[0].startswith("C7: ") and target.change.change.value == "changed"


def test_a_book_that_was_only_read_decides_nothing(measure: Measure) -> None:
    """Somebody who forgets to ask closes nothing as met."""
    bench = measure(NIGHT_BEFORE)
    projects.close(bench.project)
    with projects.open_(bench.project.path) as again:
        book = reading.read(again)
        (standing,) = cycle_board.standing(book).targets
        assert standing.state is TargetState.UNDECIDED
        refusal = refused(lambda: close_iteration(book, book.iterations[-1].id, by="이영진", on=""))
        assert refusal.key == "top_target_unproven"


def test_the_gate_is_asked_again_only_where_it_may_answer_otherwise(
    measure: Measure, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = measure(NIGHT_BEFORE)
    asked = []

    def count(*arguments: object) -> object:
        asked.append(arguments[1:])
        return compare(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(cycle_comparable, "compare", count)
    monkeypatch.setattr(cycle_comparable, "_remembered", WeakKeyDictionary())
    assert reading.standing(bench.project).targets[0].state is TargetState.MET
    assert len(asked) == 1
    bench.do(edits.change(bench.book, replace(bench.one(Target), note="고객과 합의")))
    assert reading.standing(bench.project).targets[0].state is TargetState.MET
    assert len(asked) == 1
    line = bench.one(ExecutedChange)
    bench.do(edits.change(bench.book, replace(line, executed_at=FIVE_MINUTES_BEFORE)))
    assert reading.standing(bench.project).targets[0].state is TargetState.NOT_COMPARABLE
    assert len(asked) == 2


def test_a_figure_that_its_captures_contradict_takes_its_verdict_along(measure: Measure) -> None:
    """What was measured is some 20 % (see `measure`); a record of 2 % is contradicted, with both values."""
    bench = measure(NIGHT_BEFORE)
    assert contradictions(bench.project, bench.book).found == ()
    (result,) = bench.book.all(Result)
    wrong = replace(result, after=replace(result.after, value=2.0))
    found = contradictions(bench.project, replace(bench.book, records={**bench.book.records, result.id: wrong}))
    assert found.metrics == {result.metric_id}
    (told,) = found.found
    for language in LANGUAGES:
        sentence = found_text(told, language)
        assert sentence.startswith(f"result.{result.id} CPU: ")
        assert " 2," in sentence and f"{result.after.value:.10g}" in sentence


def test_a_figure_that_its_captures_no_longer_say_takes_its_verdict_along(measure: Measure) -> None:
    """Recorded by the program, and other than the captures say since the engagement was changed: nobody can tell why,
    and no verdict mixes the two."""
    bench = measure(NIGHT_BEFORE)
    (result,) = bench.book.all(Result)
    other = replace(result, after=replace(result.after, value=2.0))
    bench.do(CycleEdit("record_result", (RecordChange(result, other),)))
    set_engagement(bench.project, {"zone": "UTC"})
    assert contradictions(bench.project, bench.book).metrics == {result.metric_id}
    found = cycle_case.cycle_case(bench.project, "en")
    assert found is not None
    (target,) = found.iterations[0].targets
    assert target.state == "contradicted" and target.now is not None and target.now.value is None
    assert found.iterations[0].outcome is not Outcome.MET and len(found.contradicted) == 1


# -- what is known of the captures and the target stands beside the word ---------------------------------


def _put_to_another_host(bench: Bench, tmp_path: Path) -> None:
    for artefact in list_artefacts(bench.project):
        imports.reparse(bench.project, artefact.id, ImportOptions(host="laptop"))
    for artefact in list_artefacts(bench.project):
        imports.reparse(bench.project, artefact.id, ImportOptions(host="db01"))


def _dated_by_hand(bench: Bench, tmp_path: Path) -> None:
    after = list_artefacts(bench.project)[-1]
    imports.reparse(bench.project, after.id, ImportOptions(start=TUESDAY))


def _contradicted_by_a_second_capture(bench: Bench, tmp_path: Path) -> None:
    other = morning(tmp_path / "other.txt", TUESDAY, 3, minutes=30, devices=1, faster=1.3)
    run = ImportOptions(run="elsewhere", phase=Phase.OTHER)
    assert imports.import_captures(bench.project, [other], run).complete


def _target_made_easier(bench: Bench, tmp_path: Path) -> None:
    bench.do(edits.change(bench.book, replace(bench.one(Target), value=38.0)))


PROVENANCE = {
    "captures put to another host": _put_to_another_host,
    "time given by hand": _dated_by_hand,
    "captures contradict each other": _contradicted_by_a_second_capture,
    "target amended, first 36 %": _target_made_easier,
}
WITHOUT = ("cycle_results", "change_log", "audit", "summary", "worksheet", "entered", "contents")


@pytest.mark.parametrize("words", PROVENANCE)
def test_met_is_never_printed_without_what_it_is_subject_to(measure: Measure, tmp_path: Path, words: str) -> None:
    """In every shape, with the chapters left out that would say it too: no line has the word alone."""
    bench = measure(NIGHT_BEFORE)
    PROVENANCE[words](bench, tmp_path)
    assert reading.standing(bench.project).targets[0].state is TargetState.MET
    bench.do(close_iteration(bench.book, bench.one(Iteration).id, by="이영진", on="2026-07-21"))
    case = reports.build_case(bench.project, "en")
    for shape in Shape:
        kept = [name for name, _ in available_sections(case, "en", shape) if name not in WITHOUT]
        document = build_document(case, "en", kept, shape)
        told = [text for block in document.blocks for text in _texts(block)]
        met = [text for text in told if re.search(r"(?i)\bmet \(one window|\bwithin the target", text)]
        assert all(words in text for text in met), (shape, met)
        if shape in (Shape.AUDIT_FORM, Shape.RESULT):
            assert met


@pytest.mark.parametrize("words", PROVENANCE)
def test_the_command_line_says_what_met_is_subject_to(
    measure: Measure, tmp_path: Path, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    bench = measure(NIGHT_BEFORE)
    PROVENANCE[words](bench, tmp_path)
    bench.project.close()
    assert run_verb(["cycle", str(bench.project.path), "show", "--lang", "en"]) == 0
    met = [line for line in capsys.readouterr().out.splitlines() if re.search(r"\bwithin the target", line)]
    assert len(met) > 1 and all(words in line for line in met)
    assert run_verb(["cycle", str(bench.project.path), "show", "--lang", "ko"]) == 0
    assert "(단서: " in capsys.readouterr().out
    assert run_verb(["cycle", str(bench.project.path), "show", "--json"]) == 0
    (target,) = json.loads(capsys.readouterr().out)["iteration"]["targets"]
    assert (target["standing"]["state"], len(target["standing"]["subject_to"])) == ("met", 1)
    close = ["cycle", str(bench.project.path), "close", "--by", "Lee", "--reason", "tried", "--leave-steps"]
    assert run_verb(close) == 0, capsys.readouterr().err
    capsys.readouterr()
    assert run_verb(["cycle", str(bench.project.path), "show", "--lang", "en"]) == 0
    head = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("iteration 1"))
    assert "closed, target not proven" in head and f"(subject to: {words})" in head


def test_nothing_stands_beside_met_where_nothing_is_known(measure: Measure) -> None:
    case = reports.build_case(measure(NIGHT_BEFORE).project, "en")
    assert [target.qualified for each in case.cycle.iterations for target in each.targets] == [()]


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple | list):
        for each in value:
            yield from _texts(each)
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            yield from _texts(getattr(value, field.name))
