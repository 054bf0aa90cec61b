"""known_hosts lines against `ssh-keygen`, which reads the same format, and against the text of sshd(8)."""

from __future__ import annotations

import base64
import shutil
import struct
import subprocess
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tunebench.domain.connection import AcceptedKey, Hop, HostKey, KeyVerdict
from tunebench.transport.ssh.known_hosts import KnownHosts, Marker, family, fingerprint, host_key, lookup_port

needs_ssh_keygen = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="no ssh-keygen on this machine")


def blob(key_type: str, filling: int = 1) -> bytes:
    """A key of the right shape: its type, then 32 bytes."""
    name = key_type.encode()
    return struct.pack(">I", len(name)) + name + struct.pack(">I", 32) + bytes([filling]) * 32


def text(key_type: str = "ssh-ed25519", filling: int = 1) -> str:
    return base64.b64encode(blob(key_type, filling)).decode()


def key(address: str = "db01", port: int = 22, key_type: str = "ssh-ed25519", filling: int = 1) -> HostKey:
    raw = blob(key_type, filling)
    return HostKey(address, port, key_type, base64.b64encode(raw).decode(), fingerprint(raw))


def known(tmp_path: Path, *lines: str | bytes, accepted: tuple[AcceptedKey, ...] = ()) -> KnownHosts:
    path = tmp_path / "known_hosts"
    path.write_bytes(b"\n".join(line if isinstance(line, bytes) else line.encode() for line in lines) + b"\n")
    return KnownHosts.read([path], accepted)


def verdict(hosts: KnownHosts, shown: HostKey, *names: str) -> KeyVerdict:
    return hosts.judge(names or (shown.address,), shown.port, shown).verdict


LINE = f"ssh-ed25519 {text()}"


@pytest.mark.parametrize(
    ("field", "name", "port", "expected"),
    [
        ("db01", "db01", 22, KeyVerdict.KNOWN),
        ("db01", "DB01", 22, KeyVerdict.KNOWN),
        ("db01", "db02", 22, KeyVerdict.UNKNOWN),
        ("db01,10.0.0.5", "10.0.0.5", 22, KeyVerdict.KNOWN),
        ("[db01]:2222", "db01", 2222, KeyVerdict.KNOWN),
        ("[db01]:2222", "db01", 22, KeyVerdict.UNKNOWN),
        ("[db01]:2222", "db01", 2223, KeyVerdict.UNKNOWN),
        ("db01", "db01", 2222, KeyVerdict.KNOWN),  # as ssh: found without the port
        ("*.example.com", "db01.example.com", 22, KeyVerdict.KNOWN),
        ("*.example.com", "example.com", 22, KeyVerdict.UNKNOWN),
        ("db0?", "db01", 22, KeyVerdict.KNOWN),
        ("db0?", "db001", 22, KeyVerdict.UNKNOWN),
        ("*.example.com,!bad.example.com", "bad.example.com", 22, KeyVerdict.UNKNOWN),
        ("!bad.example.com,*.example.com", "good.example.com", 22, KeyVerdict.KNOWN),
        ("[*.example.com]:2222", "db01.example.com", 2222, KeyVerdict.KNOWN),
        ("fe80::1", "fe80::1", 22, KeyVerdict.KNOWN),
        ("[fe80::1]:2222", "fe80::1", 2222, KeyVerdict.KNOWN),
    ],
)
def test_host_fields(tmp_path: Path, field: str, name: str, port: int, expected: KeyVerdict) -> None:
    assert verdict(known(tmp_path, f"{field} {LINE}"), key(name, port)) is expected


@needs_ssh_keygen
@pytest.mark.parametrize("name", ["db01", "[db01]:2222", "10.0.0.5", "db01.example.com"])
def test_hashed_hosts_as_ssh_keygen_writes_them(tmp_path: Path, name: str) -> None:
    path = tmp_path / "known_hosts"
    path.write_text(f"{name} {LINE}\n")
    subprocess.run(["ssh-keygen", "-q", "-H", "-f", str(path)], check=True, capture_output=True, timeout=30)
    assert path.read_text().startswith("|1|")
    bare, _, port = name.removeprefix("[").partition("]:")
    shown = key(bare, int(port or 22))
    hosts = KnownHosts.read([path])
    assert verdict(hosts, shown) is KeyVerdict.KNOWN
    assert verdict(hosts, key("other", shown.port), "other") is KeyVerdict.UNKNOWN
    assert verdict(hosts, key(bare, shown.port, filling=2)) is KeyVerdict.CHANGED


