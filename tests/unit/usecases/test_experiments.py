"""Experiments through their door: planned, recorded, imported, excluded, analysed, exported; and the worked examples."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.program import compose
from tunebench.analysis.inference.verdict import Verdict
from tunebench.core.errors import UserError
from tunebench.core.messages import catalogue
from tunebench.domain.engagement import Direction, Engagement
from tunebench.domain.experiments.book import ExperimentBook, ExperimentEdit
from tunebench.domain.experiments.records import CacheState, Experiment, Reading, Trial, TrialRole, TrialState
from tunebench.domain.windows import Occurrence, Window
from tunebench.store.audit import trail as audit
from tunebench.store.check import check_project
from tunebench.store.project import Project
from tunebench.usecases import projects
from tunebench.usecases.experiments import applying, lookup, planning, reading, recording
from tunebench.usecases.experiments import definition as experiment_definition
from tunebench.usecases.experiments import examples as experiment_examples
from tunebench.usecases.experiments import export as experiment_export
from tunebench.usecases.experiments import results as experiment_results
from tunebench.usecases.experiments import tables as experiment_tables
from tunebench.usecases.experiments import words as experiment_words
from tunebench.usecases.experiments.recording import record_cell
from tunebench.usecases.importing import imports
from tunebench.usecases.importing.results import ImportOptions

FIXTURES = ROOT / "tests" / "fixtures" / "house_formats"
EXT3, XFS = ("ext3",), ("xfs",)


@pytest.fixture(scope="module", autouse=True)
def services() -> None:
    compose()


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with projects.create(tmp_path / "case.tune", Engagement("tuning", "ACME")) as made:
        yield made


def made(**fields: object) -> Experiment:
    plan = Experiment(
        0,
        "copy",
        (experiment_definition.factor_of("fs=ext3,xfs"),),
        tuple(experiment_definition.response_of(name) for name in ("real_s", "user_s", "sys_s")),
        repetitions=2,
    )
    return replace(plan, **fields)  # type: ignore[arg-type]


def do(project: Project, edit: ExperimentEdit) -> ExperimentBook:
    applying.apply(project, edit, "lee")
    return reading.read(project)


def refusal(act: object, *arguments: object, **options: object) -> str:
    with pytest.raises(UserError) as caught:
        act(*arguments, **options)  # type: ignore[operator]
    return caught.value.key


def cells_of(book: ExperimentBook, cell: tuple[str, ...]) -> list[Trial]:
    return [trial for trial in book.trials_of(1) if trial.cell == cell]


# -- plan and record -----------------------------------------------------------------------------------


def test_from_a_plan_to_a_verdict_and_back(project: Project) -> None:
    book = do(project, planning.add(made(repetitions=4)))
    assert len(book.trials_of(1)) == 8
    for trial in book.trials_of(1):
        value = (20.0 if trial.cell == EXT3 else 10.0) + trial.repetition / 10
        book = do(project, recording.record(book, trial.id, {"real_s": value}))
    found = reading.analyse(book, 1)
    assert (found.verdict, found.parts[0].best) == (Verdict.IMPROVED, XFS)
    assert {result.state for result in check_project(project)} == {"ok"}
    done = applying.apply(project, recording.exclude(book, 1, "백업 중이었음", "이영진"))
    entry = audit.list_audit(project)[-1]
    assert entry.facts["changes"] == {
        "trial.1 state": ["done", "excluded"],
        "trial.1 reason": ["", "백업 중이었음"],
        "trial.1 decided_by": ["", "이영진"],
    }
    assert sum(each.n for each in reading.analyse(reading.read(project), 1).parts[0].cells) == 7
    applying.undo(project, done)
    assert reading.read(project) == book
    applying.redo(project, done)
    book = do(project, recording.restore(reading.read(project), 1))
    assert sum(each.n for each in reading.analyse(book, 1).parts[0].cells) == 8


def test_results_are_never_written_over(project: Project) -> None:
    book = do(project, planning.add(made()))
    assert refusal(recording.exclude, book, 1, "x", "lee") == "trial_not_recorded"
    book = do(project, recording.record(book, 1, {"real_s": 5.0}))
    assert refusal(recording.record, book, 1, {"real_s": 6.0}) == "trial_recorded"
    book = do(project, recording.correct(book, 1, {"real_s": 6.0}, note="잘못 읽음"))
    assert book.trials[1].values == (Reading("real_s", 6.0),)
    assert refusal(recording.record, book, 2, {"real_s": float("nan")}) == "trial_value_number"
    assert refusal(recording.record, book, 99, {"real_s": 1.0}) == "trial_unknown"
    assert refusal(lookup.find, book, 9) == "experiment_unknown"


def test_a_changed_plan_keeps_what_was_recorded(project: Project) -> None:
    book = do(project, planning.add(made()))
    book = do(project, recording.record(book, 1, {"real_s": 5.0}))
    kept = book.trials[1]
    book = do(project, planning.change(book, replace(book.experiments[1], repetitions=3, seed=9)))
    assert book.trials[1] == kept
    assert [len(cells_of(book, cell)) for cell in (EXT3, XFS)] == [3, 3]
    assert len({trial.place for trial in book.trials_of(1)}) == 6
    assert not planning.plan(book, 1).changes  # nothing is missing
    book = do(project, recording.fail(book, 2, "디스크가 참"))
    again = planning.plan(book, 1)
    book = do(project, again)
    assert sum(1 for trial in book.trials_of(1) if not trial.is_recorded) == 5
    book = do(project, planning.remove(book, 1))
    assert not book.trials and not book.experiments


def test_results_of_a_cell_fill_its_trials_in_order(project: Project) -> None:
    book = do(project, planning.add(made()))
    results = [Trial(0, 0, (), state=TrialState.DONE, values=(Reading("real_s", value),)) for value in (1.0, 2.0, 3.0)]
    assert refusal(record_cell, book, 1, XFS, results) == "trial_none_planned"
    book = do(project, record_cell(book, 1, XFS, results, beyond_plan=True))
    own = cells_of(book, XFS)
    assert [(trial.repetition, trial.value("real_s")) for trial in own] == [(1, 1.0), (2, 2.0), (3, 3.0)]
    assert own[2].place == 5
    plan = replace(book.experiments[1], caches=(CacheState.UNKNOWN, CacheState.COLD))
    book = do(project, planning.change(book, plan))
    assert refusal(record_cell, book, 1, EXT3, results) == "trial_cache_wanted"


def test_pasted_text_is_cleaned(project: Project) -> None:
    book = do(project, planning.add(made(title="  복\u200b사 \n 시험 ", command="  tar cf - . ")))
    assert (book.experiments[1].title, book.experiments[1].command) == ("복사 시험", "  tar cf - . ")
    assert refusal(planning.add, made(notes="x" * 20_001)) == "experiment_text_too_long"


# -- captures ------------------------------------------------------------------------------------------


def take(project: Project, path: Path, run: str = "bench") -> int:
    report = imports.import_captures(project, [path], ImportOptions(run=run, host="db1", zone="Asia/Seoul"))
    return report.files[0].artefact_id or 0


def test_times_of_any_shell_become_results_with_their_lines(project: Project, tmp_path: Path) -> None:
    capture = tmp_path / "copy.txt"
    capture.write_text(
        "@tunebench at 2026-11-21T03:00:00Z\n\nreal\t20m54.124s\nuser\t0m6.140s\nsys\t3m14.960s\n"
        "@tunebench at 2026-11-21T03:30:00Z\n\nreal\t21m0.000s\nuser\t0m6.000s\nsys\t3m15.000s\n",
        encoding="utf-8",
    )
    artefact_id = take(project, capture)
    results = experiment_results.results_of_capture(project, artefact_id)
    assert [result.metrics["real_s"] for result in results] == [(1254.124, "s"), (1260.0, "s")]
    book = do(project, planning.add(made()))
    book = do(project, experiment_results.take_captures(project, book, 1, [artefact_id], XFS))
    first, second = cells_of(book, XFS)
    assert [first.value(name) for name in ("real_s", "user_s", "sys_s")] == pytest.approx([1254.124, 6.14, 194.96])
    assert (first.artefact_id, first.line, second.line) == (artefact_id, 3, 8)
    assert (
        refusal(experiment_results.take_captures, project, book, 1, [artefact_id], EXT3) == "experiment_capture_taken"
    )
    assert refusal(projects.remove_artefact, project, artefact_id) == "run_is_of_experiment"
    assert {result.state for result in check_project(project)} == {"ok"}


def test_of_a_window_the_results_inside_it_are_taken(project: Project, tmp_path: Path) -> None:
    capture = tmp_path / "copy.txt"
    each = "@tunebench at 2026-11-21T0{}:00:00Z\n\nreal\t{}m0.000s\nuser\t0m6.140s\nsys\t3m14.960s\n"
    capture.write_text("".join(each.format(hour, 20 + hour) for hour in range(3, 7)), encoding="utf-8")
    artefact_id = take(project, capture)
    book = do(project, planning.add(made()))
    four = int(datetime(2026, 11, 21, 4, tzinfo=UTC).timestamp()) * 10**9
    window = Window(1, "peak", occurrences=(Occurrence(four, four + 3600 * 10**9),))
    book = do(project, experiment_results.take_captures(project, book, 1, [artefact_id], XFS, window=window))
    assert [trial.value("real_s") for trial in cells_of(book, XFS)[:2]] == [24 * 60, 25 * 60]
    late = replace(window, occurrences=(Occurrence(four * 2, four * 2 + 1),))
    assert (
        refusal(
            experiment_results.take_captures,
            project,
            book,
            1,
            [take(project, FIXTURES / "timed-nm-ksyms.txt")],
            XFS,
            window=late,
        )
        == "experiment_nothing_measured"
    )


def test_a_stretch_of_a_window_takes_results_of_its_own_run_only(project: Project, tmp_path: Path) -> None:
    """The first run as a whole, the second from 04:00 to 05:00; of the third nothing."""
    each = "@tunebench at 2026-11-21T0{}:00:00Z\n\nreal\t{}m0.000s\nuser\t0m6.140s\nsys\t3m14.960s\n"
    taken = []
    for place, run in enumerate(("first", "second", "third")):
        capture = tmp_path / f"{run}.txt"
        capture.write_text("".join(each.format(hour, 10 * place + hour) for hour in (3, 4, 6)), encoding="utf-8")
        taken.append(take(project, capture, run))
    book = do(project, planning.add(made()))
    four = int(datetime(2026, 11, 21, 4, tzinfo=UTC).timestamp()) * 10**9
    first, second = (projects.find_run(project, run).id for run in ("first", "second"))
    window = Window(
        1, "both", occurrences=(Occurrence(run_id=first), Occurrence(four, four + 3600 * 10**9, run_id=second))
    )
    edit = experiment_results.take_captures(project, book, 1, taken, XFS, beyond_plan=True, window=window)
    found = cells_of(do(project, edit), XFS)
    assert [trial.value("real_s") for trial in found] == [3 * 60, 4 * 60, 6 * 60, 14 * 60]


def test_a_capture_without_the_responses_is_refused(project: Project) -> None:
    artefact_id = take(project, FIXTURES / "timed-nm-ksyms.txt")
    book = do(project, planning.add(made(responses=(experiment_definition.response_of("tps[1/s]:higher"),))))
    assert (
        refusal(experiment_results.take_captures, project, book, 1, [artefact_id], XFS) == "experiment_nothing_measured"
    )
    other = replace(book.experiments[1], responses=(experiment_definition.response_of("real_s[ms]"),))
    book = do(project, planning.change(book, other))
    assert refusal(experiment_results.take_captures, project, book, 1, [artefact_id], XFS) == "experiment_units_differ"


# -- tables --------------------------------------------------------------------------------------------


def table(folder: Path, text: str, encoding: str = "utf-8") -> Path:
    path = folder / "results.csv"
    path.write_bytes(text.encode(encoding))
    return path


@pytest.mark.parametrize(("encoding", "mark"), [("utf-8", ","), ("utf-8-sig", ";"), ("cp949", "\t")])
def test_a_table_is_taken_in(project: Project, tmp_path: Path, encoding: str, mark: str) -> None:
    text = "fs,real_s,user_s,note,other\next3,1.5,,첫 번째,x\nxfs,20m54.124s,2,,\n\next3,3,4,,\nxfs,,,,\n"
    book = do(project, planning.add(made()))
    book = do(project, experiment_tables.take_table(book, 1, table(tmp_path, text.replace(",", mark), encoding)))
    first, second = cells_of(book, EXT3)
    assert (first.value("real_s"), first.value("user_s"), first.note) == (1.5, None, "첫 번째")
    assert second.value("user_s") == 4.0
    assert sorted(str(trial.value("real_s")) for trial in cells_of(book, XFS)) == ["1254.124", "None"]


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("fs,real_s\n", "experiment_table_empty"),
        ("fs,real_s\nxfs,\n", "experiment_table_empty"),
        ("", "experiment_table_empty"),
        ("filesystem,real_s\nxfs,1\n", "experiment_table_column"),
        ("fs,elapsed\nxfs,1\n", "experiment_table_column"),
        ("fs,real_s\nxfs,fast\n", "experiment_table_number"),
        ("fs,real_s\nxfs\n", "experiment_table_row"),
        ("fs,real_s,cache\nxfs,1,hot\n", "experiment_table_word"),
        ("fs,real_s,cache\nxfs,1,cold\n", "trial_cache_unplanned"),
        ("fs,real_s\next4,1\n", "experiment_cell_unknown"),
        ("fs,real_s\nxfs,1\nxfs,2\nxfs,3\n", "trial_none_planned"),
        ("fs,real_s\nxfs,-1\n", "trial_value_negative"),
        ('fs,real_s\n"xfs,1\n', "experiment_table_unreadable"),
    ],
)
def test_a_wrong_table_is_refused_as_a_whole(project: Project, tmp_path: Path, text: str, key: str) -> None:
    book = do(project, planning.add(made()))
    path = table(tmp_path, text)
    assert refusal(experiment_tables.take_table, book, 1, path) == key
    assert refusal(experiment_tables.take_table, book, 1, tmp_path / "none.csv") == "experiment_table_unreadable"


def test_exported_trials_come_back_the_same(project: Project, tmp_path: Path) -> None:
    book = do(project, planning.add(made(caches=(CacheState.COLD, CacheState.WARM), same_repetitions=1)))
    ids = [trial.id for trial in book.trials_of(1)]
    for number, id_ in enumerate(ids[:-2]):
        book = do(project, recording.record(book, id_, {"real_s": 1.25 + number, "sys_s": 1 / 3}, note="=1+1"))
    book = do(project, recording.exclude(book, ids[2], "backup", "lee"))
    book = do(project, recording.fail(book, ids[-2], "full", "kang"))
    path = experiment_export.export_trials(book, 1, tmp_path / "out.csv")
    with path.open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [row["note"] for row in rows[:1]] == ["'=1+1"]  # a spreadsheet must not compute it
    book = do(project, planning.add(book.experiments[1]))
    book = do(project, experiment_tables.take_table(book, 2, path))

    def told(experiment_id: int) -> set[tuple[object, ...]]:
        return {
            (trial.cell, trial.cache, trial.role, trial.state, trial.values, trial.reason, trial.decided_by)
            for trial in book.trials_of(experiment_id)
        }

    assert told(1) == told(2)
    assert {trial.role for trial in book.trials_of(2)} == set(TrialRole)
    figures = experiment_export.export_figures(reading.analyse(book, 2), tmp_path / "figures.csv")
    assert figures.read_text(encoding="utf-8-sig").count("\n") == 1 + 4 * 2
    assert refusal(experiment_export.export_trials, book, 1, tmp_path) == "file_unwritable"


# -- words ---------------------------------------------------------------------------------------------


def test_factors_and_responses_in_words() -> None:
    pool = experiment_definition.factor_of("pool[GB]=12,8,4")
    assert (pool.name, pool.unit, [level.value for level in pool.levels]) == ("pool", "GB", [12.0, 8.0, 4.0])
    mount = experiment_definition.factor_of("mount=default|noatime,logbufs=8")
    assert [level.name for level in mount.levels] == ["default", "noatime,logbufs=8"]
    tps = experiment_definition.response_of("tps[1/s]:higher")
    assert (tps.name, tps.unit, tps.direction) == ("tps", "1/s", Direction.HIGHER)
    assert experiment_definition.response_of("real_s").unit == "s"
    for words in ("fs", "=a,b", "[GB]=1"):
        assert refusal(experiment_definition.factor_of, words) == "experiment_words"
    assert refusal(experiment_definition.response_of, "tps:up") == "experiment_words"
    plan = made()
    assert experiment_definition.cell_of(plan, ["fs=xfs"]) == XFS
    assert refusal(experiment_definition.cell_of, plan, []) == "experiment_cell_unknown"
    for several in (["mount=x"], ["fs"], ["fs=xfs", "fs=ext3"]):
        assert refusal(experiment_definition.cell_of, plan, several) == "experiment_words"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "title = 'x'",
        "title = 'x'\nfactors = 3",
        "[",
        "title = 'x'\nfactors = [{name = 'f', levels = ['a']}]",
        "title='x'\nsource=''\norder='up'\nresponses=[{name='a',unit='s',direction='lower',title='t'}]\nfactors=[]",
    ],
)
def test_a_wrong_file_is_one_sentence(tmp_path: Path, text: str) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(text, encoding="utf-8")
    assert refusal(experiment_definition.read_definition, path, "ko") == "experiment_file_unreadable"


# -- worked examples -----------------------------------------------------------------------------------

NAMES = [each.name for each in experiment_examples.examples("ko")]


@pytest.mark.parametrize("language", ["ko", "en"])
@pytest.mark.parametrize("name", NAMES)
def test_an_example_is_a_sound_experiment_that_claims_nothing(project: Project, name: str, language: str) -> None:
    book = do(project, experiment_examples.example_edit(name, language))
    found = reading.analyse(book, 1)
    measured = any(trial.stands for trial in book.trials_of(1))
    assert found.verdict is (Verdict.DESCRIPTIVE_ONLY if measured else Verdict.INSUFFICIENT_DATA)
    assert found.experiment.source and found.experiment.confounders and found.experiment.title
    assert {result.state for result in check_project(project)} == {"ok"}
    for caution in (*found.cautions, *(each for part in found.parts for each in part.cautions)):
        assert "⟨" not in experiment_words.caution_text(caution, language)


def ratios(project: Project, name: str, response: str = "real_s") -> dict[tuple[str, ...], float]:
    """Value of each cell over the reference's."""
    book = do(project, experiment_examples.example_edit(name, "ko"))
    part = next(part for part in reading.analyse(book, 1).parts if part.response.name == response)
    higher = part.response.direction is not Direction.LOWER
    return {each.cell: (each.ratio or 0) if higher else 1 / (each.ratio or 1) for each in part.comparisons}


