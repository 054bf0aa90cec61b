"""Encryption on the command line: what opens a project, whoever asks; and what no other process may see of the key."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import IOSTAT_BLOCK, Command
from tunebench.core import sealing
from tunebench.usecases.importing import together

WORDS = "correct horse battery"


@pytest.fixture(autouse=True)
def nothing_held(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a new process."""
    sealing._held.clear()
    for name in ("TUNEBENCH_PASSPHRASE", "TUNEBENCH_NEW_PASSPHRASE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def words(tmp_path: Path) -> Path:
    file = tmp_path / "words"
    file.write_text(f"{WORDS}\n")
    return file


@pytest.fixture
def encrypted(tunebench: Command, project: Path, words: Path) -> Path:
    assert tunebench("encrypt", project, "--new-passphrase-file", words).code == 0
    sealing._held.clear()
    return project


def test_it_opens_with_file_or_environment_and_with_nothing_else(
    tunebench: Command, encrypted: Path, words: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = tunebench("info", encrypted, "--lang", "en")
    assert refused.code == 3 and "encrypted" in refused.err and refused.out == ""
    assert tunebench("info", encrypted, "--passphrase-file", words, "--json").json["engagement"]["customer"] == "ACME"
    sealing._held.clear()
    monkeypatch.setenv("TUNEBENCH_PASSPHRASE", "something else")
    wrong = tunebench("check", encrypted)
    assert wrong.code == 3 and "something" not in wrong.err
    monkeypatch.setenv("TUNEBENCH_PASSPHRASE", WORDS)
    assert tunebench("check", encrypted).code == 0


def test_a_key_file_is_made_and_lost(tunebench: Command, encrypted: Path, words: Path, tmp_path: Path) -> None:
    file = tmp_path / "key"
    assert tunebench("rekey", encrypted, "--passphrase-file", words, "--new-key-file", file).code == 0
    sealing._held.clear()
    assert tunebench("info", encrypted, "--passphrase-file", words).code == 3
    assert tunebench("info", encrypted, "--key-file", file).code == 0
    sealing._held.clear()
    file.unlink()
    lost = tunebench("info", encrypted, "--key-file", file)
    assert lost.code == 3 and str(file) in lost.err


def test_decrypted_it_opens_for_everybody(tunebench: Command, encrypted: Path, words: Path) -> None:
    assert tunebench("decrypt", encrypted).code == 3
    assert tunebench("decrypt", encrypted, "--passphrase-file", words).code == 0
    assert tunebench("info", encrypted).code == 0
    assert tunebench("decrypt", encrypted).code == 3


@pytest.mark.parametrize("verb", ["encrypt", "rekey"])
def test_what_cannot_be_is_said_and_changes_nothing(
    tunebench: Command, project: Path, tmp_path: Path, verb: str
) -> None:
    short = tmp_path / "short"
    short.write_text("seven77")
    before = project.read_bytes()
    assert tunebench(verb, project, "--new-passphrase-file", short).code == 3
    assert tunebench(verb, project).code == 3  # nobody at a terminal
    assert project.read_bytes() == before


def test_no_output_takes_the_place_of_an_encrypted_project(tunebench: Command, encrypted: Path, words: Path) -> None:
    other = encrypted.with_name("other.tune")
    other.write_bytes(encrypted.read_bytes())
    answer = tunebench("report", encrypted, "--passphrase-file", words, "--xlsx", other)
    assert answer.code == 3
    assert other.read_bytes()[:5] == b"TUNEP"


def test_processes_beside_get_the_key_on_their_pipe_alone(
    tunebench: Command, encrypted: Path, words: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two captures are read by processes of their own; their words and environment do not have the key."""
    for host in ("one", "other"):
        lines = [
            IOSTAT_BLOCK.format(
                stamp=f"11/21/2026 09:{n // 60:02}:{n % 60:02} AM",
                user=n + len(host),
                idle=90 - n,
                reads=n,
                kilobytes=n,
            )
            for n in range(60)
        ]
        (tmp_path / f"{host}.txt").write_text("Linux 6.1.0 (db01)\t11/21/2026\t_x86_64_\t(4 CPU)\n\n" + "".join(lines))
    begun: list[tuple[str, ...]] = []
    start = subprocess.Popen

    def watched(words: Any, **options: Any) -> Any:
        begun.append(tuple(str(word) for word in words))
        assert "env" not in options
        return start(words, **options)

    monkeypatch.setattr(subprocess, "Popen", watched)
    monkeypatch.setattr(together, "LEAST_BYTES", 1)
    monkeypatch.setattr(together, "cores", lambda: 2)
    files = [tmp_path / "one.txt", tmp_path / "other.txt"]
    done = tunebench("import", encrypted, *files, "--run", "r", "--passphrase-file", words, "--json")
    assert [file["state"] for file in done.json["files"]] == ["imported", "imported"]
    assert len(begun) == 2
    (key,) = sealing._held.values()
    assert not any(key.secret.hex() in word or WORDS in word for each in begun for word in each)
    assert "a process that reads captures ended" not in done.err
    plain = tmp_path / "plain.tune"
    tunebench("new", plain, "--customer", "ACME", "--zone", "Asia/Seoul")
    tunebench("import", plain, *files, "--run", "r")
    found = tunebench("series", encrypted, "--json").json
    assert found and found == tunebench("series", plain, "--json").json
