"""Collects the rows of one table and gives them as batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from tunebench.core.records import record
from tunebench.sdk.batches import SampleBatch, SeriesKey, told_apart
from tunebench.sdk.ledger_book import LedgerBook
from tunebench.sdk.numbers import decode_rows
from tunebench.sdk.scanning.scanner import ScannedRows, ScanTable
from tunebench.sdk.spans import dense_spans, repeated_cells
from tunebench.sdk.text import decode_text

_FEWEST_ROWS = 256  # below this a batch of their own costs more than adding them one by one
_MOST_NAMED = 8  # sets of things whose series are remembered: pages and the blocks between them take turns


@record
class _Rows:
    numbers: NDArray[np.float64]  # [rows, columns]
    readable: NDArray[np.bool_]
    time: NDArray[np.int64]  # index of the row's time
    key: NDArray[np.int64]

    def before(self, later: _Rows) -> _Rows:
        """These rows, of one time, and those of later times."""
        return _Rows(
            np.concatenate([self.numbers, later.numbers]),
            np.concatenate([self.readable, later.readable]),
            np.concatenate([self.time, later.time + 1]),
            np.concatenate([self.key, later.key]),
        )


@record
class _LastTime:
    """Rows of a scanner that wait for companions: all of one time."""

    rows: _Rows
    keys: tuple[bytes, ...]
    time_ns: NDArray[np.int64]  # one
    since_boot: NDArray[np.bool_]
    line: NDArray[np.int64]


class TableBuilder:
    """Rows of one heading: (time, thing, numbers) -> `SampleBatch`.

    One builder serves one heading; when the heading changes, flush and make another (the same `table`
    name may be used again: the store puts equal series together).

    Args:
        table: name of the clock the rows share, unique within the capture.
        headings: the number columns' headings, in order, as the tool prints them in English.
        key_attribute: attribute that the rows' key fills (``"device"``), None for a table without keys.
        book: where unreadable rows are booked.
        column_attributes: per heading, further attributes (``(("group", "cpu"),)``).
        suffix_base: per heading, see `parse_cell`.
    """

    def __init__(
        self,
        table: str,
        headings: Sequence[str],
        key_attribute: str | None,
        book: LedgerBook,
        column_attributes: Sequence[tuple[tuple[str, str], ...]] | None = None,
        suffix_base: Sequence[float] | None = None,
    ) -> None:
        self.table = table
        self.headings = tuple(headings)
        self.key_attribute = key_attribute
        self._book = book
        self._attributes = _told_apart(self.headings, tuple(column_attributes or ((),) * len(self.headings)))
        self._suffix_base = suffix_base
        self._times: list[int] = []
        self._since_boot: list[bool] = []
        self._lines: list[int] = []
        self._row_time: list[int] = []  # index into _times
        self._row_line: list[int] = []
        self._keys: list[bytes] = []
        self._tails: list[bytes | NDArray[np.float64]] = []
        self._scanned_keys: Mapping[bytes, int] = {}  # keys of a scanner, and what each is called
        self._scanned_names: tuple[bytes, ...] = ()
        self._named: dict[tuple[bytes, ...], tuple[SeriesKey, ...]] = {}
        self._last_time: _LastTime | None = None

    def __len__(self) -> int:
        return len(self._tails) + (len(self._last_time.rows.time) if self._last_time else 0)

    def row(
        self, time_ns: int, line_number: int, key: bytes, tail: bytes | NDArray[np.float64], since_boot: bool = False
    ) -> None:
        """Adds one row; rows of one time follow each other.

        In a table without keys every row stands alone, also where two carry one time (a wrapper's stamps).

        Args:
            key: what the row is about (``b"sda"``), ``b""`` for a table without keys.
            tail: the row's text after stamp and key: only the numbers; or the numbers, float64[columns].
        """
        self._take_apart()
        times = self._times
        if not times or times[-1] != time_ns or self._since_boot[-1] != since_boot or self.key_attribute is None:
            times.append(time_ns)
            self._since_boot.append(since_boot)
            self._lines.append(line_number)
        self._row_time.append(len(times) - 1)
        self._row_line.append(line_number)
        self._keys.append(key)
        self._tails.append(tail)

    def rows(
        self,
        time_ns: int,
        first_line: int,
        keys: Sequence[bytes],
        tails: Sequence[bytes | NDArray[np.float64]],
        since_boot: bool = False,
    ) -> None:
        """Adds the rows of one time that stand on consecutive lines from `first_line` on; see `row`."""
        self._take_apart()
        times = self._times
        if not times or times[-1] != time_ns or self._since_boot[-1] != since_boot:
            times.append(time_ns)
            self._since_boot.append(since_boot)
            self._lines.append(first_line)
        count = len(keys)
        self._row_time.extend([len(times) - 1] * count)
        self._row_line.extend(range(first_line, first_line + count))
        self._keys.extend(keys)
        self._tails.extend(tails)

    def flush(self, final: bool = False) -> Iterator[SampleBatch]:
        """Gives the collected rows; unless `final`, the last time's rows wait for companions, if they have keys."""
        if final:
            self._take_apart()
        if not self._tails:
            return
        keep_from = len(self._tails)
        if not final and self.key_attribute is not None:
            last = self._row_time[-1]
            while keep_from and self._row_time[keep_from - 1] == last:
                keep_from -= 1
            if not keep_from:
                return
        yield from self._batch(keep_from)
        self._drop(keep_from)

    def _drop(self, rows: int) -> None:
        times_used = self._row_time[rows] if rows < len(self._tails) else len(self._times)
        del self._times[:times_used], self._since_boot[:times_used], self._lines[:times_used]
        del self._keys[:rows], self._tails[:rows], self._row_line[:rows]
        self._row_time = [index - times_used for index in self._row_time[rows:]]

    def _batch(self, rows: int) -> Iterator[SampleBatch]:
        numbers, readable = _numbers(self._tails[:rows], len(self.headings), self._suffix_base)
        for index in np.flatnonzero(~readable).tolist():
            text = b"%s %s" % (self._keys[index], self._tails[index])
            self._book.data_became_skipped("unreadable_numbers", self._row_line[index], text)
        row_time = np.asarray(self._row_time[:rows], dtype=np.int64)
        position, row_key = self._place_keys(rows, row_time)
        count = self._row_time[rows - 1] + 1
        yield from self._give(
            _Rows(numbers, readable, row_time, row_key),
            tuple(position),
            self._times[:count],
            self._since_boot[:count],
            self._lines[:count],
        )

    def scanned(
        self,
        rows: ScannedRows,
        times_ns: NDArray[np.int64],
        since_boot: NDArray[np.bool_],
        name_of: Callable[[bytes], bytes] = bytes,
    ) -> Iterator[SampleBatch]:
        """Many rows of a scanner at once, after those that were added before; see `row`.

        Args:
            times_ns: int64[rows]; rows of one time follow each other.
            since_boot: bool[rows].
            name_of: what the scanner's key is called, each by a name of its own.
        """
        if not len(times_ns):
            return
        keyed = self.key_attribute is not None
        begins = np.ones(len(times_ns), dtype=bool)
        if keyed:
            begins[1:] = (times_ns[1:] != times_ns[:-1]) | (since_boot[1:] != since_boot[:-1])
        names = self._names(rows.table, name_of) if keyed else (b"",)
        many, used = _many_times(rows, np.cumsum(begins) - 1, len(names))
        if len(used) < len(names):
            names = tuple(names[key] for key in used.tolist())
        if len(times_ns) < _FEWEST_ROWS or (keyed and _repeats(many)):
            self._take_apart()
            if keyed and self._times and (self._times[-1], self._since_boot[-1]) == (times_ns[0], since_boot[0]):
                begins[0] = False
            self._row_time += (np.cumsum(begins) + (len(self._times) - 1)).tolist()
            self._times += times_ns[begins].tolist()
            self._since_boot += since_boot[begins].tolist()
            self._lines += rows.lines[begins].tolist()
            self._row_line += rows.lines.tolist()
            self._keys += [names[key] for key in many.key.tolist()]
            self._tails += list(rows.values)
        else:
            yield from self._after_rows(many, names, times_ns[begins], since_boot[begins], rows.lines[begins])

    def _names(self, table: ScanTable, name_of: Callable[[bytes], bytes]) -> tuple[bytes, ...]:
        """What each of the table's keys is called, which is asked once."""
        if self._scanned_keys is not table.names:
            self._scanned_keys, self._scanned_names = table.names, ()
        new = islice(table.names, len(self._scanned_names), None)
        self._scanned_names += tuple(map(name_of, new))
        return self._scanned_names

    def _after_rows(
        self,
        rows: _Rows,
        keys: tuple[bytes, ...],
        times_ns: NDArray[np.int64],
        since_boot: NDArray[np.bool_],
        lines: NDArray[np.int64],
    ) -> Iterator[SampleBatch]:
        """The batches of these rows, after those that were added before; the last time's wait for companions."""
        keyed = self.key_attribute is not None
        last = self._last_time
        if last and last.keys == keys and (last.time_ns[0], last.since_boot[0]) != (times_ns[0], since_boot[0]):
            self._last_time = None
            rows = last.rows.before(rows)
            times_ns = np.concatenate([last.time_ns, times_ns])
            since_boot = np.concatenate([last.since_boot, since_boot])
            lines = np.concatenate([last.line, lines])
        self._take_apart()
        begin, end = 0, len(times_ns)
        if keyed and self._times and (self._times[-1], self._since_boot[-1]) == (times_ns[0], since_boot[0]):
            self._last_time = _time_of(rows, 0, keys, times_ns, since_boot, lines)
            self._take_apart()
            begin = 1
        if begin == end:
            return
        yield from self.flush(final=True)
        end -= keyed
        if begin < end:
            low, high = np.searchsorted(rows.time, (begin, end)).tolist()
            part = _Rows(
                rows.numbers[low:high], rows.readable[low:high], rows.time[low:high] - begin, rows.key[low:high]
            )
            yield from self._give(part, keys, times_ns[begin:end], since_boot[begin:end], lines[begin:end])
        if keyed:
            self._last_time = _time_of(rows, end, keys, times_ns, since_boot, lines)

    def _take_apart(self) -> None:
        """Adds the rows that wait one by one, so that others of the same time may follow."""
        last, self._last_time = self._last_time, None
        if last:
            named = [last.keys[key] for key in last.rows.key.tolist()]
            time_ns, since_boot, line = int(last.time_ns[0]), bool(last.since_boot[0]), int(last.line[0])
            self.rows(time_ns, line, named, list(last.rows.numbers), since_boot)

    def _give(
        self,
        rows: _Rows,
        keys: tuple[bytes, ...],
        times_ns: Sequence[int] | NDArray[np.int64],
        since_boot: Sequence[bool] | NDArray[np.bool_],
        lines: Sequence[int] | NDArray[np.int64],
    ) -> Iterator[SampleBatch]:
        """The batch of these rows, or several where things come and go; each time has rows."""
        spans = dense_spans(rows.time, rows.key, len(self.headings))
        if len(spans) < 2:
            yield from self._give_one(rows, keys, times_ns, since_boot, lines)
            return
        for low, high in spans:
            first, last = int(rows.time[low]), int(rows.time[high - 1]) + 1
            used, key = np.unique(rows.key[low:high], return_inverse=True)
            part = _Rows(rows.numbers[low:high], rows.readable[low:high], rows.time[low:high] - first, key)
            names = tuple(keys[index] for index in used.tolist())
            yield from self._give_one(part, names, times_ns[first:last], since_boot[first:last], lines[first:last])

    def _give_one(
        self,
        rows: _Rows,
        keys: tuple[bytes, ...],
        times_ns: Sequence[int] | NDArray[np.int64],
        since_boot: Sequence[bool] | NDArray[np.bool_],
        lines: Sequence[int] | NDArray[np.int64],
    ) -> Iterator[SampleBatch]:
        """The batch of these rows; a time of which no row could be read is left out."""
        readable, count = rows.readable, len(times_ns)
        if not readable.any():
            return
        alive: slice | NDArray[np.bool_] = slice(None)
        order = rows.key[: len(keys)]
        is_table = len(rows.key) == count * len(keys) and (rows.key.reshape(count, -1) == order).all()
        if is_table and readable.all():
            keys, cube = tuple(keys[key] for key in order.tolist()), rows.numbers  # a table of all things as it is
        else:
            cube = np.full((count, len(keys), len(self.headings)), np.nan)
            cube[rows.time[readable], rows.key[readable]] = rows.numbers[readable]
            alive = np.zeros(count, dtype=bool)
            alive[rows.time[readable]] = True
        yield SampleBatch(
            table=self.table,
            times_ns=np.asarray(times_ns, dtype=np.int64)[alive],
            series=self._series(keys),
            values=cube.reshape(count, -1)[alive],
            since_boot=np.asarray(since_boot, dtype=bool)[alive],
            line_numbers=np.asarray(lines, dtype=np.int64)[alive],
        )

    def _place_keys(self, rows: int, row_time: NDArray[np.int64]) -> tuple[dict[bytes, int], NDArray[np.int64]]:
        """Each key's column, each row's column.

        The second row of one thing at one time is named ``sda#2`` (tools do repeat themselves).
        """
        keys = self._keys[:rows]
        position = {key: index for index, key in enumerate(dict.fromkeys(keys))}
        row_key = np.fromiter(map(position.__getitem__, keys), dtype=np.int64, count=rows)
        if self.key_attribute is None or not len(repeated_cells(row_time * len(position) + row_key)):
            return position, row_key
        seen: dict[tuple[int, bytes], int] = {}
        named = []
        for index, key in zip(self._row_time, keys, strict=False):
            times = seen[index, key] = seen.get((index, key), 0) + 1
            named.append(key if times == 1 else key + b"#%d" % times)
        position = {key: index for index, key in enumerate(dict.fromkeys(named))}
        return position, np.fromiter(map(position.__getitem__, named), dtype=np.int64, count=rows)

    def _series(self, keys: tuple[bytes, ...]) -> tuple[SeriesKey, ...]:
        """The series of these keys; the same object for the same keys, batch after batch."""
        series = self._named.get(keys)
        if series is None:
            if len(self._named) >= _MOST_NAMED:
                self._named.clear()
            series = self._named[keys] = told_apart(tuple(self._name_series(keys)))
        return series

    def _name_series(self, keys: tuple[bytes, ...]) -> Iterator[SeriesKey]:
        for key in keys:
            own = ((self.key_attribute, decode_text(key)),) if self.key_attribute else ()
            for heading, attributes in zip(self.headings, self._attributes, strict=True):
                yield SeriesKey(self.table, heading, tuple(sorted((*own, *attributes))))


def _numbers(
    tails: Sequence[bytes | NDArray[np.float64]], columns: int, suffix_base: Sequence[float] | None
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """`decode_rows` of rows of which some are read already."""
    texts = [tail for tail in tails if isinstance(tail, bytes)]
    if len(texts) == len(tails):
        return decode_rows(texts, columns, suffix_base)
    read = np.concatenate([tail for tail in tails if not isinstance(tail, bytes)]).reshape(-1, columns)
    if not texts:
        return read, np.ones(len(read), dtype=bool)
    numbers, readable = np.empty((len(tails), columns)), np.ones(len(tails), dtype=bool)
    is_text = np.asarray([isinstance(tail, bytes) for tail in tails])
    numbers[~is_text] = read
    numbers[is_text], readable[is_text] = decode_rows(texts, columns, suffix_base)
    return numbers, readable


def _many_times(rows: ScannedRows, time: NDArray[np.int64], known: int) -> tuple[_Rows, NDArray[np.int64]]:
    """The rows of these times, and which of the known keys they are about; there may be many more."""
    used = np.flatnonzero(np.bincount(rows.keys, minlength=known))
    position = np.zeros(known, dtype=np.int64)
    position[used] = np.arange(len(used))
    return _Rows(rows.values, np.ones(len(time), dtype=bool), time, position[rows.keys]), used


def _time_of(
    rows: _Rows,
    index: int,
    keys: tuple[bytes, ...],
    times_ns: NDArray[np.int64],
    since_boot: NDArray[np.bool_],
    lines: NDArray[np.int64],
) -> _LastTime:
    """The rows of one of the times, copied: a part must not keep a scanner's whole array alive."""
    own, one = slice(*np.searchsorted(rows.time, (index, index + 1)).tolist()), slice(index, index + 1)
    part = _Rows(rows.numbers[own].copy(), rows.readable[own], rows.time[own] - index, rows.key[own])
    return _LastTime(part, keys, times_ns[one], since_boot[one], lines[one])


def _repeats(rows: _Rows) -> bool:
    """Whether a thing comes twice at one time."""
    return len(repeated_cells(rows.time * (int(rows.key.max(initial=0)) + 1) + rows.key)) > 0


def _told_apart(
    headings: tuple[str, ...], attributes: tuple[tuple[tuple[str, str], ...], ...]
) -> tuple[tuple[tuple[str, str], ...], ...]:
    """Attributes that make every column a series of its own: a heading's second stands in group ``#2``."""
    if len(set(zip(headings, attributes, strict=True))) == len(headings):
        return attributes
    seen: dict[tuple[str, tuple[tuple[str, str], ...]], int] = {}
    distinct = []
    for heading, own in zip(headings, attributes, strict=True):
        times = seen[heading, own] = seen.get((heading, own), 0) + 1
        group = {"group": f"{dict(own).get('group', '')}#{times}"} if times > 1 else {}
        distinct.append(tuple(sorted({**dict(own), **group}.items())))
    return tuple(distinct)
