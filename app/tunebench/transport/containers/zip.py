"""Zip archives: read by their table of contents, or front to back where that is gone."""

from __future__ import annotations

import lzma
import stat
import struct
import zipfile
import zlib
from collections.abc import Generator
from datetime import UTC, datetime
from typing import IO

from tunebench.core.errors import UserError
from tunebench.transport.containers.damage import damage_of
from tunebench.transport.containers.limits import Budget, OverLimit, gib
from tunebench.transport.containers.members import Damaged, Entry
from tunebench.transport.containers.names import decode_name

MAGIC = (b"PK\x03\x04", b"PK\x05\x06")
_ENCRYPTED, _UTF8 = 0x1, 0x800
_UNICODE_PATH = 0x7075
_DIRECTORY_ENTRY = b"PK\x01\x02"
_END, _END64_LOCATOR, _END64 = b"PK\x05\x06", b"PK\x06\x07", b"PK\x06\x06"
_END_BYTES, _END64_BYTES = 22, 56 + 20
"""The end of the table of contents; what a long one has before it, its locator included."""
_LONGEST_END_BYTES = _END_BYTES + (1 << 16)
_LARGEST_DICTIONARY_BYTES = 512 << 20
_KNOWN_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
_METHOD_NAMES = {6: "implode", 9: "deflate64", 12: "bzip2", 93: "zstd", 95: "xz", 98: "PPMd", 99: "AES"}
_ERRORS = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, OSError, EOFError, ValueError, struct.error, MemoryError)


def zip_entries(file: IO[bytes], budget: Budget, name: str) -> Generator[Entry]:
    """The entries of an archive in the order of its table of contents.

    Raises:
        Damaged: there is no table of contents.
        OverLimit: it is too long; it holds more members than an archive may.
    """
    start, size = _directory(file)
    if size > budget.limits.directory_bytes:
        raise OverLimit("bundle_too_many", path=name, most=f"{budget.limits.archive_members:,}")
    file.seek(start)
    count = file.read(size).count(_DIRECTORY_ENTRY)
    if count > budget.limits.archive_members:
        raise OverLimit("archive_too_many", path=name, count=f"{count:,}", most=f"{budget.limits.archive_members:,}")
    try:
        archive = zipfile.ZipFile(file)
    except (NotImplementedError, *_ERRORS) as error:
        raise damage_of(error) from error
    with archive:
        for info in archive.infolist():
            yield _entry(archive, info, budget, name)


def _entry(archive: zipfile.ZipFile, info: zipfile.ZipInfo, budget: Budget, archive_name: str) -> Entry:
    name = real_name(info)
    path = f"{archive_name}!/{name}"
    return Entry(
        name,
        info.file_size,
        _modified_ns(info),
        "folder" if info.is_dir() else "link" if stat.S_ISLNK(info.external_attr >> 16) else "file",
        _Content(archive, info, budget, path),
        error=_refusal(info, budget, path),
        packed_bytes=info.compress_size,
    )


def _refusal(info: zipfile.ZipInfo, budget: Budget, path: str) -> UserError | None:
    if info.flag_bits & _ENCRYPTED:
        return UserError("member_encrypted", path=path)
    if info.compress_type not in _KNOWN_METHODS:
        method = _METHOD_NAMES.get(info.compress_type, str(info.compress_type))
        return UserError("member_method", path=path, method=method)
    if info.file_size > budget.limits.member_bytes:
        return OverLimit("member_too_large", path=path, most=gib(budget.limits.member_bytes))
    return None


class _Content:
    """The bytes of one entry; opened when first read."""

    def __init__(self, archive: zipfile.ZipFile, info: zipfile.ZipInfo, budget: Budget, name: str) -> None:
        self._archive, self._info, self._budget, self._name = archive, info, budget, name
        self._file: IO[bytes] | None = None
        self._unpacked = 0
        self._broken: Damaged | OverLimit | None = None

    def read(self, size: int) -> bytes:
        if self._broken is not None:
            raise self._broken
        try:
            if self._file is None:
                self._check_dictionary()
                self._file = self._archive.open(self._info)
            data = self._file.read(size)
            self._unpacked += len(data)
            self._budget.count_unpacked(len(data), self._unpacked, self._info.compress_size, self._name)
        except OverLimit as broken:
            self._broken = broken
            raise
        except (NotImplementedError, RuntimeError, *_ERRORS) as error:
            self._broken = damage_of(error)
            raise self._broken from error
        return data

    def _check_dictionary(self) -> None:
        """A member packed with LZMA says itself how much memory its reader shall take."""
        if self._info.compress_type != zipfile.ZIP_LZMA or self._archive.fp is None:
            return
        file = self._archive.fp
        file.seek(self._info.header_offset)
        header = file.read(30)
        file.seek(sum(struct.unpack("<HH", header[26:30])), 1)
        properties = file.read(9)
        if len(properties) == 9 and struct.unpack("<L", properties[5:])[0] > _LARGEST_DICTIONARY_BYTES:
            raise Damaged("memory")


def real_name(info: zipfile.ZipInfo) -> str:
    """The name as its writer meant it: marked as UTF-8, told in an extra field, or in the writer's code page."""
    if info.flag_bits & _UTF8:
        return info.orig_filename
    try:
        raw = info.orig_filename.encode("cp437")
    except UnicodeEncodeError:
        return info.orig_filename
    return _unicode_path(info.extra, raw) or decode_name(raw)


def _unicode_path(extra: bytes, raw: bytes) -> str:
    """Info-ZIP's extra field with the name in UTF-8; it counts where its checksum is that of the plain name."""
    while len(extra) >= 4:
        tag, size = struct.unpack("<HH", extra[:4])
        body, extra = extra[4 : 4 + size], extra[4 + size :]
        if tag == _UNICODE_PATH and len(body) > 5 and struct.unpack("<L", body[1:5])[0] == zlib.crc32(raw):
            return body[5:].decode("utf-8", "replace")
    return ""


def _modified_ns(info: zipfile.ZipInfo) -> int:
    """Zip stamps are local times of an unknown zone; taken as UTC, good for the year and the day."""
    try:
        return int(datetime(*info.date_time, tzinfo=UTC).timestamp()) * 1_000_000_000
    except ValueError:
        return 0


def _directory(file: IO[bytes]) -> tuple[int, int]:
    """Where the table of contents begins and how long it is; 0, 0 where there is none. It is looked for where zipfile
    looks for it: what other fields say of it would be believed here and not there."""
    whole = file.seek(0, 2)
    tail_start = max(0, whole - _LONGEST_END_BYTES - _END64_BYTES)
    file.seek(tail_start)
    tail = file.read()
    bare = tail[-_END_BYTES:].startswith(_END) and tail.endswith(b"\0\0")
    at = len(tail) - _END_BYTES if bare else tail.rfind(_END)
    if at < 0 or len(tail) < at + _END_BYTES:
        return 0, 0
    end, size = tail_start + at, int(struct.unpack("<L", tail[at + 12 : at + 16])[0])
    before = tail[max(0, at - _END64_BYTES) : at]
    if before.startswith(_END64) and before[56:].startswith(_END64_LOCATOR):
        end, size = end - _END64_BYTES, int(struct.unpack("<Q", before[40:48])[0])
    return max(0, end - size), size
