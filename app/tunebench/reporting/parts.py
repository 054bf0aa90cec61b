"""Parts of a delivered Office file against those of the same file made again.

Whatever an Office program displays stands in some part: the caches of charts, hidden rows, formats of numbers, colours
by a condition, pictures. So all of them are compared, as XML where they are XML: the order of attributes says nothing.
"""

from __future__ import annotations

import posixpath
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from io import BytesIO
from xml.etree import ElementTree

from tunebench.reporting.delivered import Difference

Normal = Callable[[str, bytes], bytes]
"""What of a part (its name, its bytes) is compared."""

_PACKAGE = b"PK\x03\x04"
_RELATION = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"
_SLACK_BYTES = 1 << 20


def part_differences(
    delivered: bytes, rebuilt: bytes, owners: Mapping[str, str], normal: tuple[Normal, Normal] | None = None
) -> Iterator[Difference]:
    """A place for each owner with parts that differ, are missing or were added; of parts without one, their names.

    Args:
        owners: names of parts -> how the place they are displayed at is called (see `owners_of`).
        normal: of either file; all of a part where it is not given.
    """
    differing = _differing(delivered, rebuilt, normal or (_as_written, _as_written))
    for owner in dict.fromkeys(owners.get(name, name) for name in differing):
        yield Difference(owner, "", "")


def _as_written(_: str, data: bytes) -> bytes:
    return data


def owners_of(package: bytes, roots: Mapping[str, str]) -> dict[str, str]:
    """Parts -> the place of the root (part -> its place) that leads to them; what several roots lead to has none."""
    reached: dict[str, set[str]] = {}
    with zipfile.ZipFile(BytesIO(package)) as source:
        names = set(source.namelist())
        for root, owner in roots.items():
            waiting = [root]
            while waiting:
                part = waiting.pop()
                links = _links_of(part)
                reached.setdefault(part, set()).add(owner)
                reached.setdefault(links, set()).add(owner)
                if links in names:
                    targets = _targets(part, source.read(links))
                    waiting += [
                        target for target in targets if target in names and owner not in reached.get(target, ())
                    ]
    return {part: next(iter(owners)) for part, owners in reached.items() if len(owners) == 1}


def _links_of(part: str) -> str:
    folder, name = posixpath.split(part)
    return f"{folder}/_rels/{name}.rels"


def _targets(part: str, links: bytes) -> Iterator[str]:
    for link in ElementTree.fromstring(links).iter(_RELATION):  # noqa: S314  of the file that was made here
        yield posixpath.normpath(posixpath.join("/", posixpath.dirname(part), link.get("Target", ""))).lstrip("/")


def _differing(delivered: bytes, rebuilt: bytes, normal: tuple[Normal, Normal]) -> Iterator[str]:
    with zipfile.ZipFile(BytesIO(delivered)) as one, zipfile.ZipFile(BytesIO(rebuilt)) as other:
        twice = {name for name, count in Counter(one.namelist()).items() if count > 1}  # programs take either
        theirs = {entry.filename: entry.file_size for entry in other.infolist()}
        for name in dict.fromkeys((*theirs, *one.namelist())):
            if name not in theirs or name not in one.namelist() or name in twice:
                yield name
            elif one.getinfo(name).file_size > 4 * theirs[name] + _SLACK_BYTES:
                yield name  # it is not unpacked to be told apart
            elif not _alike(name, one.read(name), other.read(name), normal):
                yield name


def _alike(name: str, ours: bytes, theirs: bytes, normal: tuple[Normal, Normal]) -> bool:
    if ours == theirs:
        return True
    if theirs.startswith(_PACKAGE):
        return ours.startswith(_PACKAGE) and _is_same_package(ours, theirs)
    if not name.endswith((".xml", ".rels")):
        return False
    try:
        return _canonical(normal[0](name, ours)) == _canonical(normal[1](name, theirs))
    except ElementTree.ParseError:
        return False


def _is_same_package(ours: bytes, theirs: bytes) -> bool:
    """Whether two packages inside of the files are alike: the small workbook that a chart is edited with."""
    try:
        return not any(_differing(ours, theirs, (_as_written, _as_written)))
    except zipfile.BadZipFile:
        return False


def _canonical(data: bytes) -> str:
    return ElementTree.canonicalize(data.decode("utf-8", "replace"), rewrite_prefixes=True)
