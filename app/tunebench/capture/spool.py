"""The one thread of a session that writes: every stream's bytes into the journals, made safe, and only then passed on.

What comes in meanwhile is written together (group commit), so that a slow disk makes the groups larger, not the queue:
where even that is not enough, the readers wait, the channels' windows fill, and nothing is dropped.
"""

from __future__ import annotations

import json
import logging
import shutil
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path

from tunebench.capture.journal import JournalKind, JournalWriter
from tunebench.capture.settings import CaptureSettings
from tunebench.core import records
from tunebench.core.errors import UserError

_LOOK_AT_DISK_S = 5.0
_SYNCS_AT_ONCE = 8
"""Journals made safe at one time: file systems put what is asked for together into one commit. Forty files one after
the other took 220 ms (ext4), eight at a time 3 ms."""
_log = logging.getLogger(__name__)


@records.record
class Spooled:
    """One record on its way. `folder` is the host's; `deliver` is called after it is safe, on the spool's thread."""

    folder: str
    kind: JournalKind
    stream: str
    wall_ns: int
    steady_ns: int
    payload: bytes
    deliver: Callable[[Spooled], None] | None = None


class Spool:
    """Takes records from any thread.

    Args:
        folder: of the session; every host has a folder in it.
        failed: hears once why nothing more can be written (``capture_disk_full``, ``capture_write_failed``) or
            should be (``capture_disk_low``).
    """

    def __init__(self, folder: Path, settings: CaptureSettings, failed: Callable[[UserError], None]) -> None:
        self.folder = folder
        self._settings = settings
        self._failed = failed
        self._state = threading.Condition()
        self._queue: list[Spooled] = []
        self._waiting_bytes = 0
        self._taken = self._safe = 0
        self._closing = False
        self._writers: dict[str, JournalWriter] = {}
        self._syncers = ThreadPoolExecutor(_SYNCS_AT_ONCE, "capture-sync")  # its threads are made when first needed
        self._looked_at = -_LOOK_AT_DISK_S
        self._has_failed = False
        self.broken: UserError | None = None
        self.free_bytes: int | None = None
        self.lost_bytes = 0
        self._thread = threading.Thread(target=self._run, name="capture-spool", daemon=True)

    def start(self) -> None:
        self._look_at_disk()
        self._thread.start()

    def put(
        self,
        folder: str,
        kind: JournalKind,
        stream: str,
        payload: bytes,
        deliver: Callable[[Spooled], None] | None = None,
        wall_ns: int | None = None,
    ) -> None:
        """Takes one record in; waits while too much waits for the disk already."""
        wall_ns = time.time_ns() if wall_ns is None else wall_ns
        record = Spooled(folder, kind, stream, wall_ns, time.monotonic_ns(), payload, deliver)
        with self._state:
            while self._waiting_bytes > self._settings.queue_bytes and self.broken is None and not self._closing:
                self._state.wait(1.0)
            if self.broken is None and not self._closing:
                self._queue.append(record)
                self._waiting_bytes += len(payload)
                self._taken += 1
                if len(self._queue) == 1:
                    self._state.notify_all()
                return
        self._lose([record])

    def event(
        self,
        folder: str,
        name: str,
        facts: Mapping[str, object],
        stream: str = "",
        deliver: Callable[[Spooled], None] | None = None,
    ) -> None:
        """Takes one event in."""
        payload = json.dumps({"event": name, **facts}, ensure_ascii=False, separators=(",", ":"), default=str)
        self.put(folder, JournalKind.EVENT, stream, payload.encode(), deliver)

    def flush(self, timeout_s: float) -> bool:
        """Waits until everything that was put before is safe and delivered; False where it is not."""
        until = time.monotonic() + timeout_s
        with self._state:
            wanted = self._taken
            while self._safe < wanted and self.broken is None:
                left_s = until - time.monotonic()
                if left_s <= 0:
                    return False
                self._state.wait(left_s)
        return self.broken is None

    def close(self, timeout_s: float = 30.0) -> None:
        """Writes what waits, closes the files, ends the thread."""
        with self._state:
            self._closing = True
            self._state.notify_all()
        if self._thread.ident is not None:
            self._thread.join(timeout_s)

    # -- the thread --------------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            while (group := self._next_group()) is not None:
                began = time.monotonic()
                self._commit(group)
                self._rest(began)
        finally:
            self._syncers.shutdown()
            self._close_writers()

    def _next_group(self) -> Sequence[Spooled] | None:
        """What waits; None when it is time to end."""
        with self._state:
            while not self._queue:
                if self._closing:
                    return None
                self._state.wait(_LOOK_AT_DISK_S)
                if not self._queue:
                    break
            group, self._queue = self._queue, []
        return group

    def _commit(self, group: Sequence[Spooled]) -> None:
        self._look_at_disk()
        if self.broken is None:
            try:
                self._write(group)
            except UserError as error:
                self._break(error)
        if self.broken is None:
            self._deliver(group)
        else:
            self._lose(group)
        with self._state:
            self._safe += len(group)
            self._waiting_bytes -= sum(len(record.payload) for record in group)
            self._state.notify_all()

    def _write(self, group: Sequence[Spooled]) -> None:
        used = {folder: self._writer(folder) for folder in dict.fromkeys(record.folder for record in group)}
        for record in group:
            used[record.folder].append(record.kind, record.stream, record.wall_ns, record.steady_ns, record.payload)
        self._sync(used.values())

    def _sync(self, writers: Collection[JournalWriter]) -> None:
        """All of them have come to their end when this returns or raises."""
        if len(writers) == 1:
            next(iter(writers)).sync()
            return
        running = [self._syncers.submit(writer.sync) for writer in writers]
        wait(running)
        for one in running:
            one.result()

    def _writer(self, folder: str) -> JournalWriter:
        if folder not in self._writers:
            self._writers[folder] = JournalWriter(self.folder / folder)
        return self._writers[folder]

    def _lose(self, group: Sequence[Spooled]) -> None:
        """Bytes that are not safe are shown to nobody; what happened is told all the same, so that all ends well."""
        data = (JournalKind.DATA, JournalKind.STDERR)
        self.lost_bytes += sum(len(record.payload) for record in group if record.kind in data)
        self._deliver([record for record in group if record.kind not in data])

    def _deliver(self, group: Sequence[Spooled]) -> None:
        for record in group:
            if record.deliver is None:
                continue
            try:
                record.deliver(record)
            except Exception:  # noqa: BLE001 - evidence goes on being written whatever becomes of a listener
                _log.exception("a listener of stream %s failed", record.stream)

    def _rest(self, began: float) -> None:
        """At most so many groups a second, and never more than half of the time at the disk."""
        took_s = time.monotonic() - began
        pause_s = max(1.0 / self._settings.syncs_per_s - took_s, took_s)
        with self._state:
            if not self._closing:
                self._state.wait_for(lambda: self._closing, min(pause_s, 2.0))

    def _look_at_disk(self) -> None:
        now = time.monotonic()
        if now - self._looked_at < _LOOK_AT_DISK_S:
            return
        self._looked_at = now
        try:
            self.free_bytes = shutil.disk_usage(self.folder).free
        except OSError as error:
            self._break(UserError("capture_write_failed", folder=str(self.folder), detail=error.strerror or str(error)))
            return
        if self.free_bytes < self._settings.free_bytes:
            free_mib, wanted_mib = self.free_bytes >> 20, self._settings.free_bytes >> 20
            self._tell(UserError("capture_disk_low", folder=str(self.folder), free=free_mib, wanted=wanted_mib))

    def _break(self, error: UserError) -> None:
        self.broken = error
        self._tell(error)

    def _tell(self, error: UserError) -> None:
        """Reports the failure once: what was low may afterwards be full, the capture is ending already."""
        if not self._has_failed:
            self._has_failed = True
            self._failed(error)

    def _close_writers(self) -> None:
        for writer in self._writers.values():
            if self.broken is not None:
                writer.abandon()
                continue
            try:
                writer.close()
            except UserError as error:
                writer.abandon()
                self._break(error)
