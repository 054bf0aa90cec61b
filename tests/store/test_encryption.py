"""An encrypted project: nothing of it is readable without its key, and no accident on the way loses anything."""

from __future__ import annotations

import gzip
import hashlib
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id
from sqlcipher3 import dbapi2 as sqlcipher

from tests.store import cases, golden
from tests.waiting import let_time_pass
from tunebench.core import sealing
from tunebench.core.errors import UserError
from tunebench.core.sealing import Key, OpenedBy
from tunebench.store import reencrypting
from tunebench.store.audit import trail
from tunebench.store.check import check_project
from tunebench.store.opening import backup_project, open_project
from tunebench.store.project import Project

WORDS = "correct horse battery"
SECRET = b"PAYROLL-7f3a"
OF_THE_FILE = {"audit", "property", "sqlite_sequence"}


def a_key(words: str = WORDS) -> Key:
    return sealing.key_of_passphrase(words, sealing.new_salt(OpenedBy.PASSPHRASE))


@pytest.fixture(autouse=True)
def nothing_held() -> Iterator[None]:
    sealing._held.clear()
    yield
    sealing._held.clear()


@pytest.fixture
def path(project: Project) -> Path:
    """A closed project with the words in its trail, and with a capture."""
    trail.record(project, "lock_taken_over", holder=SECRET.decode(), host="h", since="")
    cases.store_artefact(project)
    project.close()
    return project.path


@pytest.fixture
def key(path: Path) -> Key:
    key = a_key()
    reencrypting.change_key(path, None, key)
    return key


def tables(project: Project) -> dict[str, list[object]]:
    """All rows but those which say what was done to the file itself."""
    names = [name for (name,) in project.rows("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")]
    return {name: project.rows(f'SELECT * FROM "{name}"') for name in names if name not in OF_THE_FILE}


def wrong(project: Project) -> list[str]:
    return [each.check for each in check_project(project) if each.state == "failed"]


def test_the_file_is_what_sqlcipher_documents(path: Path, key: Key) -> None:
    """Read past the program: Argon2id by its own library, SQLCipher by its own statements."""
    salt = path.read_bytes()[:16]
    assert salt[:5] == b"TUNEP"
    secret = Argon2id(salt=salt, length=32, iterations=3, lanes=4, memory_cost=65536).derive(WORDS.encode())
    connection = sqlcipher.connect(str(path))
    connection.execute(f"PRAGMA key = \"x'{secret.hex()}{salt.hex()}'\"")
    connection.execute("PRAGMA cipher_page_size = 8192")
    assert connection.execute("PRAGMA cipher_settings").fetchall()[-1][0].endswith("PBKDF2_HMAC_SHA512;")
    assert connection.execute("PRAGMA cipher_integrity_check").fetchall() == []
    found = connection.execute("SELECT facts FROM audit WHERE action = 'lock_taken_over'").fetchone()[0]
    assert SECRET.decode() in found
    connection.close()


def test_nothing_beside_an_open_encrypted_project_can_be_read(path: Path, key: Key) -> None:
    assert any(SECRET in file.read_bytes() for file in readable_one(path))
    sealing.hold(key)
    with open_project(path) as project:
        trail.record(project, "lock_taken_over", holder=SECRET.decode() * 50, host="h", since="")
        backup_project(project, path.with_name("copy.tune"))
        (mode,) = project.row("PRAGMA temp_store")
        assert mode == 2  # memory
        seen = {
            file.name: file.read_bytes()
            for file in path.parent.iterdir()
            if file.is_file() and file.name != "plain.tune"
        }
        assert len(seen[path.name + "-wal"]) > 0
    for name, data in seen.items():
        for words in (SECRET, b"CREATE TABLE", b"SQLite format 3", b"lock_taken_over"):
            assert words not in data, name


def readable_one(path: Path) -> list[Path]:
    """The same project readable, as proof that the search finds what is there."""
    plain = path.with_name("plain.tune")
    (path.parent / "other").mkdir()
    with cases.new_project(path.parent / "other") as project:
        trail.record(project, "lock_taken_over", holder=SECRET.decode(), host="h", since="")
    plain.write_bytes(project.path.read_bytes())
    return [plain]


def test_without_the_key_it_is_refused_and_untouched(path: Path, key: Key) -> None:
    before = hashlib.sha256(path.read_bytes()).digest()
    with pytest.raises(UserError, match="project_needs_passphrase"):
        open_project(path)
    with pytest.raises(UserError, match="project_key_wrong"):
        reencrypting.unlock(path, sealing.key_of_passphrase(WORDS + "!", key.salt))
    with pytest.raises(UserError, match="project_needs_passphrase"):  # a wrong one is not remembered
        open_project(path)
    assert hashlib.sha256(path.read_bytes()).digest() == before
    assert sorted(file.name for file in path.parent.iterdir()) == [path.name]


