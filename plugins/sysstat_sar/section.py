"""Collects the rows below one heading and reads them many at a time.

sar pads its columns, so a row is cut at the columns where the heading's words end. A row that does not
fit (a long name pushes the figures, a report with single blanks) is split at its blanks instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.families.cells import is_number
from app.families.page_reading import dense_spans, repeated_cells, told_apart
from app.sdk import LedgerBook, Page, SampleBatch, SeriesKey, TimeKeeper, decode_spans, decode_text, parse_cell

from .headings import Heading, label_columns
from .stamps import StampForm

_BLANK = 32
_MOST_REMEMBERED = 50  # rows of names
_UNIT = re.compile(rb"[0-9](?:[kKMGTP]|%)(?=\s|$)")

Integers = NDArray[np.int64]


@dataclass(slots=True)
class _Rows:
    """Rows of a section: key int64[n] into `names`, values float64[n, columns], readable bool[n]."""

    key: Integers
    names: list[bytes]
    values: NDArray[np.float64]
    readable: NDArray[np.bool_]


class Section:
    """Rows of one heading, until `flush` turns them into a batch."""

    def __init__(self, heading: Heading, line: bytes, form: StampForm, times: TimeKeeper, book: LedgerBook) -> None:
        self.heading = heading
        self.form = form
        self.rounded = False
        self._times = times
        self._book = book
        self._heading_tod_s: int | None = form.seconds_of(line)
        self._cut = _key_cut(heading, line, form.width)
        self._texts: list[bytes] = []  # whole lines
        self._numbers: list[NDArray[np.int64]] = []  # of the capture's lines
        self._names: set[bytes] = set()  # that stood in the last column
        self._series_of: dict[tuple[bytes, ...], tuple[SeriesKey, ...]] = {}

    def knows_longer_name(self, name: bytes) -> bool:
        """Whether `name`, new in the last column, is the beginning of one that was there before."""
        waiting = {line.split()[-1] for text in self._texts for line in text.splitlines() if line.strip()}
        known = self._names | waiting
        return name not in known and any(other.startswith(name) for other in known)

    def add(self, first_line: int, text: bytes, count: int) -> None:
        """Takes `count` rows that follow each other; counts them as data until they prove unreadable."""
        self._texts.append(text)
        self._numbers.append(np.arange(first_line, first_line + count))
        self._book.data(count)

    def add_one(self, line_number: int, line: bytes) -> bool:
        """Takes a row only if it can be read."""
        stamp, *cells = line[: self.form.width], *line[self.form.width :].split()
        if not self.form.matches(stamp) or not self._looks_right(cells):
            return False
        if not self.rounded and _UNIT.search(line[self.form.width :]):
            self.rounded = True
            self._book.warn("rounded_units")
        self.add(line_number, line + b"\n", 1)
        return True

    def flush(self, final: bool = False) -> Iterator[SampleBatch]:
        """Gives what is complete; unless `final`, the last time's rows wait for their companions."""
        if not self._texts:
            return
        page, numbers = Page(b"".join(self._texts)), np.concatenate(self._numbers)
        count = len(page) if final else self._last_time_starts(page)
        self._texts = [page.slice(count, len(page))] if count < len(page) else []
        self._numbers = [numbers[count:]] if count < len(page) else []
        if not count:
            return
        rows = self._read(page, page.starts[:count], page.ends[:count])
        stamps = page.columns(page.starts[:count], self.form.width)
        seconds, readable = self.form.seconds_of_rows(stamps)
        rows.readable &= readable
        if rows.readable.all():
            yield from self._batches(seconds, rows, numbers[:count], self._starts(seconds[:, np.newaxis]))
            return
        self._book_unreadable(page, numbers, ~rows.readable)
        if rows.readable.any():
            yield from self._batches_of_readable(seconds, rows, numbers[:count], self._starts(stamps))

    # -- rows ------------------------------------------------------------------------------------

    def _looks_right(self, cells: list[bytes]) -> bool:
        heading = self.heading
        words = len(heading.words)
        wordy = heading.key_index == -1 or bool(heading.word_columns)
        fits = len(cells) >= words - len(heading.word_columns) if wordy else len(cells) == words
        return fits and any(is_number(cell) for cell in cells)

    def _last_time_starts(self, page: Page) -> int:
        """The first row that has the last row's stamp."""
        if self.heading.key_index is None:
            return len(page)
        stamps = page.columns(page.starts, self.form.width)
        others = np.flatnonzero((stamps != stamps[-1]).any(axis=1))
        return int(others[-1]) + 1 if len(others) else 0

    def _read(self, page: Page, starts: Integers, ends: Integers) -> _Rows:
        """The rows' names and figures, by the columns of the heading; rows that do not fit, by their blanks."""
        heading, width, cut, count = self.heading, self.form.width, self._cut, len(starts)
        if heading.word_columns:
            return self._split(page, _unread(count, heading.columns))
        row_key, names = np.zeros(count, dtype=np.int64), [b""]
        if heading.key_index is None:
            numbers = starts + width, ends
        elif heading.key_index == 0:
            numbers = starts + cut, ends
            row_key, names = _names_of(page.columns(starts + width, cut - width))
        else:
            # a pushed column would be cut in two: then the row is split at its blanks
            edge = page.columns(np.minimum(starts + cut - 1, ends), 2)
            straight = (edge[:, 0] == _BLANK) & (edge[:, 1] != _BLANK) & (starts + cut <= ends)
            numbers = starts + width, np.where(straight, starts + cut, starts + width)
            row_key, names = _numbered([page.line(index)[cut:].strip() for index in range(count)])
            self._names.update(names)
        begins, behind = np.minimum(numbers[0], ends), np.minimum(numbers[1], ends)
        commas = any(b"," in page.text[begins[index] : behind[index]] for index in (0, -1))
        data = page.with_points if commas else page.data
        values, readable = decode_spans(data, begins, behind, heading.columns, heading.suffix_base)
        crooked = [index for index, name in enumerate(names) if not _is_name(name, heading)]
        if crooked:
            readable &= ~np.isin(row_key, crooked)
        rows = _Rows(row_key, names, values, readable)
        return rows if readable.all() else self._split(page, rows)

    def _split(self, page: Page, rows: _Rows) -> _Rows:
        """Reads those rows that are not readable so far by their blanks alone."""
        number_of = {name: index for index, name in enumerate(rows.names)}
        for index in np.flatnonzero(~rows.readable).tolist():
            found = self._split_row(page.line(index))
            if found is not None:
                name, rows.values[index] = found
                rows.key[index] = number_of.setdefault(name, len(number_of))
                rows.readable[index] = True
        rows.names = list(number_of)
        return rows

    def _split_row(self, line: bytes) -> tuple[bytes, list[float]] | None:
        """Name and figures of a row, by its blanks alone; None where they do not add up."""
        heading = self.heading
        cells = line[self.form.width :].split()
        key_index, word_columns = heading.key_index, heading.word_columns
        words = len(heading.words)
        if key_index == -1:
            cells = line[self.form.width :].strip().split(None, words - 1)
        if len(cells) != words and not (word_columns and len(cells) >= min(word_columns)):
            return None
        figures = [i for i in range(words) if i not in word_columns and i != key_index and i - words != key_index]
        try:
            values = [parse_cell(cells[i], base) for i, base in zip(figures, heading.suffix_base, strict=True)]
        except (ValueError, IndexError):
            return None
        if key_index is None:
            return b"", values
        labels = sorted(label_columns(heading))
        described = [cells[i] for i in labels if i < len(cells)] + (cells[words:] if labels else [])
        return b" ".join([cells[key_index], *described]), values

    def _book_unreadable(self, page: Page, numbers: Integers, which: NDArray[np.bool_]) -> None:
        for index in np.flatnonzero(which).tolist():
            line = page.line(index)
            if line[self.form.width :].split() == [word.encode() for word in self.heading.words]:
                self._book.data(-1)  # the heading repeated without a blank line before it
                self._book.header()
            else:
                self._book.data_became_skipped("unreadable_numbers", int(numbers[index]), line)

    # -- batches ---------------------------------------------------------------------------------

    def _starts(self, stamps: NDArray[np.uint8] | Integers) -> NDArray[np.bool_]:
        """stamps: [rows, width]. Which rows begin another time."""
        starts = np.ones(len(stamps), dtype=bool)
        if self.heading.key_index is not None:
            np.any(stamps[1:] != stamps[:-1], axis=1, out=starts[1:])
        return starts

    def _batches_of_readable(
        self, seconds: Integers, rows: _Rows, numbers: Integers, starts: NDArray[np.bool_]
    ) -> Iterator[SampleBatch]:
        """Rows on both sides of an unreadable stamp are of two times, as they are where a piece ends there."""
        good, time = rows.readable, np.cumsum(starts)[rows.readable]
        kept = _Rows(rows.key[good], rows.names, rows.values[good], good[good])
        yield from self._batches(seconds[good], kept, numbers[good], np.diff(time, prepend=0) > 0)

    def _batches(
        self, seconds: Integers, rows: _Rows, numbers: Integers, starts: NDArray[np.bool_]
    ) -> Iterator[SampleBatch]:
        """starts: bool[rows], which of them begin another time."""
        for low, high in dense_spans(np.cumsum(starts), rows.key, self.heading.columns):
            part = _Rows(rows.key[low:high], rows.names, rows.values[low:high], rows.readable[low:high])
            yield self._batch(seconds[low:high], part, numbers[low:high], starts[low:high])

    def _batch(self, seconds: Integers, rows: _Rows, numbers: Integers, starts: NDArray[np.bool_]) -> SampleBatch:
        heading = self.heading
        row_time = np.cumsum(starts) - 1
        times_ns = self._times_of(seconds[starts])
        if heading.key_index is not None:
            rows = _distinct(rows, row_time)
        used, first, row_key = np.unique(rows.key, return_index=True, return_inverse=True)
        order = np.argsort(first)  # as they appear
        place = np.argsort(order)
        cube = np.full((len(times_ns), len(used), heading.columns), np.nan)
        cube[row_time, place[row_key]] = rows.values
        return SampleBatch(
            table=heading.table,
            times_ns=times_ns,
            series=self._series(tuple(rows.names[index] for index in used[order].tolist())),
            values=cube.reshape(len(times_ns), -1),
            since_boot=np.zeros(len(times_ns), dtype=bool),
            line_numbers=numbers[starts],
        )

    def _times_of(self, seconds: NDArray[np.int64]) -> NDArray[np.int64]:
        heading_s, self._heading_tod_s = self._heading_tod_s, None
        if self.form.epoch:
            self._times.begin_table(self.heading.table)
            return np.asarray([self._times.at_epoch(int(s)) for s in seconds], dtype=np.int64)
        self._times.begin_table(self.heading.table, heading_s)
        return self._times.at_times_of_day(seconds)

    def _series(self, keys: tuple[bytes, ...]) -> tuple[SeriesKey, ...]:
        """m series of the named things, in the order of a row of the batch; remembered."""
        found = self._series_of.get(keys)
        if found is None:
            heading = self.heading
            if len(self._series_of) > _MOST_REMEMBERED:
                self._series_of.clear()
            named = tuple(
                SeriesKey(heading.table, native, tuple(sorted((*self._own(key), *attributes))))
                for key in keys
                for native, attributes in zip(heading.natives, heading.attributes, strict=True)
            )
            found = self._series_of[keys] = told_apart(named)
        return found

    def _own(self, key: bytes) -> tuple[tuple[str, str], ...]:
        return ((self.heading.key_attribute, decode_text(key)),) if self.heading.key_attribute else ()


