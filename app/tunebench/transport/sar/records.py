"""The bytes of a binary sar file as records: what the machine was, samples, restarts, remarks.

    magic | header | activity x n | extra structures | record, record, ...

    record of 0x2175    uptime in 1/100 s, seconds since 1970, whether extra structures follow, type, hour minute second
        type 1          per activity: how many items (where it says so), then the items
        type 2          restart: how many processors
        type 4          remark: 64 bytes
        type 5 to 15    extra structures alone

Before 0x2175 an activity has the same number of items in each record, those that are not there being empty, and
uptimes count in ticks. Consecutive samples with the same numbers of items lie at equal distances: they are a `Block`
and are read at once.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tunebench.core.records import record
from tunebench.transport.containers.members import Damaged

from .formats import FIRST_OF_KINDS, SaFormat
from .structures import BASE_MAGIC, STRUCTURES, current_layout, old_layout

Items = dict[str, NDArray[Any]]
"""Counters of an activity by name, each [records, items]."""

CPU, IRQ, FREQUENCIES = 1, 3, 35
_STATS, _RESTART, _LAST_STATS, _COMMENT, _EXTRA = 1, 2, 3, 4, range(5, 16)
_COMMENT_BYTES = 64
_NAME_BYTES = 65
_ZONE_BYTES = 8
_TICKS_PER_S = 100  # of the kernel's accounts on every machine that Linux's sar runs on today
_FIRST_SECOND = 1_000_000_000
_MOST_ACTIVITIES, _MOST_ITEMS, _MOST_SUB_ITEMS, _MOST_ITEM_BYTES = 256, 65536 * 4096, 4096, 1024
_MOST_HEADER_BYTES, _MOST_STRUCTURE_BYTES, _MOST_EXTRAS = 8192, 1024, 8192
_MOST_RECORD_BYTES = 256 << 20
_BLOCK_BYTES = 4 << 20
_MOST_RECORDS = 512
_EXTRA_FORM = "IIIIII"


@record
class Machine:
    """What the header says; the zone is empty where it does not."""

    started: int
    processors: int
    """With "all": 1 on a machine of one that cannot have more."""
    host: str
    system: str
    release: str
    machine: str
    zone: str


@record
class Activity:
    """One activity of the file; `layout` is None where it is not known."""

    id: int
    magic: int
    items: int
    sub_items: int
    size: int
    counted: bool
    layout: np.dtype[np.void] | None
    partly: bool = False

    def bytes_of(self, items: int) -> int:
        return self.size * items * self.sub_items


@record
class Block:
    """Samples one after another with the same numbers of items.

    Attributes:
        seconds: int64[n] since 1970.
        uptimes: uint64[n], in 1/100 s.
        activities: id -> its items; of matrices the items are processor after processor.
        rows: of matrices, how many items a processor has.
    """

    seconds: NDArray[np.int64]
    uptimes: NDArray[np.uint64]
    activities: dict[int, Items]
    rows: dict[int, int]

    def __len__(self) -> int:
        return len(self.seconds)

    def between(self, start: int, end: int) -> Block:
        """The samples from `start` up to, without, `end`."""
        where = slice(start, end)
        own = {
            activity: {name: column[where] for name, column in items.items()}
            for activity, items in self.activities.items()
        }
        return Block(self.seconds[where], self.uptimes[where], own, self.rows)


@record
class Restart:
    """`processors` is counted as in `Machine`."""

    seconds: int
    processors: int


@record
class Remark:
    seconds: int
    text: bytes


class _Window:
    """The bytes that came and were not read yet."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = iter(pieces)
        self.data = b""
        self.place = 0

    def has(self, size: int, ahead: int = 0) -> bool:
        """Whether `size` bytes are left; where there are fewer, `ahead` more are asked for."""
        left = len(self.data) - self.place
        if left >= size:
            return True
        parts = [self.data[self.place :]]
        for piece in self._pieces:
            parts.append(piece)
            left += len(piece)
            if left >= size + ahead:
                break
        self.data, self.place = b"".join(parts), 0
        return left >= size

    def take(self, size: int) -> bytes:
        """Raises Damaged where they are not there."""
        if not self.has(size, _BLOCK_BYTES):
            raise Damaged("cut_off")
        self.place += size
        return self.data[self.place - size : self.place]


