"""Capacities of a project: eight made weeks of a growing server, whose figures are known."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from tests.made import capacity_weeks as weeks
from tests.program import compose
from tests.unit.usecases import daily_captures
from tunebench.analysis.capacity.limits import LimitSource
from tunebench.analysis.capacity.outcome import Outcome, Refusal
from tunebench.analysis.comparing.calendar_slots import local_ns
from tunebench.core.errors import UserError
from tunebench.domain.engagement import Engagement, Phase
from tunebench.domain.windows import Exclusion, Occurrence, Window, run_window
from tunebench.reporting.cases.analysis import CaseOutlook
from tunebench.store.project import Project
from tunebench.usecases import projects
from tunebench.usecases.capacity import outlook as capacity
from tunebench.usecases.capacity.case import outlooks
from tunebench.usecases.capacity.series import Resource, Subject, list_subjects
from tunebench.usecases.capacity.words import headline, hours_text, limit_text, said_text, subject_text
from tunebench.usecases.findings.case import Wording
from tunebench.usecases.findings.processor_count import processors
from tunebench.usecases.importing import imports
from tunebench.usecases.importing.results import ImportOptions


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs: the first five weeks, and the rest."""
    compose()
    folder = tmp_path_factory.mktemp("weeks")
    (folder / "captures").mkdir()
    *sar, df = weeks.write(folder / "captures", leave_out=frozenset({20}))
    path = folder / "weeks.tune"
    with projects.create(path, Engagement("capacity", "ACME", zone="Asia/Seoul")) as project:
        for run, files in (("first", sar[:35]), ("rest", [*sar[35:], df])):
            imports.import_captures(project, files, ImportOptions(run=run, phase=Phase.OTHER, host="orderdb1"))
    return path


@pytest.fixture
def project(made: Path, tmp_path: Path) -> Iterator[Project]:
    path = tmp_path / "weeks.tune"
    shutil.copy(made, path)
    with projects.open_(path) as opened:
        yield opened


def of(project: Project, resource: Resource) -> Subject:
    (found,) = [subject for subject in list_subjects(project) if subject.resource is resource]
    return found


def labelled(project: Project, label: str) -> Subject:
    (found,) = [subject for subject in list_subjects(project) if subject.info.label == label]
    return found


def test_the_likely_series_come_first_over_all_runs(project: Project) -> None:
    found = list_subjects(project)
    assert [subject.resource for subject in found[:4]] == [
        Resource.CPU,
        Resource.FILESYSTEM,
        Resource.DISK,
        Resource.OTHER,
    ]
    assert [len(subject.parts) for subject in found[:3]] == [2, 1, 2]
    assert len({subject.id for subject in found}) == len(found)


def test_of_the_likely_ones_what_was_measured_longest_comes_first(tmp_path: Path) -> None:
    """Its host comes last by name; a forecast rests on days, and names have none."""
    compose()
    with projects.create(tmp_path / "two.tune", Engagement("two hosts", "ACME")) as project:
        for host, days in (("aaa01", 3), ("orderdb1", 12)):
            folder = tmp_path / host
            folder.mkdir()
            files = weeks.write(folder, days=days)[:-1]
            for file in files:
                file.write_text(file.read_text(encoding="utf-8").replace("(orderdb1)", f"({host})"), encoding="utf-8")
            assert imports.import_captures(project, files, ImportOptions(run=host)).complete
        found = list_subjects(project)
    assert [one.info.host for one in found if one.resource is Resource.CPU] == ["orderdb1", "aaa01"]


def test_cpu_busy_is_what_is_neither_idle_nor_waiting(project: Project) -> None:
    """The first Monday's busy hours: the 95th percentile lies near the peak of 30 %, %iowait of 1 left out."""
    found = capacity.outlook(project, of(project, Resource.CPU).id)
    assert found.days.hours == tuple(range(8, 18))
    assert found.days.values[0] == pytest.approx(weeks.FIRST_PEAK, abs=3)
    assert found.forecast.days[0] == (date(2026, 9, 7) - date(1970, 1, 1)).days
    assert len(found.forecast.days) == weeks.DAYS - 1  # a day was not captured, and is not made up