def test_the_file_systems_of_the_founding_document(project: Project) -> None:
    """Ratios to ext3 with 4K blocks, by hand from the printed times; one run each, so nothing more than described."""
    found = ratios(project, "fs-copy")
    assert list(found.values()) == pytest.approx(
        [1.2406308983495504, 1.2505816737166577, 1.5964885900941364, 2.418592389175329], rel=1e-9
    )


def test_maxcontig_of_the_founding_document(project: Project) -> None:
    assert ratios(project, "maxcontig-write")[("128",)] == pytest.approx(1 / 3.123596, rel=1e-6)
    book = reading.read(project)
    found = reading.analyse(book, 1)
    by_name = {part.response.name: part.comparisons[0].ratio for part in found.parts}
    assert by_name["kw_s"] == pytest.approx(3.768392, rel=1e-6)
    assert by_name["w_s"] == pytest.approx(0.273050, rel=1e-5)
    assert by_name["svc_t_ms"] == pytest.approx(0.283697, rel=1e-5)
    assert found.waiting[0][1][1].sys_ratio == pytest.approx(1.107486, rel=1e-6)
    six, more = found.waiting[0][1]
    assert [six.wait_s, more.wait_s] == pytest.approx([80.86, 21.68])


def test_a_data_file_and_read_ahead_of_the_founding_document(project: Project) -> None:
    assert ratios(project, "maxcontig-datafile")[("128",)] == pytest.approx(1 / 3.151214, rel=1e-6)


