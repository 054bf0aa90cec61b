"""The scanner that was compiled from `scan.c`: its memory, and the calls.

Rows and marks are written into arrays of a fixed size, and what was read is given out as parts of them, without a copy;
a full array is left to those who hold parts of it, and a new one made.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tunebench.core.paths import compiled_folder
from tunebench.sdk.scanning.scanner import (
    MOST_FIELDS,
    MOST_MARKS,
    MOST_TABLES,
    Dialect,
    Form,
    Mark,
    Scan,
    ScannedRows,
    Scanner,
    ScanTable,
    check_starts,
)

SOURCE = Path(__file__).with_name("scan.c")
_ROOM = 1 << 18  # numbers in the rows of one table before an array is full
_MOST_ROWS, _MARKS = 1 << 16, 1 << 14  # likewise
_ROOMY_TABLES = 8  # as many have that room each
_FEWEST_SLOTS = 64
_FULL, _NEW_KEY, _AT_OTHER = 2, 3, 1
_LONGEST = np.iinfo(np.int64).max
_DIGIT, _BLANK, _SIGN, _DECIMAL, _PART, _SUFFIX = range(1, 7)

_Number = TypeVar("_Number", np.uint8, np.int64)

_address = ctypes.c_void_p
_count = ctypes.c_int64
_TEXTS = (ctypes.c_char_p, _address, _count)


class _Mark(ctypes.Structure):
    _fields_ = [
        ("line", _address),
        ("varies", _address),
        ("most", _address),
        ("length", _count),
        ("fields", _count),
        ("table", _count),
    ]


class _Names(ctypes.Structure):
    _fields_ = [("text", _address), ("ends", _address), ("slots", _address), ("slot_mask", _count), ("count", _count)]


class _Table(ctypes.Structure):
    _fields_ = [
        ("columns", _count),
        ("cells", _address),
        ("cell_count", _count),
        ("key", _count),
        ("key_cells", _count),
        ("words", _count),
        ("indented", _count),
        ("stamp", _Mark),
        ("stamp_first", _count),
        ("factors", _address),
        ("keys", _Names),
        ("values", _address),
        ("lines", _address),
        ("row_keys", _address),
        ("row_fields", _address),
        ("rows", _count),
        ("room", _count),
        ("touched", _count),
        ("shortest", _count),
    ]


class _Scan(ctypes.Structure):
    _fields_ = [
        ("kinds", _address),
        ("suffixes", _count),
        ("shifts", _address),
        ("separated", _count),
        ("absent", _address),
        ("marks", _address),
        ("mark_count", _count),
        ("tables", _address),
        ("tags", _Names),
        ("tag_tables", _address),
        ("tag", _count),
        ("current", _count),
        ("asking", _count),
        ("touched", _address),
        ("touched_count", _count),
        ("event_marks", _address),
        ("event_lines", _address),
        ("event_fields", _address),
        ("events", _count),
        ("event_room", _count),
        ("stops_at_blanks", _count),
        ("at", _count),
        ("lines", _count),
        ("blanks", _count),
        ("key_begin", _count),
        ("key_end", _count),
        ("rest_begin", _count),
        ("rest_end", _count),
    ]


def library_path() -> Path:
    """Where the library of this very source is, if it was built: a changed source never finds an old one."""
    return compiled_folder() / f"scan-{_fingerprint()}.so"


@cache
def _fingerprint() -> str:
    try:
        return hashlib.sha256(SOURCE.read_bytes()).hexdigest()[:16]
    except OSError:  # a bundle without sources
        return "unknown"


@cache
def load(path: Path) -> ctypes.CDLL | None:
    """The library; None where there is none, or this machine cannot load it."""
    try:
        library = ctypes.CDLL(os.fspath(path))
    except OSError:
        return None
    library.scan_lines.argtypes = [ctypes.POINTER(_Scan), ctypes.c_char_p, _count]
    library.scan_lines.restype = _count
    library.scan_alike.argtypes = [ctypes.POINTER(_Scan), *_TEXTS, *_TEXTS, _address]
    library.scan_alike.restype = _count
    library.scan_place_name.argtypes = [ctypes.POINTER(_Names), _count]
    library.scan_place_name.restype = _count
    library.count_rows.argtypes = [ctypes.c_char_p, _count, ctypes.POINTER(_count)]
    library.count_rows.restype = None
    library.count_line_ends.argtypes = [ctypes.c_char_p, _count]
    library.count_line_ends.restype = _count
    library.column_forms.argtypes = [_address, *[_count] * 4, *[_address] * 3]
    library.column_forms.restype = None
    library.bin_columns.argtypes = [_address, *[_count] * 4, *[_address] * 4]
    library.bin_columns.restype = None
    return library


class _MarkMemory:
    """The arrays of one mark."""

    def __init__(self, mark: Mark) -> None:
        self._table = -1 if mark.table is None else mark.table.number
        self._line = np.frombuffer(mark.line, dtype=np.uint8)
        self._varies = np.zeros(len(mark.line), dtype=np.uint8)
        for number, field in enumerate(mark.fields, 1):
            self._varies[field.start : field.stop] = number
        self._most = np.array([field.most for field in mark.fields], dtype=np.int64)

    def tell(self, state: _Mark) -> None:
        state.line, state.varies = self._line.ctypes.data, self._varies.ctypes.data
        state.most = self._most.ctypes.data
        state.length, state.fields, state.table = len(self._line), len(self._most), self._table


class _NamesMemory:
    """The arrays of some names."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self._library = library
        self._used = 0
        self._text: NDArray[np.uint8] = np.zeros(_FEWEST_SLOTS, dtype=np.uint8)
        self._ends: NDArray[np.int64] = np.zeros(_FEWEST_SLOTS, dtype=np.int64)
        self._slots = np.full(_FEWEST_SLOTS, -1, dtype=np.int32)

    def tell(self, state: _Names) -> None:
        state.text, state.ends = self._text.ctypes.data, self._ends.ctypes.data
        state.slots, state.slot_mask = self._slots.ctypes.data, len(self._slots) - 1

    def forget(self, state: _Names) -> None:
        state.count = self._used = 0
        self._slots.fill(-1)

    def add(self, state: _Names, name: bytes) -> bool:
        """Gives the name the next number; whether it will be found."""
        number, end = state.count, self._used + len(name)
        if end > len(self._text):
            self._text = _longer(self._text, end)
        if number >= len(self._ends):
            self._ends = _longer(self._ends, number + 1)
        self._text[self._used : end] = np.frombuffer(name, dtype=np.uint8)
        self._ends[number] = self._used = end
        crowded = 2 * (number + 1) > len(self._slots)
        if crowded:
            self._slots = np.full(4 * len(self._slots), -1, dtype=np.int32)
        self.tell(state)
        state.count = number + 1
        places = range(number + 1) if crowded else (number,)
        placed = [self._library.scan_place_name(ctypes.byref(state), index) for index in places]
        return bool(placed[-1])


