"""What a chart is told to draw: lines, marks and windows, in data terms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import reduce

from PySide6.QtGui import QColor

from tunebench.analysis.exploring.outline import Outline, gaps, lone_points, outline, spread, step_gaps, step_outline
from tunebench.analysis.exploring.time_range import TimeRange
from tunebench.analysis.series import Envelope
from tunebench.core.records import record
from tunebench.domain.engagement import StoredEvent
from tunebench.domain.series import SeriesInfo


@record(frozen=False)
class ChartLine:
    """One series on a chart.

    Attributes:
        key: the series' id.
        shift_ns: added to every time before drawing, so that two windows share one axis.
        captured: from the first sample's interval to the last sample, in the series' own time; None: unknown.
        strong: where the line is drawn in full; outside it is faded. None: everywhere. In the axis' time.
        since_boot: (time, value) of averages since boot: shown as markers, never joined to the line.
        envelope: None until the first answer is there.
        begins: of figures over whole periods: end of a period -> its begin; they are drawn as steps. None: points.
        interval_s: how far a period of which nobody knows the begin reaches back.
    """

    key: int
    name: str
    unit: str
    colour: QColor
    dashed: bool = False
    shift_ns: int = 0
    captured: TimeRange | None = None
    since_boot: tuple[tuple[int, float], ...] = ()
    strong: TimeRange | None = None
    envelope: Envelope | None = None
    begins: Mapping[int, int] | None = None
    interval_s: float | None = None
    spans: Envelope | None = field(default=None, init=False)
    drawn: Outline | None = field(default=None, init=False)
    dots: Outline | None = field(default=None, init=False)
    gaps: list[TimeRange] = field(default_factory=list, init=False)

    def show(self, envelope: Envelope | None) -> None:
        """Take a new answer; points, dots and gaps are worked out once here, not at every paint."""
        self.envelope = envelope
        if envelope is None:
            self.drawn, self.dots, self.spans, self.gaps = None, None, None, []
            return
        if self.begins is not None and envelope.samples_per_bin <= 1:
            self._show_steps(spread(envelope, self.begins, self.interval_s))
            return
        self.spans = None
        self.drawn = outline(envelope)
        self.dots = lone_points(self.drawn)
        self.gaps = [gap.moved(self.shift_ns) for gap in gaps(envelope)]

    def _show_steps(self, spans: Envelope) -> None:
        self.spans, self.drawn = spans, step_outline(spans)
        self.dots = lone_points(self.drawn)
        self.gaps = [gap.moved(self.shift_ns) for gap in step_gaps(spans)]
        if spans.times_ns.size:
            self.captured = TimeRange(int(spans.times_ns[0]), int(spans.end_ns[-1]))

    def missing(self, view: TimeRange) -> list[TimeRange] | None:
        """Where the series has nothing inside `view`, on the axis; None while that is not read yet."""
        captured = self.captured.moved(self.shift_ns) if self.captured else None
        if captured is not None and not captured.overlaps(view):
            return [view]
        if self.envelope is None:
            return None
        stretches = list(self.gaps)
        if captured is not None and captured.start_ns > view.start_ns:
            stretches.insert(0, TimeRange(view.start_ns, captured.start_ns))
        if captured is not None and captured.end_ns < view.end_ns:
            stretches.append(TimeRange(captured.end_ns, view.end_ns))
        return stretches


def captured_range(info: SeriesInfo) -> TimeRange | None:
    """What a series' samples stand for, the interval before the first one included."""
    if info.first_ns is None or info.last_ns is None:
        return None
    return TimeRange(info.first_ns - round((info.interval_s or 0) * 1e9) - 1, info.last_ns)


@record
class Mark:
    """Something on the time line: a vertical line, or a band where it lasts."""

    kind: str
    time_ns: int
    end_ns: int | None
    word: str
    detail: str
    host: str = ""
    stored: StoredEvent | None = None
    """The event of the project it stands for; None where it is a note."""


@record
class ChartWindow:
    """A side of the comparison, or one of its occurrences, as a coloured region.

    Attributes:
        lane: 0 has its handles at the top, 1 at the bottom.
        movable: whether its edges can be dragged.
    """

    side: str
    range: TimeRange
    lane: int = 0
    filled: bool = True
    movable: bool = True


LeftOut = tuple[TimeRange, str]
"""What counts for no figure of a window, and why."""


def unmeasured(lines: Sequence[ChartLine], view: TimeRange) -> list[TimeRange]:
    """Where none of the lines has data inside `view`."""
    missing = [line.missing(view) for line in lines]
    return common_gaps([spans for spans in missing if spans is not None]) if None not in missing else []


def common_gaps(lines: Sequence[Sequence[TimeRange]]) -> list[TimeRange]:
    """Stretches in which none of the lines has data."""
    return reduce(shared_spans, lines[1:], list(lines[0])) if lines else []


def shared_spans(first: Sequence[TimeRange], second: Sequence[TimeRange]) -> list[TimeRange]:
    """Where a stretch of each overlap."""
    return [
        TimeRange(max(a.start_ns, b.start_ns), min(a.end_ns, b.end_ns)) for a in first for b in second if a.overlaps(b)
    ]
