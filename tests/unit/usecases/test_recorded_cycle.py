"""The demo's cycles pass every gate, and each figure is the source's or the recording's own."""

from __future__ import annotations

import csv
import io
import re
import tomllib
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from tests.made import pgbench
from tests.program import compose
from tunebench.diagnosis.cycle.gates import gates
from tunebench.diagnosis.cycle.results import GuardState, TargetState, guard_standings, outcome_of, target_standings
from tunebench.domain.cycle.book import CycleBook
from tunebench.domain.cycle.evidence import Evidence
from tunebench.domain.cycle.records import CustomerIssue, Figure, Iteration, Metric, Outcome, Step, StepState
from tunebench.domain.cycle.seals import Seal
from tunebench.domain.cycle.worksheet import Action, ActionState, ExecutedChange, InForce
from tunebench.domain.translations import without_translations
from tunebench.domain.windows import run_window
from tunebench.reporting.delivered import Recipe
from tunebench.reporting.html.writing import html_bytes
from tunebench.reporting.shapes import Shape
from tunebench.store.opening import open_project
from tunebench.store.runs import list_runs
from tunebench.usecases import browse, exports
from tunebench.usecases.comparing.compare import compare
from tunebench.usecases.comparing.stretches import series_in
from tunebench.usecases.cycle import comparable, reading
from tunebench.usecases.cycle.case import cycle_case
from tunebench.usecases.cycle.figures import broken_records
from tunebench.usecases.importing.import_review import reviewed
from tunebench.usecases.reports import success_case as reports

RECORDED = pgbench.RECORDINGS / "full-load"
RUNS = ("1-without-key", "2-with-key", "3-late-commit")
# Section 7 of the guide, pages 28 and 29.
PUBLISHED = {
    "response_time": (590.997, "", 33.17, ""), "block_access": (37_539_159, "", 841_817, ""),
    "cpu_peak": (95, "", 20, "<"), "logical_io_peak": (800_000, "", 110_000, "<"),
    "logical_io_mean": (200_000, "", 20_000, ""),
}  # fmt: skip


GLOSSARY = {"블록 액세스량", "부분범위 처리"}
HANGUL = re.compile("[가-힣]")


def _build(folder: Path, language: str) -> tuple[CycleBook, Path]:
    """Without the captures of the eleven-minute runs, which the cycle does not use."""
    compose()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pgbench, "CAPTURES", ("pgbench-progress.txt",))
        path = pgbench.build(folder / "demo.tune", language=language)
    with open_project(path, read_only=True) as project:
        return comparable.asked(project, reading.read(project)), path


@pytest.fixture(scope="module")
def english(tmp_path_factory: pytest.TempPathFactory) -> tuple[CycleBook, Path]:
    return _build(tmp_path_factory.mktemp("en"), "en")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[CycleBook, Path]:
    return _build(tmp_path_factory.mktemp("ko"), "ko")


@pytest.fixture(scope="module")
def book(built: tuple[CycleBook, Path]) -> CycleBook:
    return built[0]


def _latency_ms(run: str) -> float:
    """What pgbench itself says at its end of all transactions of the run."""
    (value,) = re.findall(
        r"^latency average = ([0-9.]+) ms$", (RECORDED / run / "pgbench.txt").read_text(), re.MULTILINE
    )
    return float(value)


def _branches_ms(run: str) -> float:
    """Between the first and the last snapshot, read without the program's parser."""
    text = (RECORDED / run / "pg_snapshots.txt").read_text(encoding="utf-8")
    tables = re.findall(r"@section pg_stat_statements\n(.*?)\n(?=@)", text, re.DOTALL)
    found = [
        (float(row["total_exec_time"]), int(row["calls"]))
        for table in tables
        for row in csv.DictReader(io.StringIO(table))
        if row["query"].startswith("UPDATE pgbench_branches")
    ]
    (first_ms, first), (last_ms, last) = found[0] if len(found) == len(tables) else (0.0, 0), found[-1]
    return (last_ms - first_ms) / (last - first)


def test_three_times_round_without_an_open_gate(book: CycleBook) -> None:
    iterations = book.iterations
    told = [outcome_of(book, each) for each in iterations]
    assert told == [Outcome.NO_TARGET, Outcome.CONTINUED, Outcome.UNPROVEN]
    assert iterations[2].continues == iterations[1].id
    assert not [gate for each in iterations for gate in gates(book, each)]
    # Closed iterations have no gates: opened again, only the decision itself, the targets not met and the sign-off that
    # the recorded runs do not tell of are in the way.
    left = {"target_without_value", "top_target_unproven", "top_target_not_comparable", "not_decided"}
    for each in iterations:
        found = {gate.key for gate in gates(book, replace(each, outcome=Outcome.OPEN))}
        assert found <= {*left, "equality_unsigned"}


