"""How to read all samples that are printed alike.

Two samples that differ in their numbers alone hold the same activities, processors and devices in the same order. So
the tree is walked once (`Sketch`), and further samples are compared with its text and read by the scanner.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tunebench.families.page_reading import Form
from tunebench.sdk import SeriesKey, lazy_pattern, record

from .json_form import Malformed
from .sketch import Figure, Sketch

_DATE = lazy_pattern(rb"(\d{4})[^\d.](\d\d)[^\d.](\d\d)(?![\d.])")
_TIME = lazy_pattern(rb"(\d\d)[^\d.](\d\d)[^\d.](\d\d)(?![\d.])")


@record
class TableColumns:
    """One table of the sample; `line` is the line of its first figure, counted from the sample's first."""

    name: str
    series: tuple[SeriesKey, ...]
    columns: NDArray[np.int64]  # among the form's numbers
    line: int


@record
class LineKinds:
    """The lines that end within the sample."""

    data: int
    header: int
    blank: int
    first: str  # kind of the first of them

    @property
    def all(self) -> int:
        return self.data + self.header + self.blank


class Plan:
    """How to read the samples that look like one sample.

    Attributes:
        form: what samples that it reads look like.
        own: float64[1, numbers], those of the sample.
        zone: what its stamps say of their zone (see `Sketch.zone`).
        clock: which numbers are year, month, day, hour, minute and second.
        words: whether it has a column of words.

    Raises:
        Malformed: the sample has no date and time.
    """

    def __init__(self, text: bytes, sketch: Sketch) -> None:
        date, time = (
            form.match(text, start) if start >= 0 else None
            for form, start in ((_DATE, sketch.date_place), (_TIME, sketch.time_place))
        )
        if date is None or time is None:
            raise Malformed
        clock = [match.span(group) for match in (date, time) for group in (1, 2, 3)]
        spans = dict(sorted([*clock, *sketch.free, *((one.place, one.end) for one in sketch.figures)]))
        number_at = {start: number for number, start in enumerate(spans)}
        begins = [0, *spans.values()]
        self.form = Form([text[begin:end] for begin, end in zip(begins, [*spans, len(text)], strict=True)])
        self.own = np.array([[float(text[start:end].replace(b",", b".")) for start, end in spans.items()]])
        self.clock = np.asarray([number_at[start] for start, _ in clock])
        self.zone = sketch.zone
        self.words = sketch.words
        self.tables = _tables(text, sketch.figures, number_at)
        self.lines = _kinds_of_lines(text, [one.place for one in sketch.figures])


def _tables(text: bytes, figures: list[Figure], number_at: dict[int, int]) -> tuple[TableColumns, ...]:
    by_table: dict[str, list[Figure]] = {}
    for figure in figures:
        by_table.setdefault(figure.key.table, []).append(figure)
    return tuple(
        TableColumns(
            name,
            tuple(figure.key for figure in own),
            np.asarray([number_at[figure.place] for figure in own], dtype=np.int64),
            text.count(b"\n", 0, own[0].place),
        )
        for name, own in by_table.items()
    )


def _kinds_of_lines(text: bytes, places: list[int]) -> LineKinds:
    """What the lines of a sample are; the text behind the last line end belongs to what follows."""
    figure_places = sorted(places)
    counts = {"data": 0, "header": 0, "blank": 0}
    first, start, next_figure = "", 0, 0
    while (end := text.find(b"\n", start)) >= 0:
        kind = "blank" if text[start:end].isspace() or start == end else "header"
        while next_figure < len(figure_places) and figure_places[next_figure] < end:
            kind = "data"
            next_figure += 1
        counts[kind] += 1
        first = first or kind
        start = end + 1
    return LineKinds(counts["data"], counts["header"], counts["blank"], first)