@record
class _Head:
    """One record's header."""

    uptime: int
    seconds: int
    kind: int
    extra: bool


class Records:
    """Reads one file, once.

    Attributes:
        machine: what its header says.
        unread: activities (their ids) of which something is not known here.
    """

    def __init__(self, pieces: Iterable[bytes], file: SaFormat) -> None:
        """Raises Damaged where the headers cannot be read."""
        self._bytes = _Window(pieces)
        self._order = ">" if file.big_endian else "<"
        self._old = not file.is_of_kinds
        self._version = file.version
        self._long = 8
        self._after_restart = 0
        self._counts: list[int] = []
        self.machine, self._activities = self._read_old_head(file.word) if self._old else self._read_head()
        self.unread = sorted({one.id for one in self._activities if one.layout is None or one.partly})
        self._counts = [one.items for one in self._activities]

    def __iter__(self) -> Iterator[Block | Restart | Remark]:
        """Raises Damaged behind what could be read."""
        while self._bytes.has(1, _BLOCK_BYTES):
            head = self._head(self._bytes.take(self._head_bytes))
            if head.kind == _RESTART:
                yield self._restart(head)
            elif head.kind == _COMMENT:
                yield Remark(head.seconds, self._bytes.take(_COMMENT_BYTES))
                self._skip_extras(head.extra)
            else:
                self._skip_extras(head.extra)
                if head.kind in (_STATS, _LAST_STATS):
                    yield self._block(head)

    # -- what stands before the records ------------------------------------------------------------

    def _numbers(self, form: str, data: bytes, offset: int = 0) -> tuple[int, ...]:
        if offset + struct.calcsize(f"={form}") > len(data):
            raise _impossible("header")
        return struct.unpack_from(self._order + form, data, offset)

    def _read_head(self) -> tuple[Machine, list[Activity]]:
        magic = self._bytes.take(76)
        header_bytes, _, *kinds = self._numbers("IIIII", magic, 8)
        if not 0 < header_bytes <= _MOST_HEADER_BYTES or _kind_bytes(kinds) > header_bytes:
            raise _impossible("header")
        header = self._bytes.take(header_bytes)
        (started,) = self._numbers("Q", header)
        offset = 8 * (kinds[0] + kinds[1])
        ints = self._numbers(f"{min(kinds[2], 12)}I", header, offset)
        if len(ints) < 11:
            raise _impossible("header")
        processors, count, _, *rest = ints
        activity_kinds, record_kinds, (activity_bytes, self._head_bytes) = rest[:3], rest[3:6], rest[6:8]
        words = header[offset + 4 * kinds[2] :]
        if (
            count > _MOST_ACTIVITIES
            or not 36 <= activity_bytes <= _MOST_STRUCTURE_BYTES
            or not 20 <= self._head_bytes <= _MOST_STRUCTURE_BYTES
            or _kind_bytes(activity_kinds) > activity_bytes
            or _kind_bytes(record_kinds) > self._head_bytes
            or len(words) < 3 + 4 * _NAME_BYTES
        ):
            raise _impossible("header")
        self._record_kinds = record_kinds
        self._long = 8 if words[2] == 8 else 4
        machine = self._machine(started, processors, words[3:], zone=True)
        offset = 8 * (activity_kinds[0] + activity_kinds[1])
        listed = [self._activity(self._bytes.take(activity_bytes)[offset:]) for _ in range(count)]
        self._skip_extras(len(ints) > 11 and bool(ints[11]))
        return machine, listed

    def _activity(self, data: bytes) -> Activity:
        number, magic, items, sub_items, counted, size, *kinds = self._numbers("IIiiiiIII", data)
        if not _is_possible(items, sub_items, size) or _kind_bytes(kinds) > size:
            raise _impossible(f"activity {number}")
        layout, partly = None, False
        if number in STRUCTURES:
            counts = (kinds[0], kinds[1], kinds[2])
            layout = current_layout(
                number, magic, size, counts, self._order, self._long, is_first=self._version == FIRST_OF_KINDS
            )
            expected = (len(names.split()) for names in STRUCTURES[number].kinds)
            partly = number != IRQ and any(have > own for have, own in zip(counts, expected, strict=True))
        return Activity(number, magic, items, sub_items, size, bool(counted), layout, partly)

    def _read_old_head(self, word: int) -> tuple[Machine, list[Activity]]:
        self._bytes.take(8)
        self._head_bytes = 48
        header_bytes, names_at = 280, 16
        if word == 0x2173:
            (header_bytes,) = self._numbers("I", self._bytes.take(68))
            names_at = 24
            if not names_at + 4 * _NAME_BYTES <= header_bytes <= _MOST_HEADER_BYTES:
                raise _impossible("header")
        header = self._bytes.take(header_bytes)
        self._long = 8 if header[names_at - 1] == 8 else 4
        (started,) = self._numbers("Q" if self._long == 8 else "I", header)
        processors, count = 0, self._numbers("I", header, 8)[0]
        if word == 0x2173:
            processors, count, self._after_restart = self._numbers("III", header, 8)
        if not 0 < count <= _MOST_ACTIVITIES or self._after_restart > _MOST_ACTIVITIES:
            raise _impossible("header")
        self._with_magic = word in (0x2171, 0x2173)
        listed = [self._old_activity(self._bytes.take(20 if self._with_magic else 12)) for _ in range(count)]
        own = next((one.items for one in listed if one.id == CPU), 0)
        return self._machine(started, own or processors, header[names_at:], zone=False), listed

    def _old_activity(self, data: bytes) -> Activity:
        if self._with_magic:
            number, magic, items, sub_items, size = self._numbers("IIiii", data)
        else:
            (number, items, size), magic, sub_items = self._numbers("Iii", data), BASE_MAGIC, 1
        if not _is_possible(items, sub_items, size):
            raise _impossible(f"activity {number}")
        is_known = number in STRUCTURES
        layout = old_layout(number, magic, size, self._order, self._long) if is_known else None
        return Activity(number, magic, items, sub_items, size, False, layout)

    def _machine(self, started: int, processors: int, words: bytes, *, zone: bool) -> Machine:
        names = [printable(words[start : start + _NAME_BYTES]) for start in range(0, 4 * _NAME_BYTES, _NAME_BYTES)]
        system, host, release, machine = names
        behind = words[4 * _NAME_BYTES : 4 * _NAME_BYTES + _ZONE_BYTES] if zone else b""
        return Machine(started, processors, host, system, release, machine, printable(behind))

    # -- records -----------------------------------------------------------------------------------

    def _head(self, data: bytes) -> _Head:
        if self._old:
            uptime, seconds = (
                self._numbers("Q", data, 16)[0],
                self._numbers("Q" if self._long == 8 else "I", data, 32)[0],
            )
            uptime, extra, words = uptime * 100 // _TICKS_PER_S, 0, data[40:44]
        else:
            kinds = self._record_kinds
            uptime, seconds = self._numbers("QQ", data)
            offset = 8 * (kinds[0] + kinds[1])
            extra = self._numbers("I", data, offset)[0] if kinds[2] else 0
            words = data[offset + 4 * kinds[2] :][:4]
        if len(words) < 4 or not 0 < words[0] < _EXTRA.stop or seconds < _FIRST_SECOND or seconds >> 34:
            raise _impossible("record")
        if words[1] > 23 or words[2] > 59 or words[3] > 60:
            raise _impossible("record")
        return _Head(uptime, seconds, words[0], bool(extra))

    def _skip_extras(self, there: bool) -> None:
        """Passes by structures that no sysstat of today has a use for."""
        while there:
            count, size, there_too, *kinds = self._numbers(_EXTRA_FORM, self._bytes.take(24))
            if count > _MOST_EXTRAS or size > _MOST_STRUCTURE_BYTES or _kind_bytes(kinds) > size:
                raise _impossible("extra structure")
            self._bytes.take(count * size)
            there = bool(there_too)

    def _restart(self, head: _Head) -> Restart:
        if not self._old:
            (processors,) = self._numbers("i", self._bytes.take(4))
            self._skip_extras(head.extra)
        else:
            for _ in range(self._after_restart):
                again = self._numbers("IIiii", self._bytes.take(20))
                self._change_items(again[0], again[2])
            processors = next((n for a, n in zip(self._activities, self._counts, strict=True) if a.id == CPU), 0)
        if not 0 <= processors <= _MOST_ITEMS:
            raise _impossible("restart")
        return Restart(head.seconds, processors)

    def _change_items(self, number: int, items: int) -> None:
        for index, one in enumerate(self._activities):
            if one.id == number and 0 < items <= _MOST_ITEMS:
                self._counts[index] = items

    def _block(self, first: _Head) -> Block:
        """The sample behind the header just read and those like it."""
        window = self._bytes
        size, extents, counted = self._extents()
        step, end, heads = self._head_bytes + size, window.place, [first]
        start = end - size
        while len(heads) < _MOST_RECORDS and len(window.data) - end >= step:
            head = self._head(window.data[end : end + self._head_bytes])
            base = end + self._head_bytes
            alike = (
                head.kind in (_STATS, _LAST_STATS)
                and not head.extra
                and all(self._numbers("i", window.data, base + offset)[0] == count for offset, count in counted)
            )
            if not alike:
                break
            heads.append(head)
            end += step
        window.place = end
        return self._columns(heads, start, step, extents)

    def _extents(self) -> tuple[int, list[tuple[int, int, Activity]], list[tuple[int, int]]]:
        """Bytes of the sample here; (offset, items, activity) of what is known; (offset, count) of the counts in it.

        An offset is counted from the first byte behind the record's header.
        """
        extents: list[tuple[int, int, Activity]] = []
        counted: list[tuple[int, int]] = []
        window, size = self._bytes, 0
        for one, listed in zip(self._activities, self._counts, strict=True):
            items = listed
            if one.counted:
                if not window.has(size + 4, _BLOCK_BYTES):
                    raise Damaged("cut_off")
                (items,) = self._numbers("i", window.data, window.place + size)
                counted.append((size, items))
                size += 4
            if not 0 <= items <= _MOST_ITEMS:
                raise _impossible(f"activity {one.id}")
            if one.layout is not None and items:
                extents.append((size, items, one))
            size += one.bytes_of(items)
            if size > _MOST_RECORD_BYTES:
                raise _impossible(f"activity {one.id}")
        if not window.has(size, _BLOCK_BYTES):
            raise Damaged("cut_off")
        window.place += size
        return size, extents, counted

    def _columns(self, heads: list[_Head], start: int, step: int, extents: list[tuple[int, int, Activity]]) -> Block:
        activities: dict[int, Items] = {}
        rows: dict[int, int] = {}
        for offset, items, one in extents:
            assert one.layout is not None
            many = items * one.sub_items
            view: NDArray[np.void] = np.ndarray(
                (len(heads), many), one.layout, self._bytes.data, start + offset, (step, one.size)
            )
            activities[one.id] = {
                name: np.ascontiguousarray(view[name], view[name].dtype.newbyteorder("="))
                for name in one.layout.names or ()
            }
            rows[one.id] = one.sub_items
            if one.id == IRQ and "name" not in activities[one.id]:
                rows[one.id] = many  # all interrupts of all processors together
        return Block(
            np.asarray([head.seconds for head in heads], dtype=np.int64),
            np.asarray([head.uptime for head in heads], dtype=np.uint64),
            activities,
            rows,
        )


def printable(data: bytes) -> str:
    """Up to the first NUL; a quotation mark and what cannot be printed is a point."""
    text = data.partition(b"\0")[0].decode("utf-8", "replace")
    return "".join(char if char.isprintable() and char != '"' else "." for char in text).removesuffix("\\")


def _impossible(part: str) -> Damaged:
    return Damaged("sar_contents", part)


def _kind_bytes(kinds: Iterable[int]) -> int:
    return sum(count * width for count, width in zip(kinds, (8, 8, 4), strict=True))


def _is_possible(items: int, sub_items: int, size: int) -> bool:
    return 0 < items <= _MOST_ITEMS and 0 < sub_items <= _MOST_SUB_ITEMS and 0 < size <= _MOST_ITEM_BYTES
