"""The notebook tells what the report tells, to the bit, whatever was imported first."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook

from tests.library.environment import Environment

STORY = Path("resources") / "demo" / "story.py"


@pytest.fixture(scope="module")
def figures(environment: Environment, told_demo: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return told(environment, told_demo, tmp_path_factory.mktemp("story"))


def told(environment: Environment, demo: Path, folder: Path, *before: str) -> dict[str, Any]:
    """The figures that the story ends with; `before`: what is imported ahead of it."""
    story = environment.packages / "tunebench" / "_data" / STORY
    code = f"{'; '.join(['import runpy', 'import sys', *before])}; runpy.run_path(sys.argv[0])"
    words = f"import sys; sys.argv = {[str(story), str(demo), 'figures.json']!r}; {code}"
    ran = environment.run("-c", words, folder=folder)
    assert ran.returncode == 0, ran.stderr
    assert ("NumPy was imported before" in ran.stderr) == bool(before)
    figures: dict[str, Any] = json.loads((folder / "figures.json").read_text(encoding="utf-8"))
    return figures


def test_its_figures_are_those_of_the_program(project_root: Path, told_demo: Path, figures: dict[str, Any]) -> None:
    """The program with all its libraries, in a process of its own."""
    windows = [figures["windows"][side] for side in ("before", "after")]

    def asked(*words: str) -> Any:
        ran = subprocess.run(
            [sys.executable, "main.py", *words, "--json", "--lang", "en"],
            cwd=project_root,
            capture_output=True,
            text=True,
            check=True,
        )
        return json.loads(ran.stdout)

    compared = asked("compare", str(told_demo), "--before", windows[0], "--after", windows[1])
    assert figures["targets"] == compared["answer"]["targets"]
    assert figures["series"] == compared["series"]
    assert figures["findings"] == asked("diagnose", str(told_demo), "--run", windows[0])["findings"]
    statements = asked("statements", str(told_demo), "--run", windows[0])
    assert figures["statements"] == [row for row in statements if row["elapsed_s"]]


def test_its_figures_are_those_of_the_report(project_root: Path, demo: Path, figures: dict[str, Any]) -> None:
    """A workbook has numbers with sixteen digits."""
    workbook = demo.with_name("report.xlsx")
    words = ["report", str(demo), "--xlsx", str(workbook), "--lang", "en"]
    subprocess.run([sys.executable, "main.py", *words], cwd=project_root, check=True, capture_output=True)
    rows = list(load_workbook(workbook, read_only=True)["Verdicts"].iter_rows(min_row=5, values_only=True))
    columns = {"before mean": 8, "after mean": 9, "estimate": 11, "low": 12, "high": 13}
    cells = {tuple(digits(row[at]) for at in columns.values()) for row in rows if isinstance(row[13], int | float)}
    judged = [row for row in figures["series"] if row["estimate"] is not None and row["ci95"][0] is not None]
    assert len(judged) > 100
    for row in judged:
        sides = (row["before"]["mean"], row["after"]["mean"], row["estimate"], *row["ci95"])
        assert tuple(map(digits, sides)) in cells, row


def digits(value: float) -> str:
    return f"{float(value):.16g}"


def test_numpy_may_come_first(
    environment: Environment, told_demo: Path, tmp_path: Path, figures: dict[str, Any]
) -> None:
    assert told(environment, told_demo, tmp_path, "import numpy") == figures


def test_captures_too_are_read_by_the_other_process_then(environment: Environment, tmp_path: Path) -> None:
    """What is imported is the same, and the project is open to be written before and after."""
    from tests.architecture.test_start import _capture

    (tmp_path / "before.txt").write_text(_capture(9, 80.0), encoding="utf-8")
    code = """
import sys
if sys.argv[1] == "late":
    import numpy
import json, tunebench
with tunebench.create(sys.argv[1] + ".tune", customer="ACME") as project:
    done = project.import_("before.txt", run="before", phase="before")
    again = project.import_("before.txt", run="before")
    print(json.dumps([done.as_dict("en"), again.as_dict("en"), [series.values.tolist() for series in project.series()]]))
"""
    early, late = (environment.run("-c", code, name, folder=tmp_path) for name in ("early", "late"))
    assert json.loads(early.stdout) == json.loads(late.stdout), (early.stderr, late.stderr)
    assert json.loads(late.stdout)[1]["files"][0]["state"] == "duplicate"


def test_the_last_digits_are_the_same_whatever_came_first(environment: Environment, tmp_path: Path) -> None:
    code = "import json, tunebench; print(json.dumps(tunebench.fingerprint()))"
    early, late = (environment.run("-c", f"{first}{code}", folder=tmp_path) for first in ("", "import numpy; "))
    assert json.loads(early.stdout) == json.loads(late.stdout)
    assert json.loads(early.stdout)["scipy"]


def test_who_is_interrupted_gets_no_answer_of_before(environment: Environment, told_demo: Path, tmp_path: Path) -> None:
    """As Ctrl+C in a notebook: the next question is answered by itself, not by what the one before was to be."""
    code = f"""
import numpy, os, signal, threading, tunebench
tunebench.fingerprint()
with tunebench.open({str(told_demo)!r}) as project:
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        project.compare()
    except KeyboardInterrupt:
        print("interrupted", sorted(tunebench.fingerprint())[0], project.diagnose(project.runs[0].label).bottleneck)
"""
    assert environment.run("-c", code, folder=tmp_path).stdout == "interrupted arithmetic disk sdb\n"
