"""Gaps: opened when noticed, explained when more is known, closed when samples come again."""

from __future__ import annotations

import pytest

from tunebench.capture.gaps import GapBook, GapChange
from tunebench.domain.capturing.run import CaptureGap, GapCause

AT = "2026-11-21T03:00:00.000+00:00"


@pytest.fixture
def told() -> list[tuple[CaptureGap, GapChange]]:
    return []


@pytest.fixture
def book(told: list) -> GapBook:
    return GapBook(lambda gap, change: told.append((gap, change)))


def test_a_gap_lasts_from_the_last_sample_to_the_next(book: GapBook, told: list) -> None:
    book.open("a", 100, GapCause.NETWORK_LOST, AT, "no answer")
    book.close("a", 250)
    assert book.closed == [CaptureGap("a", 100, 250, GapCause.NETWORK_LOST, AT, "no answer")]
    assert [change for _, change in told] == [GapChange.OPENED, GapChange.CLOSED]
    assert book.of("a") is None
    assert book.counts == {"a": 1}


def test_silence_is_replaced_by_what_explains_it(book: GapBook) -> None:
    book.open("a", 100, GapCause.SERVER_SILENT, AT)
    book.open("a", 180, GapCause.NETWORK_LOST, AT, "no answer")
    gap = book.close("a", 250)
    assert gap is not None
    assert (gap.start_ns, gap.cause) == (100, GapCause.NETWORK_LOST)
    assert book.counts == {"a": 1}


def test_the_first_cause_stays_when_another_follows(book: GapBook) -> None:
    book.open("a", 100, GapCause.PROCESS_ENDED, AT, "exit 1")
    book.open("a", 180, GapCause.NETWORK_LOST, AT)
    gap = book.close("a", 250)
    assert gap is not None
    assert (gap.start_ns, gap.cause) == (100, GapCause.PROCESS_ENDED)


def test_a_lost_connection_turns_out_to_have_been_a_reboot(book: GapBook) -> None:
    book.open("a", 100, GapCause.NETWORK_LOST, AT, "no answer")
    book.explain(["a", "b"], GapCause.SERVER_REBOOT, "boot id x, then y")
    gap = book.close("a", 250)
    assert gap is not None
    assert gap.cause is GapCause.SERVER_REBOOT
    assert gap.evidence == "no answer; boot id x, then y"


def test_what_never_came_again_ends_nowhere(book: GapBook) -> None:
    book.open("a", 100, GapCause.NETWORK_LOST, AT)
    assert book.of("a") == CaptureGap("a", 100, None, GapCause.NETWORK_LOST, AT)
    book.finish()
    assert book.of("a") is None
    assert book.closed == [CaptureGap("a", 100, None, GapCause.NETWORK_LOST, AT)]


def test_a_gap_never_ends_before_it_begins(book: GapBook) -> None:
    book.open("a", 100, GapCause.SEAM, AT)
    gap = book.close("a", 90)
    assert gap is not None
    assert gap.end_ns == 100


def test_what_came_late_was_no_gap(book: GapBook, told: list) -> None:
    book.open("a", 100, GapCause.SERVER_SILENT, AT)
    book.withdraw("a")
    assert not book.closed
    assert book.counts == {"a": 0}
    assert told[-1][1] is GapChange.WITHDRAWN


def test_gaps_from_before_an_interruption_count_and_are_not_told_again(book: GapBook, told: list) -> None:
    book.take_over([CaptureGap("a", 100, 250, GapCause.NETWORK_LOST, AT)])
    book.open("a", 300, GapCause.CLIENT_CRASH, AT)
    assert book.counts == {"a": 2}
    assert [change for _, change in told] == [GapChange.OPENED]
    assert book.closed == []


def test_gaps_that_are_known_whole_count_and_are_told_at_once(book: GapBook, told: list) -> None:
    gaps = [CaptureGap("a", start_ns, start_ns + 50, GapCause.CLOCK_STEP, AT) for start_ns in (100, 200)]
    for gap in gaps:
        book.add(gap)
    assert book.closed == gaps
    assert told == [(gap, GapChange.CLOSED) for gap in gaps]
    assert book.counts == {"a": 2}
