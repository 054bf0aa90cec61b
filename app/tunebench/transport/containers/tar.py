"""Tar archives read front to back: V7, ustar, GNU and pax, as GNU, AIX, Solaris and HP-UX tar write them.

The standard library's reader takes a damaged header for the end of the archive and reads extended headers of any
size into memory; here damage is named, what lies behind it is found again, and every size is bounded. One header
is decoded by `tarfile.TarInfo.frombuf`.
"""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from typing import Final

from tunebench.transport.containers.members import ByteSource, Damaged, Entry
from tunebench.transport.containers.names import decode_name

BLOCK: Final = 512
_SKIP_BYTES = 1 << 20
_EXTENDED_BYTES = 1 << 20
"""More than any list of extended attributes or any name needs."""
_PAX_TYPES, _GLOBAL_PAX = (tarfile.XHDTYPE, tarfile.SOLARIS_XHDTYPE), tarfile.XGLTYPE
_LONG_NAME, _LONG_LINK = tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK
_REGULAR = (tarfile.REGTYPE, tarfile.AREGTYPE, tarfile.CONTTYPE)
_LINKS = (tarfile.LNKTYPE, tarfile.SYMTYPE)
_WITHOUT_DATA = (*_LINKS, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE)
_GNU_HEADER_EXTENDED = 482
_SPARSE_EXTENDED = 504
_SILENT = (b"V", b"N", b"A", b"E", b"D", b"M")
"""Volume labels, old long names, access lists, directory dumps: about files, not files."""


class Extent:
    """The next `size` bytes of a source; a `ByteSource`."""

    def __init__(self, source: ByteSource, size: int) -> None:
        self._source = source
        self._left = size

    def read(self, size: int) -> bytes:
        size = min(size, self._left)
        data = self._source.read(size) if size > 0 else b""
        self._left -= len(data)
        if len(data) < size:
            if data:
                return data
            raise Damaged("cut_off")
        return data

    def skip(self) -> None:
        """Raises Damaged where the source ends before."""
        while self._left > 0:
            self.read(_SKIP_BYTES)


def looks_like_tar(head: bytes) -> bool:
    """Whether a tar header stands at the beginning; its checksum is right."""
    return _header(head[:BLOCK]) is not None


def _header(block: bytes) -> tarfile.TarInfo | None:
    try:
        header = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
    except (tarfile.HeaderError, ValueError):
        return None
    return header if header.size >= 0 else None


class TarReader:
    """The entries of an archive in their order."""

    def __init__(self, source: ByteSource) -> None:
        self._source = source
        self._pax: dict[str, str] = {}
        self._global_pax: dict[str, str] = {}
        self._long: dict[bytes, str] = {}
        self._ended = False

    def entries(self) -> Iterator[Entry]:
        """Raises Damaged where the archive breaks off; what was given before is whole."""
        in_order = True
        while block := self._block():
            if not block.strip(b"\0"):
                self._ended = True
            elif (header := _header(block)) is None:
                if in_order and not self._ended:  # behind the end some systems leave what was in their buffer
                    yield Entry("", 0, 0, "damage", Extent(self._source, 0), "header")
                in_order = False
                continue
            else:
                yield from self._entry(header, block)
            in_order = True
        if not self._ended:
            raise Damaged("no_end_mark")

    def _block(self) -> bytes:
        block = self._source.read(BLOCK)
        if block and len(block) < BLOCK:
            if self._ended:
                return b""
            raise Damaged("cut_off")
        return block

    def _entry(self, header: tarfile.TarInfo, block: bytes) -> Iterator[Entry]:
        if header.type in (*_PAX_TYPES, _GLOBAL_PAX, _LONG_NAME, _LONG_LINK):
            self._take_extended(header)
            return
        if header.type == tarfile.GNUTYPE_SPARSE:
            self._skip_sparse_map(block)
        extent, entry = self._described(header)
        self._pax, self._long = {}, {}
        if header.type not in _SILENT:
            yield entry
        extent.skip()  # what was not read of it
        Extent(self._source, -entry.size_bytes % BLOCK).skip()

    def _take_extended(self, header: tarfile.TarInfo) -> None:
        """What the next entry's header has no room for."""
        extent = Extent(self._source, header.size)
        if header.size <= _EXTENDED_BYTES:
            data = b"".join(iter(lambda: extent.read(_EXTENDED_BYTES), b""))
            if header.type in _PAX_TYPES:
                self._pax |= read_pax(data)
            elif header.type == _GLOBAL_PAX:
                self._global_pax |= read_pax(data)
            else:
                self._long[header.type] = decode_name(data.split(b"\0", 1)[0])
        extent.skip()
        Extent(self._source, -header.size % BLOCK).skip()

    def _described(self, header: tarfile.TarInfo) -> tuple[Extent, Entry]:
        pax = self._global_pax | self._pax
        name = self._long.get(_LONG_NAME) or pax.get("path") or _text(header.name)
        target = self._long.get(_LONG_LINK) or pax.get("linkpath") or _text(header.linkname)
        size = _number(pax.get("size"), header.size)
        modified_s = _number(pax.get("mtime"), header.mtime)
        if header.type in _WITHOUT_DATA or (header.type == tarfile.AREGTYPE and name.endswith("/")):
            size = 0
        kind = _kind(header.type, name, pax)
        extent = Extent(self._source, size)
        return extent, Entry(name, size, _nanoseconds(modified_s), kind, extent, target)

    def _skip_sparse_map(self, block: bytes) -> None:
        extended = block[_GNU_HEADER_EXTENDED]
        while extended:
            more = self._source.read(BLOCK)
            if len(more) < BLOCK:
                raise Damaged("cut_off")
            extended = more[_SPARSE_EXTENDED]


def _kind(type_: bytes, name: str, pax: dict[str, str]) -> str:
    if type_ == tarfile.GNUTYPE_SPARSE or any(key.startswith("GNU.sparse.") for key in pax):
        return "sparse"
    if type_ == tarfile.DIRTYPE or (type_ == tarfile.AREGTYPE and name.endswith("/")):
        return "folder"
    if type_ in _REGULAR:
        return "file"
    return "link" if type_ in _LINKS else "special"


def _text(name: str) -> str:
    return decode_name(name.encode("utf-8", "surrogateescape"))


def _number(text: str | None, otherwise: float) -> int:
    try:
        number = int(float(text)) if text is not None and "." in text else int(text if text is not None else otherwise)
    except (ValueError, OverflowError):
        return int(otherwise)
    return number if number >= 0 else int(otherwise)


def _nanoseconds(seconds: int) -> int:
    return seconds * 1_000_000_000 if 0 <= seconds < 1 << 33 else 0


def read_pax(data: bytes) -> dict[str, str]:
    """``<length> <keyword>=<value>\\n`` again and again; what is none of that ends the reading."""
    fields: dict[str, str] = {}
    at = 0
    while at < len(data):
        length_text, blank, _ = data[at : at + 20].partition(b" ")
        if not blank or not length_text.isdigit():
            break
        length = int(length_text)
        record = data[at + len(length_text) + 1 : at + length]
        key, equals, value = record.rstrip(b"\n").partition(b"=")
        if length <= len(length_text) or not equals:
            break
        fields[decode_name(key)] = decode_name(value)
        at += length
    return fields
