"""What bonnie++ prints: its table and its line of comma separated values, versions 1.03 to 2.00.

    Version  1.97       ------Sequential Output------ --Sequential Input- --Random-
    Concurrency   1     -Per Chr- --Block-- -Rewrite- -Per Chr- --Block-- --Seeks--
    Machine        Size K/sec %CP K/sec %CP K/sec %CP K/sec %CP K/sec %CP  /sec %CP
    wifo3-02        63G  1905  91 364656  24 119264  12  3457  86 306391  14 439.5  17
    Latency              8631us   18055us     184ms   23985us   57565us   83422us
    1.97,1.97,wifo3-02,1,1438076799,63G,,1905,91,364656,24,119264,12,3457,86,306391,14,439.5,17,16,,,,,8891,13,...
    host,4G,36432,98,48732,11,19237,4,34213,87,51232,6,180.3,0,16,...                           (1.03)

K is 1024 bytes; 2.00 writes 239k, 479m. ``+++++`` means too fast to be measured: no figure. Where a run has both, the
line of values counts, for it is not rounded. Table ``bonnie``; shapes from bonnie++ 2.00a itself and published outputs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tunebench.sdk import body_lines, lazy_pattern

from .run_lines import KIB, RunLines

_RATES = (
    "put_char_bytes_per_s",
    "put_block_bytes_per_s",
    "rewrite_bytes_per_s",
    "get_char_bytes_per_s",
    "get_block_bytes_per_s",
    "seeks_per_s",
)
_FILES = (
    "seq_create_per_s",
    "seq_stat_per_s",
    "seq_delete_per_s",
    "ran_create_per_s",
    "ran_stat_per_s",
    "ran_delete_per_s",
)
_HEADING = lazy_pattern(rb"^Version\s+(\d+\.\d+\S*)\s+-+Sequential (Output|Create)-+")
_OTHER_HEADING = lazy_pattern(
    rb"^\s*(?:(?:\S+\s+)?-+Sequential (?:Output|Create)-+|(?:Concurrency\s+\d+|\S*)\s*-(?:Per Chr|Create)-"
    rb"|Machine\s+Size|Name:Size|\s*files)"
)
_FIGURE = lazy_pattern(r"(\d+(?:\.\d+)?)([kmgKMG]?)")
_LATENCY = lazy_pattern(r"(\d+)(us|ms|s)")
_MESSAGE = lazy_pattern(rb"(?:\.\.\.done|^Using uid:|^start 'em)")
_SCALE = {"": 1.0, "k": KIB, "m": KIB**2, "g": KIB**3}
_SECONDS = {"us": 1e-6, "ms": 1e-3, "s": 1.0}
_PAIRED = 12


class BonnieParser(RunLines):
    """See the module."""

    tool = "bonnie++"
    result_table = "bonnie"

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        lines = body_lines(head)
        if any(_HEADING.match(line) for line in lines):
            return 0.95
        return 0.9 if any(_values_of(line) for line in lines) else 0.0

    def begins_round(self, line: bytes) -> bool:
        heading = _HEADING.match(line)
        return bool(heading and heading[2] == b"Output") or line.startswith(b"Writing ") and b"at a time" in line

    def begin_run(self) -> None:
        super().begin_run()
        self._names: Sequence[str] = ()
        self._rows_left = False

    def read_line(self, number: int, line: bytes) -> str:
        heading = _HEADING.match(line)
        if heading:
            if heading[2] == b"Output":
                self.end_run()
            self.book.tool_version = heading[1].decode("ascii", "replace")
        if heading or b"Sequential Output" in line or b"Sequential Create" in line:
            self._names = _FILES if b"Create" in line else _RATES
            return "header"
        if _OTHER_HEADING.match(line) or _MESSAGE.search(line):
            return "header"
        values = _values_of(line)
        if values:
            self.figures = {}  # the table of the same run is rounded
            self.first_line = 0
            for name, value in values.items():
                self.note(number, name, value)
            self.end_run()
            return "data"
        return "data" if self._read_row(number, line.decode("utf-8", "replace").split()) else ""

    def _read_row(self, number: int, words: list[str]) -> bool:
        if len(words) == 7 and words[0] == "Latency":
            prefix = "latency_" if self._names is _RATES else "latency_files_"
            for name, word in zip(self._names, words[1:], strict=False):
                span = _LATENCY.fullmatch(word)
                if span:
                    self.note(
                        number,
                        prefix + name.split("_per_s")[0].replace("_bytes", "") + "_s",
                        int(span[1]) * _SECONDS[span[2]],
                    )
            return True
        pairs = words[-_PAIRED:]
        if not self._names or len(words) < _PAIRED + 1 or not all(_is_cell(word) for word in pairs):
            return False
        for name, word in zip(self._names, pairs[::2], strict=True):
            figure = _FIGURE.fullmatch(word)
            if figure:
                plain = KIB if name.endswith("bytes_per_s") and not figure[2] else 1.0
                self.note(number, name, float(figure[1]) * (_SCALE[figure[2].lower()] if figure[2] else plain))
        return True


def _is_cell(word: str) -> bool:
    return _FIGURE.fullmatch(word) is not None or set(word) == {"+"}


def _values_of(line: bytes) -> dict[str, float]:
    """A line of comma separated values; nothing for any other line."""
    cells = line.decode("utf-8", "replace").strip().split(",")
    if len(cells) >= 34 and re.fullmatch(r"1\.9\d", cells[0]):
        first = 9 if cells[0] == "1.98" else 7
        figures = _cells(cells, first, _RATES) | _cells(cells, first + 17, _FILES)
        return figures | _latencies(cells[first + 29 :])
    if len(cells) == 27 and all(_is_cell(cell) or not cell for cell in (*cells[2:14], *cells[15:27])):
        return _cells(cells, 2, _RATES) | _cells(cells, 15, _FILES)
    return {}


def _cells(cells: Sequence[str], first: int, names: Sequence[str]) -> dict[str, float]:
    figures = {}
    for index, name in enumerate(names):
        cell = cells[first + 2 * index] if first + 2 * index < len(cells) else ""
        figure = _FIGURE.fullmatch(cell)
        if figure:
            figures[name] = float(figure[1]) * (KIB if name.endswith("bytes_per_s") else 1.0)
    return figures


def _latencies(cells: Sequence[str]) -> dict[str, float]:
    names = [f"latency_{name.split('_per_s')[0].replace('_bytes', '')}_s" for name in _RATES]
    names += [f"latency_files_{name.split('_per_s')[0]}_s" for name in _FILES]
    spans = [(name, _LATENCY.fullmatch(cell)) for name, cell in zip(names, cells, strict=False)]
    return {name: int(span[1]) * _SECONDS[span[2]] for name, span in spans if span}