def test_every_row_survives_encrypting_rekeying_and_decrypting(path: Path) -> None:
    with open_project(path) as project:
        before, entries = tables(project), trail.list_audit(project)
    first, second = a_key(), a_key("another passphrase")
    for old, new in ((None, first), (first, second), (second, None)):
        reencrypting.change_key(path, old, new)
        sealing._held.clear()
        if new is not None:
            reencrypting.unlock(path, new)
        with open_project(path) as project:
            assert tables(project) == before
            assert not wrong(project)
    with open_project(path) as project:
        told = trail.list_audit(project)
    assert told[: len(entries)] == entries
    assert [each.action for each in told[len(entries) :]] == [
        "project_encrypted",
        "project_rekeyed",
        "project_decrypted",
    ]
    assert path.read_bytes().startswith(b"SQLite format 3\0")


def test_the_former_key_opens_nothing_any_more(path: Path, key: Key) -> None:
    reencrypting.unlock(path, key)
    reencrypting.change_key(path, key, a_key("another passphrase"))
    with pytest.raises(UserError, match="project_needs_passphrase"):
        open_project(path)
    with pytest.raises(UserError, match="project_key_wrong"):
        reencrypting.unlock(path, key)


def test_every_thread_reads_and_the_writer_sees_itself(path: Path, key: Key) -> None:
    sealing.hold(key)
    found: list[int] = []
    with open_project(path) as project, project.transaction() as connection:
        connection.execute("INSERT INTO property (name, value) VALUES ('x', 'y')")
        thread = threading.Thread(target=lambda: found.append(project.row("SELECT count(*) FROM engagement")[0]))
        thread.start()
        thread.join()
    assert found == [1]


