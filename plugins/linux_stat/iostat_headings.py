"""iostat's headings: which table a line begins, and whether a text is iostat's at all."""

from __future__ import annotations

from collections.abc import Sequence

from tunebench.families.cells import is_number
from tunebench.sdk import decode_text, lazy_pattern, record

_DEVICE_WORDS = frozenset({b"Device", b"Device:"})
_NFS_WORDS = frozenset({b"Filesystem", b"Filesystem:"})
_CPU_WORD = b"avg-cpu:"
HEADING_WORDS = _DEVICE_WORDS | _NFS_WORDS
_RATE = lazy_pattern(rb"^(?:tps|%?[a-zA-Z_+]+/s|f_await|%util)$")


@record
class Heading:
    """One heading line: the table it begins, and its columns of numbers."""

    table: str
    headings: tuple[str, ...]
    key_last: bool
    keyed: bool

    @property
    def width(self) -> int:
        return len(self.headings)

    def parts(self, cells: list[bytes]) -> tuple[list[bytes], list[bytes]]:
        """A row's words of the name, and its numbers."""
        if self.key_last:
            return cells[self.width :], cells[: self.width]
        return cells[: len(cells) - self.width], cells[len(cells) - self.width :]


def read_heading(line: bytes) -> Heading | None:
    """The table that a heading line begins; None where the line is no heading."""
    cells = line.split()
    if len(cells) < 3:
        return None
    if cells[0] == _CPU_WORD and cells[1] == b"%user":
        return Heading("cpu", tuple(map(decode_text, cells[1:])), key_last=False, keyed=False)
    if cells[0] in _DEVICE_WORDS or cells[0] in _NFS_WORDS:
        names, key_last = cells[1:], False
    elif cells[-1] in _DEVICE_WORDS:
        names, key_last = cells[:-1], True
    else:
        return None
    if not any(_RATE.match(name) for name in names):
        return None
    headings = tuple(map(decode_text, names))
    table = "nfs" if cells[0] in _NFS_WORDS else "device"
    if key_last and headings[0] not in ("tps", "r/s"):  # -h prints one device over several tables
        table = f"device:{headings[0]}"
    return Heading(table, headings, key_last, keyed=True)


def options_of(seen: Sequence[Heading]) -> list[str]:
    """The options with which iostat prints these headings."""
    tables = {heading.table for heading in seen}
    names = {name for heading in seen for name in heading.headings}
    parts = [
        "-x" if names & {"%util", "svctm"} else "",
        "-c" if tables == {"cpu"} else "-d" if "cpu" not in tables else "",
        "-h" if any(heading.key_last for heading in seen) else "",
        "-n" if "nfs" in tables else "",
    ]
    return [part for part in parts if part]


def suffix_base(heading: str) -> float:
    """What the column's plain numbers are multiples of, in bytes; units such as ``5.7M`` are read by it."""
    if heading.endswith("areq-sz") or "kB" in heading:
        return 1024.0
    if "MB" in heading:
        return 1024.0**2
    if "Blk" in heading or "sec" in heading or heading == "avgrq-sz":
        return 512.0
    return 1.0


def sniff_text(head: bytes) -> float:
    """How sure the head of a file is text of Linux' iostat: a heading with a row of its own below it."""
    lines = head.split(b"\n")[:400]
    banner = any(line.lstrip(b"\xef\xbb\xbf").startswith(b"Linux ") for line in lines[:60])
    best = 0.0
    for index, line in enumerate(lines):
        layout = read_heading(line) or _prefixed_heading(line)
        if layout is None:
            continue
        best = max(best, 0.7 if banner else 0.0)
        following = [row.split() for row in lines[index + 1 : index + 4] if row.strip()]
        width = layout.width + layout.keyed
        if following and len(following[0]) >= width and is_number(following[0][0 if layout.key_last else -1]):
            return 0.97 if banner else 0.9
    return best


def _prefixed_heading(line: bytes) -> Heading | None:
    for word in (_CPU_WORD, b"Device"):
        start = line.find(word)
        if 0 < start < 40:
            return read_heading(line[start:])
    return None


def all_numbers(cells: list[bytes]) -> bool:
    try:
        list(map(float, cells))
    except ValueError:
        return all(is_number(cell) for cell in cells)
    return True
