"""Parser of AIX `iostat -D`: transfers, service times and queue of each disk.

    hdisk0          xfer:  %tm_act      bps      tps      bread      bwrtn
                              9.6     16.4K     4.0       16.4K       0.0
                    read:      rps  avgserv  minserv  maxserv   timeouts      fails
                              4.0      4.9      0.3      9.9           0          0
                   write:      wps  avgserv  minserv  maxserv   timeouts      fails
                   ...
                   queue:  avgtime  mintime  maxtime  avgwqsz    avgsqsz     sqfull
                   ...
    --------------------------------------------------------------------------------

    Disks:                     xfers                                read            ...    queue       time      -Dl, -T
    -------------- -------------------------------- ------------------------------------ ...
                     %tm    bps   tps  bread  bwrtn   rps    avg    min    max time fail   wps    avg ...
                     act                                    serv   serv   serv outs              serv ...
    hdisk1          60.0 169.1M 645.0 169.1M   0.0  645.0   0.9    0.7    1.5S    0    0 ...             11:44:31

Both forms give the same columns under the headings of the first; read, write and queue are their group. K, M, G
and T are powers of 1000 (4 transfers of 4096 bytes are 16.4K); S and H turn milliseconds into seconds and hours.
The long form heads its first block only. The first block of a run is an average since boot.
"""

from __future__ import annotations

import re
from dataclasses import field, replace
from decimal import Decimal

from tunebench.families.page_reading import Scan
from tunebench.families.runs import Attributes, text_of_head, time_of_day_s
from tunebench.sdk import ParseContext, TableBuilder, lazy_pattern, record

from .capture import FIGURES, DiskParser
from .sniffing import sniff_iostat_extended

_TABLE_OF_LABEL = {"Disks": "device", "Tapes": "tape", "Vadapter": "vadapter", "Adapter": "adapter", "Paths": "path"}
_PART = lazy_pattern(rb"^\s*(?:(?P<name>\S+)\s+)?(?P<part>xfers?|read|write|queue):\s+(?P<words>\S.*)$")
_LABEL = lazy_pattern(rb"^(?P<label>[A-Z][A-Za-z/]+):\s+xfers?\b")
_CELL = lazy_pattern(rb"(?P<number>\d+(?:[.,]\d+)?)(?P<suffix>[KMGTSH])(?=\s|$)")
_FACTOR = {b"K": 10**3, b"M": 10**6, b"G": 10**9, b"T": 10**12, b"S": 10**3, b"H": 3_600_000}
_BROKEN_WORDS = frozenset({"%tm", "avg", "min", "max", "time", "serv"})  # they go on in the heading's next line
_BLOCK_FORM = {"%tmact": "%tm_act", "fail": "fails", "servqfull": "sqfull"}
_FIRST_OF_PART = {"rps": "read", "wps": "write", "avgtime": "queue"}
_PARTS = ("xfer", "read", "write", "queue")


@record(frozen=False)
class _Device:
    """The sub-rows of one disk so far."""

    name: bytes
    line: int
    natives: list[str] = field(default_factory=list)
    attributes: list[Attributes] = field(default_factory=list)
    cells: list[bytes] = field(default_factory=list)
    tod_s: int | None = None


