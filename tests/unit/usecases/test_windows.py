"""Windows: what a run, hours of weekdays and stretches become, and what is refused. Moments are worked out by hand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime
from itertools import pairwise
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from tests.store import cases, database_cases
from tunebench.analysis.comparing.calendar_slots import Calendar
from tunebench.core.errors import UserError
from tunebench.core.messages import LANGUAGES, catalogue
from tunebench.domain.assembly import Span
from tunebench.domain.cycle.records import DailyWindow
from tunebench.domain.engagement import CaptureEvent, EventKind, Phase, Run
from tunebench.domain.ledger import Assumption, ImportState, Ledger
from tunebench.domain.windows import Exclusion, Occurrence, Stretch, Window, WindowRole, proposed_window, run_window
from tunebench.store import engagements, hosts, removal, runs
from tunebench.store.artefacts import set_parse_result
from tunebench.store.audit.trail import list_audit
from tunebench.store.databases.records import write_records
from tunebench.store.project import Project
from tunebench.usecases import projects
from tunebench.usecases.comparing import windows
from tunebench.usecases.comparing.captured import cut, joined
from tunebench.usecases.comparing.stretches import stretches_of, with_common_holes
from tunebench.usecases.cycle import applying

SEOUL = ZoneInfo("Asia/Seoul")
WORKDAYS = frozenset(range(5))
MORNING = DailyWindow("09:00", "12:00")
JULY_6, JULY_17 = date(2026, 7, 6), date(2026, 7, 17)  # a Monday, and the Friday of the week after


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    opened = cases.new_project(tmp_path)
    yield opened
    opened.close()


def at(text: str) -> int:
    """UTC nanoseconds of ``2026-07-06 09:00`` in Seoul, or of a time with an offset of its own."""
    moment = datetime.fromisoformat(text)
    return int((moment if moment.tzinfo else moment.replace(tzinfo=SEOUL)).timestamp()) * 10**9


def span(start: str, end: str) -> Span:
    return at(start), at(end)


def run_of(project: Project, label: str, phase: Phase = Phase.BEFORE) -> Run:
    return runs.ensure_run(project, label, phase)


def capture(
    project: Project, run: Run, stretch: Span, host: str = "db1", gaps: tuple[Span, ...] = (), by_file: bool = False
) -> int:
    """One file that measured from the first end to the last, but in its gaps."""
    name = f"{run.label}-{host}-{stretch}-{by_file}"
    artefact_id = cases.store_artefact(project, name.encode(), run.label, name)
    assumed = (Assumption("date", "2026-07-20", "mtime"),) if by_file else ()
    set_parse_result(
        project,
        artefact_id,
        host_id=hosts.ensure_host(project, host).id,
        parser_id="p",
        parser_version="1",
        state=ImportState.IMPORTED,
        ledger=Ledger(first_ns=stretch[0], last_ns=stretch[1], series=1, assumptions=assumed),
        events=[CaptureEvent(EventKind.GAP, *gap) for gap in gaps],
        given={},
    )
    return artefact_id


def in_zone(project: Project, zone: str) -> None:
    engagements.write_engagement(project, replace(engagements.read_engagement(project), zone=zone))


def spans(occurrences: tuple[Occurrence, ...]) -> list[tuple[int | None, int | None]]:
    return [(each.start_ns, each.end_ns) for each in occurrences]


def kept(project: Project, window: Window) -> Window:
    applying.apply(project, windows.add(project, window), "이영진")
    return windows.kept_window(project, window.name)


def refusal(error: UserError) -> str:
    """Its key, the sentences looked at."""
    for language in LANGUAGES:
        assert not set("{}") & set(catalogue(language).error(error))
    return error.key


# -- of a run ------------------------------------------------------------------------------------------


def test_where_nobody_chose_the_last_kept_window_is_proposed_then_the_last_run() -> None:
    attempts = [Run(1, "first", Phase.AFTER), Run(2, "baseline", Phase.BEFORE), Run(3, "second", Phase.AFTER)]
    morning, evening = (Window(number, str(number), WindowRole.AFTER) for number in (7, 8))
    assert proposed_window((morning, evening), attempts, WindowRole.AFTER) == evening
    assert proposed_window((morning,), attempts, WindowRole.BEFORE) == run_window(2)
    assert proposed_window((), attempts, WindowRole.AFTER) == run_window(3)
    assert proposed_window((), attempts[:1], WindowRole.BEFORE) is None


def test_a_run_is_the_stretches_that_were_captured(project: Project) -> None:
    """Two tools in turn, an hour of silence is no end; more is, between files and inside one; a file's date is none."""
    run = run_of(project, "run")
    capture(project, run, span("2026-07-06 09:00", "2026-07-06 10:00"))
    capture(project, run, span("2026-07-06 11:00", "2026-07-06 12:00"), "db2")
    night = span("2026-07-07 12:00", "2026-07-08 09:00")
    capture(project, run, span("2026-07-07 09:00", "2026-07-08 12:00"), gaps=(night,))
    capture(project, run, span("2031-01-01 00:00", "2031-01-01 06:00"), by_file=True)
    assert spans(windows.of_run(project, run)) == [
        span("2026-07-06 09:00", "2026-07-06 12:00"),
        span("2026-07-07 09:00", "2026-07-07 12:00"),
        span("2026-07-08 09:00", "2026-07-08 12:00"),
    ]
    assert spans(windows.of_run(project, run, ["db2"])) == [span("2026-07-06 11:00", "2026-07-06 12:00")]


