"""Base of the readers of ``sadf -j`` and ``sadf -x``: a document cut into samples, many samples read at once.

The document is far larger than memory should be, so it is worked on in stretches of some megabytes: from the mark
that begins a sample (its time stamp) to the last such mark. What lies before the first mark and behind the last
sample (the host's facts, restarts, remarks) is read by `Surroundings`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from app.sdk import ParseContext, SampleBatch, SystemFact

from .clocks import SampleClock, seconds_of
from .json_form import Malformed
from .numerals import Runs, without_runs
from .plan import Plan
from .sketch import Sketch
from .stretches import StretchParser
from .surroundings import Surroundings

LARGEST_SAMPLE = 16 << 20
"""More than this without a mark is no sample; it is passed over."""
_MOST_PLANS, _MOST_PLANNED = 16, 200_000  # plans of one skeleton; figures of all plans that are remembered


class SampledParser(StretchParser):
    """See the module. A subclass says what begins a sample and how its tree is walked."""

    mark: re.Pattern[bytes]

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self._clock = SampleClock(self.times, self.book)
        self._around = Surroundings(self.book, self._clock)
        self._plans: dict[bytes, list[Plan]] = {}
        self._planned = 0  # their figures
        self._open_line = b""  # what came behind the last line end, or a sign of it
        self._cut_off = False
        self._line_has_figures = False

    def read_sample(self, text: bytes) -> Sketch:
        """Walks the sample that begins with `text`; raises `Malformed`."""
        raise NotImplementedError

    def with_points(self, text: bytes) -> bytes:
        """`text` with points in place of decimal commas, of the same length."""
        return text

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
        text = self.with_points(self.pieces.take())
        places = [found.start() for found in self.mark.finditer(text)]
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
        if not places:
            return
        stretch = _Stretch(text[places[0] :], [place - places[0] for place in places])
        index = 0
        while index < stretch.samples:
            plan = self._plan_of(stretch, index)
            if plan is None:
                yield from self._read_single(stretch.text_of(index))
                index += 1
                continue
            count = stretch.alike(plan, index)
            yield from self._rows(plan, stretch, index, count)
            index += count

    def _plan_of(self, stretch: _Stretch, index: int) -> Plan | None:
        """The plan of a sample that is followed by another, or by nothing; else None."""
        skeleton = stretch.skeleton(index)
        plans = self._plans.get(skeleton, [])
        for plan in reversed(plans):
            if len(plan.gaps) == stretch.counts[index] and stretch.alike(plan, index, most=1):
                return plan
        text = stretch.text_of(index)
        try:
            sketch = self.read_sample(text)
            if not sketch.closed or sketch.end < len(text):
                return None
            plan = Plan(text, sketch, Runs(text))
        except Malformed:
            return None
        self._remember(plan, skeleton)
        return plan

    def _remember(self, plan: Plan, skeleton: bytes) -> None:
        self._planned += len(plan.gaps)
        if self._planned > _MOST_PLANNED:
            self._plans.clear()
            self._planned = len(plan.gaps)
        self._plans[skeleton] = [*self._plans.get(skeleton, [])[-_MOST_PLANS:], plan]

    def _read_single(self, text: bytes) -> Iterator[SampleBatch]:
        """A sample behind which something else begins, or that is cut off or damaged."""
        try:
            sketch = self.read_sample(text)
            if not sketch.closed:
                self._skip(text, "truncated")
                return
            own = text[: sketch.end]
            plan = Plan(own, sketch, Runs(own))
        except Malformed:
            self._skip(text, "unreadable_numbers")
            return
        yield from self._rows(plan, _Stretch(own, [0]), 0, 1)
        self._read_outside(text[sketch.end :])

    # -- rows ------------------------------------------------------------------------------------

    def _rows(self, plan: Plan, stretch: _Stretch, first: int, count: int) -> Iterator[SampleBatch]:
        """The batches of consecutive samples of one plan."""
        starts, ends = stretch.runs_of(first, count)
        clock = plan.clock
        seconds, good = seconds_of(stretch.runs.numbers(starts[:, clock], ends[:, clock]))
        lines = self.next_line + stretch.lines_before(first, count)
        self._count_lines(plan, stretch, first, count, good)
        if plan.words:
            self.book.warn("word_columns")
        if not good.any() or not len(plan.runs):
            return
        starts, ends, lines = starts[good], ends[good], lines[good]
        times_ns = self._clock.times_of(seconds[good], plan.zone)
        values = stretch.runs.numbers(starts[:, plan.runs], ends[:, plan.runs])
        signs = stretch.signs_of(first, count)[good][:, plan.runs]
        if signs.any():
            values[signs] *= -1.0
        since_boot = np.zeros(len(times_ns), dtype=bool)
        for table in plan.tables:
            yield SampleBatch(
                table.name, times_ns, table.series, values[:, table.columns], since_boot, lines + table.line
            )

    # -- lines -----------------------------------------------------------------------------------

    def _count_lines(self, plan: Plan, stretch: _Stretch, first: int, count: int, good: NDArray[np.bool_]) -> None:
        """Books the lines that end within these samples; one without a real date is left out."""
        kinds = plan.lines
        own = kinds.data + kinds.header + kinds.blank
        for index in np.flatnonzero(~good):
            text = stretch.text_of(first + int(index))
            self.book.skip("unreadable_numbers", self.next_line + int(index) * own, text[:400], own)
        kept = int(np.count_nonzero(good))
        self.book.data(kinds.data * kept)
        self.book.header(kinds.header * kept)
        self.book.blank(kinds.blank * kept)
        if own and self._line_has_figures and good[0] and kinds.first == "header":
            self.book.header(-1)
            self.book.data()
        if own:
            self._line_has_figures = False
        elif len(plan.runs):
            self._line_has_figures = True
        self.next_line += own * count
        self._open_line = b"" if stretch.text_of(first + count - 1).endswith(b"\n") else b"{"

    def _skip(self, text: bytes, reason: str) -> None:
        lines = text.count(b"\n")
        if lines:
            self.book.skip(reason, self.next_line, text[:400], lines)
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


class _Stretch:
    """Some samples' text with its runs.

    Attributes:
        counts: per sample, its runs.
    """

    def __init__(self, text: bytes, origins: list[int]) -> None:
        self.text = text
        self.runs = Runs(text)
        self.samples = len(origins)
        self._origins = np.asarray([*origins, len(text)], dtype=np.int64)
        self._first_runs = np.searchsorted(self.runs.starts, self._origins)
        self.counts = np.diff(self._first_runs)
        self._skeletons: dict[int, bytes] = {}
        self._line_ends = np.flatnonzero(np.frombuffer(text, dtype=np.uint8) == 10)

    def text_of(self, index: int) -> bytes:
        return self.text[self._origins[index] : self._origins[index + 1]]

    def skeleton(self, index: int) -> bytes:
        """The text of a sample without its runs."""
        found = self._skeletons.get(index)
        if found is None:
            found = self._skeletons[index] = without_runs(self.text_of(index))
        return found

    def alike(self, plan: Plan, first: int, most: int = 0) -> int:
        """How many samples from `first` on fit the plan, given that the first one's skeleton is the plan's."""
        skeleton, count = self.skeleton(first), len(plan.gaps)
        end, last = first + 1, first + most if most else self.samples
        while end < last and self.counts[end] == count and self.skeleton(end) == skeleton:
            end += 1
        return plan.fits(self.runs, int(self._first_runs[first]), end - first, self._origins[first:end])

    def runs_of(self, first: int, count: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """int64[count, runs]: where the runs of these samples start and end; all have the same number of runs."""
        where = slice(int(self._first_runs[first]), int(self._first_runs[first + count]))
        return self.runs.starts[where].reshape(count, -1), self.runs.ends[where].reshape(count, -1)

    def signs_of(self, first: int, count: int) -> NDArray[np.bool_]:
        """bool[count, runs]."""
        where = slice(int(self._first_runs[first]), int(self._first_runs[first + count]))
        return self.runs.signs[where].reshape(count, -1)

    def lines_before(self, first: int, count: int) -> NDArray[np.int64]:
        """int64[count]: the line ends between the first of these samples and each."""
        before: NDArray[np.int64] = np.searchsorted(self._line_ends, self._origins[first : first + count])
        since: NDArray[np.int64] = before - before[0]
        return since
