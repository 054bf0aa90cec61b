"""The spool: safe first, then passed on; waits instead of dropping; says so when the disk refuses."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.waiting import let_time_pass
from tunebench.capture.journal import JournalKind, JournalWriter, read_journal
from tunebench.capture.settings import CaptureSettings
from tunebench.capture.spool import Spool, Spooled
from tunebench.core.errors import UserError

SETTINGS = CaptureSettings(free_bytes=0)


class Kit:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.errors: list[UserError] = []
        self.open: list[Spool] = []

    def spool(self, **changes: object) -> Spool:
        made = Spool(self.folder, replace(SETTINGS, **changes), self.errors.append)  # type: ignore[arg-type]
        made.start()
        self.open.append(made)
        return made

    def payloads(self, host: str = "host-001") -> list[bytes]:
        return [record.payload for record in read_journal(self.folder / host)]


@pytest.fixture
def kit(tmp_path: Path) -> Iterator[Kit]:
    made = Kit(tmp_path)
    yield made
    for spool in made.open:
        spool.close()


def test_delivers_only_what_is_already_in_the_journal(kit: Kit) -> None:
    spool, seen = kit.spool(), []

    def deliver(record: Spooled) -> None:
        seen.append((record.payload, record.payload in kit.payloads()))

    for number in range(20):
        spool.put("host-001", JournalKind.DATA, "a", b"line %d\n" % number, deliver)
    assert spool.flush(10.0)
    assert seen == [(b"line %d\n" % number, True) for number in range(20)]


def test_many_threads_each_keep_their_order(kit: Kit) -> None:
    spool = kit.spool()

    def work(stream: str) -> None:
        for number in range(200):
            spool.put("host-001", JournalKind.DATA, stream, b"%d" % number)

    threads = [threading.Thread(target=work, args=(name,)) for name in "abcde"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert spool.flush(10.0)
    by_stream: dict[str, list[int]] = {}
    for record in read_journal(kit.folder / "host-001"):
        by_stream.setdefault(record.stream, []).append(int(record.payload))
    assert by_stream == {name: list(range(200)) for name in "abcde"}


def test_commits_in_groups(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    syncs = []
    real = JournalWriter.sync

    def counted(self: JournalWriter) -> None:
        syncs.append(1)
        real(self)

    monkeypatch.setattr(JournalWriter, "sync", counted)
    spool = kit.spool(syncs_per_s=20.0)
    until = time.monotonic() + 1.0
    while time.monotonic() < until:
        spool.put("host-001", JournalKind.DATA, "a", b"x")
        let_time_pass(0.002, "pieces come five hundred times a second")
    assert spool.flush(10.0)
    assert len(syncs) <= 25


def test_a_slow_disk_holds_the_readers_back_and_drops_nothing(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    real = JournalWriter.sync

    def slow(self: JournalWriter) -> None:
        let_time_pass(0.05, "a slow disk")
        real(self)

    monkeypatch.setattr(JournalWriter, "sync", slow)
    spool = kit.spool(queue_bytes=10_000, syncs_per_s=1000.0)
    began = time.monotonic()
    for number in range(100):
        spool.put("host-001", JournalKind.DATA, "a", b"%04d" % number + b"x" * 996)
    took_s = time.monotonic() - began
    assert spool.flush(20.0)
    assert took_s > 0.2  # 100 kB through a queue of 10 kB at 0.05 s each
    assert [payload[:4] for payload in kit.payloads()] == [b"%04d" % number for number in range(100)]


def test_a_disk_that_refuses_ends_it_with_a_reason(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    spool = kit.spool()
    spool.put("host-001", JournalKind.DATA, "a", b"safe")
    assert spool.flush(10.0)
    refusal = UserError("capture_disk_full", folder="x", detail="y")

    def refuses(self: JournalWriter) -> None:
        raise refusal

    monkeypatch.setattr(JournalWriter, "sync", refuses)
    delivered: list[Spooled] = []
    spool.put("host-001", JournalKind.DATA, "a", b"too much", delivered.append)
    assert not spool.flush(10.0)
    spool.put("host-001", JournalKind.DATA, "a", b"later", delivered.append)
    monkeypatch.undo()
    spool.close()
    assert kit.errors == [refusal]
    assert not delivered
    assert spool.lost_bytes == len(b"too much") + len(b"later")
    assert kit.payloads() == [b"safe"]


def test_the_journals_of_several_hosts_are_made_safe_together(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    """One after the other, a hundred hosts would wait for a hundred commits of the file system."""
    spool, real = kit.spool(), JournalWriter.sync
    together = threading.Barrier(3, timeout=10.0)
    delivered: list[bytes] = []

    def meets(self: JournalWriter) -> None:
        together.wait()
        real(self)

    spool.put("host-001", JournalKind.DATA, "a", b"first")
    assert spool.flush(10.0)
    monkeypatch.setattr(JournalWriter, "sync", meets)
    with spool._state:  # so that they come as one group
        for number in (1, 2, 3):
            spool.put(
                f"host-00{number}", JournalKind.DATA, "a", b"%d" % number, lambda one: delivered.append(one.payload)
            )
    assert spool.flush(10.0)
    monkeypatch.undo()
    assert not together.broken
    assert delivered == [b"1", b"2", b"3"]
    assert [kit.payloads(f"host-00{number}")[-1] for number in (1, 2, 3)] == delivered
    spool.close()
    assert not [thread.name for thread in threading.enumerate() if thread.name.startswith("capture-")]


def test_nothing_is_passed_on_where_one_of_several_journals_refuses(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    spool, real = kit.spool(), JournalWriter.sync
    refusal = UserError("capture_write_failed", folder="x", detail="y")
    delivered: list[Spooled] = []

    def refuses(self: JournalWriter) -> None:
        if self.folder.name == "host-002":
            raise refusal
        real(self)

    monkeypatch.setattr(JournalWriter, "sync", refuses)
    with spool._state:
        for number in (1, 2, 3):
            spool.put(f"host-00{number}", JournalKind.DATA, "a", b"x", delivered.append)
    assert not spool.flush(10.0)
    monkeypatch.undo()
    spool.close()
    assert kit.errors == [refusal]
    assert not delivered


@pytest.mark.parametrize(("free", "told"), [(500 << 20, 500), ((1 << 30) - 1, 1023), (1 << 30, None), (5 << 30, None)])
def test_less_than_a_gib_of_free_space_ends_the_capture_but_not_the_writing(
    kit: Kit, monkeypatch: pytest.MonkeyPatch, free: int, told: int | None
) -> None:
    monkeypatch.setattr("tunebench.capture.spool.shutil.disk_usage", lambda _path: type("Usage", (), {"free": free}))
    spool = kit.spool(free_bytes=CaptureSettings().free_bytes)
    spool.put("host-001", JournalKind.DATA, "a", b"the last words")
    assert spool.flush(10.0)
    expected = [] if told is None else [("capture_disk_low", told, 1024)]
    assert [(error.key, error.facts["free"], error.facts["wanted"]) for error in kit.errors] == expected
    assert kit.payloads() == [b"the last words"]


def test_a_listener_that_fails_does_not_stop_the_evidence(kit: Kit, caplog: pytest.LogCaptureFixture) -> None:
    spool = kit.spool()

    def fails(record: Spooled) -> None:
        raise ValueError("a listener's own fault")

    spool.put("host-001", JournalKind.DATA, "a", b"one", fails)
    spool.put("host-001", JournalKind.DATA, "a", b"two")
    assert spool.flush(10.0)
    assert kit.payloads() == [b"one", b"two"]
    assert "a listener" in caplog.text