def test_the_mornings_in_one_file_are_an_occurrence_each(project: Project) -> None:
    """Whether the run is compared as it is or as a window of its own."""
    run = run_of(project, "run")
    days = [span(f"2026-07-{day} 09:00", f"2026-07-{day} 12:00") for day in ("06", "07", "08")]
    nights = tuple((first[1], second[0]) for first, second in pairwise(days))
    capture(project, run, (days[0][0], days[-1][1]), gaps=nights)
    assert [each.span for each in stretches_of(project, run_window(run.id))] == days
    assert spans(windows.of_run(project, run)) == days


def test_a_run_that_only_a_file_dates_is_where_the_file_puts_it(project: Project) -> None:
    run = run_of(project, "run")
    capture(project, run, span("2026-07-06 09:00", "2026-07-06 12:00"), by_file=True)
    assert spans(windows.of_run(project, run)) == [span("2026-07-06 09:00", "2026-07-06 12:00")]


def test_a_run_without_samples(project: Project) -> None:
    with pytest.raises(UserError) as caught:
        windows.of_run(project, run_of(project, "run"))
    assert refusal(caught.value) == "window_run_empty"


def test_periods_and_snapshots_of_databases_count(project: Project) -> None:
    """The report covers what it says; snapshots ten seconds apart cover what lies between them."""
    report = database_cases.REPORT
    artefact_id = cases.store_artefact(project, run="awr")
    cases.mark_parsed(project, artefact_id)
    write_records(project, artefact_id, [report], 0)
    assert report.begin is not None
    assert spans(windows.of_run(project, run_of(project, "awr"))) == [(report.begin.time_ns, report.end.time_ns)]
    pair = [database_cases.counters(second, database_cases.statements(q1=(5, 1.5))) for second in (0, 10)]
    artefact_id = cases.store_artefact(project, b"snapshots", "pg")
    cases.mark_parsed(project, artefact_id)
    write_records(project, artefact_id, pair, 0)
    assert spans(windows.of_run(project, run_of(project, "pg"))) == [(pair[0].end.time_ns, pair[1].end.time_ns)]


def test_more_than_a_day_is_cut_at_the_midnights_of_the_zone() -> None:
    midnights = [at(f"2026-07-{day} 00:00") for day in ("07", "08")]
    start, end = span("2026-07-06 10:00", "2026-07-08 10:00")
    assert cut((start, end), SEOUL) == [
        (start, midnights[0] - 1),
        (midnights[0], midnights[1] - 1),
        (midnights[1], end),
    ]
    assert cut((start, start + 24 * 3600 * 10**9), SEOUL) == [(start, start + 24 * 3600 * 10**9)]
    utc = [at(f"2026-07-{day} 00:00+00:00") for day in ("07", "08")]
    assert cut((start, end), ZoneInfo("UTC")) == [(start, utc[0] - 1), (utc[0], utc[1] - 1), (utc[1], end)]


def test_a_few_minutes_past_midnight_are_no_day_of_their_own() -> None:
    start, end = span("2026-07-05 23:55", "2026-07-07 00:05")
    assert cut((start, end), SEOUL) == [(start, end)]


