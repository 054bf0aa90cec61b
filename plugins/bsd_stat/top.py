"""Parser of top -b of FreeBSD, in a loop.

    last pid: 58523;  load averages:  0.35,  0.28,  0.21  up 12+03:15:26    16:15:32
    112 processes: 1 running, 111 sleeping
    CPU:  1.2% user,  0.0% nice,  0.8% system,  0.1% interrupt, 97.9% idle
    Mem: 514M Active, 3245M Inact, 1024M Wired, 200M Buf, 1900M Free
    ARC: 812M Total, 400M MFU, 300M MRU, 16K Anon, 12M Header, 100M Other
    Swap: 4096M Total, 20M Used, 4076M Free, 12K In

      PID USERNAME    THR PRI NICE   SIZE    RES STATE    C   TIME    WCPU COMMAND
     1234 root          1  20    0    13M  2100K select   1   0:05   0.10% sendmail

A process is ``1234/sendmail``. Sizes are in bytes (K, M, G of 1024), TIME in seconds. top prints the busiest
processes only, so a process comes and goes; no more than two thousand become series.
"""

from __future__ import annotations

from tunebench.families.runs import text_of_head
from tunebench.sdk import ParseContext, Round, StampedParser, body_lines, decode_text, lazy_pattern

_LOAD = lazy_pattern(
    r"^last pid:\s*\d+;\s+load averages?:\s*(?P<one>[\d.,]+),\s+(?P<five>[\d.,]+),\s+(?P<fifteen>[\d.,]+)\s+up "
)
_PROCESSES = lazy_pattern(r"^(?P<total>\d+) (?P<what>processes|threads):\s+(?P<states>.+)$")
_STATE = lazy_pattern(r"(\d{1,9}) ([a-z]+)")
_PROCESSOR = lazy_pattern(r"^CPU(?: states)?:\s+(?P<shares>\d.*%.*)$")
_SHARE = lazy_pattern(r"(\d+(?:[.,]\d+)?)% ([a-z]+)")
_SIZES = lazy_pattern(r"^(?P<what>Mem|ARC|Swap):\s+(?P<sizes>\d.*)$")
_SIZE = lazy_pattern(r"(\d{1,9})([BKMGT]?) ([A-Z][A-Za-z]+)")
_POWER = {"B": 0, "": 0, "K": 1, "M": 2, "G": 3, "T": 4}
_LOADS = ("load average 1m", "load average 5m", "load average 15m")
_WORDS = frozenset({"USERNAME", "STATE", "COMMAND", "PID", "C"})
_CELL = lazy_pattern(r"^(?P<number>-?\d+(?:[.,]\d+)?)(?P<suffix>[BKMGT]?)%?$")
_TIME = lazy_pattern(r"^(?:(?P<hours>\d+(?:\.\d+)?)H|(?P<minutes>\d+):(?P<seconds>\d\d(?:\.\d+)?))$")
_MOST = 2000
_NAN = float("nan")


class TopParser(StampedParser):
    """See the module."""

    tool, os = "top", "freebsd"

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self._processes: set[str] = set()
        self._heading: list[str] = []

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        lines = [decode_text(line) for line in body_lines(text_of_head(head))]
        start = next((index for index, line in enumerate(lines) if _LOAD.match(line)), None)
        if start is None or not any(_SIZES.match(line) for line in lines[start + 1 : start + 6]):
            return 0.0
        return 0.95 if start <= 2 else 0.6

    def begins_round(self, line: bytes) -> bool:
        return line.startswith(b"last pid:")

    def read_round(self, one: Round) -> None:
        self._heading = []
        for number, line in one.lines:
            text = decode_text(line).strip()
            if text.startswith("PID ") and text.endswith("COMMAND"):
                self._heading = text.split()
                self.book.header()
            elif self._take_summary(one, number, text):
                self.book.data()
            elif self._heading and self._take_process(one, number, text):
                pass
            else:
                self.skip_line(number, line)

    def _take_summary(self, one: Round, number: int, text: str) -> bool:
        load, processes = _LOAD.match(text), _PROCESSES.match(text)
        shares, sizes = _PROCESSOR.match(text), _SIZES.match(text)
        if load is not None:
            self._put(one, number, "load", dict(zip(_LOADS, map(_decimal, load.groups()), strict=True)))
        elif processes is not None:
            states = {state: float(count) for count, state in _STATE.findall(processes["states"])}
            self._put(one, number, processes["what"], {"total": float(processes["total"]), **states})
        elif shares is not None:
            self._put(one, number, "cpu", {state: _decimal(share) for share, state in _SHARE.findall(shares["shares"])})
        elif sizes is not None:
            readings = _SIZE.findall(sizes["sizes"])
            values = {name: float(size) * 1024.0 ** _POWER[suffix] for size, suffix, name in readings}
            self._put(one, number, sizes["what"].lower(), values)
        else:
            return False
        return True

    def _put(self, one: Round, number: int, table: str, values: dict[str, float]) -> None:
        if values:
            self.table(table, tuple(values)).row(one.time_ns, number, "", list(values.values()))

    def _take_process(self, one: Round, number: int, text: str) -> bool:
        """Books the row; False where it is none."""
        cells = text.split(None, len(self._heading) - 1)
        if len(cells) != len(self._heading) or not cells[0].isdigit():
            return False
        by_word = dict(zip(self._heading, cells, strict=True))
        names = tuple(word for word in self._heading if word not in _WORDS)
        values = [_value(by_word[name]) for name in names]
        key = f"{cells[0]}/{cells[-1]}"
        if key not in self._processes and len(self._processes) >= _MOST:
            self.book.skip("too_many_processes", number, text)
            return True
        self._processes.add(key)
        self.table("process", names, "process").row(one.time_ns, number, key, values)
        self.book.data()
        return True


def _decimal(text: str) -> float:
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return _NAN


def _value(cell: str) -> float:
    """A size, a time or a share; words (``-``, ``kqread``) are missing."""
    clock, match = _TIME.match(cell), _CELL.match(cell)
    if clock is not None:
        if clock["hours"]:
            return float(clock["hours"]) * 3600.0
        return int(clock["minutes"]) * 60.0 + float(clock["seconds"])
    if match is None:
        return _NAN
    return _decimal(match["number"]) * 1024.0 ** _POWER[match["suffix"]]
