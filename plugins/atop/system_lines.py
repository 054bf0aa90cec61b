"""The lines of system resources: label, then cells between bars; a cell is a word and its figure.

    PRC | sys    0.43s | user   0.33s | #proc     78 | #zombie    2 | #exit      4 |
    CPU | sys      33% | user     75% | irq       0% | idle     90% | wait      1% |      of n processors n x 100 %
    cpu | sys      17% | user     41% | irq       0% | idle     40% | cpu001 w  1% |
    PSI | cpusome  19% | ...          | cs  22/21/22 |                                   10, 60, 300 seconds
    DSK |          vda | busy      3% | read  222289 | write 126451 | avio 98.6 µs |
    NET | transport    | tcpi  259679 | ...
    NET | eth0    ---- | pcki   75339 | pcko   36995 | si   20 Mbps | so   20 Kbps |

What is counted over the interval becomes a rate (``read/s``, as atop itself prints it after the key 1).
"""

from __future__ import annotations

from collections.abc import Iterator

from tunebench.sdk import lazy_pattern, record

from .cells import COUNTED, SIZE, Figure, read_averages, read_figure

LABELS = frozenset(
    {"PRC", "CPU", "cpu", "CPL", "GPU", "MEM", "SWP", "PAG", "PSI", "LVM", "MDD", "DSK", "NFM", "NFC", "NFS", "NET",
     "IFB", "LLC", "NUM", "NUC"}
)  # fmt: skip
ATTRIBUTES = {
    "cpu": "cpu",
    "lvm": "device",
    "mdd": "device",
    "dsk": "device",
    "gpu": "device",
    "nfm": "mountpoint",
    "net": "interface",
    "ifb": "interface",
    "llc": "group",
    "num": "group",
    "nuc": "group",
}
"""Table -> the attribute that its key fills."""
MOMENTARY = frozenset(
    {"#proc", "#trun", "#tslpi", "#tslpu", "#zombie", "numcpu", "avg1", "avg5", "avg15", "numnode", "inflt", "avq",
     "KiB/r", "KiB/w", "KiB/d", "MBr/s", "MBw/s", "MBcr/s", "MBcw/s", "lanes", "ipc", "sp"}
)  # fmt: skip
"""Plain numbers that are not counted over the interval."""
_COUNTED_BYTES = frozenset({"nfm"})
_LINE = lazy_pattern(r"^(?P<label>[A-Za-z]{3})\s\|(?P<cells>.*)\|\s*$")
_CELL = lazy_pattern(r"^(?P<name>\S+)\s+(?P<value>\S.*)$")
_WAIT = lazy_pattern(r"^(?P<what>[a-z]*?)(?P<number>\d{1,5})\s+w\s*(?P<value>\d{1,5}%)$")
_CACHE = lazy_pattern(r"^LLC(?P<number>\d{1,5})\s+(?P<value>\d{1,5}%)$")
_NAMING = {"cpu": _WAIT, "NUC": _WAIT, "LLC": _CACHE}
_LAYERS = frozenset({"transport", "network"})
_KEYED = frozenset({"LVM", "MDD", "DSK", "NFM", "NET", "IFB", "GPU", "NUM"})


@record
class SystemLine:
    """`figures` by their series' names; `key` tells which of several things the line is about."""

    table: str
    key: str
    figures: dict[str, float]


def read_line(text: str, elapsed_s: float | None) -> SystemLine | None:
    """A line of a system resource; counts become rates over `elapsed_s`, and are left out where it is not known."""
    match = _LINE.match(text)
    if match is None or match["label"] not in LABELS:
        return None
    label = match["label"]
    cells = [cell.strip() for cell in match["cells"].split("|")]
    table, key = label.lower(), "all" if label == "CPU" else ""
    figures: dict[str, float] = {}
    if label in _KEYED and cells:
        key, _, share = cells.pop(0).partition(" ")
        busy = read_figure(share.strip())
        if busy is not None:
            figures["busy"] = busy.value
        if label == "NET" and key in _LAYERS:
            table, key = f"net_{key}", ""
    for cell in cells:
        named = _NAMING[label].match(cell) if label in _NAMING else None
        if named is None:
            figures.update(_figures(cell, table, elapsed_s))
        else:  # the cell that tells which processor, node or cache it is
            key = str(int(named["number"]))
            figures.update(_figures(f"{'usage' if label == 'LLC' else 'wait'} {named['value']}", table, elapsed_s))
    return SystemLine(table, key, figures)


def _figures(cell: str, table: str, elapsed_s: float | None) -> Iterator[tuple[str, float]]:
    part = _CELL.match(cell)
    if part is None:
        return
    name, text = part["name"], part["value"]
    averages = read_averages(text)
    if averages is not None:
        yield from zip((f"{name} avg10", f"{name} avg60", f"{name} avg300"), averages, strict=True)
        return
    figure = read_figure(text)
    if figure is None:
        return
    if not _is_counted(name, figure, table):
        yield name, figure.value
    elif figure.per_second:
        yield f"{name}/s", figure.value
    elif elapsed_s:
        yield f"{name}/s", figure.value / elapsed_s


def _is_counted(name: str, figure: Figure, table: str) -> bool:
    if figure.kind == SIZE:
        return table in _COUNTED_BYTES
    return figure.kind == COUNTED and name not in MOMENTARY