def test_a_day_of_25_hours_is_one_day() -> None:
    """In Berlin the clock goes back on 25 October 2026."""
    berlin = ZoneInfo("Europe/Berlin")
    start, end = span("2026-10-25 00:00+02:00", "2026-10-26 12:00+01:00")
    midnight = at("2026-10-26 00:00+01:00")
    assert midnight - start == 25 * 3600 * 10**9
    assert cut((start, end), berlin) == [(start, midnight - 1), (midnight, end)]


def test_stretches_are_joined_whatever_their_order() -> None:
    assert joined([(50, 60), (0, 10), (5, 20), (31, 40)], 10) == [(0, 20), (31, 60)]


# -- of days -------------------------------------------------------------------------------------------


def test_hours_of_weekdays_and_the_days_without_samples(project: Project) -> None:
    run = run_of(project, "run")
    for day in (6, 7, 9, 11, 13):  # the 11th is a Saturday
        capture(project, run, span(f"2026-07-{day:02d} 08:00", f"2026-07-{day:02d} 11:30"))
    capture(project, run, span("2026-07-14 13:00", "2026-07-14 15:00"))  # on that day, not in these hours
    found = windows.of_days(project, WORKDAYS, MORNING, JULY_6, date(2026, 7, 14))
    assert spans(found.occurrences) == [
        span(f"2026-07-{day} 09:00", f"2026-07-{day} 12:00") for day in ("06", "07", "09", "13")
    ]
    assert found.empty == tuple(date(2026, 7, day) for day in (8, 10, 14))


def test_hours_follow_the_clock_over_its_changes(project: Project) -> None:
    """Berlin: 29 March 2026 has 23 hours, 25 October 25; 09:00 is 08:00 UTC in winter and 07:00 in summer."""
    in_zone(project, "Europe/Berlin")
    run = run_of(project, "run")
    capture(project, run, span("2026-03-27 00:00+00:00", "2026-03-31 00:00+00:00"))
    capture(project, run, span("2026-10-24 00:00+00:00", "2026-10-26 23:00+00:00"))
    every = frozenset(range(7))

    def utc(hours: DailyWindow, first: date, last: date) -> list[str]:
        found = windows.of_days(project, every, hours, first, last).occurrences
        return [f"{datetime.fromtimestamp(time // 10**9, UTC):%d %H:%M}" for each in found for time in each.span]

    spring, autumn = (date(2026, 3, 28), date(2026, 3, 29)), (date(2026, 10, 24), date(2026, 10, 25))
    assert utc(MORNING, *spring) == ["28 08:00", "28 11:00", "29 07:00", "29 10:00"]
    assert utc(DailyWindow("22:00", "06:00"), *spring) == ["28 21:00", "29 04:00", "29 20:00", "30 04:00"]
    assert utc(DailyWindow("00:00", "06:00"), *autumn) == ["23 22:00", "24 04:00", "24 22:00", "25 05:00"]
    # these hours do not exist on the 29th: the clock leaps from two to three
    assert utc(DailyWindow("02:00", "03:00"), *spring) == ["28 01:00", "28 02:00"]


def test_whole_days_do_not_share_their_midnights(project: Project) -> None:
    run = run_of(project, "run")
    capture(project, run, span("2026-07-06 00:00", "2026-07-09 00:00"))
    found = windows.of_days(project, WORKDAYS, DailyWindow("00:00", "24:00"), JULY_6, date(2026, 7, 8)).occurrences
    assert [second.span[0] - first.span[1] for first, second in pairwise(found)] == [1, 1]
    assert len(kept(project, Window(0, "days", occurrences=found)).occurrences) == 3


AUGUST_14, AUGUST_18 = date(2026, 8, 14), date(2026, 8, 18)
"""Friday and Tuesday: Korea has the 17th off, as Liberation Day is a Saturday."""