def test_the_day_the_processors_reach_their_limit(project: Project) -> None:
    """Weekdays grow by 0.45 points a day from 30 %: 75 % would be day 100, 16 December."""
    found = capacity.outlook(project, of(project, Resource.CPU).id)
    assert found.limit.value == 75
    assert found.limit.proposed is not None
    assert (found.limit.proposed.source, found.limit.proposed.servers) == (LimitSource.KNEE, weeks.PROCESSORS)
    assert found.forecast.outcome is Outcome.DATED
    crossing = found.forecast.crossing
    assert crossing.earliest is not None
    assert crossing.latest is not None
    true_day = weeks.FIRST_DAY.date() + timedelta(days=100)
    assert capacity.day_of(crossing.earliest) - timedelta(days=7) <= true_day <= capacity.day_of(crossing.latest)


def test_the_day_the_file_system_is_at_90_percent(project: Project) -> None:
    """52 % and 0.6 points a day: 90 % after 63.3 days; df rounds up."""
    found = capacity.outlook(project, of(project, Resource.FILESYSTEM).id)
    assert (found.limit.value, found.forecast.outcome) == (90, Outcome.DATED)
    assert found.forecast.crossing.median is not None
    off = capacity.day_of(found.forecast.crossing.median) - (weeks.FIRST_DAY.date() + timedelta(days=63))
    assert abs(off.days) <= 2
    assert found.now == pytest.approx(84, abs=1)


def test_free_space_falls_towards_its_limit(project: Project) -> None:
    free = labelled(project, "/oradata Available")
    assert free.falling
    with pytest.raises(UserError) as refused:
        capacity.outlook(project, free.id)
    assert refused.value.key == "capacity_limit_needed"
    found = capacity.outlook(project, free.id, limit=20_000_000)  # a tenth of the 200,000,000 KiB is left on day 63.3
    assert found.forecast.falling
    assert found.forecast.crossing.median is not None
    off = capacity.day_of(found.forecast.crossing.median) - (weeks.FIRST_DAY.date() + timedelta(days=64))
    assert abs(off.days) <= 1


def test_hours_may_be_said(project: Project) -> None:
    found = capacity.outlook(project, of(project, Resource.CPU).id, hours=(0, 1, 2))
    assert found.days.hours == (0, 1, 2)
    assert found.days.values.max() < 15


def test_what_a_multiple_of_the_load_would_need(project: Project) -> None:
    """8 transfers per point of busy: busy = tps / 8, whatever the hour."""
    load, cpu = labelled(project, "sda tps"), of(project, Resource.CPU)
    found = capacity.what_if(project, load.id, cpu.id, [1.2, 4.0])
    assert found.step_s == 1800
    assert found.model.fit is not None
    assert found.model.fit.slope_pct == pytest.approx(1 / weeks.TRANSFERS_PER_POINT, rel=0.03)
    first, second = found.factors
    assert first.possible_factor == pytest.approx(75 * weeks.TRANSFERS_PER_POINT / found.model.reference_load, rel=0.03)
    assert (first.feasible, second.feasible, second.extrapolated) == (True, False, True)
    assert second.utilisation_pct == pytest.approx(4 * found.model.reference_load / 8, rel=0.03)