def test_every_step_is_done_but_the_targets_that_the_source_lacks(book: CycleBook) -> None:
    states = {(step.iteration_id, int(step.number)): step.state for step in book.all(Step)}
    assert len(states) == 21
    first = book.iterations[0].id
    assert {place for place, state in states.items() if state is not StepState.DONE} == {(first, 2)}
    assert states[first, 2] is StepState.SKIPPED


def test_the_success_case_has_the_published_figures_only(book: CycleBook) -> None:
    standings = target_standings(book, book.iterations[0].id)
    found = {}
    for each in standings:
        assert each.baseline is not None and each.now is not None
        assert each.state is TargetState.DESCRIPTIVE and each.target.value is None
        assert each.baseline.run_id is None and "2008" in each.baseline.source
        key = each.metric.source.key  # type: ignore[union-attr]
        found[key] = (each.baseline.value, each.baseline.bound, each.now.value, each.now.bound)
    assert found == PUBLISHED


def test_a_target_that_is_undecided_and_met_in_the_next_round(book: CycleBook) -> None:
    """Each run began eleven minutes after its change: no check refuses the windows."""
    states = [[each.state for each in target_standings(book, one.id)] for one in book.iterations[1:]]
    assert states == [[TargetState.UNDECIDED, TargetState.MET], [TargetState.MET, TargetState.MET]]


def test_the_first_pgbench_run_slows_the_branches(book: CycleBook) -> None:
    latency, _throughput = target_standings(book, book.iterations[1].id)
    assert latency.is_top
    assert (latency.baseline or Figure(None)).value == pytest.approx(_latency_ms(RUNS[0]), rel=5e-5, abs=5e-4)
    assert (latency.now or Figure(None)).value == pytest.approx(_latency_ms(RUNS[1]), rel=5e-5, abs=5e-4)
    branches = guard_standings(book, book.iterations[1].id)[0]
    assert branches.state is GuardState.EXCEEDED
    assert (branches.before or Figure(None)).value == pytest.approx(_branches_ms(RUNS[0]))
    assert (branches.now or Figure(None)).value == pytest.approx(_branches_ms(RUNS[1]))
    assert float(branches.improvement.ratio or 0) == pytest.approx(_branches_ms(RUNS[1]) / _branches_ms(RUNS[0]))


def test_probes_that_read_at_other_moments_contradict_nothing(built: tuple[CycleBook, Path]) -> None:
    """Snapshots every half minute and sessions every second have counters in common, and no moment."""
    with open_project(built[1], read_only=True) as project:
        told = cycle_case(project, "en")
    assert told is not None
    assert {target.qualified for each in told.iterations for target in each.targets} == {()}


def test_the_second_goes_on_from_where_the_first_ended(book: CycleBook) -> None:
    before, after = book.iterations[1:]
    first = target_standings(book, before.id)[0]
    second = target_standings(book, after.id)[0]
    assert second.metric.carried_from == first.metric.id and second.target.value == first.target.value
    assert second.baseline == first.now
    assert (second.now or Figure(None)).value == pytest.approx(_latency_ms(RUNS[2]), rel=5e-5, abs=5e-4)
    assert [each.state for each in guard_standings(book, after.id)] == [GuardState.HELD]


def test_every_page_has_the_mean_of_all_transactions(built: tuple[CycleBook, Path]) -> None:
    """The list of series, the comparison and the report's chart say what pgbench says, not the mean of its seconds."""
    own = [_latency_ms(run) for run in RUNS[1:]]
    with open_project(built[1], read_only=True) as project:
        runs = {run.label: run.id for run in list_runs(project)}
        before, after = (run_window(runs[label]) for label in ("full-load 2", "full-load 3"))
        listed = [series_in(project, side) for side in (before, after)]
        shown = [browse.statistics(project, info.id) for side in listed for info in side if info.native == "lat"]
        (row,) = [row for row in compare(project, before, after).rows if row.series.native == "lat"]
        case = reports.build_case(project, "en", before=before, after=after)
        (chart,) = [each for each in case.series if each.metric == "db.client.operation.duration"]
    compared = [row.before_statistics, row.after_statistics]
    charted = [side.summary for side in (chart.before, chart.after) if side is not None]
    for told in (shown, compared, charted):
        means = [each.mean for each in told if each is not None]
        assert means == pytest.approx(own, abs=5e-4)
    assert row.ratio == pytest.approx(own[0] / own[1], rel=2e-3)


def test_every_change_was_approved_logged_and_watched(book: CycleBook) -> None:
    actions = book.all(Action)
    assert {action.state for action in actions} == {ActionState.EXECUTED}
    assert {line.action_id for line in book.all(ExecutedChange)} == {action.id for action in actions}
    held = [line.parameter for line in book.all(ExecutedChange) if line.in_force is InForce.YES]
    assert held == ["pgbench_accounts_pkey", "synchronous_commit"]
    for action in actions:
        guards = {metric.resource for metric in book.all(Metric) if metric.guards == action.id}
        assert {impact.resource.value for impact in action.prices} == guards