@pytest.mark.parametrize(
    ("holidays", "days", "taken", "left_out"),
    [
        ("", WORKDAYS, (14, 18), (17,)),
        ("KR -2026-08-17", WORKDAYS, (14, 17, 18), ()),
        ("none", WORKDAYS, (14, 17, 18), ()),
        ("none +2026-08-14", WORKDAYS, (17, 18), (14,)),
        ("", frozenset({6}), (16, 17), ()),
        ("", frozenset({0, 6}), (16, 17), ()),
    ],
)
def test_a_holiday_is_a_sunday(
    project: Project, holidays: str, days: frozenset[int], taken: tuple[int, ...], left_out: tuple[int, ...]
) -> None:
    engagements.write_engagement(project, replace(engagements.read_engagement(project), holidays=holidays))
    run = run_of(project, "run")
    for day in (14, 16, 17, 18):
        capture(project, run, span(f"2026-08-{day} 08:00", f"2026-08-{day} 13:00"))
    found = windows.of_days(project, days, MORNING, AUGUST_14, AUGUST_18)
    assert spans(found.occurrences) == [span(f"2026-08-{day} 09:00", f"2026-08-{day} 12:00") for day in taken]
    assert found.holidays == tuple(date(2026, 8, day) for day in left_out)
    told = {key for key, _facts in found.remarks} - {"window.days.empty"}  # the 15th is a holiday, too
    assert told == ({"window.days.holidays"} if left_out else set())


def test_days_off_are_those_of_the_clock_of_the_window(project: Project) -> None:
    """Easter Monday of 2026 is free in Germany and not in Korea; Children's Day, the 5th of May, the other way round."""
    run = run_of(project, "run")
    for day in (date(2026, 4, 6), date(2026, 5, 5)):
        capture(project, run, span(f"{day} 00:00", f"{day} 24:00".replace("24:00", "23:59")))
    for zone, free in (("Europe/Berlin", date(2026, 4, 6)), ("", date(2026, 5, 5))):
        for day in (date(2026, 4, 6), date(2026, 5, 5)):
            if day == free:
                with pytest.raises(UserError) as refused:
                    windows.of_days(project, WORKDAYS, MORNING, day, day, zone=zone)
                assert refusal(refused.value) == "window_days_free"
            else:
                found = windows.of_days(project, WORKDAYS, MORNING, day, day, zone=zone)
                hours = "09:00+02:00", "12:00+02:00"
                there = [span(*(f"{day} {each if zone else each[:5]}" for each in hours))]
                assert spans(found.occurrences) == there and found.zone == (zone or "Asia/Seoul")
    engagements.write_engagement(project, replace(engagements.read_engagement(project), holidays="KR"))
    easter = windows.of_days(project, WORKDAYS, MORNING, date(2026, 4, 6), date(2026, 4, 6), zone="Europe/Berlin")
    assert len(easter.occurrences) == 1, "the engagement names the country"


def test_a_zone_is_named_by_itself_or_by_a_host(project: Project) -> None:
    host = hosts.ensure_host(project, "db2")
    assert windows.zone_named(project, "Europe/Berlin") == "Europe/Berlin"
    for words, key in (("db2", "window_host_zone_unknown"), ("db3", "zone_unknown")):
        with pytest.raises(UserError) as refused:
            windows.zone_named(project, words)
        assert refusal(refused.value) == key
    hosts.set_host_zone(project, host.id, "America/New_York", "user")
    assert windows.zone_named(project, "db2") == "America/New_York"


def test_a_window_of_a_zone_that_is_none_is_not_kept(project: Project) -> None:
    capture(project, run_of(project, "run"), span("2026-07-06 08:00", "2026-07-06 13:00"))
    made = Window(0, "Peak", occurrences=(Occurrence(*span("2026-07-06 09:00", "2026-07-06 12:00")),), zone="Mars/City")
    with pytest.raises(UserError) as refused:
        windows.add(project, made)
    assert refusal(refused.value) == "zone_unknown"


def test_what_is_excluded_on_one_side_is_so_at_the_same_time_of_day_on_the_other() -> None:
    """Of an occurrence that begins ten minutes later, and of the night on which Berlin's clock goes back."""
    berlin = Calendar(ZoneInfo("Europe/Berlin"))
    one = Stretch(
        *span("2026-10-18 00:00+02:00", "2026-10-18 06:00+02:00"),
        holes=(span("2026-10-18 04:00+02:00", "2026-10-18 05:00+02:00"),),
    )
    night = Stretch(*span("2026-10-25 00:10+02:00", "2026-10-25 06:00+01:00"))
    before, after = with_common_holes([one], [night], [(0, 0)], (berlin, berlin))
    assert before[0].holes == one.holes
    assert after[0].holes == (span("2026-10-25 04:00+01:00", "2026-10-25 05:00+01:00"),)
    seoul = Calendar(SEOUL)
    morning = Stretch(*span("2026-10-26 00:00", "2026-10-26 06:00"))
    _before, there = with_common_holes([one], [morning], [(0, 0)], (berlin, seoul))
    assert there[0].holes == (span("2026-10-26 04:00", "2026-10-26 05:00"),)


