"""Parser of Solaris iostat.

    device    r/s    w/s   kr/s   kw/s wait actv  svc_t  %w  %b              -x: the name first
    r/s    w/s   kr/s   kw/s wait actv wsvc_t asvc_t  %w  %b device          -xn: the name last
    device,r/s,w/s,kr/s,kw/s,wait,actv,svc_t,%w,%b,                          -xr
    device  ... svc_t  %w  %b  tin tout  us sy wt id                         -xtc: only the first row is full
    tin tout kps tps serv  kps tps serv   us sy wt id                        plain, disks named one line above
    Tue Apr 19 21:16:01 2011                                                 -T d above each block

The first block of a run is an average since boot.
"""

from __future__ import annotations

from tunebench.sdk import ParseContext, TableBuilder, lazy_pattern, record

from .capture import SolarisParser
from .sniffing import sniff_iostat

_SUMMARY_WORDS = frozenset({"tin", "tout", "us", "sy", "wt", "st", "id"})
_DEVICE_WORDS = frozenset({"device", "disk"})
_EXTENDED_WORDS = frozenset({"svc_t", "asvc_t", "wsvc_t", "actv"})
_PLAIN_DISK_WORDS = frozenset({"kps", "tps", "rps", "wps", "serv", "util"})
_FIGURES = b"0123456789.,-"  # what the figures of a row are made of
_NAME_WITH_BLANK = lazy_pattern(rb"\S+\(pid \d+\)")  # the automounter: db1:vold(pid 321)
_DISK_NAME = lazy_pattern(r"[a-z][A-Za-z_.:/-]*\d[\w.,:/-]*")  # no two parts match the same: linear on long words


@record(frozen=False)
class _Table:
    """The heading that is being read: `name_first` is None where each row is a block of its own.

    Attributes:
        part: what is repeated once per block.
        columns: figures per row; of -xtc those of the full row.
    """

    part: str
    name_first: bool | None
    columns: int
    device: TableBuilder | None
    system: TableBuilder | None
    separator: bytes | None = None
    rows: int = 0


