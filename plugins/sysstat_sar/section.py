"""Collects the rows below one heading and reads them many at a time.

sar pads its columns, so a row is cut at the columns where the heading's words end. A row that does not
fit (a long name pushes the figures, a report with single blanks) is split at its blanks instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from app.sdk import LedgerBook, SampleBatch, SeriesKey, TimeKeeper, decode_rows, decode_text, parse_cell

from .headings import Heading, label_columns
from .stamps import StampForm

_BLANK = 32
_UNIT = re.compile(rb"[0-9](?:[kKMGTP]|%)(?=\s|$)")

Keys = list[bytes]


class Section:
    """Rows of one heading, until `flush` turns them into a batch."""

    def __init__(
        self, heading: Heading, line: bytes, form: StampForm, times: TimeKeeper, book: LedgerBook
    ) -> None:
        self.heading = heading
        self.form = form
        self.rounded = False
        self._times = times
        self._book = book
        self._heading_tod_s: int | None = form.seconds_of(line)
        self._cut = _key_cut(heading, line, form.width)
        self._lines: list[bytes] = []
        self._numbers: list[int] = []  # of the capture's lines
        self._names: set[bytes] = set()  # that stood in the last column
        self._series_of: dict[tuple[bytes, ...], tuple[SeriesKey, ...]] = {}

    def knows_longer_name(self, name: bytes) -> bool:
        """Whether `name`, new in the last column, is the beginning of one that was there before."""
        known = self._names | {line.split()[-1] for line in self._lines}
        return name not in known and any(other.startswith(name) for other in known)

    def add(self, first_line: int, lines: Sequence[bytes]) -> None:
        """Takes rows that follow each other; counts them as data until they prove unreadable."""
        self._lines.extend(lines)
        self._numbers.extend(range(first_line, first_line + len(lines)))
        self._book.data(len(lines))

    def add_one(self, line_number: int, line: bytes) -> bool:
        """Takes a row only if it can be read."""
        stamp, *cells = line[: self.form.width], *line[self.form.width :].split()
        if not self.form.matches(stamp) or not self._looks_right(cells):
            return False
        if not self.rounded and _UNIT.search(line[self.form.width :]):
            self.rounded = True
            self._book.warn("rounded_units")
        self.add(line_number, [line])
        return True

    def flush(self, final: bool = False) -> Iterator[SampleBatch]:
        """Gives what is complete; unless `final`, the last time's rows wait for their companions."""
        keep_from = len(self._lines) if final else self._last_time_starts()
        if not keep_from:
            return
        lines, numbers = self._lines[:keep_from], np.asarray(self._numbers[:keep_from])
        del self._lines[:keep_from], self._numbers[:keep_from]
        seconds, stamped = self._stamps(lines)
        keys, values, readable = self._cells(lines)
        readable &= stamped
        if not readable.all():
            self._book_unreadable(lines, numbers, ~readable)
            keys = [key for key, good in zip(keys, readable, strict=True) if good]
            seconds, values, numbers = seconds[readable], values[readable], numbers[readable]
        if keys:
            yield self._batch(seconds, keys, values, numbers)

    # -- rows ------------------------------------------------------------------------------------

    def _looks_right(self, cells: list[bytes]) -> bool:
        heading = self.heading
        words = len(heading.words)
        wordy = heading.key_index == -1 or bool(heading.word_columns)
        fits = len(cells) >= words - len(heading.word_columns) if wordy else len(cells) == words
        return fits and any(_is_number(cell) for cell in cells)

    def _last_time_starts(self) -> int:
        width = self.form.width
        if self.heading.key_index is None or not self._lines:
            return len(self._lines)
        stamp = self._lines[-1][:width]
        index = len(self._lines) - 1
        while index and self._lines[index - 1][:width] == stamp:
            index -= 1
        return index

    def _stamps(self, lines: list[bytes]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        width = self.form.width
        text = b"".join([line[:width] for line in lines])
        if len(text) != width * len(lines):
            text = b"".join([line[:width].ljust(width) for line in lines])
        return self.form.seconds_of_rows(np.frombuffer(text, dtype=np.uint8).reshape(-1, width))

    def _cells(self, lines: list[bytes]) -> tuple[Keys, NDArray[np.float64], NDArray[np.bool_]]:
        """The rows' names, their figures float64[n, columns], and which rows could be read."""
        heading, width, cut = self.heading, self.form.width, self._cut
        if heading.word_columns:
            return self._split(lines)
        if heading.key_index is None:
            keys = [b""] * len(lines)
            tails = [line[width:] for line in lines]
        elif heading.key_index == 0:
            keys = [line[width:cut] for line in lines]
            tails = [line[cut:] for line in lines]
        else:
            # a pushed column would be cut in two: then the row is split at its blanks
            straight = [line[cut - 1 : cut] == b" " != line[cut : cut + 1] for line in lines]
            keys = [line[cut:] for line in lines]
            self._names.update(keys)
            tails = [line[width:cut] if good else b"" for line, good in zip(lines, straight, strict=True)]
        if any(b"," in tail for tail in (tails[0], tails[-1])):
            tails = [tail.replace(b",", b".") for tail in tails]
        values, readable = decode_rows(tails, heading.columns, heading.suffix_base)
        names = {key: key.strip() for key in set(keys)}
        keys = [names[key] for key in keys]
        crooked = {name for name in names.values() if not _is_name(name, heading)}
        if crooked:
            readable &= np.asarray([key not in crooked for key in keys])
        for index in np.flatnonzero(~readable):
            found = self._split_row(lines[index])
            if found is not None:
                keys[index], values[index] = found
                readable[index] = True
        return keys, values, readable

    def _split(self, lines: list[bytes]) -> tuple[Keys, NDArray[np.float64], NDArray[np.bool_]]:
        keys = [b""] * len(lines)
        values = np.full((len(lines), self.heading.columns), np.nan)
        readable = np.zeros(len(lines), dtype=bool)
        for index, line in enumerate(lines):
            found = self._split_row(line)
            if found is not None:
                keys[index], values[index] = found
                readable[index] = True
        return keys, values, readable

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

    def _book_unreadable(
        self, lines: list[bytes], numbers: NDArray[np.int64], which: NDArray[np.bool_]
    ) -> None:
        width = self.form.width
        for index in np.flatnonzero(which):
            line = lines[index]
            if line[width:].split() == [word.encode() for word in self.heading.words]:
                self._book.data(-1)  # the heading repeated without a blank line before it
                self._book.header()
            else:
                self._book.data_became_skipped("unreadable_numbers", int(numbers[index]), line)

    # -- batches ---------------------------------------------------------------------------------

    def _batch(
        self, seconds: NDArray[np.int64], keys: Keys, values: NDArray[np.float64], numbers: NDArray[np.int64]
    ) -> SampleBatch:
        heading = self.heading
        starts = np.ones(len(seconds), dtype=bool)
        if heading.key_index is not None:
            np.not_equal(seconds[1:], seconds[:-1], out=starts[1:])
        row_time = np.cumsum(starts) - 1
        times_ns = self._times_of(seconds[starts])
        keys = _distinct(keys, row_time) if heading.key_index is not None else keys
        position = {key: index for index, key in enumerate(dict.fromkeys(keys))}
        row_key = np.fromiter(map(position.__getitem__, keys), dtype=np.int64, count=len(keys))
        cube = np.full((len(times_ns), len(position), heading.columns), np.nan)
        cube[row_time, row_key] = values
        return SampleBatch(
            table=heading.table,
            times_ns=times_ns,
            series=self._series(tuple(position)),
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
            found = self._series_of[keys] = tuple(
                SeriesKey(heading.table, native, tuple(sorted((*self._own(key), *attributes))))
                for key in keys
                for native, attributes in zip(heading.natives, heading.attributes, strict=True)
            )
        return found

    def _own(self, key: bytes) -> tuple[tuple[str, str], ...]:
        return ((self.heading.key_attribute, decode_text(key)),) if self.heading.key_attribute else ()


def _is_name(name: bytes, heading: Heading) -> bool:
    """Only a name in the last column (a mount point) may hold blanks."""
    return {None: True, 0: len(name.split()) == 1}.get(heading.key_index, bool(name))


def _is_number(cell: bytes) -> bool:
    try:
        parse_cell(cell)
    except ValueError:
        return False
    return True


def _key_cut(heading: Heading, line: bytes, width: int) -> int:
    """Where the row's name ends (name first) or begins (name last): sar aligns it with its heading."""
    if heading.key_index == -1:
        return line.rindex(heading.key_word)
    return line.index(heading.key_word, width) + len(heading.key_word)


def _distinct(keys: Keys, row_time: NDArray[np.int64]) -> Keys:
    """A second row of one thing at one time becomes ``name#2`` (btrfs lists one device several times)."""
    numbers = {key: index for index, key in enumerate(set(keys))}
    row_key = np.fromiter(map(numbers.__getitem__, keys), dtype=np.int64, count=len(keys))
    cells = row_time * len(numbers) + row_key
    if np.bincount(cells).max() < 2:
        return keys
    seen: dict[int, int] = {}
    named = []
    for key, cell in zip(keys, cells.tolist(), strict=True):
        seen[cell] = seen.get(cell, 0) + 1
        named.append(key if seen[cell] == 1 else key + b"#%d" % seen[cell])
    return named