def test_holidays_alone_are_no_weekdays(project: Project) -> None:
    capture(project, run_of(project, "run"), span("2026-08-17 08:00", "2026-08-17 13:00"))
    with pytest.raises(UserError) as caught:
        windows.of_days(project, WORKDAYS, MORNING, date(2026, 8, 17), date(2026, 8, 17))
    assert refusal(caught.value) == "window_days_free"


@pytest.mark.parametrize(
    ("words", "days"),
    [
        ("mon-fri", {0, 1, 2, 3, 4}),
        ("sat, sun", {5, 6}),
        ("Fri-Mon", {4, 5, 6, 0}),
        ("wed", {2}),
        ("mon,wed-thu", {0, 2, 3}),
    ],
)
def test_weekdays_as_typed(words: str, days: set[int]) -> None:
    assert windows.weekdays(words) == days


@pytest.mark.parametrize("words", ["", "monday", "mon-", "mon-fri-sun", "1-5"])
def test_words_that_are_no_weekdays(words: str) -> None:
    with pytest.raises(UserError) as caught:
        windows.weekdays(words)
    assert refusal(caught.value) == "window_days_unclear"


@pytest.mark.parametrize(
    ("first", "last", "key"), [(JULY_17, JULY_6, "window_dates_reversed"), (JULY_6, JULY_17, "window_days_empty")]
)
def test_days_that_give_nothing(project: Project, first: date, last: date, key: str) -> None:
    with pytest.raises(UserError) as caught:
        windows.of_days(project, WORKDAYS, MORNING, first, last)
    assert refusal(caught.value) == key


# -- edits ---------------------------------------------------------------------------------------------


@pytest.fixture
def morning(project: Project) -> Window:
    run = run_of(project, "run")
    capture(project, run, span("2026-07-06 08:00", "2026-07-06 13:00"))
    return Window(
        0, "Peak", WindowRole.BEFORE, occurrences=(Occurrence(*span("2026-07-06 09:00", "2026-07-06 12:00")),)
    )


def test_every_edit_is_undone_and_done_again(project: Project, morning: Window) -> None:
    batch = Exclusion(*span("2026-07-06 10:00", "2026-07-06 10:30"), "배치")

    def now() -> list[tuple[str, int]]:
        return [(each.name, len(each.exclusions)) for each in windows.list_windows(project)]

    states, done = [now()], []
    for build in (
        lambda: windows.add(project, morning),
        lambda: windows.exclude(project, windows.kept_window(project, "Peak"), batch),
        lambda: windows.rename(project, windows.kept_window(project, "Peak"), "아침"),
        lambda: windows.remove(windows.kept_window(project, "아침")),
    ):
        done.append(applying.apply(project, build(), "이영진"))
        states.append(now())
    assert states == [[], [("Peak", 0)], [("Peak", 1)], [("아침", 1)], []]
    for edit, state in zip(reversed(done), reversed(states[:-1]), strict=True):
        applying.undo(project, edit)
        assert now() == state
    for edit, state in zip(done, states[1:], strict=True):
        applying.redo(project, edit)
        assert now() == state
    assert [entry.facts["edit"] for entry in list_audit(project) if entry.action == "cycle_changed"][:2] == [
        "add_window",
        "change_window",
    ]


def test_what_cannot_be_added(project: Project, morning: Window) -> None:
    kept(project, morning)
    empty = (Occurrence(*span("2026-07-07 09:00", "2026-07-07 12:00")),)
    for changes, key in (
        ({"name": "Peak"}, "window_name_taken"),
        ({"hosts": ("db9",)}, "window_host_unknown"),
        ({"occurrences": empty}, "window_no_samples"),
        ({"occurrences": (*morning.occurrences, *empty)}, "window_no_samples"),
        ({"occurrences": ()}, "window_empty"),
    ):
        with pytest.raises(UserError) as caught:
            windows.add(project, replace(morning, **{"name": "x", **changes}))  # type: ignore[arg-type]
        assert refusal(caught.value) == key
    assert [each.name for each in windows.list_windows(project)] == ["Peak"]


