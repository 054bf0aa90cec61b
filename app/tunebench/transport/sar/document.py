"""A binary sar file as the text that ``sadf -j -C -- -A`` prints of it: lines to read and to point at.

What a figure is made of and the file does not keep is left out, where `sadf` prints 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tunebench.transport.containers.members import Damaged

from .figures import ACTIVITIES, Pair, Reading, Table, cpu_total
from .formats import SaFormat
from .records import CPU, IRQ, Block, Items, Machine, Records, Remark, Restart, printable

_SERIAL, _DISK, _NETWORK, _NETWORK_ERRORS, _SOFTNET = 10, 11, 12, 13, 39
_KEYS = {
    IRQ: ("name",),
    **dict.fromkeys((31, 32, 33), ("device",)),
    _SERIAL: ("line",),
    _DISK: ("major", "minor"),
    _NETWORK: ("iface",),
    _NETWORK_ERRORS: ("iface",),
    36: ("bus", "vendor", "product", "maker", "name"),
    37: ("name",),
    38: ("name",),
    43: ("id", "status"),
}
"""What tells an activity's items apart; those of others are told by their place."""
_LOOKED_UP = frozenset({_SERIAL, _DISK, _NETWORK, _NETWORK_ERRORS, 38})
_PROCESSORS = frozenset({CPU, _SOFTNET})
_SWITCHED = frozenset({CPU, _SOFTNET, IRQ})
"""Whose processors may be switched off and on."""
_EMPTY = {_SERIAL: "line", _NETWORK: "iface", _NETWORK_ERRORS: "iface", 36: "bus", 37: "blocks", 38: "name"}
"""The counter that is 0 or empty in a place that formats before 0x2175 leave free."""
_COMES_AGAIN = {
    _NETWORK: ("rxpck", "txpck", "rx_bytes", "tx_bytes", "rxcmp", "txcmp", "rxmcst"),
    _NETWORK_ERRORS: ("txerr", "coll", "rxdrop", "txdrop", "txcarr", "rxfram", "rxfifo", "txfifo"),
}
_HALF = np.uint64(2**63 - 1)


