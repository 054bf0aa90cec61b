"""Office files are packages of parts: the same parts give the same bytes, and their only date is that of issue."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Mapping
from datetime import datetime
from io import BytesIO

from tunebench.core.patterns import lazy_pattern

FIXED_TIME = (1980, 1, 1, 0, 0, 0)
COMPRESSION_LEVEL = 6
CORE = "docProps/core.xml"
UNDATED = datetime(2000, 1, 1)
_DATES = lazy_pattern(rb"(<dcterms:(created|modified)\b[^>]*>)[^<]*(</dcterms:)")

Edit = Callable[[bytes], bytes]


def repacked(package: bytes, issued: str, edits: Mapping[str, Edit] | None = None) -> bytes:
    """
    Args:
        issued: ISO date that becomes the package's own dates.
        edits: what becomes of parts, by their names.
    """
    target = BytesIO()
    stamp = f"{issue_moment(issued):%Y-%m-%dT00:00:00Z}".encode()
    with zipfile.ZipFile(BytesIO(package)) as source, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as result:
        for name in sorted(source.namelist(), key=_order):
            data = (edits or {}).get(name, bytes)(source.read(name))
            if name == CORE:
                data = _DATES.sub(lambda match: match[1] + stamp + match[3], data)
            entry = zipfile.ZipInfo(name, FIXED_TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o600 << 16
            result.writestr(entry, data, zipfile.ZIP_DEFLATED, COMPRESSION_LEVEL)
    return target.getvalue()


def issue_moment(issued: str) -> datetime:
    """Midnight of the day of issue; a fixed day without one."""
    try:
        return datetime.fromisoformat(issued)
    except ValueError:
        return UNDATED


def holds_slides(package: bytes) -> bool:
    """Whether it is a presentation; of what is no package nobody can say so."""
    try:
        with zipfile.ZipFile(BytesIO(package)) as archive:
            return any(name.startswith("ppt/") for name in archive.namelist())
    except zipfile.BadZipFile:
        return False


def _order(name: str) -> tuple[int, str]:
    """A sort key of parts: the content types first, as every office program writes them."""
    return (0 if name == "[Content_Types].xml" else 1 if name.startswith("_rels/") else 2, name)
