"""The beginning of a member that no parser knows, read where it lies: in its archive, without unpacking."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from app.core.errors import UserError
from app.core.progress import Progress
from app.domain.bundle import Bundle
from app.transport.containers import Damaged, LeftOut, Member, OverLimit, Walk
from app.usecases.importing.table_definitions import SAMPLE_BYTES, Sample, read_sample, sample_of


def read_member(bundle: Bundle, name: str, progress: Progress) -> Sample:
    """The sample of the member that the bundle's account calls `name`.

    Raises:
        UserError: the archive or the member is not there any more, cannot be read, is empty, or is no text.
        Cancelled: whoever asked does not wait any longer.
    """
    path, inner = Path(bundle.path), name
    if bundle.form == "folder":
        outer, _, inner = name.partition("!/")
        path /= outer
    if not path.exists():
        raise UserError("path_missing", path=str(path))
    return _in_archive(path, inner, progress) if inner else read_sample(path)


def _in_archive(path: Path, name: str, progress: Progress) -> Sample:
    walk = Walk(path, on_read=progress.raise_if_cancelled)
    with closing(walk.entries()) as entries:
        for found in entries:
            progress.report(walk.done_bytes, walk.total_bytes(), "progress.looking_for", name=name)
            if found.name != name:
                continue
            if isinstance(found, LeftOut):
                raise found.error
            return sample_of(walk.full_path(name), found.file_name, _beginning(found))
    raise UserError("path_missing", path=walk.full_path(name))


def _beginning(member: Member) -> bytes:
    """As much as can be had; what is wrong behind it was said when the bundle came in."""
    data = b""
    try:
        for piece in member.pieces():
            data += piece
            if len(data) >= SAMPLE_BYTES:
                break
    except (Damaged, OverLimit):
        pass
    return data[:SAMPLE_BYTES]
