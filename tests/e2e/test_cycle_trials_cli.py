"""An experiment in the cycle: a metric's source, evidence of a cause, and a cell's trials as a result that is judged."""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from pypdfium2 import PdfDocument

from tests.cycle_cheats import REASON
from tests.e2e.conftest import Command
from tunebench.store.opening import open_project
from tunebench.usecases.experiments import applying, lookup, planning, reading

SLOW, FAST = ([base + number / 10 for number in range(4)] for base in (86, 27))
MIDDLE = [84.0, 87.5, 85.0, 88.0]


@pytest.fixture
def tried(project: Path, tunebench: Command, tmp_path: Path) -> Path:
    return _tried(project, tunebench, tmp_path, (("a1", 86.0), ("a2", 86.1)))


def _tried(project: Path, tunebench: Command, tmp_path: Path, same: tuple[tuple[str, float], ...]) -> Path:
    """An experiment with three cells: slow, as slow, and fast; and an iteration that is to be judged by it."""
    run, pairs = ("experiment", project), 4 if same else 0
    words = ("--factor", "maxcontig[blocks]=6,16,128", "--response", "real_s", "--repetitions", "4", "--aa", pairs)
    assert tunebench(*run, "new", "--title", "mkfile", *words, "--order", "abab").code == 0
    for role, base in same:
        for number in range(4):
            value = f"real_s={base + number / 10}"
            assert tunebench(*run, "record", "mkfile", value, "--cell", "maxcontig=6", "--role", role).code == 0
    rows = [f"{cell},{value}" for cell, own in ((6, SLOW), (16, MIDDLE), (128, FAST)) for value in own]
    table = tmp_path / "results.csv"
    table.write_text("maxcontig,real_s\n" + "\n".join(rows), encoding="utf-8")
    assert tunebench(*run, "import", "1", table).code == 0
    cycle = ("cycle", project)
    for act in (
        ("start", "--title", "Read-ahead"),
        ("add", "metric", "name=mkfile", "source=experiment:1|real_s", "statistic=mean", "unit=s", "direction=lower"),
        ("measure", "metric", "--run", "6"),
        ("set", "target", "value=30"),
        ("add", "cause", "domain=system", "title=Small clusters"),
        ("pin", "--experiment", "1", "--caption", "Cluster sizes compared", "--to", "cause"),
    ):
        answer = tunebench(*cycle, *act)
        assert answer.code == 0, (act, answer.err)
    return project


def _target(tunebench: Command, project: Path) -> Any:
    (target,) = tunebench("cycle", project, "show", "--json").json["iteration"]["targets"]
    return target


def test_a_cell_is_a_result_judged_by_its_trials(tried: Path, tunebench: Command, tmp_path: Path) -> None:
    assert _target(tunebench, tried)["baseline"]["value"] == pytest.approx(sum(SLOW) / 4)
    cycle = ("cycle", tried)
    assert tunebench(*cycle, "measure", "metric", "--run", "128", "--as", "after").code == 0
    standing = _target(tunebench, tried)["standing"]
    (result,) = tunebench("cycle", tried, "show", "--json").json["iteration"]["results"]
    assert result["after"]["value"] == standing["now"] == pytest.approx(sum(FAST) / 4)
    assert (result["after"]["samples"], result["after"]["cell"]) == (4, ["128"])
    low, high = standing["interval"]
    assert standing["basis"]["occurrences"] == 4 and low < sum(FAST) / 4 < high < 30
    assert (standing["state"], standing["change"]) == ("met", "improved")
    (part,) = tunebench("experiment", tried, "analyse", "1", "--json").json["parts"]
    row = next(each for each in part["comparisons"] if each["cell"] == {"maxcontig": "128"})
    logs = [sum(map(math.log, own)) / 4 for own in (SLOW, FAST)]
    assert row["verdict"] == "improved"
    assert standing["ratio_estimate"] == pytest.approx(math.exp(logs[0] - logs[1])) == row["ratio"]
    assert tunebench("check", tried).code == 0
    for language, word in (("en", 'experiment "mkfile": real_s'), ("ko", '실험 "mkfile": real_s')):
        path = tmp_path / f"{language}.pdf"
        sheets = path.with_suffix(".xlsx")
        assert tunebench("report", tried, "--pdf", path, "--xlsx", sheets, "--lang", language).code == 0
        text = "".join(page.get_textpage().get_text_range() for page in PdfDocument(path))
        assert word in " ".join(text.split()) and "maxcontig=128" in text
        book = openpyxl.load_workbook(sheets, read_only=True)
        cells = {str(cell) for sheet in book for row in sheet.iter_rows(values_only=True) for cell in row}
        assert {"mkfile", "maxcontig=128"} <= cells