@pytest.mark.parametrize("language", ["ko", "en"])
def test_two_minutes_of_samples_are_no_day_of_the_history(made: Path, tmp_path: Path, language: str) -> None:
    with projects.create(tmp_path / "short.tune", Engagement("capacity", "ACME", zone="Asia/Seoul")) as short:
        for day, rows in enumerate((25, 25, 500)):
            path = daily_captures.vmstat(tmp_path, f"{day}.txt", rows, first_row=1000 * day)
            start = datetime(2026, 7, 1 + day, 10)
            said = ImportOptions(run="days", host="db1", zone="Asia/Seoul", start=start, interval_s=5)
            assert imports.import_captures(short, [path], said).complete
        found = capacity.outlook(short, of(short, Resource.CPU).id, limit=80)
    assert (len(found.days.days), found.days.left_out) == (1, 2)
    assert [said.key for said in found.forecast.refusals] == [Refusal.FEW_DAYS, Refusal.SHORT_DAYS]
    words = said_text(found.forecast.refusals[1], language, "%")
    assert "0.5" in words and "2" in words and "3" in words and "{" not in words


def test_a_load_that_never_changes_tells_nothing(project: Project) -> None:
    found = capacity.what_if(project, labelled(project, "sda rkB/s").id, of(project, Resource.CPU).id, [2.0])
    assert (found.factors, found.model.refusals) == ((), ("no_load_change",))


def test_what_is_refused(project: Project) -> None:
    cpu = of(project, Resource.CPU).id
    for call, key in (
        (lambda: capacity.outlook(project, 999_999), "series_missing"),
        (lambda: capacity.outlook(project, cpu, -4.0), "capacity_limit_not_positive"),
        (lambda: capacity.what_if(project, cpu, labelled(project, "sda tps").id, [2.0]), "capacity_no_utilisation"),
        (lambda: capacity.what_if(project, cpu, of(project, Resource.FILESYSTEM).id, [2.0]), "capacity_no_utilisation"),
        (lambda: capacity.what_if(project, cpu, cpu, [0.0]), "capacity_factor_not_positive"),
        (lambda: capacity.scenarios(0.0, 80.0), "capacity_scenario_figures"),
        (lambda: capacity.needed_growth(20.0, 80.0, [0.0]), "capacity_scenario_figures"),
    ):
        with pytest.raises(UserError) as refused:
            call()
        assert refused.value.key == key


def test_scenarios_of_the_founding_document() -> None:
    assert [round(100 * each.growth, 1) for each in capacity.needed_growth(20, 80, (3, 5))] == [58.7, 32.0]
    assert [round(each.years or 0, 1) for each in capacity.scenarios(20, 80)] == [14.5, 7.6, 5.3, 3.4]


def test_processors_from_the_banner(project: Project) -> None:
    assert processors(project, of(project, Resource.CPU).info.host_id) == weeks.PROCESSORS
    assert processors(project, 77) is None


@pytest.mark.parametrize("language", ["ko", "en"])
def test_everything_is_said_in_words(project: Project, language: str) -> None:
    found = capacity.outlook(project, of(project, Resource.CPU).id)
    short = capacity.outlook(project, of(project, Resource.CPU).id, limit=200)
    words = [
        headline(found, language),
        headline(short, language),
        subject_text(found.subject, language),
        limit_text(found.limit, language),
        limit_text(short.limit, language),
        *(said_text(said, language, "%") for said in (*found.forecast.remarks, *short.forecast.refusals)),
    ]
    assert all(words)
    assert not [each for each in words if "⟨" in each or "{" in each]
    assert [said.key for said in short.forecast.refusals] == [Refusal.BEYOND_HISTORY]


def test_hours_in_words() -> None:
    assert hours_text(tuple(range(8, 18))) == "08–18"
    assert hours_text((0, 1, 22, 23)) == "00–02, 22–24"
    assert hours_text(()) == "–"


def test_local_times_follow_the_clocks() -> None:
    """Berlin put its clocks back on 25 October 2026 at 01:00 UTC."""
    zone = ZoneInfo("Europe/Berlin")
    before = int(datetime(2026, 10, 25, 0, 30, tzinfo=UTC).timestamp()) * 1_000_000_000
    times = np.array([before, before + 3_600_000_000_000], np.int64)
    assert (local_ns(times, zone) - times).tolist() == [7_200_000_000_000, 3_600_000_000_000]


