"""Parser of iostat of FreeBSD, OpenBSD and macOS.

           tty             ad0              da0            cpu
     tin  tout  KB/t tps  MB/s   KB/t tps  MB/s  us ni sy in id                           FreeBSD
     tin tout  KB/t  t/s  MB/s   KB/t  t/s  MB/s  us ni sy sp in id                       OpenBSD
              disk0               disk4       cpu    load average
        KB/t  tps  MB/s     KB/t  tps  MB/s  us sy id   1m   5m   15m                     macOS

                            extended device statistics
    device       r/s     w/s     kr/s     kw/s  ms/r  ms/w  ms/o  ms/t qlen  %b           FreeBSD -x, since 11
    device     r/s   w/s    kr/s    kw/s qlen svc_t  %b                                   before
    ada0           0       1      0.2     20.7     4     3     0     3    0   0
    device           r/i         w/i         kr/i         kw/i qlen   tsvc_t/i      sb/i      -Ix, both in seconds

The line above the headings names the disks, in their order. KB and MB are of 1024 (iostat(8)). The first block of a
run is an average since boot. With -I amounts of the interval stand in place of rates (xfrs, MB, r/i, kr/i ...).
"""

from __future__ import annotations

import re

from tunebench.families.confidence import of_match
from tunebench.families.runs import RunParser, text_of_head
from tunebench.sdk import ParseContext, TableBuilder, lazy_pattern, record

_EXTENDED = lazy_pattern(
    rb"^[ \t]*device[ \t]+r/[si][ \t]+w/[si][ \t]+kr/[si][ \t]+kw/[si][ \t][ -~\t]*(?:%b|sb/i)(?:[ \t]+[a-z ]+)?$"
)
_PLAIN = lazy_pattern(rb"^[ \t]*(?:tin[ \t]+tout[ \t]+)?KB/t[ \t]+(?:tps|t/s|xfrs)[ \t]+MB(?:/s)?\b[\w/ \t]*$")
_CPU_ONLY = lazy_pattern(
    rb"^[ \t]*(?:tin[ \t]+tout[ \t]+)?us[ \t]+(?:ni[ \t]+)?sy[ \t]+(?:(?:sp|in)[ \t]+)*id"
    rb"(?:[ \t]+1m[ \t]+5m[ \t]+15m)?$"
)
_SNIFF = lazy_pattern(b"|".join(pattern.pattern for pattern in (_EXTENDED, _PLAIN)), re.MULTILINE)
_GROUPS = frozenset({"tty", "cpu", "load", "average"})
_DISK_WORDS = frozenset({"KB/t", "tps", "t/s", "xfrs", "MB/s", "MB"})
_SYSTEM_WORDS = frozenset({"tin", "tout", "us", "ni", "sy", "sp", "in", "id", "1m", "5m", "15m"})
_DISK = lazy_pattern(r"[A-Za-z][\w.:/-]*\d[\w.:/-]*")
_FIGURES = b"0123456789.,- \t"
_PAGE = 18


@record
class _Layout:
    """`disks` is empty in the extended form, whose rows are devices."""

    words: tuple[str, ...]
    disks: tuple[str, ...]
    device: TableBuilder | None
    system: TableBuilder | None
    extended: bool


