"""What days that are not compared tell of how much days differ, and which of them may."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from statistics import fmean, stdev
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from tests.program import compose
from tests.unit.usecases.compared_captures import MONDAY, morning
from tunebench.analysis.calculations.inputs import Inputs
from tunebench.analysis.calculations.series import compare_occurrences
from tunebench.analysis.comparing.occurrence_figures import Statistic
from tunebench.analysis.inference.occurrences import Prior, Source
from tunebench.cli.main import run as run_verb
from tunebench.columns import comparing_words
from tunebench.domain.engagement import Engagement, Phase
from tunebench.domain.windows import Exclusion, Occurrence, Window, WindowLoad
from tunebench.store.project import Project
from tunebench.usecases import projects
from tunebench.usecases.comparing import compare, other_windows, windows
from tunebench.usecases.cycle.applying import apply
from tunebench.usecases.importing import imports
from tunebench.usecases.importing.results import ImportOptions

EARLIER = MONDAY - timedelta(days=14)
LEVELS = (20.0, 28.0, 24.0, 36.0, 30.0)
"""Per cent of the processors in the mornings of a week: days differ by a quarter."""
DAY, HOUR = timedelta(days=1), timedelta(hours=1)
SEOUL = ZoneInfo("Asia/Seoul")


@pytest.fixture(scope="module", autouse=True)
def services() -> None:
    compose()


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with projects.create(tmp_path / "case.tune", Engagement("tuning", "ACME")) as made:
        yield made


Take = Callable[..., None]


@pytest.fixture
def take(project: Project, tmp_path: Path) -> Take:
    def mornings(run: str, start: datetime, *levels: float, phase: Phase = Phase.BEFORE) -> None:
        paths = [
            morning(tmp_path / f"{run}{day}.txt", start + day * DAY, day, devices=1, busy_pct=level)
            for day, level in enumerate(levels)
        ]
        assert imports.import_captures(project, paths, ImportOptions(run=run, phase=phase)).complete

    return mornings


def week(take: Take, start: datetime, run: str = "baseline", days: int = 5) -> None:
    take(run, start, *LEVELS[:days])


def compared(take: Take) -> None:
    take("old", MONDAY, 30.0)
    take("new", MONDAY + 7 * DAY, 15.0, phase=Phase.AFTER)


def variation(project: Project) -> Prior:
    before, after = (windows.find_window(project, label) for label in ("old", "new"))
    (row,) = [each for each in compare.compare(project, before, after).rows if each.series.native == "%user"]
    assert row.variation is not None
    return row.variation


def means(project: Project, folder: Path, run: str = "baseline") -> list[float]:
    """Of %user by the text of the captures, without the block since boot."""
    found = []
    for path in sorted(folder.glob(f"{run}*.txt")):
        lines = path.read_text(encoding="utf-8").splitlines()
        values = [float(lines[place + 1].split()[0]) for place, line in enumerate(lines) if line.startswith("avg-cpu")]
        found.append(fmean(values[1:]))
    return found


def test_a_week_that_is_not_compared_tells_how_much_days_differ(project: Project, take: Take, tmp_path: Path) -> None:
    compared(take)
    assert variation(project) == Prior(0.10, 3.0, Source.ASSUMED)
    week(take, EARLIER)
    found = variation(project)
    assert (found.source, found.df, found.windows) == (Source.PROJECT, 4.0, ("baseline",))
    assert found.sd == pytest.approx(stdev(np.log(means(project, tmp_path))), rel=1e-9)


def test_the_figures_of_such_a_row_give_its_interval_and_p_again(project: Project, take: Take) -> None:
    compared(take)
    week(take, EARLIER)
    before, after = (windows.find_window(project, label) for label in ("old", "new"))
    (row,) = [each for each in compare.compare(project, before, after).rows if each.series.native == "%user"]
    assert row.grounds is not None and row.interval is not None
    prior = row.grounds.prior
    given: dict[str, object] = {"sd": prior.sd, "sd_df": prior.df, "of_kind": 2}
    for name, levels in (("before", row.grounds.before), ("after", row.grounds.after)):
        given[name] = [each.found.figures[Statistic.MEAN].value / (each.share or 1.0) for each in levels]
        given[f"{name}_variances"] = [each.variance for each in levels]
    answer = compare_occurrences(Inputs(given))
    assert answer["source"] == "project"
    assert answer["ratio"] == pytest.approx(row.estimate) and answer["p"] == pytest.approx(row.p)
    assert answer["ci"] == pytest.approx([row.interval.low, row.interval.high])


@pytest.mark.parametrize(
    ("start", "days"), [(EARLIER, 2), (EARLIER + timedelta(hours=5), 5), (EARLIER + 4 * DAY, 4)],
    ids=["two days", "other hours", "a Friday and the weekend"],
)  # fmt: skip
def test_few_days_other_hours_and_weekends_tell_nothing(
    project: Project, take: Take, start: datetime, days: int
) -> None:
    compared(take)
    week(take, start, days=days)
    assert variation(project).source is Source.ASSUMED


def test_the_days_of_a_run_that_are_not_compared_tell_it_too(project: Project, take: Take, tmp_path: Path) -> None:
    """Monday of one week against Monday of the next: Tuesday to Friday of the first; what is compared tells nothing."""
    week(take, MONDAY, "old")
    take("new", MONDAY + 7 * DAY, 15.0, phase=Phase.AFTER)
    name_hours(project, "Monday", "old", 1)
    before, after = (windows.chosen(project, name) for name in ("Monday", "new"))
    (row,) = [each for each in compare.compare(project, before, after).rows if each.series.native == "%user"]
    assert row.variation is not None and (row.variation.df, row.variation.windows) == (3.0, ("old",))
    assert row.variation.sd == pytest.approx(stdev(np.log(means(project, tmp_path, "old")[1:])), rel=1e-9)


def name_hours(project: Project, name: str, run: str, days: int) -> None:
    occurrences = windows.of_run(project, projects.find_run(project, run))[:days]
    apply(project, windows.add(project, Window(0, name, occurrences=occurrences)))


def test_a_kept_window_goes_before_the_run_it_lies_in_and_counts_once(project: Project, take: Take) -> None:
    compared(take)
    week(take, EARLIER)
    name_hours(project, "Week 28", "baseline", 4)
    found = variation(project)
    assert (found.df, found.windows) == (3.0, ("Week 28",)), "what is left of the run is one day"
    (kept,) = windows.list_windows(project)
    apply(project, windows.change(project, kept, replace(kept, load=WindowLoad.CONTROLLED)))
    assert variation(project).windows == ("baseline",), "a controlled load tells nothing of days of production"


def test_what_is_excluded_at_other_hours_does_not_stand_for_what_is_missing(
    project: Project, take: Take, tmp_path: Path
) -> None:
    """Of the last day there is the first hour of three; the two hours excluded of it lie in the afternoon."""
    compared(take)
    week(take, EARLIER, days=4)
    path = morning(tmp_path / "last.txt", EARLIER + 4 * DAY, 4, devices=1, minutes=60, busy_pct=LEVELS[4])
    assert imports.import_captures(project, [path], ImportOptions(run="baseline", phase=Phase.BEFORE)).complete
    starts = [(EARLIER + day * DAY).replace(tzinfo=SEOUL) for day in range(5)]
    spans = [[round((start + hours * HOUR).timestamp()) * 10**9 for hours in (0, 9, 4, 6)] for start in starts]
    window = Window(
        0,
        "Week 28",
        occurrences=tuple(Occurrence(first, last) for first, last, *_ in spans),
        exclusions=tuple(Exclusion(first, last, "batch") for *_, first, last in spans),
    )
    apply(project, windows.add(project, window))
    found = variation(project)
    assert (found.df, found.windows) == (3.0, ("Week 28",))


def test_a_window_whose_captures_are_gone_is_passed_over(project: Project, take: Take) -> None:
    compared(take)
    week(take, EARLIER - 7 * DAY, "gone")
    spans = [Occurrence(*each.span) for each in windows.of_run(project, projects.find_run(project, "gone"))]
    apply(project, windows.add(project, Window(0, "Week 27", occurrences=tuple(spans))))
    assert variation(project).windows == ("Week 27",)
    projects.remove_run(project, projects.find_run(project, "gone").id)
    assert variation(project).source is Source.ASSUMED


def test_what_would_take_long_to_read_is_not_read(
    project: Project, take: Take, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared(take)
    week(take, EARLIER)
    monkeypatch.setattr(other_windows, "MOST_SAMPLES", 1000)
    assert variation(project).source is Source.ASSUMED


def test_where_a_side_repeats_it_tells_the_variation_itself(project: Project, take: Take) -> None:
    take("old", MONDAY, 30.0, 24.0)
    take("new", MONDAY + 7 * DAY, 15.0, phase=Phase.AFTER)
    week(take, EARLIER)
    assert variation(project).source is not Source.PROJECT


def test_the_command_line_names_the_windows(project: Project, take: Take, capsys: pytest.CaptureFixture[str]) -> None:
    compared(take)
    week(take, EARLIER)
    verb = ["compare", str(project.path), "--rows", "--before", "old", "--after", "new"]
    assert run_verb([*verb, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["series"]
    (row,) = [each for each in rows if each["native"] == "%user"]
    assert (row["natural_variation"]["source"], row["natural_variation"]["windows"]) == ("project", ["baseline"])
    assert not [each for each in row["cautions"] if each["key"] == "variation_assumed"]
    for language, words in (("en", "other windows: baseline"), ("ko", "다른 구간: baseline")):
        assert run_verb([*verb, "--lang", language]) == 0
        assert words in capsys.readouterr().out
    before, after = (windows.find_window(project, label) for label in ("old", "new"))
    judged = next(each for each in compare.compare(project, before, after).rows if each.series.native == "%user")
    assert comparing_words.variation_text(judged, "en").endswith("as other windows show it: baseline")