class IostatExtendedParser(DiskParser):
    """See the module."""

    tool = "iostat"
    dialect = replace(DiskParser.dialect, suffixes=b"KMGTS", shifts=(3, 6, 9, 12, 3))

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self.book.variant = "-D"
        self._device: _Device | None = None
        self._part: list[str] | None = None  # headings of the sub-row that comes next
        self._part_name = ""
        self._label = "Disks"
        self._first_line: list[str] | None = None  # of the long form's heading
        self._long: tuple[TableBuilder, int] | None = None

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        return sniff_iostat_extended(text_of_head(head))

    def begin_run(self) -> None:
        self._close_device()
        self._long, self._part = None, None

    def configuration_line(self) -> None:
        """iostat says it once at its start: what follows is a new run."""
        self.begin_run()
        self.end_block()
        self.clock.new_run()

    def end_of_text(self) -> None:
        self._close_device()

    def take_line(self, number: int, text: bytes) -> bool:
        if self._long is not None and self._take_long_row(number, text, *self._long):
            return True
        if self._part is not None and self._take_part_row(number, text, self._part):
            return True
        return self._take_heading(number, text)

    # -- four sub-rows of a disk -----------------------------------------------------------------

    def _take_heading(self, number: int, text: bytes) -> bool:
        part = _PART.match(text)
        if part is not None and not (part["name"] or b"").endswith(b":"):
            self._begin_part(number, part)
            self.book.header()
            return True
        label = _LABEL.match(text)
        if label is not None:
            self._close_device()
            self._label, self._long, self._part = label["label"].decode(), None, None
            self.book.header()
            return True
        return self._take_long_heading(text)

    def _begin_part(self, number: int, part: re.Match[bytes]) -> None:
        self._long = None
        if part["name"]:
            self._close_device()
            self._device = _Device(part["name"], number)
        self._part_name = part["part"].decode().rstrip("s") if part["part"] != b"queue" else "queue"
        self._part = part["words"].decode("ascii", "replace").split()
        if self._part[-1] == "time":
            self._part.pop()

    def _take_part_row(self, number: int, text: bytes, headings: list[str]) -> bool:
        cells = self._without_suffixes(text).split()
        tod_s = time_of_day_s(cells[-1])
        if tod_s is not None:
            cells.pop()
        if b"".join(cells).translate(None, FIGURES):
            return False
        self._part = None
        if self._device is None or len(cells) != len(headings) or number == self._unended_line:
            self.skip_row(number, text)
            return True
        device = self._device
        device.tod_s = tod_s if tod_s is not None else device.tod_s
        group = (("group", self._part_name),) if self._part_name != "xfer" else ()
        device.natives += headings
        device.attributes += [group] * len(headings)
        device.cells += cells
        self.book.data()
        return True

    def _close_device(self) -> None:
        device, self._device = self._device, None
        if device is None or not device.cells:
            return
        name = "device" if "%tm_act" in device.natives else "vadapter"
        table = self.table(name, device.natives, "device", device.attributes)
        self.put(device.line, name, table, device.name, b" ".join(device.cells), device.tod_s)

    # -- one long line per disk ------------------------------------------------------------------

    def _take_long_heading(self, text: bytes) -> bool:
        words = text.decode("ascii", "replace").split()
        if "tps" in words and {"bread", "bkread"} & set(words):
            self._close_device()
            self._first_line = words
            self._begin_long(words)
            self.book.header()
            return True
        if self._first_line is not None and {"serv", "act"} & set(words):
            whole = _join_lines(self._first_line, words)
            self._first_line = None
            if whole is not None:
                self._begin_long(whole)
            self.book.header()
            return True
        return False

    def _begin_long(self, words: list[str]) -> None:
        natives = [_BLOCK_FORM.get(word, word) for word in words]
        attributes: list[Attributes] = []
        group: Attributes = ()
        for native in natives:
            if native in _FIRST_OF_PART:
                group = (("group", _FIRST_OF_PART[native]),)
            attributes.append(group)
        table = self.table(_TABLE_OF_LABEL.get(self._label, self._label.lower()), natives, "device", attributes)
        self._long = (table, len(natives))
        self._part = None
        self.book.variant = "-Dl"

    def _take_long_row(self, number: int, text: bytes, table: TableBuilder, count: int) -> bool:
        name, *rest = text.split(None, 1)
        tail = b"".join(rest)
        tod_s = time_of_day_s(tail[-8:])
        tail = tail if tod_s is None else tail[:-8]
        if tail.translate(None, FIGURES):
            tail = self._without_suffixes(tail)
            if tail.translate(None, FIGURES):
                return False
        width = len(tail.split())
        if width < 3 or name[:1] in FIGURES:
            return False
        if width != count or self.is_cut_off(number, text, table.table):
            self.skip_row(number, text)
            return True
        self.put(number, table.table, table, name, tail, tod_s)
        self.know_rows(table.table, table, b"" if tod_s is None else text.split()[-1])
        self.book.data()
        return True

    def take_scan(self, scan: Scan) -> None:
        if _CELL.search(self.scanned_text):
            self.book.warn("rounded_units")
        super().take_scan(scan)

    # -- both ------------------------------------------------------------------------------------

    def _without_suffixes(self, text: bytes) -> bytes:
        """The cells in bytes and milliseconds."""
        plain = _CELL.sub(_multiply, text)
        if plain != text:
            self.book.warn("rounded_units")
        return plain


def _multiply(match: re.Match[bytes]) -> bytes:
    number = Decimal(match["number"].replace(b",", b".").decode()) * _FACTOR[match["suffix"]]
    return f"{number:f}".encode()


def _join_lines(first: list[str], second: list[str]) -> list[str] | None:
    """``avg`` above ``serv`` is avgserv; None where the two lines do not go together."""
    broken = [word for word in first if word in _BROKEN_WORDS]
    if len(broken) != len(second):
        return None
    endings = iter(second)
    return [word + next(endings) if word in _BROKEN_WORDS else word for word in first]