class IostatParser(RunParser):
    """See the module."""

    tool = "iostat"

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self._layout: _Layout | None = None
        self._disks: tuple[str, ...] = ()
        self._load = False
        self._rows_since_heading: int | None = None

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        text = text_of_head(head)
        match = _SNIFF.search(text)
        if match is None or b"actv" in match.group():
            return 0.0
        return min(of_match(match, 6), 0.93)

    def begin_run(self) -> None:
        self._layout, self._rows_since_heading, self._disks = None, None, ()

    def take(self, number: int, text: bytes) -> bool:
        if self._take_row(number, text):
            return True
        if _EXTENDED.match(text):
            self._begin_extended(tuple(text.decode().split()))
            self.is_cut_off(number, text, "device")  # a whole row is as long as its heading
        elif _PLAIN.match(text) or (_CPU_ONLY.match(text) and not self._disks):
            self._begin_plain(tuple(text.decode().split()))
            self.is_cut_off(number, text, "all")
        elif text.split() == [b"extended", b"device", b"statistics"] or not self._take_groups(text):
            if b"extended" not in text:
                return False
            self.end_block()
        self.book.header()
        return True

    # -- headings --------------------------------------------------------------------------------

    def _take_groups(self, text: bytes) -> bool:
        """``tty  ad0  da0  cpu``: names the disks."""
        words = text.decode("ascii", "replace").split()
        disks = tuple(word for word in words if word not in _GROUPS)
        if not all(_DISK.fullmatch(disk) for disk in disks) or (len(words) == len(disks) and len(text.strip()) == 0):
            return False
        if not text[:1].isspace() and not _GROUPS & set(words):
            return False
        self._disks, self._layout = disks, None
        return True

    def _begin_extended(self, words: tuple[str, ...]) -> None:
        self.end_block()
        columns = words[1:]
        own = tuple(word for word in columns if word not in _SYSTEM_WORDS)
        system = tuple(word for word in columns if word in _SYSTEM_WORDS)
        self.book.os, self.book.variant = "freebsd", "-x"
        device = self.table("device", own, "device")
        self._layout = _Layout(columns, (), device, self.table("system", system) if system else None, True)

    def _begin_plain(self, words: tuple[str, ...]) -> None:
        rows = self._rows_since_heading
        if rows is not None and 0 < rows < _PAGE:
            self.clock.new_run()
        self._rows_since_heading = 0
        apple = "1m" in words or _is_apple(self._disks)
        self.book.os = "openbsd" if "t/s" in words else "darwin" if apple else "freebsd"
        own = tuple(word for word in words if word in _DISK_WORDS)
        system = tuple(word for word in words if word in _SYSTEM_WORDS)
        count = len(self._disks)
        if len(own) % max(count, 1) or bool(own) != bool(count):
            self._layout = None
            return
        device = self.table("disk", own[: len(own) // count], "device") if count else None
        self._layout = _Layout(words, self._disks, device, self.table("system", system) if system else None, False)

    # -- rows ------------------------------------------------------------------------------------

    @property
    def row_width(self) -> int:
        return 0 if self._layout is None or self._layout.extended else len(self._layout.words)

    def _take_row(self, number: int, text: bytes) -> bool:
        layout = self._layout
        if layout is None:
            return False
        return self._take_device(number, text, layout) if layout.extended else self._take_all(number, text, layout)

    def _take_device(self, number: int, text: bytes, layout: _Layout) -> bool:
        name, *cells = text.split()
        assert layout.device is not None
        own = len(layout.device.headings)
        if not cells or b"".join(cells).translate(None, _FIGURES) or not name[:1].isalpha():
            return False
        if len(cells) not in (own, len(layout.words)) or self.is_cut_off(number, text, "device"):
            self.skip_row(number, text)
            return True
        time_ns, since_boot = self.block()
        layout.device.row(time_ns, number, name, b" ".join(cells[:own]), since_boot)
        if len(cells) > own and layout.system is not None:
            layout.system.row(time_ns, number, b"", b" ".join(cells[own:]), since_boot)
        self.book.data()
        return True

    def _take_all(self, number: int, text: bytes, layout: _Layout) -> bool:
        cells = text.split()
        if len(cells) < 2 or text.translate(None, _FIGURES):
            return False
        if len(cells) != len(layout.words) or self.is_cut_off(number, text, "all"):
            self.skip_row(number, text)
            return True
        self.end_block()
        time_ns, since_boot = self.block()
        of_disks = [cell for cell, word in zip(cells, layout.words, strict=True) if word in _DISK_WORDS]
        of_system = [cell for cell, word in zip(cells, layout.words, strict=True) if word in _SYSTEM_WORDS]
        if layout.device is not None:
            width = len(layout.device.headings)
            for index, disk in enumerate(layout.disks):
                row = b" ".join(of_disks[index * width : (index + 1) * width])
                layout.device.row(time_ns, number, disk.encode(), row, since_boot)
        if layout.system is not None:
            layout.system.row(time_ns, number, b"", b" ".join(of_system), since_boot)
        self.book.data()
        self._rows_since_heading = (self._rows_since_heading or 0) + 1
        return True


def _is_apple(disks: tuple[str, ...]) -> bool:
    return bool(disks) and all(re.fullmatch(r"disk\d+", disk) for disk in disks)