def test_a_window_is_found_before_a_run_and_the_refusal_names_both(project: Project, morning: Window) -> None:
    after = run_of(project, "later", Phase.AFTER)
    peak = kept(project, morning)
    assert windows.find_window(project, "Peak") == peak
    assert windows.find_window(project, "later") == replace(run_window(after.id), role=WindowRole.AFTER)
    assert windows.title_of(project, windows.find_window(project, "later")) == "later"
    run_like = kept(project, replace(morning, name="later"))
    assert windows.find_window(project, "later") == run_like
    with pytest.raises(UserError) as caught:
        windows.find_window(project, "nothing")
    assert refusal(caught.value) == "window_or_run_unknown"
    assert (caught.value.facts["windows"], caught.value.facts["runs"]) == ("Peak, later", "run, later")


def test_a_run_that_a_window_names_stays(project: Project, morning: Window) -> None:
    run = run_of(project, "run")
    kept(project, replace(morning, occurrences=windows.of_run(project, run)))
    with pytest.raises(UserError, match="run_is_evidence") as caught:
        projects.remove_run(project, run.id)
    assert "Peak (window." in str(caught.value.facts["users"])
    applying.apply(project, windows.remove(windows.kept_window(project, "Peak")))
    projects.remove_run(project, run.id)


# -- made concrete -------------------------------------------------------------------------------------


def test_a_run_as_a_whole_or_in_part_becomes_its_stretches(project: Project) -> None:
    run = run_of(project, "run")
    days = [span(f"2026-07-0{day} 09:00", f"2026-07-0{day} 12:00") for day in (6, 7, 8)]
    for stretch in days:
        capture(project, run, stretch)
    whole = windows.resolved(project, run_window(run.id))
    assert whole.occurrences == tuple(Occurrence(*stretch, run.id) for stretch in days)
    part = windows.resolved(project, run_window(run.id, at("2026-07-07 10:00"), at("2026-07-08 10:00")))
    assert spans(part.occurrences) == [
        span("2026-07-07 10:00", "2026-07-07 12:00"),
        span("2026-07-08 09:00", "2026-07-08 10:00"),
    ]
    with pytest.raises(UserError) as caught:
        windows.resolved(project, run_window(run.id, at("2026-07-20 10:00")))
    assert refusal(caught.value) == "window_no_samples"
    empty = run_window(run_of(project, "typed").id)  # its statements may have been entered by hand
    assert windows.resolved(project, empty) == empty


def test_a_stretch_gets_the_run_that_covers_most_of_it(project: Project, morning: Window) -> None:
    window = kept(project, morning)
    assert windows.resolved(project, window).run_ids == (run_of(project, "run").id,)
    short = run_of(project, "short")
    capture(project, short, span("2026-07-06 09:00", "2026-07-06 10:00"))
    assert windows.resolved(project, window).run_ids == (run_of(project, "run").id,)
    capture(project, run_of(project, "web"), span("2026-07-06 09:00", "2026-07-06 10:00"), "web1")
    (one,) = windows.resolved(project, window).occurrences  # two hosts measured at once are one occurrence
    assert (one.run_id, one.span) == (None, morning.occurrences[0].span)
    assert windows.resolved(project, replace(window, hosts=("web1",))).run_ids == (run_of(project, "web").id,)


def test_an_occurrence_whose_captures_were_removed_is_left_out(project: Project, morning: Window) -> None:
    later = run_of(project, "later")
    artefact_id = capture(project, later, span("2026-07-07 08:00", "2026-07-07 13:00"))
    tuesday = Occurrence(*span("2026-07-07 09:00", "2026-07-07 12:00"))
    window = kept(project, replace(morning, occurrences=(*morning.occurrences, tuesday)))
    assert len(windows.resolved(project, window).occurrences) == 2
    removal.remove_artefact(project, artefact_id)
    assert spans(windows.resolved(project, window).occurrences) == spans(morning.occurrences)
    windows.rename(project, window, "still")  # what was removed does not hinder
    projects.remove_run(project, run_of(project, "run").id)
    with pytest.raises(UserError) as caught:
        windows.resolved(project, window)
    assert refusal(caught.value) == "window_no_samples"


