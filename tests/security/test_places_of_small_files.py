"""What stands where a small file of the program's should be: a pipe, a device, a link, a folder, JSON without end, or too
much of it. Each is one sentence, at once."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tunebench.archive.archive import MARK, Archive
from tunebench.capture.journal import journal_files, read_journal
from tunebench.capture.spooled import SESSION_FILE, SessionFile
from tunebench.cli.import_plan import _entries
from tunebench.core import sealing
from tunebench.core.errors import UserError
from tunebench.core.paths import user_config_folder
from tunebench.core.plain_files import MOST_BYTES, read_plain
from tunebench.core.signing import SigningKey
from tunebench.plughost.trust import TrustList
from tunebench.store import trusted

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such files")

DEEP = b"[" * 200_000


def _link_to_a_file(path: Path) -> None:
    path.with_name("beside").write_text("{}")
    path.symlink_to("beside")


PLACES: dict[str, Callable[[Path], object]] = {
    "pipe": os.mkfifo,
    "link to an endless device": partial(os.symlink, "/dev/zero"),
    "link to a file": _link_to_a_file,
    "folder": os.mkdir,
    "too much": lambda path: path.write_bytes(b" " * (MOST_BYTES + 1)),
}
JSON: dict[str, Callable[[Path], object]] = {**PLACES, "JSON without end": lambda path: path.write_bytes(DEEP)}


def refusal_of(read: Callable[[], object]) -> str:
    begin_s = time.monotonic()
    with pytest.raises(UserError) as refused:
        read()
    assert time.monotonic() - begin_s < 10
    return refused.value.key


@pytest.mark.parametrize("made", JSON.values(), ids=JSON)
def test_the_file_of_a_session(tmp_path: Path, made: Callable[[Path], object]) -> None:
    made(tmp_path / SESSION_FILE)
    assert refusal_of(lambda: SessionFile.read(tmp_path)) == "capture_spool_unreadable"


@pytest.mark.parametrize("text", ["[]", "1", '{"session_id": 1, "label": "", "plan": []}', '{"session_id": {}}'])
def test_the_file_of_a_session_in_another_shape(tmp_path: Path, text: str) -> None:
    (tmp_path / SESSION_FILE).write_text(text)
    assert refusal_of(lambda: SessionFile.read(tmp_path)) == "capture_spool_unreadable"


@pytest.mark.parametrize("made", [os.mkfifo, partial(os.symlink, "/dev/zero")])
def test_a_journal(tmp_path: Path, made: Callable[[Path], object]) -> None:
    made(tmp_path / "journal-000001.tbj")
    assert len(journal_files(tmp_path)) == 1
    assert refusal_of(lambda: list(read_journal(tmp_path))) == "capture_spool_unreadable"


@pytest.mark.parametrize("made", JSON.values(), ids=JSON)
def test_what_is_remembered_of_approvers_keys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made: Callable[[Path], object]
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    user_config_folder().mkdir(parents=True, exist_ok=True)
    made(user_config_folder() / trusted.FILE)
    assert refusal_of(trusted._read) == "trusted_unreadable"


@pytest.mark.parametrize("made", JSON.values(), ids=JSON)
def test_trusted_plugins_are_none(tmp_path: Path, made: Callable[[Path], object]) -> None:
    made(tmp_path / "trusted.json")
    assert not TrustList(tmp_path / "trusted.json").trusts("0" * 64)


def test_a_key_that_a_person_names_may_lie_behind_a_link(tmp_path: Path) -> None:
    sealing.make_key_file(tmp_path / "kept-elsewhere")
    (tmp_path / "key").symlink_to("kept-elsewhere")
    salt = sealing.new_salt(sealing.OpenedBy.KEY_FILE)
    direct, linked = (sealing.key_of_file(tmp_path / name, salt) for name in ("kept-elsewhere", "key"))
    assert direct == linked


NO_KEYS = {name: make for name, make in PLACES.items() if name != "link to a file"}


@pytest.mark.parametrize("made", NO_KEYS.values(), ids=NO_KEYS)
def test_keys(tmp_path: Path, made: Callable[[Path], object]) -> None:
    path = tmp_path / "key"
    made(path)
    salt = sealing.new_salt(sealing.OpenedBy.KEY_FILE)
    assert refusal_of(lambda: SigningKey.read(path)) == "key_file_unreadable"
    assert refusal_of(lambda: sealing.key_of_file(path, salt)) == "project_key_file_unfit"


@pytest.mark.parametrize("made", JSON.values(), ids=JSON)
def test_the_mark_of_an_archive(tmp_path: Path, made: Callable[[Path], object]) -> None:
    made(tmp_path / MARK)
    assert refusal_of(lambda: Archive.existing(tmp_path)) == "archive_damaged"


def test_a_plan_of_an_import_without_end(tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_bytes(DEEP)
    assert refusal_of(lambda: _entries(tmp_path / "plan.json")) == "plan_wrong"


def test_a_regular_file_is_read_whole(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(json.dumps({"a": 1}).encode())
    assert json.loads(read_plain(tmp_path / "f")) == {"a": 1}
    (tmp_path / "g").write_bytes(bytes(MOST_BYTES))
    assert len(read_plain(tmp_path / "g")) == MOST_BYTES