def test_in_a_window_the_samples_of_its_occurrences_count(project: Project) -> None:
    """From nine to twelve of ten weekdays, one of them excluded, is the same as those hours of these days."""
    cpu, zone = of(project, Resource.CPU), ZoneInfo("Asia/Seoul")
    days = [date(2026, 9, 14) + timedelta(days=each) for each in (0, 1, 2, 3, 4, 7, 8, 9, 10, 11)]

    def at(day: date, hour: int, minute: int) -> int:
        return int(datetime(day.year, day.month, day.day, hour, minute, tzinfo=zone).timestamp()) * 1_000_000_000

    mornings = tuple(Occurrence(at(day, 9, 0), at(day, 12, 0)) for day in days)
    batch = Exclusion(at(days[3], 9, 0), at(days[3], 12, 0), "batch")
    window = Window(1, "mornings", occurrences=mornings, exclusions=(batch,))
    found = capacity.outlook(project, cpu.id, window=window).days
    whole = capacity.outlook(project, cpu.id, hours=(9, 10, 11)).days
    kept = [(day - date(1970, 1, 1)).days for day in days if day != days[3]]
    assert (found.days.tolist(), found.hours, set(found.samples.tolist())) == (kept, (9, 10, 11), {6})
    same = dict(zip(whole.days.tolist(), whole.values.tolist(), strict=True))
    assert found.values.tolist() == [same[day] for day in kept]
    load = labelled(project, "sda tps")
    assert len(capacity.what_if(project, load.id, cpu.id, [2.0], window=window).loads) == 6 * len(kept)
    elsewhere = replace(window, hosts=("elsewhere",))
    assert len(capacity.outlook(project, cpu.id, window=elsewhere).days.days) == 0
    assert list_subjects(project, elsewhere) == []


def test_of_a_run_its_own_days_count(project: Project) -> None:
    found = capacity.outlook(project, of(project, Resource.CPU).id, window=run_window(1))
    assert (found.days.days[0], len(found.days.days)) == ((date(2026, 9, 7) - date(1970, 1, 1)).days, 35)
    assert found.days.days[-1] == found.days.days[0] + 35  # of its 36 days one was not captured


def test_the_success_case_reads_what_its_windows_say(project: Project) -> None:
    """The window after where that holds enough days, as it is read on the page; else all runs without what is excluded."""
    cpu, zone = of(project, Resource.CPU), ZoneInfo("Asia/Seoul")

    def at(day: date, hour: int = 0) -> int:
        return int(datetime(day.year, day.month, day.day, hour, tzinfo=zone).timestamp()) * 1_000_000_000

    def window(name: str, first: date, last: date, *excluded: date) -> Window:
        holes = tuple(Exclusion(at(day), at(day, 23), "batch") for day in excluded)
        return Window(1, name, occurrences=(Occurrence(at(first), at(last, 23)),), exclusions=holes)

    def told(*windows: Window, language: str = "en") -> CaseOutlook:
        found = outlooks(project, Wording(language, zone, lambda _: ""), windows)
        return next(each for each in found if each.name == subject_text(cpu, language))

    batch = date(2026, 9, 9)
    before = window("before", date(2026, 9, 7), date(2026, 9, 13), batch)
    long, short = (window("after", date(2026, 9, 14), last) for last in (date(2026, 10, 25), date(2026, 9, 16)))
    page = capacity.outlook(project, cpu.id, window=long)
    assert told(before, long).days == tuple(page.days.days.tolist())
    assert told(before, long).headline == headline(page, "en") and told(before, long).remarks[0].endswith('"after".')
    everything = capacity.outlook(project, cpu.id).days.days.tolist()
    assert told(before, short).days == tuple(day for day in everything if day != (batch - date(1970, 1, 1)).days)
    assert "제외한 때는 뺐습니다" in told(before, short, language="ko").remarks[0]
    assert told().days == told(run_window(1), run_window(2)).days == tuple(everything)
    assert not any("Read over" in each for each in told().remarks)