def test_what_the_trials_do_not_tell_apart_is_undecided(tried: Path, tunebench: Command) -> None:
    cycle = ("cycle", tried)
    assert tunebench(*cycle, "set", "target", "value=86.2").code == 0
    assert tunebench(*cycle, "measure", "metric", "--run", "maxcontig=16", "--as", "after").code == 0
    standing = _target(tunebench, tried)["standing"]
    assert standing["state"] == "undecided"
    assert standing["change"] not in ("improved", "regressed")


def test_another_reference_leaves_what_was_measured_over_the_old_one(
    project: Path, tunebench: Command, tmp_path: Path
) -> None:
    """The experiment calls another cell its reference: the change is still judged against the baseline's own trials."""
    tried = _tried(project, tunebench, tmp_path, ())
    cycle = ("cycle", tried)
    assert tunebench(*cycle, "measure", "metric", "--run", "128", "--as", "after").code == 0
    before = _target(tunebench, tried)
    with open_project(tried) as opened:
        book = reading.read(opened)
        applying.apply(opened, planning.change(book, replace(lookup.find(book, 1), baseline=("16",))))
    after = _target(tunebench, tried)
    assert after["baseline"]["value"] == before["baseline"]["value"] == pytest.approx(sum(SLOW) / 4)
    logs = [sum(map(math.log, own)) / 4 for own in (SLOW, FAST)]
    assert after["standing"]["ratio_estimate"] == pytest.approx(math.exp(logs[0] - logs[1]))
    assert after["standing"]["state"] == "met"
    assert tunebench("check", tried).code == 0


def test_an_experiment_that_only_a_metric_names_stays(project: Path, tunebench: Command) -> None:
    words = ("--title", "mkfile", "--factor", "f=1,2", "--response", "real_s", "--repetitions", "1")
    assert tunebench("experiment", project, "new", *words).code == 0
    source = ("name=mkfile", "source=experiment:1|real_s", "statistic=mean", "unit=s", "direction=lower")
    for act in (("start", "--title", "Read-ahead"), ("add", "metric", *source)):
        assert tunebench("cycle", project, *act).code == 0
    refused = tunebench("experiment", project, "remove", "1", "--lang", "en")
    assert refused.code == 3 and "mkfile" in refused.err
    assert tunebench("cycle", project, "remove", "metric").code == 0
    assert tunebench("experiment", project, "remove", "1").code == 0


def test_what_no_trial_measured_is_no_figure(tried: Path, tunebench: Command) -> None:
    cycle = ("cycle", tried)
    for language in ("en", "ko"):
        for words in (
            ("measure", "metric", "--run", "6", "--as", "after"),  # the baseline's own cell
            ("measure", "metric", "--run", "7"),
            ("measure", "metric", "--run", "128", "--value", "1 @ trust me"),
            ("set", "target", "baseline.value=9000"),
            ("pin", "--experiment", "9", "--caption", "x"),
        ):
            refused = tunebench(*cycle, *words, "--lang", language)
            assert refused.code == 3 and "⟨" not in refused.err, (words, refused.err)
    assert tunebench(*cycle, "set", "metric", "statistic=max", "--reason", REASON).code == 0
    refused = tunebench(*cycle, "measure", "metric", "--run", "128", "--as", "after", "--lang", "en")
    assert refused.code == 3 and "mean" in refused.err
    turned = ("statistic=mean", "direction=higher")
    assert tunebench(*cycle, "set", "metric", *turned, "--reason", REASON).code == 0
    refused = tunebench(*cycle, "measure", "metric", "--run", "128", "--as", "after", "--lang", "en")
    assert refused.code == 3 and "direction" in refused.err


def test_a_trial_that_is_left_out_afterwards_is_found(tried: Path, tunebench: Command) -> None:
    assert tunebench("cycle", tried, "measure", "metric", "--run", "16", "--as", "after").code == 0
    plan = tunebench("experiment", tried, "show", "1", "--json").json["plan"]
    worst = next(
        each["id"] for each in plan if each["cell"] == {"maxcontig": "16"} and each["values"] == {"real_s": 88.0}
    )
    words = ("exclude", "1", worst, "--reason", "a backup ran", "--by", "Lee")
    assert tunebench("experiment", tried, *words).code == 0
    answer = tunebench("check", tried, "--json")
    (found,) = next(each for each in answer.json if each["check"] == "cycle_figures")["facts"]["found"]
    assert answer.code == 3
    assert found["stored"] == pytest.approx(sum(MIDDLE) / 4)
    assert found["recomputed"] == pytest.approx(sum(MIDDLE[:3]) / 3)
    assert _target(tunebench, tried)["standing"]["state"] == "contradicted"
    again = ("measure", "metric", "--run", "16", "--as", "after")
    assert tunebench("cycle", tried, *again).code == 3  # a result that was known is amended
    assert tunebench("cycle", tried, *again, "--reason", REASON).code == 0
    assert tunebench("check", tried).code == 0