@needs_ssh_keygen
@pytest.mark.parametrize("field", ["db01", "db01,db02", "*.example.com", "d?01", "!db01,db*", "[db01]:2222", "DB01"])
@pytest.mark.parametrize("name", ["db01", "db02", "db01.example.com", "[db01]:2222"])
def test_matches_agree_with_ssh_keygen(tmp_path: Path, field: str, name: str) -> None:
    path = tmp_path / "known_hosts"
    path.write_text(f"{field} {LINE}\n")
    found = subprocess.run(["ssh-keygen", "-F", name, "-f", str(path)], capture_output=True, timeout=30, check=False)
    bare, _, port = name.removeprefix("[").partition("]:")
    assert bool(KnownHosts.read([path]).plain_keys(bare, int(port or 22))) is (found.returncode == 0)


@needs_ssh_keygen
@pytest.mark.parametrize("arguments", [("ed25519",), ("rsa", "-b", "2048"), ("ecdsa", "-b", "256")])
def test_fingerprints_are_those_of_ssh_keygen(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    path = tmp_path / "id"
    subprocess.run(["ssh-keygen", "-q", "-t", *arguments, "-N", "", "-f", str(path)], check=True, timeout=60)
    told = subprocess.run(["ssh-keygen", "-lf", str(path)], check=True, capture_output=True, text=True, timeout=30)
    raw = base64.b64decode(Path(f"{path}.pub").read_text().split()[1])
    assert fingerprint(raw) == told.stdout.split()[1]


def test_other_key_of_the_type_is_a_change(tmp_path: Path) -> None:
    judged = known(tmp_path, f"db01 {LINE}", f"db01 ssh-rsa {text('ssh-rsa')}").judge(["db01"], 22, key(filling=9))
    assert judged.verdict is KeyVerdict.CHANGED
    assert [other.fingerprint for other in judged.known] == [key().fingerprint]


def test_host_known_by_other_types_only_is_a_new_type(tmp_path: Path) -> None:
    hosts = known(tmp_path, f"db01 ssh-rsa {text('ssh-rsa')}", f"db01 ssh-dss {text('ssh-dss')}")
    judged = hosts.judge(["db01"], 22, key())
    assert judged.verdict is KeyVerdict.NEW_TYPE
    assert {other.key_type for other in judged.known} == {"ssh-rsa", "ssh-dss"}
    assert hosts.preferred_types(["db01"], 22) == ("ssh-rsa", "ssh-dss")


def test_second_key_of_a_type_is_known_too(tmp_path: Path) -> None:
    hosts = known(tmp_path, f"db01 {LINE}", f"db01 ssh-ed25519 {text(filling=2)}")
    assert verdict(hosts, key(filling=2)) is KeyVerdict.KNOWN


def test_bare_name_may_vouch_for_a_port_but_not_accuse_it(tmp_path: Path) -> None:
    hosts = known(tmp_path, f"db01 {LINE}")
    assert verdict(hosts, key(port=2222)) is KeyVerdict.KNOWN
    assert verdict(hosts, key(port=2222, filling=2)) is KeyVerdict.UNKNOWN
    both = known(tmp_path, f"db01 {LINE}", f"[db01]:2222 ssh-ed25519 {text(filling=3)}")
    assert verdict(both, key(port=2222)) is KeyVerdict.CHANGED


def test_false_address_cannot_make_up_for_a_changed_name(tmp_path: Path) -> None:
    hosts = known(tmp_path, f"db01 {LINE}", f"10.6.6.6 ssh-ed25519 {text(filling=6)}")
    assert verdict(hosts, key(filling=6), "db01", "10.6.6.6") is KeyVerdict.CHANGED
    assert verdict(hosts, key(filling=6), "db02", "10.6.6.6") is KeyVerdict.KNOWN


@pytest.mark.parametrize("field", ["*", "db01", "*,!db02"])
def test_revoked_beats_known(tmp_path: Path, field: str) -> None:
    hosts = known(tmp_path, f"db01 {LINE}", f"@revoked {field} {LINE}")
    assert verdict(hosts, key()) is KeyVerdict.REVOKED
    assert verdict(hosts, key(port=2222)) is KeyVerdict.REVOKED
    assert not hosts.plain_keys("db01", 22)
    assert verdict(hosts, key(filling=2)) is not KeyVerdict.REVOKED


def test_plain_key_is_never_known_by_an_authority(tmp_path: Path) -> None:
    hosts = known(tmp_path, f"@cert-authority *.example.com {LINE}")
    judged = hosts.judge(["db01.example.com"], 22, key("db01.example.com"))
    assert judged.verdict is KeyVerdict.UNKNOWN
    assert [authority.fingerprint for authority in judged.authorities] == [key().fingerprint]
    assert hosts.judge(["db01"], 22, key()).authorities == ()
    assert len(hosts.marked(["db01.example.com"], 22, Marker.AUTHORITY)) == 1


def test_bad_lines_are_remembered_and_the_rest_stays_usable(tmp_path: Path) -> None:
    hosts = known(
        tmp_path,
        "# comment",
        "",
        "db01 ssh-ed25519 !!!not-base64",
        "garbage",
        f"@strange db01 {LINE}",
        f"db01 ssh-rsa {text('ssh-ed25519')}",
        b"\xff\xfe\x00db ssh-ed25519 \xe9\xe8",
        "db01 ssh-ed25519 AAAA",
        f"   db01   ssh-ed25519\t{text()} a comment with spaces\r",
        f"db02 sk-ssh-ed25519@openssh.com {text('sk-ssh-ed25519@openssh.com')}\r",
        f"db03 ssh-dss {text('ssh-dss')}",
    )
    assert [(problem.line, problem.reason) for problem in hosts.problems] == [
        (3, "base64"),
        (4, "fields"),
        (5, "marker"),
        (6, "key"),
        (7, "base64"),
        (8, "key"),
    ]
    assert {problem.source for problem in hosts.problems} == {str(tmp_path / "known_hosts")}
    assert verdict(hosts, key()) is KeyVerdict.KNOWN
    assert verdict(hosts, key("db02", key_type="sk-ssh-ed25519@openssh.com")) is KeyVerdict.KNOWN
    assert verdict(hosts, key("db03", key_type="ssh-dss")) is KeyVerdict.KNOWN
    assert verdict(hosts, key("db03")) is KeyVerdict.NEW_TYPE


@given(st.binary(max_size=400))
@example(b"\x1c")  # a blank to text, not to bytes
def test_no_bytes_make_it_fail(tmp_path_factory: pytest.TempPathFactory, noise: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "noise"
    path.write_bytes(noise + f"\ndb01 {LINE}\n".encode())
    assert verdict(KnownHosts.read([path]), key()) is KeyVerdict.KNOWN


def test_missing_file_and_folder(tmp_path: Path) -> None:
    hosts = KnownHosts.read([tmp_path / "none", tmp_path])
    assert hosts.entries == ()
    assert [problem.reason for problem in hosts.problems] == ["unreadable"]


def test_accepted_keys_count_like_filed_ones(tmp_path: Path) -> None:
    accepted = AcceptedKey(key("db01", 2222), "kim", "2026-11-21T00:00:00+00:00")
    hosts = known(tmp_path, f"db05 {LINE}", accepted=(accepted,))
    assert verdict(hosts, key("db01", 2222)) is KeyVerdict.KNOWN
    assert verdict(hosts, key("DB01", 2222)) is KeyVerdict.KNOWN
    assert verdict(hosts, key("db01", 2222, filling=2)) is KeyVerdict.CHANGED
    assert verdict(hosts, key("db01", 22)) is KeyVerdict.UNKNOWN
    assert hosts.preferred_types(["db01"], 2222) == ("ssh-ed25519",)
    revoked = known(tmp_path, f"@revoked * {LINE}", accepted=(accepted,))
    assert verdict(revoked, key("db01", 2222)) is KeyVerdict.REVOKED


def test_alias_is_looked_up_without_a_port() -> None:
    assert lookup_port(Hop("10.0.0.1", 2222, "kim", "10.0.0.1")) == 2222
    tunnelled = Hop("127.0.0.1", 2222, "kim", "db01")
    assert lookup_port(tunnelled) == 22
    shown = host_key(tunnelled, "ssh-ed25519", blob("ssh-ed25519"))
    assert (shown.address, shown.port, shown.fingerprint) == ("db01", 22, key().fingerprint)


@pytest.mark.parametrize(
    ("key_type", "expected"),
    [
        ("rsa-sha2-512", "ssh-rsa"),
        ("rsa-sha2-256", "ssh-rsa"),
        ("ssh-rsa", "ssh-rsa"),
        ("ssh-ed25519-cert-v01@openssh.com", "ssh-ed25519"),
        ("ecdsa-sha2-nistp256", "ecdsa-sha2-nistp256"),
        ("sk-ssh-ed25519@openssh.com", "sk-ssh-ed25519@openssh.com"),
        ("rsa-sha2-512-cert-v01@openssh.com", "ssh-rsa"),
    ],
)
def test_signature_names_of_one_key(key_type: str, expected: str) -> None:
    assert family(key_type) == expected