class IostatParser(SolarisParser[_Table]):
    """One `TableBuilder` per heading; a heading begins a block, which shares one time."""

    tool = "iostat"

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self._disks: list[str] = []
        self._parts_of_block: set[str] = set()

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        return sniff_iostat(head)

    # -- rows ------------------------------------------------------------------------------------

    def _take_row(self, number: int, text: bytes) -> bool:
        table = self._layout
        if table is None:
            return False
        cells = text.rstrip(b",").split(table.separator)
        if table.name_first is None:
            return self._take_system_row(number, table, cells)
        if len(cells) < 2:
            return False
        count = table.columns if len(cells) > table.columns else len(cells) - 1
        glue = table.separator or b" "
        if table.name_first:
            name, figures = glue.join(cells[: len(cells) - count]), cells[len(cells) - count :]
        else:
            name, figures = glue.join(cells[count:]), cells[:count]
        if b" " in name and not _NAME_WITH_BLANK.fullmatch(name):
            return False
        if b"".join(figures).translate(None, _FIGURES):
            return False
        return self._put(number, table, name, figures)

    def _put(self, number: int, table: _Table, name: bytes, figures: list[bytes]) -> bool:
        """Stores a row; -xtc gives the figures of the whole system beside the first device only."""
        assert table.device is not None
        own = len(table.device.headings)
        system = len(table.system.headings) if table.system is not None else 0
        if len(figures) not in (own, own + system):
            return False
        time_ns, since_boot = self._now()
        table.device.row(time_ns, number, name, b" ".join(figures[:own]), since_boot)
        if len(figures) > own and table.system is not None:
            table.system.row(time_ns, number, b"", b" ".join(figures[own:]), since_boot)
        self.book.data()
        return True

    def _take_system_row(self, number: int, table: _Table, cells: list[bytes]) -> bool:
        """A row of plain iostat, or of cpu and tty above the devices of -xnc."""
        if len(cells) != table.columns or b"".join(cells).translate(None, _FIGURES):
            return False
        self._begin_row(table)
        time_ns, since_boot = self._now()
        if table.device is not None:
            cells = self._put_disks(number, table, table.device, cells)
        if table.system is not None:
            table.system.row(time_ns, number, b"", b" ".join(cells), since_boot)
        self.book.data()
        return True

    def _begin_row(self, table: _Table) -> None:
        """Each row of plain iostat is a block."""
        if table.rows:
            self._end_block()
            self._parts_of_block.add(table.part)
        table.rows += 1

    def _lose_row(self, number: int, text: bytes) -> None:
        if self._layout is not None and self._layout.name_first is None:
            self._begin_row(self._layout)
        super()._lose_row(number, text)

    def _put_disks(self, number: int, table: _Table, device: TableBuilder, cells: list[bytes]) -> list[bytes]:
        """Stores ``kps tps serv`` of each disk; gives the cells of tty and cpu that remain."""
        time_ns, since_boot = self._now()
        width = len(device.headings)
        first = sum(word in ("tin", "tout") for word in table.system.headings) if table.system is not None else 0
        for index, disk in enumerate(self._disks):
            start = first + index * width
            device.row(time_ns, number, disk.encode(), b" ".join(cells[start : start + width]), since_boot)
        return cells[:first] + cells[first + width * len(self._disks) :]

    # -- headings --------------------------------------------------------------------------------

    def _end_block(self) -> None:
        super()._end_block()
        self._parts_of_block.clear()

    def _take_heading(self, number: int, text: bytes) -> bool:
        taken = self._read_heading(text)
        if taken:
            self.book.header()
        return taken

    def _read_heading(self, text: bytes) -> bool:
        try:
            words = text.decode("ascii").rstrip(",").split("," if b"," in text else None)
        except UnicodeDecodeError:
            return False
        if _EXTENDED_WORDS & set(words) and (words[0] in _DEVICE_WORDS or words[-1] in _DEVICE_WORDS):
            self._begin_extended(words, b"," if b"," in text else None)
            return True
        if set(words) <= _SUMMARY_WORDS | _PLAIN_DISK_WORDS:
            return self._begin_plain(words)
        return self._take_group_line(text.decode("ascii").split())

    def _take_group_line(self, words: list[str]) -> bool:
        """``extended device statistics``, ``cpu``, or ``tty sd0 sd1 nfs1 cpu``, which names plain iostat's disks."""
        disks = [] if words[0] == "extended" else [word for word in words if word not in ("tty", "cpu")]
        if words[0] == "extended" and "statistics" not in words:
            return False
        if not all(_DISK_NAME.fullmatch(disk) for disk in disks):
            return False
        self._disks = disks
        self._layout = None
        return True

    def _begin_part(self, part: str) -> None:
        """A part of the output that came already in this block belongs to the next one."""
        if part in self._parts_of_block:
            self._end_block()
        self._parts_of_block.add(part)

    def _begin_extended(self, words: list[str], separator: bytes | None) -> None:
        self._begin_part("device")
        self._disks = []
        name_first = words[0] in _DEVICE_WORDS
        figures = words[1:] if name_first else words[:-1]
        own = [word for word in figures if word not in _SUMMARY_WORDS]
        system = [word for word in figures if word in _SUMMARY_WORDS]
        self.book.variant = "-x" if name_first else "-xn"
        self._layout = _Table(
            "device",
            name_first,
            len(figures),
            self._builder("device", own, "device"),
            self._builder("system", system, None) if system else None,
            separator,
        )

    def _begin_plain(self, words: list[str]) -> bool:
        system = [word for word in words if word in _SUMMARY_WORDS]
        disk = [word for word in words if word not in _SUMMARY_WORDS]
        count = len(self._disks)
        if len(disk) % max(count, 1) or bool(disk) != bool(count):
            return False
        own = disk[: len(disk) // count] if count else []
        part = "disk" if own else "system"
        self._begin_part(part)
        self._layout = _Table(
            part,
            None,
            len(words),
            self._builder("disk", own, "device") if own else None,
            self._builder("system", system, None) if system else None,
        )
        return True