def test_the_review_asks_nothing_of_the_demo(built: tuple[CycleBook, Path]) -> None:
    """Two probes of one database look at other moments: that they differ says nothing of the host."""
    with open_project(built[1], read_only=True) as project:
        assert [each.name for each in reviewed(project) if each.questions] == []


def test_evidence_is_numbered_and_found(built: tuple[CycleBook, Path]) -> None:
    book, path = built
    assert [each.number for each in book.all(Evidence)] == list(range(1, len(book.all(Evidence)) + 1))
    with open_project(path, read_only=True) as project:
        assert broken_records(project, book) == ()
        told = cycle_case(project, "ko")
    assert told is not None and [len(each.actions) for each in told.iterations] == [2, 1, 1]
    assert [each.actions for each in told.issues] == [("A-1",), (), ("A-1",), (), ("A-1",), ("A-2",), ("A-3", "A-4")]


def _texts(value: object) -> list[str]:
    if isinstance(value, Enum):
        return []
    if isinstance(value, str):
        return [value]
    if isinstance(value, tuple):
        return [text for each in value for text in _texts(each)]
    return [text for each in fields(value) for text in _texts(getattr(value, each.name))] if is_dataclass(value) else []


def test_the_english_demo_is_english(english: tuple[CycleBook, Path], book: CycleBook) -> None:
    assert len(english[0].records) == len(book.records)
    told = [record for record in english[0] if not isinstance(record, Seal)]  # it repeats what the others say
    mixed = {text for record in told for text in _texts(without_translations(record)) if HANGUL.search(text)}
    assert mixed == GLOSSARY
    assert [each.title for each in english[0].all(CustomerIssue)] != [each.title for each in book.all(CustomerIssue)]


def _story(language: str) -> set[str]:
    """Sentences of the story's texts in that language that are others in the other one."""
    found: set[str] = set()

    def collect(value: Any) -> None:
        if isinstance(value, dict) and value.keys() == {"ko", "en"}:
            own, other = (texts if isinstance(texts, list) else [texts] for texts in (value[language], value["ko"]))
            found.update(text for text in own if language == "ko" or text not in other)
        elif isinstance(value, dict | list):
            for part in value.values() if isinstance(value, dict) else value:
                collect(part)

    for name in ("engagement.toml", "cycle.toml"):
        collect(tomllib.loads((RECORDED.parents[1] / name).read_text(encoding="utf-8")))
    return found


def _is_source(text: str) -> bool:
    """Where a rule comes from: quoted as it was written, or said in both languages."""
    return "“" in text or "in common use, no single source" in text


@pytest.mark.parametrize("written_in", ["ko", "en"])
def test_each_report_of_the_demo_is_in_its_language(
    written_in: str, built: tuple[CycleBook, Path], english: tuple[CycleBook, Path]
) -> None:
    """In every shape, whichever language the engagement is kept in. The glossary's own column is Korean by its nature;
    everything else of people, the names of the consultants included, is there in both languages."""
    path = {"ko": built, "en": english}[written_in][1]
    sentences = {text for text in _story("en") if len(text.split()) > 3}
    assert len(sentences) > 100
    with open_project(path, read_only=True) as project:
        for language in ("ko", "en"):
            case = reports.build_case(project, language, "2026-11-30")
            assert case.untranslated == ()
            for shape in Shape:
                page = html_bytes(reports.pdf_document(case, Recipe(language, "2026-11-30", shape))).decode()
                texts = [unescape(text).strip() for text in re.split(r"<[^>]*>", page)]
                if language == "en":
                    korean = {text for text in texts if HANGUL.search(text) and not _is_source(text)}
                    assert korean <= GLOSSARY, shape
                else:
                    assert not [text for text in sentences if any(text in part for part in texts)], shape


def _figures(book: CycleBook) -> list[Figure]:
    standings = [each for iteration in book.all(Iteration) for each in target_standings(book, iteration.id)]
    return [figure for each in standings for figure in (each.baseline, each.now) if figure is not None]


def test_the_latency_s_definition_says_how_its_mean_is_taken(book: CycleBook) -> None:
    own = {each.definition for each in book.all(Metric) if getattr(each.source, "native", "") == "lat"}
    assert own == {"pgbench 진행 보고의 1초 평균을 트랜잭션 수로 가중하여 평균함"}


def test_a_mean_over_bins_counts_the_requests_too(built: tuple[CycleBook, Path]) -> None:
    """One bin of the whole run: pgbench's own mean of all transactions, not the mean of the seconds' means."""
    with open_project(built[1], read_only=True) as project:
        for run in RUNS:
            label = f"full-load {run[0]}"
            (series,) = (each for each in browse.list_series(project, label, "lat") if each.tool == "pgbench")
            (exported,) = exports.read(project, [series.id], every_s=1e6)
            assert exported.values == pytest.approx([_latency_ms(run)], rel=5e-5, abs=5e-4)
