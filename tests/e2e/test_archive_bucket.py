"""An archive at an address of a store like S3, served by a server of this test; what such a store refuses."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.conftest import Command
from tests.e2e.test_archive_cli import ASKED, engagement
from tests.unit.archive.test_archive import put, rows
from tests.waiting import until
from tunebench.archive.archive import Archive
from tunebench.archive.log import name_of
from tunebench.archive.parts import write_part
from tunebench.archive.remote import Remote
from tunebench.core.errors import UserError

pytestmark = pytest.mark.alone

STORED = "SELECT engagement, host FROM hosts ORDER BY 1, 2"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 0.5).close()
    except OSError:
        return False
    return True


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    port = free_port()
    words = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    server = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        until(lambda: _answers(port))
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(timeout=20)


@pytest.fixture
def store(endpoint: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[str]:
    """The address of an archive in a bucket that is empty."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    nowhere = str(tmp_path / "no-such-file")
    settings = {"ACCESS_KEY_ID": "key", "SECRET_ACCESS_KEY": "secret", "DEFAULT_REGION": "us-east-1",
                "ENDPOINT_URL": endpoint, "EC2_METADATA_DISABLED": "true", "CONFIG_FILE": nowhere,
                "SHARED_CREDENTIALS_FILE": nowhere, "MAX_ATTEMPTS": "1"}  # fmt: skip
    for name, value in settings.items():
        monkeypatch.setenv(f"AWS_{name}", value)
    files = Remote("s3", "firm")._files
    files.mkdir("firm")
    yield "s3://firm/kept/archive"
    files.rm("firm", recursive=True)


def test_what_is_put_in_comes_out_as_of_a_folder(store: str, tmp_path: Path) -> None:
    stored, folder = Archive.begun(store), Archive.begun(tmp_path / "folder")
    for archive in (stored, folder):
        for id_ in ("aa", "bb", "cc"):
            put(
                archive,
                id_,
                hosts=rows("hosts", host=[f"{id_}-1", f"{id_}-가 나"]),
                causes=rows("causes", title=["Disk"]),
            )
        archive.compact()
        put(archive, "bb", "2", hosts=rows("hosts", host=["bb-new"]))
        archive.drop("cc")
    assert stored.ask(STORED).rows == folder.ask(STORED).rows == (("aa", "aa-1"), ("aa", "aa-가 나"), ("bb", "bb-new"))
    names = [sorted(part.name for part in archive.log.state().parts.values()) for archive in (stored, folder)]
    assert names[0] == names[1]  # byte for byte the same files
    part = write_part(store, "hosts", "dd", "1", rows("hosts", host=["from elsewhere"]))
    stored.enter("dd", [part])
    assert Archive.existing(store).ask(STORED).rows[-1] == ("dd", "from elsewhere")
    with pytest.raises(UserError, match="archive_query_refused"):
        stored.ask("SELECT * FROM read_text('/etc/hosts')")


def test_the_second_of_two_writers_is_refused_a_number_and_takes_the_next(store: str) -> None:
    one, other = Archive.begun(store), Archive.existing(store)
    assert one.storage.create(name_of(1), b'{"added": [], "removed": []}')
    assert not other.storage.create(name_of(1), b"another")
    for number in range(6):
        put((one, other)[number % 2], f"e{number}", hosts=rows("hosts", host=["db"]))
    assert set(Archive.existing(store).contents()) == {f"e{number}" for number in range(6)}
    assert one.log.state().number == 7


@pytest.mark.parametrize("damage", ["cut", "gone"])
def test_a_damaged_object_is_left_out_named_and_mended(store: str, damage: str) -> None:
    archive = Archive.begun(store)
    for id_ in ("aa", "bb"):
        put(archive, id_, hosts=rows("hosts", host=[f"{id_}-1"]))
    (part,) = [part for part in archive.log.state().of("hosts") if "aa" in part.engagements]
    content = archive.storage.read(part.name)
    archive.storage.remove(part.name)
    if damage == "cut":
        archive.storage.replace(part.name, content[:50])
    assert archive.ask(STORED).rows == (("bb", "bb-1"),)
    assert archive.unreadable().parts == (part.name,)
    put(archive, "aa", hosts=rows("hosts", host=["aa-1"]))
    assert archive.ask(STORED).rows == (("aa", "aa-1"), ("bb", "bb-1"))
    assert not archive.unreadable()


def test_the_verbs_take_an_address(tunebench: Command, store: str, tmp_path: Path) -> None:
    acme = engagement(tunebench, tmp_path, "Acme", 40)
    assert tunebench("archive", store, "add", acme, *ASKED).code == 0
    assert tunebench("archive", store, "check", acme).code == 0
    assert tunebench("archive", store, "find", "--json").json[0]["title"] == "Acme tuning"
    (folder := tmp_path / "copy").mkdir()
    Remote("s3", "firm")._files.get(f"{store}/", f"{folder}/", recursive=True)  # a copy of it is an archive
    days = ("trend", "--host", "db0*", "--series", "%user", "--json")
    assert tunebench("archive", folder, *days).json == tunebench("archive", store, *days).json != []


@pytest.mark.parametrize("language", ["ko", "en"])
def test_what_such_a_store_refuses_is_a_sentence(
    tunebench: Command, store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    acme = engagement(tunebench, tmp_path, "Acme", 40)

    def refusal(address: str, *words: object) -> str:
        answer = tunebench("archive", address, *words, "--lang", language)
        assert (answer.code, "Traceback" in answer.err, "bug" in answer.err) == (3, False, False), answer.err
        assert any("가" <= character <= "힣" for character in answer.err) is (language == "ko")
        return answer.err

    assert store in refusal(store, "find")  # nothing is there
    assert "버킷" in (shown := refusal("s3://no-such-bucket/x", "add", acme, *ASKED)) or "bucket" in shown
    Remote("s3", "firm")._files.pipe_file("firm/kept/archive/letter.txt", b"not ours")
    refusal(store, "add", acme, *ASKED)
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{free_port()}")
    assert "AWS_ENDPOINT_URL" in refusal(store, "find")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    assert "AWS_ACCESS_KEY_ID" in refusal(store, "find")


@pytest.mark.parametrize(
    ("error", "key"),
    [
        (PermissionError("Access Denied"), "archive_denied"),
        (OSError("XMinioStorageFull: Storage backend has reached its minimum free drive threshold"), "archive_full"),
        (OSError(28, "No space left on device"), "archive_full"),
        (TimeoutError("timed out"), "archive_unreachable"),
        (NotImplementedError(), "archive_unwritable"),
    ],
)
def test_a_refused_commit_leaves_the_archive_as_it_was(
    store: str, monkeypatch: pytest.MonkeyPatch, error: Exception, key: str
) -> None:
    archive = Archive.begun(store)
    put(archive, "aa", hosts=rows("hosts", host=["old"]))

    def refusing(*_args: object, **_named: object) -> None:
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(archive.storage._files, "pipe_file", refusing)  # type: ignore[attr-defined]
        with pytest.raises(UserError, match=key):
            put(archive, "aa", "2", hosts=rows("hosts", host=["new"]))
    assert Archive.existing(store).ask(STORED).rows == (("aa", "old"),)
