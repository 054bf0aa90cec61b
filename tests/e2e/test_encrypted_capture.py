"""A capture into an encrypted project, killed in the middle: what it left beside the project, and what became of it."""

from __future__ import annotations

import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.e2e.conftest import Command
from tests.e2e.sshd_rig import Sshd
from tests.waiting import wait_until
from tunebench.capture.spooled import read_session
from tunebench.core import sealing
from tunebench.store.artefacts import list_artefacts, read_artefact
from tunebench.store.opening import open_project

ROOT = Path(__file__).resolve().parents[2]
WORDS = "correct horse battery"
PRINTED = (b"swpd", b"procs", b"vmstat", b"SQLite format 3", b"userauth", b"BEGIN", b"linux.")
"""What vmstat prints as its head, and words of every plan and of every readable project."""


@pytest.fixture(autouse=True)
def nothing_held(monkeypatch: pytest.MonkeyPatch) -> None:
    sealing._held.clear()
    monkeypatch.delenv("TUNEBENCH_PASSPHRASE", raising=False)


def readable(folder: Path, words: tuple[bytes, ...]) -> set[str]:
    """Files below the folder in which one of the words stands, in whatever case."""
    files = {path: path.read_bytes().lower() for path in folder.rglob("*") if path.is_file()}
    return {f"{path.name}: {word!r}" for path, data in files.items() for word in words if word.lower() in data}


def test_killed_and_resumed_nothing_is_readable_and_nothing_is_lost(
    project: Path, tunebench: Command, sshd: Sshd, tmp_path: Path
) -> None:
    profile = sshd.profile()
    sshd.know_host()
    server = f"{profile.user}@{profile.address}:{profile.port}"
    keys = tmp_path / "keys"
    keys.mkdir()
    words = keys / "words"
    words.write_text(f"{WORDS}\n")
    home = tmp_path / "engagement"
    home.mkdir()
    path = project.rename(home / project.name)
    assert tunebench("encrypt", path, "--new-passphrase-file", words).code == 0
    opened = ("--passphrase-file", str(words))
    named = ("--host", server, "--identity", profile.identity, "--known-hosts", str(sshd.known_hosts))
    probes = ("--probe", "vmstat", "--interval", "1", "--duration", "25", "--approved-by", "Kim")
    line = [sys.executable, "main.py", "capture", str(path), *named, *probes, *opened]
    folder = home / "acme.capture" / "session-0001"
    with subprocess.Popen(line, cwd=ROOT, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as running:
        try:
            assert wait_until(lambda: (folder / "session.json").exists() and _lines(folder) > 5, 30.0)
            for told in ("cmdline", "environ"):
                seen = Path(f"/proc/{running.pid}/{told}").read_bytes()
                (key,) = sealing._held.values()
                assert WORDS.encode() not in seen
                assert key.secret.hex().encode() not in seen.lower()
        finally:
            running.kill()
    before = _received(folder)
    assert b"swpd" in before  # the search below would find it
    assert readable(home, PRINTED) == set()

    sealing._held.clear()
    locked = tunebench("capture", path, "--finish", "--lang", "en")
    assert (locked.code, "encrypted" in locked.err) == (3, True)
    answer = tunebench("capture", path, "--resume", *opened, "--json")
    assert answer.code == 0, answer.err
    (stream,) = (one for one in answer.json["hosts"][0]["streams"] if one["probe"] == "linux.vmstat")
    assert stream["state"] in ("verified", "gaps"), stream
    assert not folder.exists()
    assert readable(home, PRINTED) == set()
    assert tunebench("check", path, *opened).code == 0
    with closing(open_project(path)) as kept:
        stored = b"".join(b"".join(read_artefact(kept, one.id)) for one in list_artefacts(kept))
    lost = [one for one in before.splitlines() if one not in stored]
    assert not lost


def _lines(folder: Path) -> int:
    """Read with the key, which `encrypt` left in this process."""
    return sum(stream.lines for stream in read_session(folder).streams.values() if "vmstat" in stream.command.id)


def _received(folder: Path) -> bytes:
    """What the journals hold of vmstat, as somebody with the key reads it."""
    session = read_session(folder)
    return b"".join(b"".join(session.pieces(id_)) for id_ in session.streams if "vmstat" in id_)