def test_read_ahead_is_no_loss_though_svc_t_grows(project: Project) -> None:
    assert ratios(project, "maxcontig-read", "kr_s")[("128",)] == pytest.approx(1.4271, rel=1e-4)
    found = reading.analyse(reading.read(project), 1)
    by_name = {part.response.name: part for part in found.parts}
    assert by_name["svc_t_ms"].comparisons[0].ratio == pytest.approx(4.5455, rel=1e-4)
    assert by_name["svc_t_ms"].ranking == ()  # of I/O of different sizes: neither better nor worse
    assert by_name["svc_ms_per_mb"].comparisons[0].ratio == pytest.approx(52.605 / 32.493, rel=1e-4)


def test_the_wait_of_nm_is_nearly_all_of_its_time(project: Project) -> None:
    book = do(project, experiment_examples.example_edit("swap-nm", "ko"))
    waiting = reading.analyse(book, 1).waiting[0][1]
    stalled = next(each for each in waiting if each.cell == ("51448",))
    assert [stalled.real_s, stalled.wait_s] == pytest.approx([48.465, 47.551])


def test_the_raid_matrix_is_a_plan_of_168_cells(project: Project) -> None:
    book = do(project, experiment_examples.example_edit("raid-pool-threads", "en"))
    assert len(book.experiments[1].all_cells) == 168
    assert len(book.trials_of(1)) == 504
    assert refusal(experiment_examples.example_edit, "nothing", "en") == "experiment_example_unknown"


def test_every_edit_has_a_name_in_both_languages() -> None:
    names = (
        "add_experiment",
        "add_example",
        "change_experiment",
        "plan_trials",
        "remove_experiment",
        "record_trial",
        "record_trials",
        "correct_trial",
        "fail_trial",
        "exclude_trial",
        "restore_trial",
    )
    for language in ("ko", "en"):
        assert all(f"experiment.edit.{name}" in catalogue(language) for name in names)