def test_runs_that_turn_out_to_overlap(project: Project, morning: Window) -> None:
    run = run_of(project, "run")
    second = run_of(project, "second")
    capture(project, second, span("2026-07-06 12:30", "2026-07-06 15:00"))
    both = kept(project, replace(morning, occurrences=(Occurrence(run_id=run.id), Occurrence(run_id=second.id))))
    with pytest.raises(UserError) as caught:
        windows.resolved(project, both)
    assert refusal(caught.value) == "window_overlap"
    assert caught.value.facts["stretches"] == "2026-07-06 08:00 - 13:00, 2026-07-06 12:30 - 15:00"


# -- proposals -----------------------------------------------------------------------------------------


def test_each_run_and_the_hours_that_both_sides_share_are_proposed(project: Project) -> None:
    before, after = run_of(project, "before"), run_of(project, "after", Phase.AFTER)
    for day in ("06", "07", "11"):  # Monday, Tuesday, Saturday
        capture(project, before, span(f"2026-07-{day} 08:02", f"2026-07-{day} 12:00"))
    capture(project, after, span("2026-07-20 09:00", "2026-07-20 13:03"))
    capture(project, after, span("2026-07-21 09:01", "2026-07-21 13:00"))
    capture(project, after, span("2026-08-17 09:01", "2026-08-17 13:00"))  # a Monday that is off
    run_before, run_after, same_before, same_after = windows.proposals(project)
    assert [(each.name, each.role, len(each.occurrences)) for each in (run_before, run_after)] == [
        ("before", "before", 3),
        ("after", "after", 3),
    ]
    assert spans(same_before.occurrences) == [span(f"2026-07-{d} 09:05", f"2026-07-{d} 12:00") for d in ("06", "07")]
    assert spans(same_after.occurrences) == [span(f"2026-07-{d} 09:05", f"2026-07-{d} 12:00") for d in ("20", "21")]
    assert (same_before.role, same_before.name) == ("before", "튜닝 전 월, 화 09:05-12:00")
    for window in windows.proposals(project):
        kept(project, window)
    assert windows.proposals(project) == ()


@pytest.mark.parametrize(
    ("zones", "zone"),
    [
        (("Europe/Berlin", "Europe/Berlin"), "Europe/Berlin"),
        (("Europe/Berlin", "Asia/Tokyo"), ""),
        (("Europe/Berlin", ""), ""),
        (("Etc/UTC", "Etc/UTC"), ""),  # whatever hours its people keep
        (("Asia/Seoul", "Asia/Seoul"), ""),
    ],
)
def test_proposals_go_by_the_clock_that_all_hosts_agree_on(project: Project, zones: tuple[str, str], zone: str) -> None:
    """Mornings of Berlin before and after its clocks went forward: on the clock of Seoul they begin at other hours."""
    before, after = run_of(project, "before"), run_of(project, "after", Phase.AFTER)
    for host, own in zip(("db1", "db2"), zones, strict=True):
        capture(project, before, span("2026-03-25 09:00+01:00", "2026-03-25 12:20+01:00"), host)
        capture(project, after, span("2026-04-01 09:10+02:00", "2026-04-01 12:00+02:00"), host)
        hosts.set_host_zone(project, hosts.ensure_host(project, host).id, own, "user")
    found = windows.proposals(project)
    assert {each.zone for each in found} == {zone}
    first, last = spans(found[-2].occurrences), spans(found[-1].occurrences)
    if zone:
        assert first == [span("2026-03-25 09:10+01:00", "2026-03-25 12:00+01:00")]
        assert last == [span("2026-04-01 09:10+02:00", "2026-04-01 12:00+02:00")]
    else:
        assert first == [span("2026-03-25 17:00", "2026-03-25 19:00")]
        assert last == [span("2026-04-01 17:00", "2026-04-01 19:00")]


def test_runs_of_the_same_hours_need_no_window_beside_their_own(project: Project) -> None:
    for label, phase, day in (("before", Phase.BEFORE, "06"), ("after", Phase.AFTER, "20")):
        capture(project, run_of(project, label, phase), span(f"2026-07-{day} 09:00", f"2026-07-{day} 12:00"))
    assert [each.name for each in windows.proposals(project)] == ["before", "after"]