@pytest.mark.parametrize("encrypted", [False, True])
def test_one_that_is_open_elsewhere_is_left_alone(path: Path, encrypted: bool) -> None:
    """Another program may read it without our lock: SQLite itself is asked."""
    key = a_key() if encrypted else None
    if key is not None:
        reencrypting.change_key(path, None, key)
        sealing.hold(key)
    script = (
        "import sys; from pathlib import Path; from tunebench.store import ciphered; from tunebench.store.connection import *\n"
        "from tunebench.core.sealing import Key\n"
        "key = Key(bytes.fromhex(sys.argv[2]), bytes.fromhex(sys.argv[3])) if sys.argv[2] else None\n"
        "c = connect_reader(Path(sys.argv[1]), key=key); c.execute('SELECT count(*) FROM audit').fetchone()\n"
        "print('open', flush=True); sys.stdin.read()"
    )
    words = [key.salt.hex(), key.secret.hex()] if key else ["", ""]
    other = subprocess.Popen(
        [sys.executable, "-c", script, str(path), *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        assert other.stdout is not None and other.stdout.readline() == b"open\n"
        with pytest.raises(UserError, match="project_open_elsewhere"):
            reencrypting.change_key(path, key, a_key("another passphrase"))
    finally:
        other.communicate()
    with open_project(path) as project:
        assert not wrong(project)


def test_what_is_open_here_is_left_alone(project: Project) -> None:
    with pytest.raises(UserError, match="project_open_elsewhere"):
        reencrypting.change_key(project.path, None, a_key())


def test_raw_data_of_a_capture_is_not_left_behind_readable(path: Path) -> None:
    folder = path.with_name(f"{path.stem}.capture") / "session-0001"
    folder.mkdir(parents=True)
    with pytest.raises(UserError, match="capture_waits"):
        reencrypting.change_key(path, None, a_key())


def test_an_older_project_and_its_kept_copy_are_encrypted(tmp_path: Path) -> None:
    path = tmp_path / "old.tune"
    path.write_bytes(gzip.decompress((golden.FOLDER / "v1.7.tune.gz").read_bytes()))
    reencrypting.change_key(path, None, a_key())
    kept = list(tmp_path.glob("old.tune.v*.bak"))
    assert kept
    for file in (path, *kept):
        assert file.read_bytes()[:5] == b"TUNEP"
        assert file.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("read_only", [False, True])
def test_an_encrypted_project_that_is_too_old_is_refused_and_left_as_it_is(
    path: Path, key: Key, read_only: bool
) -> None:
    with closing(open_past(path, key)) as connection:
        connection.execute(f"PRAGMA user_version = {1 << 16 | 6}")
    before = path.read_bytes()
    sealing.hold(key)
    error = cases.refusal("project_too_old", path, read_only=read_only)
    assert error.facts["file_version"] == "1.6"
    assert path.read_bytes() == before


def test_a_damaged_page_is_found_and_never_read(path: Path, key: Key) -> None:
    data = bytearray(path.read_bytes())
    for page in range(2, len(data) // 8192, 3):
        data[page * 8192 + 4000] ^= 1
    path.write_bytes(data)
    sealing.hold(key)
    with suppress(UserError), open_project(path) as project:  # too damaged to be opened at all is as well
        assert "integrity" in wrong(project)
    with pytest.raises(sqlcipher.DatabaseError), closing(open_past(path, key)) as connection:
        connection.execute("SELECT * FROM audit, artefact_chunk, engagement").fetchall()


def open_past(path: Path, key: Key) -> sqlcipher.Connection:
    connection = sqlcipher.connect(str(path))
    connection.execute(f"PRAGMA key = \"x'{key.secret.hex()}{key.salt.hex()}'\"")
    connection.execute("PRAGMA cipher_page_size = 8192")
    return connection


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 3 MiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    command = [shutil.which("mount") or "mount", "-t", "tmpfs", "-o", "size=3m", "none", str(folder)]
    if shutil.which("mount") is None or subprocess.run(command, capture_output=True).returncode:
        pytest.skip("a small file system cannot be mounted here (needs root)")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.parametrize("encrypted", [False, True])
def test_a_full_disk_is_said_and_leaves_the_project_as_it_was(small_disk: Path, encrypted: bool) -> None:
    with cases.new_project(small_disk) as project:
        path = project.path
    key = a_key() if encrypted else None
    if key is not None:
        reencrypting.change_key(path, None, key)
        sealing.hold(key)
    with (small_disk / "filler").open("wb") as filler:
        filler.write(bytes((3 << 20) - path.stat().st_size - (300 << 10)))  # the WAL has room, the draft has not
    with pytest.raises(UserError, match="disk_full"):
        reencrypting.change_key(path, key, a_key("another passphrase"))
    assert sorted(file.name for file in small_disk.iterdir()) == [path.name, "filler"]
    (small_disk / "filler").unlink()
    with open_project(path) as project:
        assert (project.key == key, wrong(project)) == (True, [])


# -- killed in the middle ------------------------------------------------------------------------------

CHANGE = """
import sys
from pathlib import Path
from tunebench.core import sealing
from tunebench.core.sealing import Key
from tunebench.store import reencrypting
read = lambda text: Key(*(bytes.fromhex(part) for part in text.split(":"))) if text else None
old, new = read(sys.argv[2]), read(sys.argv[3])
if old: sealing.hold(old)
from tunebench.store import ciphered; ciphered._module()
print("go", flush=True)
reencrypting.change_key(Path(sys.argv[1]), old, new)
print("done", flush=True)
"""


def told(key: Key | None) -> str:
    return f"{key.salt.hex()}:{key.secret.hex()}" if key else ""


@pytest.mark.skipif(os.name == "nt", reason="SIGKILL")
@pytest.mark.parametrize("kind", ["encrypt", "rekey", "decrypt"])
def test_killed_in_the_middle_it_is_the_old_project_or_the_new_one(path: Path, kind: str) -> None:
    times = int(os.environ.get("TUNEBENCH_KILLS", "6"))
    chance = random.Random(kind)
    now: Key | None = None
    if kind != "encrypt":
        now = a_key()
        reencrypting.change_key(path, None, now)
    if now is not None:
        sealing.hold(now)
    with open_project(path) as project:
        before = tables(project)
    ends = {"old": 0, "new": 0}
    whole_s = 0.15
    for _turn in range(times):
        new = None if kind == "decrypt" else a_key(f"another {_turn}")
        words = [sys.executable, "-c", CHANGE, str(path), told(now), told(new)]
        child = subprocess.Popen(words, stdout=subprocess.PIPE)
        assert child.stdout is not None and child.stdout.readline() == b"go\n"
        let_time_pass(chance.uniform(0, whole_s), "it is killed at another point each time")
        child.send_signal(signal.SIGKILL)
        child.wait()
        is_new = child.stdout.read() == b"done\n" or _opens_with(path, new, now)
        child.stdout.close()
        ends["new" if is_new else "old"] += 1
        current = new if is_new else now
        if current is not None:
            reencrypting.unlock(path, current)
        with open_project(path) as project:
            assert tables(project) == before
            assert not wrong(project)
        if is_new and kind != "rekey":  # back to where the next turn begins
            reencrypting.change_key(path, current, now)
        else:
            now = current
            if now is not None:
                sealing.hold(now)
    reencrypting.change_key(path, now, a_key("the last one"))
    assert not list(path.parent.glob("*.part*"))  # what a killed one left was taken away
    print(ends)
    assert sum(ends.values()) == times


def _opens_with(path: Path, new: Key | None, now: Key | None) -> bool:
    with path.open("rb") as file:
        salt = sealing.salt_of(file.read(16))
    return salt == (new.salt if new else None) and salt != (now.salt if now else None)
