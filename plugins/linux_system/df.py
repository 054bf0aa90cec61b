"""df: -k, -P, -h, -B, -T, -i of coreutils, the POSIX form, and those of AIX, Solaris, HP-UX and the BSDs.

    Filesystem     1K-blocks     Used Available Use% Mounted on
    /dev/vda       264212084 25846336  69654928  28% /
    Filesystem     1024-blocks     Used Available Capacity Mounted on          -P
    Filesystem     Type  Size  Used Avail Use% Mounted on                       -hT
    Filesystem       Inodes  IUsed    IFree IUse% Mounted on                    -i
    Filesystem    1024-blocks      Free %Used    Iused %Iused Mounted on        AIX -k
    Filesystem    GB blocks        Free %Used    Iused %Iused Mounted on        AIX -g, also MB; -I has Used Free %Used
    Filesystem            kbytes    used   avail capacity  Mounted on           Solaris 10; bdf of HP-UX: %used
    /dev/mapper/vg_oracle-lv_archive_log                                        a long name without -P
                   264212084 25846336  69654928  28% /arch

The file system's mount point is the attribute; the heading of the size column tells the unit of its
neighbours, so each unit has its own table. Which system it is shows in the heading, or in the names of its
file systems where the heading is everybody's.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tunebench.families.cells import number_of
from tunebench.families.linux.storage import read_df
from tunebench.families.readings import Reading
from tunebench.sdk import ParseContext, Round, body_lines, decode_text, lazy_pattern, record

from .configured import ConfiguredParser

_BLOCKS = lazy_pattern(r"^(?P<size>\d+)(?P<suffix>[KkMG]?)B?-blocks$")
_TABLE_OF_BYTES = {
    1: "filesystem_bytes",
    512: "filesystem_512",
    1024: "filesystem",
    1024**2: "filesystem_mebi",
    1024**3: "filesystem_gibi",
}
_AIX_BLOCKS = {"MB blocks": "filesystem_mebi", "GB blocks": "filesystem_gibi"}
_FACTORS = {"": 1, "K": 1024, "k": 1024, "M": 1024**2, "G": 1024**3}
_HUMAN = lazy_pattern(rb"^(?P<number>\d+(?:[.,]\d+)?)(?P<suffix>[BKMGTPE])i?B?$")
_POWER = {b"B": 0, b"K": 1, b"M": 2, b"G": 3, b"T": 4, b"P": 5, b"E": 6}
_WORDS = frozenset({"Type"})
_SYSTEM_OF_HEADING = (
    ("linux", {"Use%"}),
    ("linux", {"IUse%"}),
    ("aix", {"%Used"}),
    ("hp-ux", {"kbytes", "%used"}),
    ("sunos", {"kbytes", "capacity"}),
    ("darwin", {"Available", "%iused"}),
)
_SYSTEM_OF_DEVICE = lazy_pattern(
    rb"^(?:(?P<linux>tmpfs|devtmpfs|udev|overlay|none|/dev/(?:mapper/|dm-|sd[a-z]+\d*|[xh]?vd[a-z]+\d*|nvme\d|mmcblk\d))"
    rb"|(?P<sunos>rpool/|ctfs|objfs|mnttab|/devices|swap|/dev/dsk/)|(?P<aix>/dev/hd\d|/dev/fslv\d)"
    rb"|(?P<darwin>map |/dev/disk\d+s\d)|(?P<freebsd>zroot/|/dev/(?:ada\d|da\d|gpt/|ufs/)))(?=[\w/. -]*[ \t])"
)


@record
class Heading:
    """Columns between the device's name and the mount point."""

    table: str
    names: tuple[str, ...]

    @property
    def numbers(self) -> tuple[str, ...]:
        return tuple(name for name in self.names if name not in _WORDS)


def read_heading(line: bytes) -> Heading | None:
    words = decode_text(line).split()
    if len(words) < 5 or words[0] != "Filesystem" or words[-2:] != ["Mounted", "on"]:
        return None
    table = _AIX_BLOCKS.get(" ".join(words[1:3]))
    if table is not None:
        return Heading(table, (" ".join(words[1:3]), *words[3:-2]))
    names = tuple(words[1:-2])
    for name in names:
        blocks = _BLOCKS.match(name)
        if blocks is not None:
            size = int(blocks["size"][:9]) * _FACTORS[blocks["suffix"]]
            return Heading(_TABLE_OF_BYTES.get(size, f"filesystem_{name}"), names)
    if names[:1] == ("kbytes",):
        return Heading("filesystem", names)
    if "Size" in names:
        return Heading("filesystem_human", names)
    return Heading("inodes", names) if "Inodes" in names else None


class DfParser(ConfiguredParser):
    """See the module."""

    tool = "df"
    section = "df"

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self._heading: Heading | None = None
        self._device = b""

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        lines = body_lines(head)
        for index, line in enumerate(lines):
            if read_heading(line) is not None and any(_has_share(row) for row in lines[index + 1 : index + 3]):
                return 0.95 if index < 3 else 0.6
        return 0.0

    def begins_round(self, line: bytes) -> bool:
        heading = read_heading(line)
        return heading is not None and (self._heading is None or heading.table == self._heading.table)

    def read_configuration(self, lines: Sequence[str]) -> Iterable[Reading]:
        return read_df(lines)

    def read_round(self, one: Round) -> None:
        self.remember(one)
        for number, line in one.lines:
            heading = read_heading(line)
            if heading is not None:
                self._heading = heading
                self.book.os = _system_of(heading) or self.book.os
                self.book.header()
            elif self._heading is not None and self._read_row(one.time_ns, number, line, self._heading):
                self.book.data()
            elif self._heading is not None and len(line.split()) == 1 and line[:1] == b"/":
                self._device = line.strip()
                self.book.header()
                continue
            else:
                self.skip_line(number, line)
            self._device = b""

    def _read_row(self, time_ns: int, number: int, line: bytes, heading: Heading) -> bool:
        device = self._device if line[:1].isspace() else b""
        cells = line.split(None, len(heading.names) + (0 if device else 1))
        if not device:
            cells = cells[1:]
        if len(cells) != len(heading.names) + 1:
            return False
        values = []
        for name, cell in zip(heading.names, cells, strict=False):
            if name not in _WORDS:
                value = _value(cell, heading.table)
                if value is None:
                    return False
                values.append(value)
        if not self.book.os:
            device_of = _SYSTEM_OF_DEVICE.match(line)
            self.book.os = (device_of.lastgroup or "") if device_of is not None else ""
        mountpoint = decode_text(cells[-1].rstrip())
        if heading.table == "filesystem_human":
            self.book.warn("rounded_units")
        self.table(heading.table, heading.numbers, "mountpoint").row(time_ns, number, mountpoint, values)
        return True


def _has_share(row: bytes) -> bool:
    """A row of df: ``28%``, or ``-`` where a file system has no blocks (``df -a``)."""
    return any(cell == b"-" or cell.endswith(b"%") for cell in row.split())


def _system_of(heading: Heading) -> str:
    """The system whose df prints this heading; empty where several do."""
    return next((system for system, names in _SYSTEM_OF_HEADING if names <= set(heading.names)), "")


def _value(cell: bytes, table: str) -> float | None:
    """The number of a cell, sizes of -h in bytes; None where it is none."""
    human = _HUMAN.match(cell) if table == "filesystem_human" else None
    if human is not None:
        return float(human["number"].replace(b",", b".")) * 1024.0 ** _POWER[human["suffix"]]
    return number_of(cell)
