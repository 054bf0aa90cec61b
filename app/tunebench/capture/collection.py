"""What the collection script left, found: the customer's archive, an unpacked folder, or one that was fetched."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from tunebench.capture.checksum import posix_cksum
from tunebench.capture.offline_script import (
    ARCHIVE_PREFIX,
    MANIFEST_FILE,
    PLAN_FILE,
    OfflineManifest,
    partial_manifest,
    read_manifest,
)
from tunebench.core.errors import UserError
from tunebench.core.patterns import lazy_pattern
from tunebench.core.records import record
from tunebench.domain.capturing.plan import CapturePlan
from tunebench.transport.containers import folder as folders
from tunebench.transport.containers.flat import FlatBundle, looks_like_tar

TAIL_BYTES = 2000
_PACKED = (".tar", ".tar.gz", ".tgz")
_OWN_NAME = lazy_pattern(r"\d{4}(?:\.\d+)?\.(?:out|raw|err|path|out\.err|raw\.err)")


@record
class Collection:
    """A collection that can be imported: where it lies, its manifest, its plan."""

    bundle: FlatBundle
    manifest: OfflineManifest
    plan: CapturePlan


def find_collection(path: Path) -> Collection | None:
    """The collection at `path`; None where it is something else.

    Raises:
        UserError: it is one of ours and cannot be read, or its plan is not the one that its manifest names.
    """
    if not path.is_dir() and not looks_like_tar(path):
        return None
    bundle = FlatBundle(path)
    ours = path.is_file() and path.name.startswith(ARCHIVE_PREFIX)
    try:
        text = bundle.small(MANIFEST_FILE, beside=lambda name: ours or path.is_dir() or _may_be_ours(name))
        manifest = read_manifest((text or b"").decode("utf-8", "replace"))
    except ValueError as error:
        if not ours:
            return None  # somebody else's folder or archive
        raise UserError("collection_without_manifest", path=str(path)) from error
    except UserError:
        if not ours:
            return None
        raise
    return Collection(bundle, manifest, _plan_of(bundle, manifest))


def collections_below(folder: Path) -> Iterator[Path]:
    """Where collections may lie in a folder, packed or unpacked; nothing where it is none."""
    if not folder.is_dir():
        return
    for entry in folders.entries(folder):
        name = entry.path.name
        if entry.kind == "file" and name.endswith(_PACKED):
            yield entry.path
        elif entry.kind == "file" and name == MANIFEST_FILE and entry.path.with_name(PLAN_FILE).is_file():
            yield entry.path.parent


def _may_be_ours(name: str) -> bool:
    """Whether the name can be ours: somebody else's archive is not unpacked to its end to find out."""
    return name == PLAN_FILE or bool(_OWN_NAME.fullmatch(name))


def _plan_of(bundle: FlatBundle, manifest: OfflineManifest) -> CapturePlan:
    try:
        plan = CapturePlan.from_json((bundle.small(PLAN_FILE) or b"").decode("utf-8", "replace"))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UserError("collection_plan_differs", path=str(bundle.path)) from error
    commands = {command.id for command in plan.on(manifest.host)}
    if plan.digest != manifest.plan_digest or not all(file.command_id in commands for file in manifest.files):
        raise UserError("collection_plan_differs", path=str(bundle.path))
    return plan


def cut_off_collection(folder: Path, plan: CapturePlan, host: str, state: str) -> Collection:
    """What a script left that was killed, or whose server went down: files, but no manifest.

    Args:
        state: what became of the script.
    """
    bundle = FlatBundle(folder)
    sums: dict[str, tuple[int, int]] = {}
    for name, _size, pieces in bundle.files():
        gone = GoneBy(pieces)
        sums[name] = (gone.cksum, gone.size_bytes)
    return Collection(bundle, partial_manifest(plan, host, state, sums), plan)


class GoneBy:
    """What is to be remembered of bytes that went by; `tail` are the last of them."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self.sha256 = hashlib.sha256()
        self.tail = b""
        self.size_bytes = 0
        self.cksum = posix_cksum(self._noted(pieces))

    def _noted(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        for piece in pieces:
            self.sha256.update(piece)
            self.size_bytes += len(piece)
            self.tail = (self.tail + piece)[-TAIL_BYTES:]
            yield piece
