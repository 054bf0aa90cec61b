"""How much a bundle may hold before it is taken for an attack, or for a mistake."""

from __future__ import annotations

from tunebench.core.errors import UserError
from tunebench.core.records import record


@record
class Limits:
    """Bounds of one bundle.

    Attributes:
        members: files, links and folders in all its archives together.
        archive_members: of one archive. Each costs recognition some milliseconds, and an archive a hundred bytes.
        empty_members: files without a byte among them. Each costs us as much as one with bytes, and an archive nothing.
        ratio: unpacked to packed bytes of one stream, asked once it gave `ratio_from_bytes`. Captures that repeat
            themselves reach about 100; bombs begin near 1,000.
        depth: archives in archives; a ``.tar.gz`` is one.
        name_length: characters of a member's whole name.
        spool_bytes: of an archive in an archive that can only be read by seeking (zip), kept in a temporary file.
        directory_bytes: of a zip file's table of contents, which is read as a whole.
        mail_bytes: of a mail, which is read as a whole.
    """

    members: int = 250_000
    archive_members: int = 20_000
    empty_members: int = 20_000
    member_bytes: int = 16 << 30
    total_bytes: int = 256 << 30
    ratio: int = 500
    ratio_from_bytes: int = 64 << 20
    depth: int = 4
    name_length: int = 1024
    spool_bytes: int = 2 << 30
    directory_bytes: int = 64 << 20
    mail_bytes: int = 64 << 20


class OverLimit(UserError):
    """A bound was reached; `ends_all` where nothing more of the whole bundle is read."""

    def __init__(self, key: str, *, ends_all: bool = False, **facts: object) -> None:
        super().__init__(key, **facts)
        self.ends_all = ends_all


class Budget:
    """What one bundle has used of its limits."""

    def __init__(self, limits: Limits, path: str) -> None:
        self.limits = limits
        self._path = path
        self._members = self._empty = 0
        self._unpacked = 0

    def count_member(self, *, empty: bool = False) -> None:
        """Raises OverLimit where there are too many."""
        self._members += 1
        self._empty += empty
        for count, most in ((self._members, self.limits.members), (self._empty, self.limits.empty_members)):
            if count > most:
                raise OverLimit("bundle_too_many", ends_all=True, path=self._path, most=f"{most:,}")

    def count_bytes(self, size: int) -> None:
        """Raises OverLimit where the bundle unpacks to more than it may."""
        self._unpacked += size
        self.check()

    def count_unpacked(self, size: int, unpacked: int, packed: int, name: str) -> None:
        """Counts `size` bytes more of one stream, which gave `unpacked` in all out of `packed`.

        Raises:
            OverLimit: the bundle, or this stream, unpacks to more than it may.
        """
        self.count_bytes(size)
        if unpacked > self.limits.ratio_from_bytes and unpacked > self.limits.ratio * packed:
            raise OverLimit("bundle_bomb", path=name, ratio=self.limits.ratio)

    def check(self) -> None:
        """Raises OverLimit where a reader was stopped before and whoever read went on."""
        if self._unpacked > self.limits.total_bytes:
            raise OverLimit("bundle_too_large", ends_all=True, path=self._path, most=gib(self.limits.total_bytes))


def gib(size: int) -> str:
    return f"{size / (1 << 30):,.4g} GiB"