def _is_name(name: bytes, heading: Heading) -> bool:
    """Only a name in the last column (a mount point) may hold blanks."""
    return {None: True, 0: len(name.split()) == 1}.get(heading.key_index, bool(name))


def _key_cut(heading: Heading, line: bytes, width: int) -> int:
    """Where the row's name ends (name first) or begins (name last): sar aligns it with its heading."""
    if heading.key_index == -1:
        return line.rindex(heading.key_word)
    return line.index(heading.key_word, width) + len(heading.key_word)


def _unread(count: int, columns: int) -> _Rows:
    return _Rows(np.zeros(count, dtype=np.int64), [], np.full((count, columns), np.nan), np.zeros(count, dtype=bool))


def _names_of(text: NDArray[np.uint8]) -> tuple[Integers, list[bytes]]:
    """text: uint8[rows, width]. Which name each row has, and the names without the blanks around them."""
    rows, width = text.shape
    same = (text == text[0]).all(axis=1)
    period = int(same[1:].argmax()) + 1 if same[1:].any() else rows
    if rows % period == 0 and bool((text.reshape(-1, period, width) == text[:period]).all()):
        cells, row_cell = text[:period], np.tile(np.arange(period), rows // period)
    else:
        found, row_cell = np.unique(np.ascontiguousarray(text).view(f"S{width}").ravel(), return_inverse=True)
        return _merged([bytes(name).strip() for name in found], row_cell)
    return _merged([cell.tobytes().strip() for cell in cells], row_cell)


def _merged(names: list[bytes], row_name: Integers) -> tuple[Integers, list[bytes]]:
    """One number for each name, where a name was padded in several ways or comes twice."""
    number_of, distinct = _numbered(names)
    return number_of[row_name], distinct


def _numbered(names: Sequence[bytes]) -> tuple[Integers, list[bytes]]:
    """Each name's number, and the names by number."""
    number_of = {name: index for index, name in enumerate(dict.fromkeys(names))}
    numbers = np.fromiter(map(number_of.__getitem__, names), dtype=np.int64, count=len(names))
    return numbers, list(number_of)


def _distinct(rows: _Rows, row_time: Integers) -> _Rows:
    """A second row of one thing at one time becomes ``name#2`` (btrfs lists one device several times)."""
    cells = row_time * len(rows.names) + rows.key
    if not len(repeated_cells(cells)):
        return rows
    seen: dict[int, int] = {}
    named = []
    for key, cell in zip(rows.key.tolist(), cells.tolist(), strict=True):
        seen[cell] = seen.get(cell, 0) + 1
        named.append(rows.names[key] if seen[cell] == 1 else rows.names[key] + b"#%d" % seen[cell])
    key, names = _numbered(named)
    return _Rows(key, names, rows.values, rows.readable)
