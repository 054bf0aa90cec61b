"""The system's ssh: which one, with which command line, and what is answered to its questions."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest

from tunebench.domain.connection import Hop, SecretKind
from tunebench.transport.ssh.askpass import understood
from tunebench.transport.ssh.link import LinkError
from tunebench.transport.ssh.persons import Persons
from tunebench.transport.ssh.secrets import SecretStore
from tunebench.transport.ssh.ssh_answers import Answers
from tunebench.transport.ssh.ssh_binary import SshBinary, find_ssh
from tunebench.transport.ssh.ssh_command import Step, environment, session, through

BINARY = SshBinary("/usr/bin/ssh", (9, 2), frozenset({"ssh-rsa", "aes128-cbc", "hmac-sha1"}))
HOP = Hop("10.0.0.5", 2222, "kim", "10.0.0.5", (), ("ssh-rsa", "aes128-cbc", "arcfour"))


def options(command: list[str]) -> list[str]:
    return [value for word, value in pairwise(command) if word == "-o"]


def test_master_trusts_only_its_own_file_and_tries_only_named_keys() -> None:
    command = Step(BINARY, HOP, "tunebench-hop1").master(
        Path("/t/m1"), Path("/t/known"), ["/k 1", '/k%2"x\\'], "/k 1-cert.pub", 2.0, 3
    )
    told = options(command)
    for expected in (
        "StrictHostKeyChecking=yes",
        'UserKnownHostsFile="/t/known"',
        "GlobalKnownHostsFile=/dev/null",
        "HostKeyAlias=tunebench-hop1",
        "IdentitiesOnly=yes",
        "NumberOfPasswordPrompts=1",
        "ControlPersist=no",
        "UpdateHostKeys=no",
        "ForwardAgent=no",
        "PermitLocalCommand=no",
        "ServerAliveInterval=2",
        "ServerAliveCountMax=3",
        'CertificateFile="/k 1-cert.pub"',
        "HostKeyAlgorithms=+ssh-rsa",
        "Ciphers=+aes128-cbc",
    ):
        assert expected in told
    assert command[:3] == ["/usr/bin/ssh", "-F", os.devnull]
    assert [option for option in told if option.startswith("IdentityFile")] == [
        'IdentityFile="/k 1"',
        r'IdentityFile="/k%%2\"x\\"',
    ]
    assert command[-3:] == ["kim", "--", "10.0.0.5"]
    assert not [option for option in told if "arcfour" in option]  # this ssh does not know it, and would refuse all


def test_without_keys_the_defaults_are_not_tried_either() -> None:
    command = Step(BINARY, HOP, "a").master(Path("/t/m"), Path("/t/k"), [], "", 2.0, 3)
    assert "IdentityFile=none" in options(command)


def test_look_at_the_key_sends_no_credential() -> None:
    told = options(Step(BINARY, HOP, "a").scan(Path("/t/scan"), "ssh-rsa"))
    assert "PreferredAuthentications=none" in told
    assert "PubkeyAuthentication=no" in told
    assert "StrictHostKeyChecking=accept-new" in told
    assert "HostKeyAlgorithms=rsa-sha2-512,rsa-sha2-256,ssh-rsa" in told
    assert not [option for option in told if option.startswith("HostKeyAlgorithms=+")]


def test_further_sessions_never_connect_by_themselves() -> None:
    command = session(BINARY, Path("/t/m1"), Path("/t/log"), "exec sh -c 'x'")
    assert "ProxyCommand=false" in options(command)
    assert command[-2:] == ["tunebench", "exec sh -c 'x'"]


@pytest.mark.skipif(shutil.which("sh") is None, reason="no POSIX shell")
def test_way_through_a_hop_survives_the_shell() -> None:
    binary = SshBinary("/opt/my ssh/bin/ssh", (9, 2), frozenset())
    words = shlex.split(through(binary, Path("/t/m1")))
    assert words[0] == "/opt/my ssh/bin/ssh"
    assert words[-3:] == ["-W", "[%h]:%p", "tunebench"]
    assert words[words.index("-S") + 1] == "/t/m1"


def test_environment_has_no_askpass_but_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSH_ASKPASS", "/theirs")
    monkeypatch.setenv("LANG", "ko_KR.UTF-8")
    monkeypatch.setenv("SSH_AUTH_SOCK", "/agent")
    told = environment({"SSH_ASKPASS_REQUIRE": "force"})
    assert "SSH_ASKPASS" not in told
    assert "LANG" not in told
    assert (told["LC_ALL"], told["SSH_AUTH_SOCK"], told["SSH_ASKPASS_REQUIRE"]) == ("C", "/agent", "force")


# -- which ssh


def fake_ssh(folder: Path, version: str) -> None:
    path = folder / "ssh"
    path.write_text(f'#!/bin/sh\ncase $1 in -V) echo "{version}" >&2 ;; -Q) echo one-of-$2 ;; esac\n')
    path.chmod(0o755)


@pytest.mark.skipif(os.name != "posix", reason="a shell script stands in for ssh")
@pytest.mark.parametrize(
    ("version", "expected", "learns", "old"),
    [
        ("OpenSSH_7.4p1, OpenSSL 1.0.2k-fips", (7, 4), "no", True),
        ("OpenSSH_8.0p1, OpenSSL 1.1.1k", (8, 0), "accept-new", True),
        ("OpenSSH_9.8p1, LibreSSL 3.3.6", (9, 8), "accept-new", False),
        ("OpenSSH_10.0p2, OpenSSL 3.5.1", (10, 0), "accept-new", False),
    ],
)
def test_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, expected: tuple[int, int], learns: str, old: bool
) -> None:
    fake_ssh(tmp_path, version)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    found = find_ssh("db01")
    assert (found.version, found.learns_new_keys, found.old_option_names) == (expected, learns, old)
    assert found.algorithms == {"one-of-kex", "one-of-key", "one-of-cipher", "one-of-mac"}


def test_no_ssh_or_another_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(LinkError, match="backend_missing") as caught:
        find_ssh("db01")
    assert caught.value.final
    fake_ssh(tmp_path, "dropbear")
    with pytest.raises(LinkError, match="backend_missing"):
        find_ssh("db01")


# -- answers


class OneAnswer:
    def __init__(self, secret: str | None) -> None:
        self.given, self.asked = secret, 0

    def accepts_host_key(self, _question: object) -> bool:
        return False

    def secret(self, _question: object) -> str | None:
        self.asked += 1
        return self.given

    def answers(self, _question: object) -> list[str] | None:
        return None


def answers(person: OneAnswer, store: SecretStore, port: int = 22) -> Answers:
    return Answers("DB", Hop("db01", port, "kim", "db01"), Persons(person, 5.0), store)


def test_password_is_stored_only_when_it_was_right() -> None:
    person, store = OneAnswer("pw"), SecretStore(use_keyring=False)
    first = answers(person, store)
    assert first.find(understood("kim@db01's password: ")) == "pw"
    first.were_wrong()
    assert store.get("kim@db01", SecretKind.PASSWORD) is None
    second = answers(person, store)
    second.find(understood("kim@db01's password: "))
    second.were_right()
    assert store.get("kim@db01", SecretKind.PASSWORD) == "pw"
    assert answers(person, store).find(understood("Password: ")) == "pw"
    assert person.asked == 2
    assert "pw" not in repr(second._given)


def test_stored_password_that_is_wrong_is_forgotten_and_not_repeated() -> None:
    person, store = OneAnswer("new"), SecretStore(use_keyring=False)
    store.put("kim@db01:2222", SecretKind.PASSWORD, "old")
    stale = answers(person, store, 2222)
    assert stale.find(understood("(kim@db01) Password: ")) == "old"
    assert stale.find(understood("kim@db01's password: ")) is None
    assert stale.repeated
    stale.were_wrong()
    assert person.asked == 0
    assert store.get("kim@db01:2222", SecretKind.PASSWORD) is None


def test_unanswered_code() -> None:
    one = answers(OneAnswer(None), SecretStore(use_keyring=False))
    assert one.find(understood("(kim@db01) Verification code: ")) is None
    assert one.asked_for_code
    assert not one.repeated


@pytest.mark.skipif(shutil.which("ssh") is None, reason="no OpenSSH client (ssh) on this machine")
def test_real_ssh_takes_every_option() -> None:
    binary = find_ssh("db01")
    command = Step(binary, HOP, "a").master(Path("/t/m"), Path("/t/k"), ["/k"], "", 2.0, 3)
    told = subprocess.run([command[0], "-G", *command[1:]], capture_output=True, timeout=30, check=False)
    complaints = [line for line in told.stderr.splitlines() if not line.startswith(b"debug")]
    assert (told.returncode, complaints) == (0, [])
