"""Base of the readers of ``sadf -j`` and ``sadf -x``: a document cut into samples, many samples read at once.

The document is far larger than memory should be, so it is worked on in stretches of some megabytes: from the mark
that begins a sample (its time stamp) to the last such mark. What lies before the first mark and behind the last
sample (the host's facts, restarts, remarks) is read by `Surroundings`.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from tunebench.families.page_reading import Dialect, new_reader
from tunebench.sdk import ParseContext, SampleBatch, SystemFact

from .clocks import SampleClock, seconds_of
from .json_form import Malformed
from .plan import Plan
from .sketch import Sketch
from .stretches import StretchParser
from .surroundings import Surroundings

LARGEST_SAMPLE = 16 << 20
"""More than this without a mark is no sample; it is passed over."""
_MOST_PLANS, _MOST_PLANNED = 64, 200_000  # plans that are remembered; numbers of them all
_AT_ONCE = 256  # samples


class SampledParser(StretchParser):
    """See the module. A subclass says what begins a sample and how its tree is walked."""

    mark: re.Pattern[bytes]
    decimal_signs = b"."

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self._clock = SampleClock(self.times, self.book)
        self._around = Surroundings(self.book, self._clock)
        self._reader = new_reader(Dialect(self.decimal_signs))
        self._plans: deque[Plan] = deque()
        self._open_line = b""  # what came behind the last line end, or a sign of it
        self._cut_off = False
        self._line_has_figures = False

    def read_sample(self, text: bytes) -> Sketch:
        """Walks the sample that begins with `text`; raises `Malformed`."""
        raise NotImplementedError

    def finish(self) -> Iterable[SampleBatch]:
        batches = super().finish()
        if self._open_line:
            self._book_open_line()
        self._clock.close()
        return batches

    def facts(self) -> Sequence[SystemFact]:
        return self._around.facts

    # -- stretches -------------------------------------------------------------------------------

    def work(self, final: bool) -> list[SampleBatch]:
        """Reads all complete samples of what came; the last one waits for its end."""
        text = self.pieces.take()
        places = [match.start() for match in self.mark.finditer(text)]
        end = len(text)
        if not final:
            if not places or len(places) == 1 and len(text) - places[0] > LARGEST_SAMPLE:
                places, end = [], text.rfind(b"\n") + 1 or (len(text) if len(text) > LARGEST_SAMPLE else 0)
            else:
                end = places.pop()
        self.pieces.put_back(text[end:])
        return list(self._read(text[:end], places))

    def _read(self, text: bytes, places: list[int]) -> Iterator[SampleBatch]:
        self._read_outside(text[: places[0]] if places else text)
        starts, index = np.asarray([*places, len(text)], dtype=np.int64), 0
        while index < len(places):
            some = starts[index : index + _AT_ONCE + 1]
            plan, values = self._known(text, some)
            if plan is None:
                yield from self._read_single(text[some[0] : some[1]])
                index += 1
            else:
                yield from self._rows(plan, values, text, some)
                index += len(values)

    def _known(self, text: bytes, starts: NDArray[np.int64]) -> tuple[Plan | None, NDArray[np.float64]]:
        """A plan of the first of these samples, and its numbers and those of the next that are alike."""
        for plan in reversed(self._plans):
            values = self._reader.alike(plan.form, text, starts)
            if len(values):
                return plan, values
        return None, np.zeros((0, 0))

    def _read_single(self, text: bytes) -> Iterator[SampleBatch]:
        """A sample unlike those before, or that is cut off or damaged, or behind which something else begins."""
        try:
            sketch = self.read_sample(text)
            if not sketch.closed:
                self._skip(text, "truncated")
                return
            own, rest = text[: sketch.end], text[sketch.end :]
            plan = Plan(own, sketch)
        except Malformed:
            self._skip(text, "unreadable_numbers")
            return
        if not rest and not sketch.has_commas:  # the scanner takes a comma for one or the other
            self._remember(plan)
        yield from self._rows(plan, plan.own, own, np.asarray([0, len(own)]))
        self._read_outside(rest)

    def _remember(self, plan: Plan) -> None:
        self._plans.append(plan)
        while len(self._plans) > _MOST_PLANS or sum(one.own.size for one in self._plans) > _MOST_PLANNED:
            self._plans.popleft()

    # -- rows ------------------------------------------------------------------------------------

    def _rows(
        self, plan: Plan, values: NDArray[np.float64], text: bytes, starts: NDArray[np.int64]
    ) -> Iterator[SampleBatch]:
        """The batches of consecutive samples of one plan: float64[samples, numbers], and where they begin and end."""
        seconds, good = seconds_of(values[:, plan.clock])
        lines = self.next_line + plan.lines.all * np.arange(len(values))
        self._count_lines(plan, good, text, starts)
        if plan.words:
            self.book.warn("word_columns")
        if not good.any() or not plan.tables:
            return
        times_ns = self._clock.times_of(seconds[good], plan.zone)
        since_boot = np.zeros(len(times_ns), dtype=bool)
        values, lines = values[good], lines[good]
        for table in plan.tables:
            yield SampleBatch(
                table.name, times_ns, table.series, values[:, table.columns], since_boot, lines + table.line
            )

    # -- lines -----------------------------------------------------------------------------------

    def _count_lines(self, plan: Plan, good: NDArray[np.bool_], text: bytes, starts: NDArray[np.int64]) -> None:
        """Books the lines that end within these samples; one without a real date is left out."""
        kinds, own, count = plan.lines, plan.lines.all, len(good)
        for index in np.flatnonzero(~good).tolist():
            example = text[starts[index] : starts[index + 1]][:400]
            self.book.skip("unreadable_numbers", self.next_line + index * own, example, own, rows=1)
        kept = int(np.count_nonzero(good))
        self.book.data(kinds.data * kept)
        self.book.header(kinds.header * kept)
        self.book.blank(kinds.blank * kept)
        if own and self._line_has_figures and good[0] and kinds.first == "header":
            self.book.header(-1)
            self.book.data()
        if own:
            self._line_has_figures = False
        elif plan.tables:
            self._line_has_figures = True
        self.next_line += own * count
        self._open_line = b"" if text[starts[count] - 1 : starts[count]] == b"\n" else b"{"

    def _skip(self, text: bytes, reason: str) -> None:
        lines = text.count(b"\n")
        if lines:
            self.book.skip(reason, self.next_line, text[:400], lines, rows=1)
        self.next_line += lines
        self._line_has_figures = False
        self._open_line, self._cut_off = text.rpartition(b"\n")[2], True

    def _read_outside(self, text: bytes) -> None:
        if not text:
            return
        self._around.read(text)
        *lines, rest = text.split(b"\n")
        for line in lines:
            self._book_line(self.next_line, line)
            self.next_line += 1
        if lines or rest:
            self._open_line, self._cut_off = rest, False

    def _book_line(self, number: int, line: bytes) -> None:
        if self._line_has_figures:
            self.book.data()
        else:
            self._around.book_line(number, line)
        self._line_has_figures = False

    def _book_open_line(self) -> None:
        """The last line, which has no end."""
        if self._cut_off:
            self.book.skip("truncated", self.next_line, self._open_line)
        else:
            self._book_line(self.next_line, self._open_line)
        self.next_line += 1
