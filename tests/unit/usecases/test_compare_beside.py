"""A process beside the comparison: it compares blocks of series, and tells where the bottleneck went."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from tests.program import compose
from tests.unit.usecases.compared_captures import MONDAY, morning
from tunebench.core import processes
from tunebench.core.progress import SilentProgress
from tunebench.domain.engagement import Engagement, Phase
from tunebench.domain.windows import Window
from tunebench.store import merged_series
from tunebench.store.project import Project
from tunebench.usecases import projects
from tunebench.usecases.comparing import compare, windows
from tunebench.usecases.comparing import sides as judged_sides
from tunebench.usecases.comparing.compare import Work
from tunebench.usecases.findings import compare_beside
from tunebench.usecases.findings.compare_beside import CompareBeside
from tunebench.usecases.findings.diagnose import shift
from tunebench.usecases.importing import imports
from tunebench.usecases.importing.results import ImportOptions

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module", autouse=True)
def services() -> None:
    compose()


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory, services: None) -> Iterator[Project]:
    """A morning, and one that is twice as quick."""
    folder = tmp_path_factory.mktemp("shift")
    with projects.create(folder / "case.tune", Engagement("tuning", "ACME", zone="Asia/Seoul")) as made:
        for run, phase, days, faster in (("old", Phase.BEFORE, 0, 1.0), ("new", Phase.AFTER, 7, 2.0)):
            path = morning(folder / f"{run}.txt", MONDAY + timedelta(days=days), days, devices=2, faster=faster)
            assert imports.import_captures(made, [path], ImportOptions(run=run, phase=phase)).complete
        yield made


@pytest.fixture
def many(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the project holds counts as many series, on a machine of two processors."""
    monkeypatch.setattr(compare_beside, "MANY_COLUMNS", 1)
    monkeypatch.setattr(compare_beside, "cores", lambda: 2)


def sides(project: Project) -> tuple[Window, Window]:
    return windows.chosen(project, "old"), windows.chosen(project, "new")


def told(project: Project) -> tuple[object, subprocess.Popen[bytes] | None]:
    with CompareBeside(project, *sides(project)) as beside:
        process = beside.process
        return beside.result(SilentProgress()), process


@pytest.mark.usefixtures("many")
def test_the_process_tells_what_would_be_reckoned_here(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = shift(project, *sides(project))
    monkeypatch.setattr(compare_beside, "shift", lambda *_: pytest.fail("reckoned here"))
    found, process = told(project)
    assert found == expected and expected.before.scores
    assert process is not None and process.wait(10) != 0, "it is gone with the answer"


@pytest.mark.usefixtures("many")
def test_blocks_that_the_process_compares_are_those_compared_here(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = compare.compare(project, *sides(project))
    monkeypatch.setattr(judged_sides, "MOST_TOGETHER", 1)  # a block for each device
    answered = []
    with CompareBeside(project, *sides(project)) as beside:
        (first, *rest) = judged_sides.in_blocks(Work.of(project, *sides(project)).pairs)
        answered += beside.compared(first) or []
        found = compare.compare(project, *sides(project), helper=beside)
    assert answered and rest, "it was asked for one of several"
    assert found.rows == expected.rows and found.gate == expected.gate
    assert found.split_offers == expected.split_offers


class Deaf:
    """Takes one block, and never another."""

    def __init__(self) -> None:
        self.asked = 0

    def compared(self, places: Sequence[int]) -> None:
        self.asked += 1

    def no_more(self) -> None:
        pytest.fail("there is more")


def test_blocks_without_an_answer_are_compared_here(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = compare.compare(project, *sides(project))
    monkeypatch.setattr(judged_sides, "MOST_TOGETHER", 1)
    helper = Deaf()
    assert compare.compare(project, *sides(project), helper=helper).rows == expected.rows
    assert helper.asked <= 1


def test_captures_that_another_process_changed_are_not_compared_beside(
    project: Project, many: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The numbers of the series may be others there."""
    monkeypatch.setattr(compare_beside, "state_of", lambda _: (-1, -1, -1))
    with CompareBeside(project, *sides(project)) as beside:
        assert beside.helper is not None and beside.compared([0]) is None


@pytest.mark.usefixtures("many")
@pytest.mark.parametrize("says", ["", "import os; os.kill(os.getpid(), 9)"])
def test_without_an_answer_it_is_reckoned_here(project: Project, monkeypatch: pytest.MonkeyPatch, says: str) -> None:
    monkeypatch.setattr(processes, "program_words", lambda *_: [sys.executable, "-c", says])
    assert told(project)[0] == shift(project, *sides(project))


def test_columns_are_counted_for_the_runs_that_are_asked_for(project: Project) -> None:
    every = merged_series.list_merged(project)  # of one capture a run: a column each
    runs = {info.run_id for info in every}
    assert merged_series.count_columns(project, {None}) == len(every) > 0
    assert {run: merged_series.count_columns(project, {run}) for run in runs} == Counter(info.run_id for info in every)
    assert merged_series.count_columns(project, set()) == 0


def test_few_series_need_no_process(project: Project) -> None:
    found, process = told(project)
    assert process is None and found == shift(project, *sides(project))


def test_a_process_whom_nobody_asks_ends() -> None:
    words = [sys.executable, "main.py", "compare-beside"]
    done = subprocess.run(words, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