class SarText:
    """The text of one file, once.

    Attributes (valid after the last piece):
        damage: where the bytes end too early, or cannot be what they are; all before was printed.
        unread: activities (their numbers in sysstat) that are not known here, or of which something is not.
        samples: how many were printed.
    """

    def __init__(self, pieces: Iterable[bytes], file: SaFormat) -> None:
        self.damage: Damaged | None = None
        self.unread: list[int] = []
        self.samples = 0
        self._pieces = pieces
        self._file = file
        self._last: Block | None = None
        self._restarts: list[str] = []
        self._remarks: list[str] = []

    def __iter__(self) -> Iterator[bytes]:
        """Raises Damaged where already the headers cannot be read."""
        records = Records(self._pieces, self._file)
        self.unread = records.unread
        yield _head(records.machine).encode()
        try:
            for record in records:
                yield from self._texts(record)
        except Damaged as damage:
            self.damage = damage
        yield _tail(self._restarts, self._remarks).encode()

    def _texts(self, record: Block | Restart | Remark) -> Iterator[bytes]:
        if isinstance(record, Restart):
            self._last = None
            self._restarts.append(
                f'{{"boot": {{{_stamp(record.seconds)}, "cpu_count": {max(record.processors - 1, 1)}}}}}'
            )
        elif isinstance(record, Remark):
            self._remarks.append(f'{{"comment": {{{_stamp(record.seconds)}, "com": "{printable(record.text)}"}}}}')
        else:
            for block in self._alike(record):
                if self._last is not None and block.uptimes[0] >= self._last.uptimes[-1]:
                    yield self._print(block, self._last)
                elif len(block) > 1:
                    yield self._print(block.between(1, len(block)), block.between(0, 1))
                self._last = self._carried(block.between(len(block) - 1, len(block)))

    # -- what may be read at once --------------------------------------------------------------------

    def _alike(self, block: Block) -> Iterator[Block]:
        """The block in stretches of the same devices; a sample that misses a processor, and the next, each alone."""
        starts = np.flatnonzero(self._begins(block)).tolist()
        for start, end in pairwise([*starts, len(block)]):
            yield block.between(start, end)

    def _begins(self, block: Block) -> NDArray[np.bool_]:
        """bool[samples]: those that cannot be read together with the sample before."""
        begins = np.ones(len(block), dtype=bool)
        begins[1:] = block.uptimes[1:] < block.uptimes[:-1]
        for number, items in block.activities.items():
            for name in _KEYS.get(number, ()):
                if name in items:
                    begins[1:] |= np.asarray(items[name][1:] != items[name][:-1]).any(axis=1)
        for number in _SWITCHED & block.activities.keys():
            # a processor that is away has counted nothing; the sample before says what it had
            away = np.asarray(_away(block, number).any(axis=1))
            begins[1:] |= away[1:] | away[:-1]
            before = self._last.activities.get(number) if self._last is not None else None
            if before is not None and self._last is not None:
                came = _width(before) != _width(block.activities[number])
                begins[1:2] |= came or bool(_away(self._last, number).any())
        return begins

    def _carried(self, block: Block) -> Block:
        """Processors that are away keep what they had, so that nothing jumps when they come back."""
        for number in _SWITCHED & block.activities.keys():
            items = block.activities[number]
            before = self._last.activities.get(number) if self._last is not None else None
            away = np.flatnonzero(_each_item(_away(block, number)[0], items))
            if before is None or not away.size:
                continue
            for name, column in items.items():
                there = away[away < before[name].shape[1]] if name in before else away[:0]
                items[name] = column.copy()
                items[name][0, there] = before[name][0, there]
        return block

    # -- printing ------------------------------------------------------------------------------------

    def _print(self, block: Block, last: Block) -> bytes:
        uptimes = np.concatenate([last.uptimes[-1:], block.uptimes])
        interval = np.maximum(np.diff(uptimes.astype(np.int64)), 1)
        sections = [(name, self._tables(block, last, interval, activities)) for name, activities in ACTIVITIES]
        form = ",\n".join(text for name, tables in sections for text in [_section(name, tables)] if text)
        form = '{\n"timestamp": {%s, "interval": %d}' + (f",\n{form}" if form else "") + "\n}"
        columns = [table.values.reshape(len(block), -1) for _, tables in sections for table in tables]
        rows = np.concatenate(columns, axis=1).tolist() if columns else [[]] * len(block)
        stamps = zip(block.seconds.tolist(), ((interval + 50) // 100).tolist(), rows, strict=True)
        texts = [form % (_stamp(seconds), length, *row) for seconds, length, row in stamps]
        first, self.samples = not self.samples, self.samples + len(block)
        return (("" if first else ",\n") + ",\n".join(texts)).encode()

    def _tables(
        self, block: Block, last: Block, interval: NDArray[np.int64], activities: dict[int, Reading]
    ) -> list[Table]:
        tables: list[Table] = []
        for number, read in activities.items():
            items = self._present(number, block.activities.get(number, {}))
            if not items:
                continue
            before = self._present(number, last.activities.get(number, {}))
            pair = _pair(number, items, before, interval.astype(np.float64)[:, None], block.rows[number], self._file)
            if pair is None:
                continue
            table = read(pair)
            if table.figures and table.values.size:
                tables.append(table)
        return tables

    def _present(self, number: int, items: Items) -> Items:
        """Without the places that an old file leaves free."""
        if self._file.is_of_kinds or not items:
            return items
        name = _EMPTY.get(number)
        if number == _DISK:
            free = (items["major"][0] == 0) & (items["minor"][0] == 0)
        elif name in items:
            free = ~items[name][0].astype(bool)
        else:
            return items
        end = int(np.argmax(free)) if free.any() else len(free)
        own = {key: column[:, :end] for key, column in items.items()} if end else {}
        if number == _SERIAL and own:
            own["line"] = own["line"] - np.uint32(1)  # counted from 1 then
        return own


def _away(block: Block, number: int) -> NDArray[np.bool_]:
    return _counted_nothing(number, block.activities[number], block.rows[number])


def _width(items: Items) -> int:
    return int(next(iter(items.values())).shape[1])


def _each_item(processors: NDArray[np.bool_], items: Items) -> NDArray[np.bool_]:
    """bool[items] of bool[processors]: in a matrix a processor has several."""
    return np.repeat(processors, _width(items) // max(len(processors), 1))


def _counted_nothing(number: int, items: Items, rows: int) -> NDArray[np.bool_]:
    """bool[records, processors]; of all but interrupts "all" is never among them."""
    if number == CPU:
        total = cpu_total(items)
    elif number == IRQ:
        return np.asarray(np.asarray(items["count"])[:, ::rows] == 0)
    else:
        total = np.asarray(sum(column.astype(np.uint64) for column in items.values()))
    away = total == 0
    away[:, 0] = False
    return np.asarray(away)


# -- the sample before ----------------------------------------------------------------------------------
def _pair(
    number: int, now: Items, before: Items, interval: NDArray[np.float64], rows: int, file: SaFormat
) -> Pair | None:
    """The samples beside those before each; None where nothing can be told of any item."""
    width = _width(now)
    if number in _LOOKED_UP:
        where = _places(now, before, _KEYS[number])
    else:
        have = _width(before) if before else 0
        where = np.where(np.arange(width) < have, np.arange(width), -1)
    if number == _SERIAL:
        now, where = {name: column[:, where >= 0] for name, column in now.items()}, where[where >= 0]
        if not where.size:
            return None
    earlier = {
        name: np.concatenate([_taken(before.get(name), where, column.dtype), column[:-1]])
        for name, column in now.items()
    }
    new = _came_again(number, now, earlier)
    for column in earlier.values():
        if column.dtype.kind != "S":
            column[new] = 0
    hidden = np.zeros(0, dtype=bool)
    if number in _SWITCHED and len(interval) == 1:
        now, hidden = _without_away(number, now, earlier, rows)
    return Pair(now, earlier, interval, rows, hidden, file)


def _places(now: Items, before: Items, names: tuple[str, ...]) -> NDArray[np.int64]:
    """int64[items]: where each was before, -1 for a new one; of two of one name the one in the same place."""
    if not before:
        return np.full(_width(now), -1)
    own, old = (list(zip(*(items[name][0].tolist() for name in names), strict=True)) for items in (now, before))
    there = {key: index for index, key in reversed(list(enumerate(old)))}
    return np.asarray(
        [index if index < len(old) and old[index] == key else there.get(key, -1) for index, key in enumerate(own)],
        dtype=np.int64,
    )


def _taken(column: NDArray[Any] | None, where: NDArray[np.int64], kind: np.dtype[Any]) -> NDArray[Any]:
    """[1, items]: the last record's counters in these places, 0 where there is none."""
    taken = np.zeros((1, len(where)), dtype=kind)
    if column is not None:
        taken[0, where >= 0] = column[-1, where[where >= 0]]
    return taken


def _came_again(number: int, now: Items, before: Items) -> NDArray[np.bool_]:
    """Devices that went and came back between two samples: they count from 0 again."""
    shape = next(iter(now.values())).shape
    if number == _DISK:
        new = now["ios"] < before["ios"]
        for name in ("rd_sect", "wr_sect", "dc_sect"):
            if name in now:
                new &= (before[name] == 0) | (now[name] < before[name])
        return np.asarray(new)
    new = np.zeros(shape, dtype=bool)
    for name in _COMES_AGAIN.get(number, ()):
        new |= now[name] < before[name]
    if number == _NETWORK:
        for one, other in (("rx_bytes", "rxpck"), ("tx_bytes", "txpck"), ("rxpck", "rx_bytes"), ("txpck", "tx_bytes")):
            wrapped = (now[one] < before[one]) & (now[other] > before[other]) & (before[one] > _HALF)
            new &= ~wrapped
    return new


def _without_away(number: int, now: Items, before: Items, rows: int) -> tuple[Items, NDArray[np.bool_]]:
    """What counts of one sample, and which processors one of the two samples knows nothing of.

    Those that are away have what they had; those that were not there before count nothing.
    """
    gone, new = _counted_nothing(number, now, rows)[0], _counted_nothing(number, before, rows)[0]
    own = {name: column.copy() for name, column in now.items()}
    for name, column in own.items():
        where = np.flatnonzero(_each_item(gone, now))
        column[0, where] = before[name][0, where]
        if number in _PROCESSORS:
            column[0, np.flatnonzero(new)] = 0
    return own, gone | new


# -- text -------------------------------------------------------------------------------------------------
def _section(name: str, tables: list[Table]) -> str:
    """The form of some tables, with a place for each value; percent signs of names are doubled."""
    text = ",\n".join(_form(table) for table in tables)
    return f'"{name}": {{\n{text}\n}}' if name and text else text


def _form(table: Table) -> str:
    figures = ", ".join(f'"{name}": '.replace("%", "%%") + f"%.{decimals}f" for name, decimals in table.figures)
    if table.items is None:
        return f'"{table.name}": {{{figures}}}'
    lines = ",\n".join(f"{{{item.replace('%', '%%')}, {figures}}}" for item in table.items)
    return f'"{table.name}": [\n{lines}\n]'


def _stamp(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime('"date": "%Y-%m-%d", "time": "%H:%M:%S", "tz": "UTC"')


def _head(machine: Machine) -> str:
    started = datetime.fromtimestamp(machine.started if machine.started < 1 << 34 else 0, UTC)
    facts = [
        f'"nodename": "{machine.host}"',
        f'"sysname": "{machine.system}"',
        f'"release": "{machine.release}"',
        f'"machine": "{machine.machine}"',
        f'"number-of-cpus": {max(machine.processors - 1, 1)}',
        started.strftime('"file-date": "%Y-%m-%d"'),
        started.strftime('"file-utc-time": "%H:%M:%S"'),
        f'"timezone": "{machine.zone}"',
    ]
    return '{"sysstat": {\n"hosts": [\n{\n' + ",\n".join(facts) + ',\n"statistics": [\n'


def _tail(restarts: list[str], remarks: list[str]) -> str:
    lists = [
        f',\n"{name}": [\n' + ",\n".join(lines) + "\n]"
        for name, lines in (("restarts", restarts), ("comments", remarks))
    ]
    return "\n]" + "".join(lists) + "\n}\n]\n}}\n"
