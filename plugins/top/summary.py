"""The lines above the processes: what each says as (table, column, value).

    top - 16:10:22 up 21 min,  0 user,  load average: 2.27, 2.65, 1.70
    Tasks:  80 total,   8 running,  69 sleeping,   0 stopped,   3 zombie            Threads: under -H
    %Cpu(s):  0.0 us,100.0 sy,  0.0 ni,  0.0 id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st
    %Cpu0  :100.0 us,  0.0 sy, ...  0.0 st   %Cpu1  : 50.0 us, 50.0 sy, ...         key 1, two abreast since procps 4
    Cpu(s):  1.9%us,  0.7%sy,  0.0%ni, 97.1%id,  0.2%wa,  0.0%hi,  0.1%si,  0.0%st  procps 3.2
    MiB Mem :  24105.6 total,  18758.4 free,    725.1 used,   4949.6 buff/cache     KiB to EiB
    MiB Swap:      0.0 total,      0.0 free,      0.0 used.  23380.4 avail Mem
    Mem:   8061544k total,  7905868k used,   155676k free,   243400k buffers        procps 3.2
    Swap:  8388600k total,      100k used,  8388500k free,  6131392k cached
    Mem: 4246280K used, 20437804K free, 18268K shrd, 41032K buff, 2072060K cached   busybox
    CPU:  95% usr   5% sys   0% nic   0% idle   0% io   0% irq   0% sirq
    Load average: 3.39 2.51 1.99 6/146 31381

Page cache stands in the swap line of some versions ("cached", "cached Mem"); it is memory. A number that does not
fit its place ends in a plus sign in place of its last digits.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tunebench.sdk import decode_text, lazy_pattern, record

_NUMBER = rb"\d{1,20}(?:[.,]\d{1,6})?"
_TITLE = lazy_pattern(
    rb"^(?:top -|\s)?\s*(?P<time>[012]\d:[0-5]\d:[0-6]\d)\s+up\s.*?(?:(?P<users>\d{1,6}) users?,\s*)?"
    rb"load average:\s+(?P<one>" + _NUMBER + rb"), (?P<five>" + _NUMBER + rb"), (?P<fifteen>" + _NUMBER + rb")\s*$"
)
_TASKS = lazy_pattern(rb"^(?P<of>Tasks|Threads):\s+\d")
_COUNT = lazy_pattern(rb"(\d{1,9})\s+([a-z]+)")
_CPU = lazy_pattern(rb"%?(?:Cpu(?P<cpu>\(s\)|\d{1,5})|(?P<node>Node\s?\d{1,4}))\s*:(?P<rest>(?:(?!%?(?:Cpu|Node)).)*)")
_SHARE = lazy_pattern(rb"(" + _NUMBER + rb")\s?%?\s?([a-z]{2,7})\b")
_BUSYBOX_CPU = lazy_pattern(rb"^CPU(?P<cpu>\d{0,5}):\s+" + _NUMBER + rb"% usr\b")
_BUSYBOX_LOAD = lazy_pattern(
    rb"^Load average: (" + _NUMBER + rb") (" + _NUMBER + rb") (" + _NUMBER + rb")(?: (\d{1,9})/(\d{1,9}) \d+)?\s*$"
)
_MEMORY = lazy_pattern(rb"(?P<unit>[KMGTPE]iB )?(?P<of>Mem|Swap)\s*:(?P<rest>(?:(?![KMGTPE]iB (?:Mem|Swap)\s*:).)*)")
_SIZE = lazy_pattern(rb"(" + _NUMBER + rb")([kKmMgGtTpP]?)(?:\+\s*|\s+)([A-Za-z/]+(?: [A-Za-z]+)*)")
_TABLES = {
    b"": "memory",
    b"K": "memory",
    b"M": "memory_mebi",
    b"G": "memory_gibi",
    b"T": "memory_gibi",
    b"P": "memory_gibi",
    b"E": "memory_gibi",
}
_GIBIBYTES = {b"T": 1024.0, b"P": 1024.0**2, b"E": 1024.0**3}
_POWER_OF_KIB = {b"": 0, b"k": 0, b"m": 1, b"g": 2, b"t": 3, b"p": 4}
_OF_MEMORY = frozenset({"avail Mem", "cached Mem", "cached"})
_LONGEST = 2000
_LOADS = ("load 1m", "load 5m", "load 15m")


@record
class SummaryRow:
    """One row of a table; `key` is a processor's name in table ``cpu``, else empty.

    `since_boot` tells whether the first row of a run is an average since boot.
    """

    table: str
    headings: tuple[str, ...]
    values: tuple[float, ...]
    key: str = ""
    since_boot: bool = False
    rounded: bool = False


@record
class Title:
    tod_s: int
    row: SummaryRow


def number_of(cell: bytes) -> float:
    return float(cell.replace(b",", b"."))


def read_title(text: bytes) -> Title | None:
    """The first line of a report."""
    match = _TITLE.match(text) if b" up " in text and len(text) < _LONGEST else None
    if match is None:
        return None
    hours, minutes, seconds = (int(part) for part in match["time"].split(b":"))
    averages = tuple(number_of(match[name]) for name in ("one", "five", "fifteen"))
    users = float(match["users"]) if match["users"] else float("nan")
    row = SummaryRow("load", (*_LOADS, "users"), (*averages, users))
    return Title(min(hours * 3600 + minutes * 60 + seconds, 86_400), row)


def read_summary(text: bytes) -> list[SummaryRow]:
    """The rows that a line above the processes holds; none where it is no such line."""
    if len(text) > _LONGEST:
        return []
    tasks = _TASKS.match(text)
    if tasks is not None:
        counts = [(decode_text(name), float(value)) for value, name in _COUNT.findall(text)]
        return _row(tasks["of"].decode().lower(), counts)
    if text.startswith((b"%Cpu", b"Cpu", b"%Node", b"Node")):
        return [row for match in _CPU.finditer(text) for row in _processor(match)]
    if b"Mem" in text[:12] or text.startswith(b"Swap:") or b"iB Swap" in text[:12]:
        return [row for match in _MEMORY.finditer(text) for row in _memory(match)]
    return list(_busybox(text))


def _row(
    table: str, pairs: list[tuple[str, float]], key: str = "", since_boot: bool = False, rounded: bool = False
) -> list[SummaryRow]:
    columns = dict(reversed(pairs))  # a word that stands there twice counts as the first time
    if not columns:
        return []
    names = tuple(dict.fromkeys(name for name, _ in pairs))
    return [SummaryRow(table, names, tuple(columns[name] for name in names), key, since_boot, rounded)]


def _processor(match: re.Match[bytes]) -> list[SummaryRow]:
    cpu = decode_text(match["cpu"] or b"")
    key = "all" if cpu == "(s)" else cpu or decode_text(match["node"]).replace(" ", "").lower()
    pairs = [(decode_text(name), number_of(value)) for value, name in _SHARE.findall(match["rest"])]
    return _row("cpu", pairs, key, since_boot=not match[0].startswith(b"%"))


def _memory(match: re.Match[bytes]) -> Iterator[SummaryRow]:
    own, unit = match["of"].decode(), (match["unit"] or b"")[:1]
    pairs = []
    for value, suffix, name in _SIZE.findall(match["rest"]):
        words = decode_text(name)
        column = f"Mem: {words}" if words in _OF_MEMORY else f"{own}: {words}"
        pairs.append((column, number_of(value) * 1024.0 ** _POWER_OF_KIB[suffix.lower()] * _GIBIBYTES.get(unit, 1.0)))
    yield from _row(_TABLES[unit], pairs, rounded=unit not in (b"", b"K"))


def _busybox(text: bytes) -> Iterator[SummaryRow]:
    cpu, load = _BUSYBOX_CPU.match(text), _BUSYBOX_LOAD.match(text)
    if cpu is not None:
        pairs = [(decode_text(name), number_of(value)) for value, name in _SHARE.findall(text[4:])]
        yield from _row("cpu", pairs, decode_text(cpu["cpu"]) or "all")
    elif load is not None:
        values = tuple(float("nan") if cell is None else number_of(cell) for cell in load.groups())
        yield SummaryRow("load", (*_LOADS, "running", "threads"), values)
