"""zpool iostat, also -v and -l: space, operations, bytes and waits of each pool and of the devices below it.

                   capacity     operations    bandwidth     total_wait     scrub                   -l adds waits
    pool        alloc   free   read  write   read  write   read  write     wait
    ----------  -----  -----  -----  -----  -----  -----  -----  -----    -----
    rpool       6.05G  61.9G      0      0    786    107    2ms  500us        -
      mirror-0   405M   928G      0    194    232  16.1M      -      -        -                   -v

A heading stands above the first report only; where there are several pools a rule ends each report, and without one the
next row of the first pool begins another. The first report is since the pool was imported. Suffixes are powers of 1024.
"""

from __future__ import annotations

from collections.abc import Iterator

from tunebench.families.confidence import of_first
from tunebench.families.runs import text_of_head
from tunebench.sdk import ParseContext, Round, StampedParser, body_lines, decode_text, lazy_pattern

_GROUPS = lazy_pattern(rb"^\s+capacity\s+operations\s+bandwidth(?:\s+[a-z]+(?:_wait)?)*\s*$")
_COLUMNS = lazy_pattern(rb"^(?:pool|vdev)?\s+(?:alloc|used)\s+(?:free|avail)\s+read\s+write\s+read\s+write\b")
_RULE = lazy_pattern(rb"^-{3,}(?:\s+-{3,})+\s*$")
_VALUE = lazy_pattern(r"(?P<number>\d{1,15}(?:\.\d{1,6})?)(?P<suffix>[KMGTPE]|ns|us|ms|s)?")
_SCALE = {suffix: 1024.0**power for power, suffix in enumerate("KMGTPE", 1)}
_SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
_NAME_OF = {"used": "alloc", "avail": "free"}


def name_columns(groups: list[str], words: list[str]) -> Iterator[str]:
    """Each column with its group before it: a group has two, or one that is called ``wait``."""
    for group in groups:
        for _ in range(1 if words[:1] == ["wait"] else 2):
            word = words.pop(0) if words else ""
            yield f"{group} {_NAME_OF.get(word, word)}"


def read_value(word: str) -> float | None:
    """Bytes, operations or seconds; NaN of ``-``, None of what is no value."""
    match = _VALUE.fullmatch(word)
    if match is None:
        return float("nan") if word == "-" else None
    suffix = match["suffix"] or ""
    return float(match["number"]) * _SCALE.get(suffix, _SECONDS.get(suffix, 1.0))


class ZpoolIostatParser(StampedParser):
    """A device's name stands behind those of the pool and the mirror that hold it: ``tank/mirror-0/c0t5d0``."""

    tool = "zpool"

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self.book.variant = "iostat"
        self._groups: list[str] = []
        self._names: tuple[str, ...] = ()
        self._path: list[tuple[int, str]] = []
        self._first = b""
        self._is_headed = False  # the heading that begins the round was read, its first row was not
        self._rounds = self._headed_rounds = 0

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        return of_first(body_lines(text_of_head(head)), _GROUPS.match, 3)

    def begins_round(self, line: bytes) -> bool:
        if _GROUPS.match(line):
            self._is_headed = True
            return True
        if line[:1].isspace() or _COLUMNS.match(line) or _RULE.match(line):
            return False
        name = line.split(None, 1)[0]
        self._first = self._first or name
        was_headed, self._is_headed = self._is_headed, False
        return name == self._first and not was_headed

    def read_round(self, one: Round) -> None:
        self._rounds += 1
        self._headed_rounds += any(_GROUPS.match(line) for _, line in one.lines)
        # a loop that starts the command anew each time prints means since the import alone
        anew = not self.round_clock.is_unstamped and self._headed_rounds == self._rounds
        self._path = []
        for number, line in one.lines:
            if _GROUPS.match(line):
                self._groups = decode_text(line).split()
                self.book.header()
            elif _COLUMNS.match(line):
                words = decode_text(line).split()
                self._names = tuple(name_columns(self._groups, words[1:] if words[0] in ("pool", "vdev") else words))
                self.book.header()
            elif _RULE.match(line):
                self.book.header()
            elif self._names and self._take_row(one, number, decode_text(line), self._rounds == 1 or anew):
                self.book.data()
            else:
                self.skip_line(number, line)

    def _take_row(self, one: Round, number: int, line: str, since_import: bool) -> bool:
        cells = line.split()
        values = [value for value in map(read_value, cells[1:]) if value is not None]
        if len(values) != len(self._names) or len(cells) != len(values) + 1:
            return False
        indent = len(line) - len(line.lstrip())
        self._path = [(above, name) for above, name in self._path if above < indent] + [(indent, cells[0])]
        device = "/".join(name for _, name in self._path)
        self.table("pool", self._names, "device").row(one.time_ns, number, device, values, since_boot=since_import)
        return True