def test_a_trial_edited_past_the_program_is_found(tried: Path, tunebench: Command) -> None:
    assert tunebench("cycle", tried, "measure", "metric", "--run", "128", "--as", "after").code == 0
    with sqlite3.connect(tried) as connection:
        for id_, body in connection.execute("SELECT id, body FROM trial").fetchall():
            trial = json.loads(body)
            if trial["cell"] == ["128"]:
                trial["values"][0]["value"] = 1.0
                connection.execute("UPDATE trial SET body = ? WHERE id = ?", (json.dumps(trial), id_))
    connection.close()
    failed = {each["check"] for each in tunebench("check", tried, "--json").json if each["state"] == "failed"}
    assert failed == {"experiment_audit", "cycle_figures"}
    assert _target(tunebench, tried)["standing"]["state"] == "contradicted"


def _edited(path: Path, edit: Callable[[sqlite3.Connection], object]) -> None:
    with sqlite3.connect(path) as connection:
        edit(connection)
    connection.close()


def _body(table: str, change: str) -> str:
    return f"UPDATE {table} SET body = {change}"


def test_what_was_edited_before_it_was_measured_proves_nothing(tried: Path, tunebench: Command) -> None:
    _edited(tried, lambda file: file.execute(_body("trial", "replace(body, ':27.', ':17.')")))
    assert tunebench("cycle", tried, "measure", "metric", "--run", "128", "--as", "after", "--lang", "en").code == 0
    assert _target(tunebench, tried)["standing"]["state"] == "contradicted"


def test_an_experiment_that_is_evidence_stays(tried: Path, tunebench: Command) -> None:
    assert tunebench("cycle", tried, "measure", "metric", "--run", "128", "--as", "after").code == 0
    for language in ("en", "ko"):
        refused = tunebench("experiment", tried, "remove", "1", "--lang", language)
        assert refused.code == 3 and "mkfile" in refused.err and "⟨" not in refused.err
    met = tried.read_bytes()
    for edit in (
        lambda file: (file.execute("DELETE FROM trial"), file.execute("DELETE FROM experiment")),
        lambda file: file.execute(_body("experiment", """replace(body, '"unit":"s"', '"unit":"GiB"')""")),
        lambda file: file.execute(_body("experiment", "replace(body, 'lower', 'higher')")),
        lambda file: file.execute(_body("experiment", "replace(body, 'real_s', 'user_s')")),
    ):
        _edited(tried, edit)
        assert _target(tunebench, tried)["standing"]["state"] == "contradicted"
        tried.write_bytes(met)


def test_how_trials_came_about_is_told(tried: Path, tunebench: Command, tmp_path: Path) -> None:
    """Four ways to make a cell better than it was, another cell, and a target by who had seen it: each is counted."""
    run, cycle = ("experiment", tried), ("cycle", tried)
    plan = tunebench(*run, "show", "1", "--json").json["plan"]
    own = [each["id"] for each in plan if each["cell"] == {"maxcontig": "16"}]
    for words in (
        ("exclude", "1", own[0], "--reason", "a backup ran", "--by", "Lee"),
        ("record", "1", "--trial", own[1], "--failed", "crashed", "--by", "Lee"),
        ("record", "1", "real_s=70", "--trial", own[2], "--correct"),
        ("record", "1", "real_s=71", "--cell", "maxcontig=16", "--beyond-plan"),
        ("record", "1", "real_s=72", "--cell", "maxcontig=16", "--beyond-plan"),
    ):
        assert tunebench(*run, *words).code == 0, words
    another = ("--factor", "f=1,2", "--response", "real_s", "--repetitions", "1", "--aa", "0", "--title", "went badly")
    assert tunebench(*run, "new", *another).code == 0
    assert tunebench(*run, "record", "2", "real_s=1", "--cell", "f=1").code == 0
    assert tunebench(*run, "remove", "2").code == 0
    assert tunebench(*cycle, "measure", "metric", "--run", "16", "--as", "after").code == 0
    shown = tunebench(*cycle, "show", "--lang", "en").out
    for told in (
        'Of 10 trials with a result behind the figures of "mkfile" 1 were left out, 1 called failed, 1 corrected, and 2',
        'Of 10 trials behind the figures of "mkfile" 10 were entered without a capture',
        'is that of "maxcontig=16". Measured in the same experiment and not taken for it (1): maxcontig=128.',
        "after the first trial of its result",
        "Experiments that had results were removed from the project (1): went badly.",
    ):
        assert told in shown, shown
    korean = tunebench(*cycle, "show", "--lang", "ko").out
    assert "제외 1회, 실패 처리 1회, 정정 1회" in korean and "⟨" not in korean
