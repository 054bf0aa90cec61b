"""The time of each block of a run, and whether it is the since-boot one."""

from __future__ import annotations

from datetime import timedelta

from app.sdk import LedgerBook, ParseContext, TimeKeeper

from .wrappers import Command, DateLine

_LATEST_S = 6e9  # 190 years: what is later is damage


class RunClock:
    """Gives each block its time.

    Three kinds of captures: no times at all (start and interval are asked for); a time line above each
    block (-T d, -T u); a time line above each run of several blocks (``date; iostat -x 5 12`` in a loop).
    The first block of a run is an average since boot.
    """

    def __init__(self, context: ParseContext, times: TimeKeeper, book: LedgerBook) -> None:
        self._given_interval_s = context.interval_s
        self._times = times
        self._book = book
        self._interval_s: float | None = None
        self._line: DateLine | None = None
        self._line_used = 0
        self._first_of_run = True
        self._runs_are_stamped = False
        self._blocks = self._interval_blocks = 0

    def command(self, command: Command) -> None:
        """A prompt with the command: a new run begins."""
        self._first_of_run = True
        self._interval_s = command.interval_s
        self._line = None
        if command.host and not self._book.hostname:
            self._book.hostname = command.host

    def new_run(self) -> None:
        self._first_of_run = True

    def date_line(self, line: DateLine) -> None:
        if line.zone:
            self._times.set_zone_abbreviation(line.zone)
        if self._runs_are_stamped:
            self._first_of_run = True
        self._line, self._line_used = line, 0

    def next_block(self) -> tuple[int, bool]:
        """UTC ns of the block that begins now, and whether it is an average since boot."""
        if self._first_of_run and self._line is not None:
            self._times.restart(None)  # the pause between two runs of a loop is no gap
        time_ns = self._next_time()
        since_boot, self._first_of_run = self._first_of_run, False
        self._blocks += 1
        self._interval_blocks += not since_boot
        return time_ns, since_boot

    def describe(self) -> None:
        """Warns of a capture that holds nothing but averages since boot."""
        if self._blocks and not self._interval_blocks:
            self._book.warn("since_boot_only")

    def _next_time(self) -> int:
        if self._line is None:
            return self._times.next_unstamped(self._interval_s)
        blocks, self._line_used = self._line_used, self._line_used + 1
        if blocks:
            self._runs_are_stamped = True  # a second block below one time line: the line is not the tool's own
        later_s = min(blocks * self._step_s(), _LATEST_S) if blocks else 0.0
        if self._line.epoch_s is not None:
            return self._times.at_epoch(self._line.epoch_s + later_s)
        assert self._line.moment is not None
        return self._times.at_datetime(self._line.moment + timedelta(seconds=later_s))

    def _step_s(self) -> float:
        if self._given_interval_s is not None:
            return self._given_interval_s
        if self._interval_s is not None:
            return self._interval_s
        self._book.assume("interval_s", "1", "default")
        self._book.need("interval_s")
        return 1.0
