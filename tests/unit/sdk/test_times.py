"""From printed stamps to UTC. Expected instants are worked out with `datetime` and written-out offsets."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tunebench.domain.engagement import EventKind
from tunebench.sdk import LedgerBook, ParseContext, TimeKeeper
from tunebench.sdk.times import utc_ns

S = 1_000_000_000
SEOUL = "Asia/Seoul"
KST = timezone(timedelta(hours=9))


def keeper(zone: str = "UTC", source: str = "host", **context: object) -> tuple[TimeKeeper, LedgerBook]:
    book = LedgerBook()
    known = ParseContext(zone=ZoneInfo(zone), zone_source=source, **context)  # type: ignore[arg-type]
    return TimeKeeper(known, book), book


def ns(year: int, month: int, day: int, hour: int = 0, minute: int = 0, second: int = 0, tz: timezone = UTC) -> int:
    """Independent of the keeper: whole seconds since 1970."""
    return int(datetime(year, month, day, hour, minute, second, tzinfo=tz).timestamp()) * S


def tod(text: str) -> int:
    hours, minutes, seconds = (int(part) for part in text.split(":"))
    return hours * 3600 + minutes * 60 + seconds


def kinds(times: TimeKeeper) -> list[EventKind]:
    return [event.kind for event in times.events]


class TestTimeOfDay:
    def test_is_local_to_the_host(self):
        times, _ = keeper(SEOUL)
        times.set_day(date(2026, 11, 21))
        assert times.at_time_of_day(tod("16:10:15")) == ns(2026, 11, 21, 7, 10, 15)

    def test_passes_midnight(self):
        times, _ = keeper(SEOUL)
        times.set_day(date(2026, 12, 31))
        stamps = ["23:50:00", "23:55:00", "00:00:00", "00:05:00"]
        read = [times.at_time_of_day(tod(stamp)) for stamp in stamps]
        first = ns(2026, 12, 31, 23, 50, tz=KST)
        assert read == [first + 300 * S * i for i in range(4)]
        assert kinds(times) == []

    def test_passes_several_midnights(self):
        times, _ = keeper(SEOUL)
        times.set_day(date(2024, 2, 27))
        read = [times.at_time_of_day(hour * 3600) for _ in range(4) for hour in range(24)]
        first = ns(2024, 2, 27, tz=KST)
        assert read == [first + 3600 * S * i for i in range(96)]  # over 29 February

    def test_passes_midnight_between_long_steps(self):
        times, _ = keeper()
        times.set_day(date(2026, 5, 1))
        read = [times.at_time_of_day(tod(stamp)) for stamp in ("20:00:00", "04:00:00", "12:00:00", "20:00:00")]
        assert read == [ns(2026, 5, 1, 20), ns(2026, 5, 2, 4), ns(2026, 5, 2, 12), ns(2026, 5, 2, 20)]

    def test_24_o_clock_is_the_next_midnight(self):
        times, _ = keeper()
        times.set_day(date(2026, 5, 1))
        times.at_time_of_day(tod("23:50:00"))
        assert times.at_time_of_day(86400) == ns(2026, 5, 2)
        assert times.at_time_of_day(tod("00:10:00")) == ns(2026, 5, 2, 0, 10)

    def test_a_clock_set_back_is_no_midnight(self):
        times, book = keeper()
        times.set_day(date(2026, 5, 1))
        times.at_time_of_day(tod("12:00:00"))
        assert times.at_time_of_day(tod("11:40:00")) == ns(2026, 5, 1, 11, 40)
        assert kinds(times) == [EventKind.CLOCK_JUMP]
        assert times.events[0].start_ns == ns(2026, 5, 1, 11, 40)
        assert times.events[0].end_ns == ns(2026, 5, 1, 12, 0)
        assert book.close().warnings == ("clock_went_back",)

    @pytest.mark.parametrize(
        ("fall_s", "days"), [(1, 0), (3600, 0), (7201, 0), (6 * 3600, 0), (6 * 3600 + 1, 1), (23 * 3600, 1), (86399, 1)]
    )
    def test_only_a_fall_of_more_than_six_hours_is_midnight(self, fall_s: int, days: int):
        """A clock is set back, or repeats an hour, by less; a day of a host that measures at night alone falls by more."""
        times, _ = keeper()
        times.set_day(date(2026, 5, 1))
        times.at_time_of_day(86399)
        assert times.at_time_of_day(86399 - fall_s) == ns(2026, 5, 1 + days) + (86399 - fall_s) * S
        assert kinds(times) == ([] if days else [EventKind.CLOCK_JUMP])

    def test_the_same_stamp_again_is_the_same_time(self):
        times, _ = keeper("America/New_York")
        times.set_day(date(2026, 11, 1))  # the hour from 01:00 comes twice
        first = times.at_time_of_day(tod("01:30:00"))
        assert [times.at_time_of_day(tod("01:30:00")) for _ in range(3)] == [first] * 3

    def test_without_any_date_the_path_gives_one_and_it_is_asked_for(self):
        times, book = keeper(path="/evidence/db1/sar_2019-03-02.txt", modified_ns=ns(2026, 1, 1))
        assert times.at_time_of_day(tod("10:00:00")) == ns(2019, 3, 2, 10)
        assert book.close().needs == ("date",)
        assert [(a.subject, a.value, a.source) for a in book.close().assumptions] == [("date", "2019-03-02", "path")]

    def test_without_any_date_and_path_the_modification_time_gives_one(self):
        times, book = keeper(SEOUL, modified_ns=ns(2026, 6, 30, 20))  # 1 July in Seoul
        assert times.at_time_of_day(0) == ns(2026, 7, 1, tz=KST)
        assert [a.source for a in book.close().assumptions] == ["mtime"]

    def test_the_users_date_wins_over_the_banner_and_later_banners_count_from_it(self):
        times, _ = keeper(date=date(2020, 5, 5))
        times.set_day(date(2020, 1, 1))
        assert times.at_time_of_day(0) == ns(2020, 5, 5)
        times.set_day(date(2020, 1, 3))
        assert times.at_time_of_day(0) == ns(2020, 5, 7)


class TestBulk:
    @given(
        st.lists(st.integers(0, 7200), min_size=1, max_size=60),
        st.integers(0, 86399),
        st.sampled_from(["UTC", SEOUL, "America/New_York", "Europe/Berlin"]),
        st.sampled_from([date(2026, 11, 1), date(2026, 3, 8), date(2026, 10, 25), date(2026, 7, 7)]),
    )
    def test_many_stamps_at_once_equal_one_by_one(self, steps, start, zone, day):
        stamps = (start + np.cumsum(steps)) % 86400
        one, book_of_one = keeper(zone)
        many, book_of_many = keeper(zone)
        for times in (one, many):
            times.set_day(day)
        expected = [one.at_time_of_day(int(stamp)) for stamp in stamps]
        half = len(stamps) // 2
        read = [*many.at_times_of_day(stamps[:half]), *many.at_times_of_day(stamps[half:])]
        assert read == expected
        assert many.interval_s == one.interval_s
        one.describe()
        many.describe()
        assert set(many.events) == set(one.events)
        assert book_of_many.gaps == book_of_one.gaps

    def test_no_stamps(self):
        times, _ = keeper()
        assert len(times.at_times_of_day(np.zeros(0, dtype=np.int64))) == 0


class TestDaylightSaving:
    @pytest.mark.parametrize(
        ("zone", "day", "first_utc"),
        [
            ("America/New_York", date(2026, 11, 1), (2026, 11, 1, 4, 30)),  # EDT, 4 hours behind
            ("Europe/Berlin", date(2026, 10, 25), (2026, 10, 24, 22, 30)),  # CEST, 2 hours ahead
        ],
    )
    def test_autumn_repeats_an_hour(self, zone, day, first_utc):
        repeated = 1 if zone == "America/New_York" else 2
        times, book = keeper(zone)
        times.set_day(day)
        stamps = [tod("00:30:00") + 600 * i for i in range(repeated * 6 + 3)]  # up to the end of the hour
        stamps += [repeated * 3600 + 600 * i for i in range(12)]  # the hour again, and the next
        read = [times.at_time_of_day(stamp) for stamp in stamps]
        assert read == [ns(*first_utc) + 600 * S * i for i in range(len(stamps))]
        assert kinds(times) == [EventKind.REPEATED_TIME]
        assert book.close().warnings == ()

    @pytest.mark.parametrize(
        ("zone", "day", "first_utc", "lost"),
        [
            ("America/New_York", date(2026, 3, 8), (2026, 3, 8, 6, 30), 2),  # 01:30 EST
            ("Europe/Berlin", date(2026, 3, 29), (2026, 3, 29, 0, 30), 2),  # 01:30 CET
        ],
    )
    def test_spring_leaves_an_hour_out_and_that_is_no_gap(self, zone, day, first_utc, lost):
        times, book = keeper(zone)
        times.set_day(day)
        stamps = ["01:30:00", "01:40:00", "01:50:00", f"0{lost + 1}:00:00", f"0{lost + 1}:10:00"]
        read = [times.at_time_of_day(tod(stamp)) for stamp in stamps]
        assert read == [ns(*first_utc) + 600 * S * i for i in range(5)]
        times.describe()
        assert (kinds(times), book.gaps) == ([], 0)

    def test_each_table_passes_the_fold_by_itself_and_it_is_noted_once(self):
        times, _ = keeper("America/New_York")
        times.set_day(date(2026, 11, 1))
        stamps = [1800 * i for i in (2, 3, 2, 3, 4)]  # 01:00 01:30 01:00 01:30 02:00
        for table in ("cpu", "disk"):
            times.begin_table(table)
            read = [times.at_time_of_day(stamp) for stamp in stamps]
            assert read == [ns(2026, 11, 1, 5) + 1800 * S * i for i in range(5)]
        assert kinds(times) == [EventKind.REPEATED_TIME]

    def test_a_table_that_begins_within_the_repeated_hour(self):
        times, _ = keeper("America/New_York")
        times.set_day(date(2026, 11, 1))
        times.begin_table("cpu", tod("01:55:00"))  # the heading still in daylight time
        assert times.at_time_of_day(tod("01:05:00")) == ns(2026, 11, 1, 6, 5)
        assert times.at_time_of_day(tod("01:15:00")) == ns(2026, 11, 1, 6, 15)
        times.begin_table("disk", tod("01:05:00"))
        assert times.at_time_of_day(tod("01:15:00")) == ns(2026, 11, 1, 5, 15)

    def test_the_day_after_the_change_is_whole_again(self):
        times, _ = keeper("Europe/Berlin")
        times.set_day(date(2026, 10, 25))
        times.at_time_of_day(tod("23:50:00"))
        assert times.at_time_of_day(0) == ns(2026, 10, 25, 23)  # CET, 1 hour ahead

    def test_full_stamps_pass_the_fold_too(self):
        times, _ = keeper("Europe/Berlin")
        stamps = [datetime(2026, 10, 25, 2, 30), datetime(2026, 10, 25, 2, 45), datetime(2026, 10, 25, 2, 30)]
        read = [times.at_datetime(stamp) for stamp in stamps]
        assert read == [ns(2026, 10, 25, 0, 30), ns(2026, 10, 25, 0, 45), ns(2026, 10, 25, 1, 30)]


class TestTables:
    def test_sections_of_a_file_all_start_on_the_first_day(self):
        times, _ = keeper()
        times.set_day(date(2019, 5, 1))
        for table in ("cpu", "tasks"):
            times.begin_table(table, tod("23:59:58"))
            assert times.at_time_of_day(tod("23:59:59")) == ns(2019, 5, 1, 23, 59, 59)
            assert times.at_time_of_day(0) == ns(2019, 5, 2)
        assert kinds(times) == []

    def test_sections_in_turns_pass_midnight_together(self):
        times, _ = keeper()
        times.set_day(date(2019, 5, 1))
        for index in range(4):
            for table in ("cpu", "memory", "device"):
                times.begin_table(table)
                stamp = (tod("23:59:58") + index) % 86400
                assert times.at_time_of_day(stamp) == ns(2019, 5, 1, 23, 59, 58) + index * S

    def test_a_heading_before_midnight_puts_its_first_row_after_it(self):
        times, _ = keeper()
        times.set_day(date(2019, 5, 1))
        times.begin_table("cpu", tod("23:50:01"))
        assert times.at_time_of_day(tod("00:00:01")) == ns(2019, 5, 2, 0, 0, 1)

    def test_a_second_banner_starts_all_tables_over(self):
        times, _ = keeper()
        times.set_day(date(2019, 5, 1))
        times.begin_table("cpu")
        times.at_time_of_day(tod("12:00:00"))
        times.set_day(date(2019, 5, 7))
        times.begin_table("cpu")
        assert times.at_time_of_day(tod("11:00:00")) == ns(2019, 5, 7, 11)
        assert kinds(times) == []

    def test_a_table_without_a_name_can_be_read_again_from_the_first_time(self):
        times, _ = keeper()
        times.set_day(date(2019, 5, 1))
        assert times.at_time_of_day(tod("23:00:00")) == ns(2019, 5, 1, 23)
        assert times.at_time_of_day(tod("01:00:00")) == ns(2019, 5, 2, 1)
        times.restart_table()
        assert times.at_time_of_day(tod("23:00:00")) == ns(2019, 5, 1, 23)
        assert times.day == date(2019, 5, 1)

    def test_after_a_restart_mark_tables_continue_where_it_stands(self):
        times, book = keeper()
        times.set_day(date(2019, 5, 1))
        for table in ("cpu", "tasks"):
            times.begin_table(table)
            times.at_time_of_day(tod("23:40:00"))
            times.at_time_of_day(tod("23:50:00"))
        times.restart(None)
        mark = times.at_time_of_day(tod("00:20:00"))
        times.restart(mark, "2 CPU")
        times.continue_here()
        for table in ("cpu", "tasks"):
            times.begin_table(table, tod("00:30:00"))
            assert times.at_time_of_day(tod("00:40:00")) == ns(2019, 5, 2, 0, 40)
        times.describe()
        assert [(event.kind, event.start_ns, event.text) for event in times.events] == [
            (EventKind.RESTART, ns(2019, 5, 2, 0, 20), "2 CPU")
        ]
        assert (book.restarts, book.gaps) == (1, 0)


class TestRestartsGapsAndComments:
    def test_a_restart_told_by_several_tables_is_one(self):
        times, book = keeper()
        for _ in range(3):
            times.restart(ns(2026, 1, 1))
        assert (len(times.events), book.restarts) == (1, 1)

    def test_the_step_over_a_restart_is_no_gap(self):
        times, book = keeper()
        times.set_day(date(2026, 1, 1))
        for minute in range(10):
            times.at_time_of_day(minute * 60)
        times.restart(ns(2026, 1, 1, 3))
        for minute in range(10):
            times.at_time_of_day(4 * 3600 + minute * 60)
        times.describe()
        assert book.gaps == 0

    def test_gaps_are_found_by_the_typical_step_though_the_first_is_odd(self):
        times, book = keeper()
        times.set_day(date(2026, 1, 1))
        stamps = [0, 1, 2]  # two odd seconds, then every 10 minutes
        stamps += [600 * i for i in range(1, 20)] + [600 * i for i in range(24, 40)]
        for stamp in stamps:
            times.at_time_of_day(stamp)
        times.describe()
        gaps = [event for event in times.events if event.kind is EventKind.GAP]
        assert [(gap.start_ns, gap.end_ns) for gap in gaps] == [(ns(2026, 1, 1, 3, 10), ns(2026, 1, 1, 4))]
        assert book.gaps == 1
        assert times.interval_s == 600

    def test_two_missing_samples_are_a_gap_and_a_late_one_is_not(self):
        times, _ = keeper()
        times.set_day(date(2026, 1, 1))
        for stamp in (0, 10, 20, 30, 50, 60, 70, 100, 110, 120):
            times.at_time_of_day(stamp)
        times.describe()
        assert [(e.start_ns, e.end_ns) for e in times.events] == [(ns(2026, 1, 1, 0, 1, 10), ns(2026, 1, 1, 0, 1, 40))]

    def test_a_gap_in_all_tables_is_one_gap(self):
        times, book = keeper()
        times.set_day(date(2026, 1, 1))
        for table in ("cpu", "disk", "net"):
            times.begin_table(table)
            times.at_times_of_day(np.array([0, 60, 120, 180, 900, 960, 1020], dtype=np.int64))
        times.describe()
        assert book.gaps == 1

    def test_a_comment_told_in_every_section_is_one_and_falls_on_the_nearest_day(self):
        times, _ = keeper()
        times.set_day(date(2026, 1, 1))
        times.at_time_of_day(tod("23:59:00"))
        for _ in range(3):
            times.comment(times.nearest_time_of_day(tod("00:00:30")), "deployed")
        times.comment(times.nearest_time_of_day(tod("23:58:00")), "before")
        assert [(event.start_ns, event.text) for event in times.events] == [
            (ns(2026, 1, 2, 0, 0, 30), "deployed"),
            (ns(2026, 1, 1, 23, 58), "before"),
        ]

    @pytest.mark.parametrize(
        ("last", "comment", "day"),
        [("18:00:00", "06:00:00", 2), ("18:00:00", "05:59:59", 3), ("06:00:00", "18:00:00", 1), ("06:00:00", "17:59:59", 2),
         ("12:00:00", "12:00:00", 2), ("12:00:00", "00:00:00", 2), ("12:00:00", "23:59:59", 2)],
    )  # fmt: skip
    def test_a_comment_is_of_the_day_that_brings_it_nearest_and_of_two_the_earlier(
        self, last: str, comment: str, day: int
    ):
        times, _ = keeper()
        times.set_day(date(2026, 1, 2))
        times.at_time_of_day(tod(last))
        assert times.nearest_time_of_day(tod(comment)) == ns(2026, 1, day) + tod(comment) * S


class TestFullStamps:
    def test_an_offset_in_the_stamp_wins_over_the_hosts_zone(self):
        times, book = keeper("America/New_York", source="engagement")
        stamp = datetime.strptime("2026-11-21T16:10:13+0900", "%Y-%m-%dT%H:%M:%S%z")
        assert times.at_datetime(stamp) == ns(2026, 11, 21, 7, 10, 13)
        times.describe()
        assert (book.zone, book.zone_source) == ("+0900", "stamp")
        assert book.close().needs == ()

    def test_epochs_are_utc_to_the_nanosecond(self):
        times, book = keeper(SEOUL)
        assert times.at_epoch(1303247761) == 1303247761 * S
        assert times.at_epoch(1303247761.25) == 1303247761 * S + 250_000_000
        times.describe()
        assert (book.zone, book.zone_source) == ("UTC", "stamp")

    @given(st.datetimes(datetime(1990, 1, 1), datetime(2090, 1, 1)))
    def test_utc_ns_is_exact(self, moment):
        aware = moment.replace(tzinfo=UTC)
        assert utc_ns(aware) == round((aware - datetime(1970, 1, 1, tzinfo=UTC)) / timedelta(microseconds=1)) * 1000

    def test_stamps_before_1970_do_not_raise(self):
        assert utc_ns(datetime(1969, 12, 31, 23, 59, 59, tzinfo=UTC)) == -S


class TestZones:
    def test_an_assumed_zone_is_booked_and_asked_for(self):
        times, book = keeper(SEOUL, source="engagement")
        times.set_day(date(2026, 1, 1))
        times.at_time_of_day(0)
        times.describe()
        ledger = book.close()
        assert ("zone", SEOUL, "engagement") in [(a.subject, a.value, a.source) for a in ledger.assumptions]
        assert ledger.needs == ("zone",)
        assert (ledger.zone, ledger.zone_source) == (SEOUL, "engagement")

    @pytest.mark.parametrize(("name", "utc_hour"), [("KST", 1), ("JST", 1), ("UTC", 10), ("GMT", 10), ("CET", 9)])
    def test_an_abbreviation_with_one_meaning_is_used(self, name, utc_hour):
        times, book = keeper("America/New_York", source="engagement")
        times.set_zone_abbreviation(name)
        times.set_day(date(2026, 1, 15))
        assert times.at_time_of_day(tod("10:00:00")) == ns(2026, 1, 15, utc_hour)
        times.describe()
        assert book.zone_source == "stamp"
        assert book.close().needs == ()

    def test_an_abbreviation_with_several_meanings_is_asked_for(self):
        times, book = keeper(SEOUL, source="engagement")
        times.set_zone_abbreviation("IST")
        assert book.close().needs == ("zone",)
        assert book.close().warnings == ("zone_ambiguous",)

    @pytest.mark.parametrize("name", ["EST", "EDT"])
    def test_it_is_not_asked_for_where_it_fits_the_hosts_zone(self, name):
        times, book = keeper("America/New_York")
        times.set_zone_abbreviation(name)
        assert book.close().needs == ()

    def test_the_users_zone_wins_over_the_stamp(self):
        times, _ = keeper(SEOUL, source="user")
        times.set_zone_abbreviation("UTC")
        times.set_day(date(2026, 1, 15))
        assert times.at_time_of_day(tod("10:00:00")) == ns(2026, 1, 15, 1)


class TestUnstamped:
    def test_the_users_start_and_interval(self):
        times, book = keeper(SEOUL, start=datetime(2026, 1, 1, 9), interval_s=5.0)
        assert [times.next_unstamped(3.0) for _ in range(3)] == [ns(2026, 1, 1) + 5 * S * i for i in range(3)]
        assert book.close().needs == ()
        assert {a.source for a in book.close().assumptions} == {"user"}

    def test_a_start_with_an_offset(self):
        times, _ = keeper(SEOUL, start=datetime(2026, 1, 1, 9, tzinfo=UTC))
        assert times.next_unstamped() == ns(2026, 1, 1, 9)

    def test_start_from_the_path_and_interval_from_the_command(self):
        times, book = keeper(SEOUL, path="d/20150509/050500/iostat.txt")
        assert [times.next_unstamped(30.0) for _ in range(2)] == [
            ns(2015, 5, 9, 5, 5, tz=KST),
            ns(2015, 5, 9, 5, 5, 30, tz=KST),
        ]
        assert book.close().needs == ("start",)
        assert book.interval_s == 30

    def test_nothing_known_is_all_asked_for(self):
        times, book = keeper(modified_ns=ns(2026, 2, 2, 2))
        assert [times.next_unstamped() for _ in range(2)] == [ns(2026, 2, 2, 2), ns(2026, 2, 2, 2, 0, 1)]
        assert set(book.close().needs) == {"start", "interval_s"}

    def test_another_run_may_have_another_interval(self):
        times, _ = keeper(start=datetime(2026, 1, 1))
        read = [times.next_unstamped(interval) for interval in (5.0, 5.0, 2.0, 2.0)]
        assert read == [ns(2026, 1, 1) + s * S for s in (0, 5, 7, 9)]

    def test_the_banners_date_at_midnight(self):
        times, book = keeper(SEOUL)
        times.set_day(date(2026, 1, 5))
        assert times.next_unstamped() == ns(2026, 1, 5, tz=KST)
        assert ("start", "banner") in [(a.subject, a.source) for a in book.close().assumptions]


class TestManyEpochs:
    def test_are_those_of_one_by_one(self):
        stamps = np.array([1795245015, 1795245017, 1795245019, 1795245019, 1795245025, 1795245085], dtype=np.int64)
        one, book = keeper(SEOUL)
        many, other = keeper(SEOUL)
        expected = [one.at_epoch(int(stamp)) for stamp in stamps]
        assert many.at_epochs(stamps[:2]).tolist() + many.at_epochs(stamps[2:]).tolist() == expected
        one.describe()
        many.describe()
        assert many.events == one.events
        assert kinds(many) == [EventKind.GAP, EventKind.GAP]
        assert (other.zone, other.gaps, other.interval_s) == ("UTC", 2, book.interval_s)

    def test_that_go_back_are_noticed(self):
        times, book = keeper()
        times.at_epochs(np.array([100, 200, 150], dtype=np.int64))
        assert kinds(times) == [EventKind.CLOCK_JUMP]
        times.describe()
        assert book.close().warnings == ("clock_went_back",)

    def test_none(self):
        times, _ = keeper()
        assert times.at_epochs(np.zeros(0, dtype=np.int64)).tolist() == []


def test_a_row_with_the_stamp_of_its_own_heading_is_a_new_time() -> None:
    times, _ = keeper()
    times.set_day(date(2026, 11, 21))
    found = []
    for seconds in (10, 12, 14):
        times.begin_table("cpu", seconds)
        found += [times.at_time_of_day(seconds), times.at_time_of_day(seconds)]
    assert [each - found[0] for each in found] == [0, 0, 2 * 10**9, 2 * 10**9, 4 * 10**9, 4 * 10**9]


def test_a_day_that_cannot_be_is_asked_for() -> None:
    times, book = keeper()
    times.set_day(date(2026, 11, 21))
    times.set_day(date(9999, 3, 21))
    assert times.day == date(2026, 11, 21)
    assert book.close().needs == ("date",)
    times, book = keeper(date=date(2026, 11, 21))
    times.set_day(date(9999, 3, 21))
    assert (times.day, book.close().needs) == (date(2026, 11, 21), ())


@pytest.mark.parametrize("zone", ["Asia/Seoul", "Europe/Paris", "America/New_York", "Australia/Lord_Howe"])
def test_many_stamps_at_once_are_the_same_as_one_by_one(zone: str) -> None:
    """Over midnights, both changes of the clock, a clock that goes back and stamps that repeat."""
    start = datetime(2026, 1, 1)
    minutes = [7 * 60 * number - (90 if number % 50 == 49 else 0) for number in range(1300)]
    local = [start + timedelta(minutes=one) for one in (*minutes, minutes[-1], minutes[-1] + 1)]
    seconds = np.asarray([int((one - datetime(1970, 1, 1)).total_seconds()) for one in local])
    context = ParseContext(zone=ZoneInfo(zone))
    one_by_one, at_once = (TimeKeeper(context, LedgerBook()) for _ in range(2))
    expected = [one_by_one.at_datetime(moment) for moment in local]
    parts = np.split(seconds, [5, 5, 6, 700])
    found = np.concatenate([at_once.at_datetimes(part) for part in parts])
    assert found.tolist() == expected
    one_by_one.describe()
    at_once.describe()
    assert at_once.events == one_by_one.events
    assert at_once.interval_s == one_by_one.interval_s