class _TableMemory:
    """The arrays of one table; `state` points at them."""

    def __init__(self, table: ScanTable, state: _Table, library: ctypes.CDLL) -> None:
        self.table = table
        self.state = state
        self.stamp: Mark | None = None
        self._stamp_memory: _MarkMemory | None = None
        self._taken = 0
        self.names = table.names
        self._keys = _NamesMemory(library)
        state.columns, state.key, state.key_cells = table.columns, int(table.key), table.key_cells
        state.words, state.indented = table.words, int(table.indented)
        self._cells = np.array(table.cells, dtype=np.uint8)
        state.cells, state.cell_count = self._cells.ctypes.data, len(self._cells)
        state.factors, state.shortest = table.factors.ctypes.data, _LONGEST
        self._keys.tell(state.keys)
        self._values = np.empty((0, table.columns))
        self._lines = np.empty(0, dtype=np.int64)
        self._row_keys = np.empty(0, dtype=np.int32)
        self._row_fields = np.empty((0, MOST_FIELDS), dtype=np.int64)

    def take_stamp(self) -> None:
        """The table's rows have another stamp than before, or none."""
        self.stamp = self.table.stamp
        self._stamp_memory = None if self.stamp is None else _MarkMemory(self.stamp)
        if self._stamp_memory is None:
            self.state.stamp.length = 0
        else:
            self._stamp_memory.tell(self.state.stamp)
        self.state.stamp_first = self.table.stamp_first

    def forget_keys(self) -> None:
        self.names = self.table.names
        self._keys.forget(self.state.keys)

    def renew(self, tables: int, wanted: int = 1) -> None:
        """New arrays for rows where the old have no room for as many, and all is taken; all tables share what there
        is."""
        state = self.state
        if state.room - state.rows >= wanted:
            return
        rows = min(_ROOM // max(self.table.columns, 1), _MOST_ROWS)
        room = max(rows * _ROOMY_TABLES // max(tables, _ROOMY_TABLES), 1)
        self._values = np.empty((room, self.table.columns))
        self._lines = np.empty(room, dtype=np.int64)
        self._row_keys = np.empty(room, dtype=np.int32)
        self._row_fields = np.empty((room, MOST_FIELDS), dtype=np.int64)
        state.row_fields = self._row_fields.ctypes.data
        state.values, state.lines = self._values.ctypes.data, self._lines.ctypes.data
        state.row_keys = self._row_keys.ctypes.data
        state.rows, state.room = 0, room
        self._taken = 0

    def take(self, tables: int) -> ScannedRows:
        """The new rows. The next text is likely to have as many: it is read at once where they fit."""
        new = slice(self._taken, self.state.rows)
        shortest, self.state.shortest, self._taken = self.state.shortest, _LONGEST, new.stop
        self.state.touched = 0
        fields = self._row_fields[new if self.table.stamp is not None else slice(0)]
        rows = ScannedRows(self.table, self._lines[new], self._row_keys[new], self._values[new], fields, shortest)
        self.renew(tables, new.stop - new.start)
        return rows

    def learn(self, key: bytes) -> bool:
        """Whether rows of this key will be read from now on."""
        if key in self.table.names or self.table.learn(key) is None:
            return False  # known, and yet not found: too many keys have its place; or refused
        return self._keys.add(self.state.keys, key)


class CompiledReader:
    """Many lines with one call."""

    def __init__(self, dialect: Dialect, library: ctypes.CDLL) -> None:
        self._library = library
        self._tables: list[_TableMemory] = []
        self._table_states = (_Table * _FEWEST_SLOTS)()
        self._touched = np.empty(MOST_TABLES, dtype=np.int32)
        self._tags = _NamesMemory(library)
        self._tag_tables = np.empty(_FEWEST_SLOTS, dtype=np.int32)
        self._known_tags: dict[bytes, ScanTable] = {}
        self._mark_states = (_Mark * MOST_MARKS)()
        self._mark_memory: dict[Mark, _MarkMemory] = {}
        self._kinds = _kinds(dialect)
        absent = b"".join(bytes([len(mark)]) + mark for mark in dialect.absent if 0 < len(mark) < 256) + b"\0"
        self._absent = np.frombuffer(absent, dtype=np.uint8)
        self._taken = 0
        state = self._state = _Scan()
        state.kinds, state.absent = self._kinds.ctypes.data, self._absent.ctypes.data
        state.suffixes, state.separated = len(dialect.suffixes), bool(dialect.separator)
        self._shifts = np.array(dialect.shifts, dtype=np.int64)
        state.shifts = self._shifts.ctypes.data if dialect.shifts else None
        state.touched, state.tag = self._touched.ctypes.data, -1
        state.marks, state.tables = ctypes.addressof(self._mark_states), ctypes.addressof(self._table_states)
        self._renew()

    def changed(self, scanner: Scanner) -> None:
        for table in scanner.tables[len(self._tables) : MOST_TABLES]:
            if table.number >= len(self._table_states):
                self._add_states()
            self._tables.append(_TableMemory(table, self._table_states[table.number], self._library))
        for own in self._tables:
            if own.table.stamp is not own.stamp:
                own.take_stamp()
            if own.table.names is not own.names:
                own.forget_keys()
        self._mark_memory = {mark: self._mark_memory.get(mark) or _MarkMemory(mark) for mark in scanner.marks}
        for state, memory in zip(self._mark_states, self._mark_memory.values(), strict=False):
            memory.tell(state)
        self._state.mark_count = len(scanner.marks)
        if scanner.tags != self._known_tags:
            self._take_tags(scanner.tags)

    def _add_states(self) -> None:
        states = (_Table * (2 * len(self._table_states)))()
        ctypes.memmove(states, self._table_states, ctypes.sizeof(self._table_states))
        for memory, state in zip(self._tables, states, strict=False):
            memory.state = state
        self._table_states, self._state.tables = states, ctypes.addressof(states)

    def _take_tags(self, tags: dict[bytes, ScanTable]) -> None:
        """A tag stays, and so does its number; its table may be another."""
        state = self._state
        for tag in tuple(tags)[len(self._known_tags) :]:
            self._tags.add(state.tags, tag)
        self._tag_tables = np.array([table.number for table in tags.values()], dtype=np.int32)
        state.tag_tables = self._tag_tables.ctypes.data
        self._known_tags = dict(tags)

    def scan(self, scanner: Scanner, text: bytes, at: int, first_line: int) -> Scan:
        state, opened = self._state, scanner.open_table
        state.at, state.lines, state.blanks = at, first_line, 0
        state.stops_at_blanks = scanner.stops_at_blanks
        state.current = -1 if opened is None or opened.number >= MOST_TABLES else opened.number
        stop = self._library.scan_lines(ctypes.byref(state), text, len(text))
        while stop == _NEW_KEY and self._tables[state.asking].learn(_new_key(text, state)):
            stop = self._library.scan_lines(ctypes.byref(state), text, len(text))
        if state.lines > first_line:
            scanner.open_table = scanner.tables[state.current] if state.current >= 0 else None
        new = slice(self._taken, state.events)
        self._taken = new.stop
        scan = Scan(
            state.at,
            state.lines - first_line,
            state.blanks,
            stop in (_AT_OTHER, _NEW_KEY),
            self._marks[new],
            self._mark_lines[new],
            self._fields[new],
            tuple(self._take_rows()),
        )
        state.touched_count = 0
        if stop == _FULL:
            self._renew()
        return scan

    def _take_rows(self) -> Iterator[ScannedRows]:
        for number in sorted(self._touched[: self._state.touched_count].tolist()):
            yield self._tables[number].take(len(self._tables))

    def alike(self, form: Form, text: bytes, starts: NDArray[np.int64]) -> NDArray[np.float64]:
        starts, numbers = check_starts(text, starts), len(form.parts) - 1
        most = min(len(starts) - 1, int(starts[-1] - starts[0]) // form.shortest)
        values = np.empty((most, numbers))
        arguments = (b"".join(form.parts), form.ends.ctypes.data, numbers, text, starts.ctypes.data, most)
        return values[: self._library.scan_alike(ctypes.byref(self._state), *arguments, values.ctypes.data)]

    def _renew(self) -> None:
        """New arrays for those that are full."""
        state = self._state
        if state.events == state.event_room:
            self._marks = np.empty(_MARKS, dtype=np.int32)
            self._mark_lines = np.empty(len(self._marks), dtype=np.int64)
            self._fields = np.empty((len(self._marks), MOST_FIELDS), dtype=np.int64)
            state.event_marks, state.event_lines = self._marks.ctypes.data, self._mark_lines.ctypes.data
            state.event_fields = self._fields.ctypes.data
            state.events, state.event_room = 0, len(self._marks)
            self._taken = 0
        if 0 <= state.asking < len(self._tables):
            self._tables[state.asking].renew(len(self._tables))


def _new_key(text: bytes, state: _Scan) -> bytes:
    word, rest = text[state.key_begin : state.key_end], text[state.rest_begin : state.rest_end]
    return b"%b %b" % (word, rest) if rest else word


def _kinds(dialect: Dialect) -> NDArray[np.uint8]:
    kinds = np.zeros(256, dtype=np.uint8)
    kinds[ord("0") : ord("9") + 1] = _DIGIT
    kinds[list(b" \t")] = _BLANK
    kinds[list(b"+-")] = _SIGN
    kinds[list(dialect.decimal_signs)] = _DECIMAL
    for number, suffix in enumerate(dialect.suffixes):
        kinds[suffix] = _SUFFIX + number
    kinds[list(dialect.separator)] = _PART
    return kinds


def _longer(array: NDArray[_Number], least: int) -> NDArray[_Number]:
    added: NDArray[_Number] = np.zeros(max(len(array), least - len(array)), dtype=array.dtype)
    return np.concatenate([array, added])
