"""Archives made for the tests, with the standard library and, where that is too well-behaved, byte by byte."""

from __future__ import annotations

import io
import tarfile
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from tunebench.core.errors import UserError
from tunebench.transport.containers.limits import Limits, OverLimit
from tunebench.transport.containers.members import Damaged, LeftOut, Member
from tunebench.transport.containers.walking import Walk

FILES = {"a/vmstat.txt": b"procs\n" * 400, "a/b/iostat.txt": b"Device r/s\n" * 900, "empty": b""}


def tar_bytes(files: Mapping[str, bytes] = FILES, mode: str = "w", form: int = tarfile.GNU_FORMAT) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode=mode, format=form) as archive:  # type: ignore[call-overload]
        for name, data in files.items():
            archive.addfile(tar_info(name, data), io.BytesIO(data))
    return packed.getvalue()


def tar_info(name: str, data: bytes = b"", type_: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.size, info.mtime, info.type, info.linkname = len(data), 1_713_229_200, type_, link
    return info


def zip_bytes(files: Mapping[str, bytes] = FILES, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return packed.getvalue()


@dataclass
class Seen:
    """What a walk came to: whole members, torn ones with what came of them, and what was left out."""

    whole: dict[str, bytes] = field(default_factory=dict)
    torn: dict[str, bytes] = field(default_factory=dict)
    left: dict[str, LeftOut] = field(default_factory=dict)
    stopped: UserError | None = None
    form: str = ""
    places: dict[str, str] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)

    def reasons(self) -> dict[str, str]:
        return {name: out.error.key for name, out in self.left.items()}


def see(path: Path, limits: Limits | None = None) -> Seen:
    seen = Seen()
    walk = Walk(path, limits)
    try:
        with closing(walk.entries()) as entries:
            for found in entries:
                if isinstance(found, LeftOut):
                    seen.left[found.name] = found
                else:
                    _read(found, seen)
    except UserError as error:
        seen.stopped = error
    seen.form = walk.form
    return seen


def _read(member: Member, seen: Seen) -> None:
    seen.places[member.name], seen.notes[member.name] = member.place, member.note
    got = b""
    try:
        assert member.head() is not None
        for piece in _pieces(member):
            got += piece
        seen.whole[member.name] = got
    except Damaged:
        seen.torn[member.name] = got
    except OverLimit as error:
        seen.left[member.name] = LeftOut(member.name, error)


def _pieces(member: Member) -> Iterator[bytes]:
    yield from member.pieces()
