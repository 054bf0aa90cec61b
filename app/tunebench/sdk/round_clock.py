"""When the rounds of a capture were taken: by their stamps, below one stamp, or from start and interval."""

from __future__ import annotations

from bisect import insort
from datetime import timedelta

from tunebench.domain.series import GAP_FACTOR
from tunebench.sdk.ledger_book import LedgerBook
from tunebench.sdk.parsing import ParseContext
from tunebench.sdk.round_stamps import RoundStamp
from tunebench.sdk.times import TimeKeeper, at_stamp

NS_PER_S = 1_000_000_000
_LONGEST_BELOW_STAMP_S = 366 * 86_400.0


class RoundClock:
    """Attributes:
    stamp: the last one; None above the first.
    interval_s: the user's word, else what the capture says.
    """

    def __init__(self, context: ParseContext, times: TimeKeeper, book: LedgerBook) -> None:
        self.stamp: RoundStamp | None = None
        self.interval_s: float | None = context.interval_s
        self._told_s = context.interval_s
        self._times = times
        self._book = book
        self._below_stamp = 0  # rounds that stand below the stamp
        self._begun_ns: int | None = None  # by the stamp before the round's first line
        self._last_ns_of_segment: int | None = None
        self._steps_ns: list[int] = []

    @property
    def is_unstamped(self) -> bool:
        """No stamp is each round's own."""
        return self.stamp is None or not self.stamp.own

    def read(self, stamp: RoundStamp) -> None:
        self.stamp, self._below_stamp = stamp, 0
        if stamp.interval_s is not None and self._told_s is None:
            self.interval_s = stamp.interval_s
        if stamp.zone:
            self._times.set_zone_abbreviation(stamp.zone)

    def begin_segment(self, interval_s: float | None) -> None:
        """The command was started anew, with this interval where that is known."""
        self._last_ns_of_segment = None
        self.interval_s = self._told_s or interval_s or self.interval_s

    def note_line_stamp(self) -> None:
        """The next round begins with the line that is being read; a stamp before each line is its time."""
        if self._times.line_stamp is not None:
            self._begun_ns = at_stamp(self._times, self._times.line_stamp)

    def next_round(self) -> tuple[int, int | None]:
        """UTC ns of the round that follows, and of the one before, None where no difference may be taken."""
        time_ns = self._time_of_round()
        previous_ns = self._previous(time_ns)
        self._last_ns_of_segment = time_ns
        return time_ns, previous_ns

    def _time_of_round(self) -> int:
        stamp = self.stamp
        if self._begun_ns is not None:
            return self._begun_ns
        if stamp is None:
            return self._times.next_unstamped(self.interval_s)
        later_s = 0.0
        if self._below_stamp and not stamp.own:
            later_s = min(self._below_stamp * self._interval_below_stamp(), _LONGEST_BELOW_STAMP_S)
        self._below_stamp += 1
        return self._times.at_datetime(stamp.moment + timedelta(seconds=later_s))

    def _interval_below_stamp(self) -> float:
        return self._book.guess_interval() if self.interval_s is None else self.interval_s

    def _previous(self, time_ns: int) -> int | None:
        """The time of the round before, unless a gap lies between (its counters' mean would hide the gap)."""
        before_ns = self._last_ns_of_segment
        if before_ns is None or time_ns <= before_ns:
            return None
        step_ns = time_ns - before_ns
        typical_ns = self._steps_ns[len(self._steps_ns) // 2] if self._steps_ns else step_ns
        if self.interval_s is not None:
            typical_ns = max(typical_ns if self._steps_ns else 0, round(self.interval_s * NS_PER_S))
        insort(self._steps_ns, step_ns)
        return before_ns if step_ns <= GAP_FACTOR * typical_ns else None
