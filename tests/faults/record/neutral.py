"""Takes out of a recording what tells of the machine it was made on and nothing of the fault.

File systems below ``/mnt``, the search path, the identity of the boot and the build of the kernel; figures stay as they were
captured. Sizes and checksums of the archive's manifest are those of what is left.
"""

from __future__ import annotations

import gzip
import io
import re
import tarfile
from pathlib import Path

from tunebench.capture.checksum import posix_cksum
from tunebench.capture.offline_script import MANIFEST_FILE

_LEFT_OUT = re.compile(rb"^.* /mnt/\S*\n|^@survey (?:path|boot)=.*\n", re.MULTILINE)
_BUILD = re.compile(rb"(\b\d+\.\d+\.\d+)-\S+(?= \(|$)", re.MULTILINE)
_KERNEL = (re.compile(rb"^Linux \d.*$", re.MULTILINE), re.compile(rb"^@survey release=.*$", re.MULTILINE))


def neutral(archive: Path) -> None:
    """Rewrites the archive in place."""
    with tarfile.open(archive) as packed:
        found = [(member, packed.extractfile(member)) for member in packed.getmembers()]
        files = {member.name: (member, file.read() if file else b"") for member, file in found}
    texts = {name: _neutral(text) if name.endswith(".out") else text for name, (_, text) in files.items()}
    manifest = next(name for name in texts if name.endswith(f"/{MANIFEST_FILE}"))
    texts[manifest] = b"".join(_row(line, texts) for line in texts[manifest].splitlines(keepends=True))
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w") as made:
        for name, (member, _) in files.items():
            member.size = len(texts[name])
            made.addfile(member, io.BytesIO(texts[name]) if member.isfile() else None)
    archive.write_bytes(gzip.compress(written.getvalue(), mtime=0))


def _neutral(text: bytes) -> bytes:
    text = _LEFT_OUT.sub(b"", text)
    for line in _KERNEL:
        text = line.sub(lambda found: _BUILD.sub(rb"\1", found[0]), text)
    return text


def _row(line: bytes, texts: dict[str, bytes]) -> bytes:
    """A line of the manifest: ``file`` or ``stderr``, name, bytes, checksum, and what stays."""
    cells = line.split(b"\t")
    text = (
        next((text for name, text in texts.items() if name.endswith("/" + cells[1].decode())), None)
        if cells[1:]
        else None
    )
    if cells[0] not in (b"file", b"stderr") or text is None:
        return line
    cells[2:4] = [str(len(text)).encode(), str(posix_cksum([text])).encode()]
    return b"\t".join(cells)
