"""What a key file says without its passphrase, checked against what ssh-keygen made."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tunebench.transport.ssh.identities import IdentityState, describe

pytestmark = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="no ssh-keygen on this machine")


def make(path: Path, *arguments: str, passphrase: str = "") -> str:
    """The fingerprint that ssh-keygen tells."""
    subprocess.run(["ssh-keygen", "-q", *arguments, "-N", passphrase, "-f", str(path)], check=True, timeout=60)
    told = subprocess.run(["ssh-keygen", "-lf", f"{path}.pub"], check=True, capture_output=True, text=True, timeout=30)
    return told.stdout.split()[1]


@pytest.mark.parametrize("passphrase", ["", "a-passphrase"])
@pytest.mark.parametrize(
    ("arguments", "key_type"),
    [
        (("-t", "ed25519"), "ssh-ed25519"),
        (("-t", "rsa", "-b", "2048"), "ssh-rsa"),
        (("-t", "ecdsa", "-b", "384"), "ecdsa-sha2-nistp384"),
        (("-t", "rsa", "-b", "2048", "-m", "PEM"), "ssh-rsa"),
        (("-t", "rsa", "-b", "2048", "-m", "PKCS8"), "ssh-rsa"),
        (("-t", "ecdsa", "-m", "PEM"), "ecdsa-sha2-nistp256"),
    ],
)
def test_type_encryption_and_fingerprint(
    tmp_path: Path, arguments: tuple[str, ...], key_type: str, passphrase: str
) -> None:
    expected = make(tmp_path / "id", *arguments, passphrase=passphrase)
    found = describe(str(tmp_path / "id"))
    assert found.usable
    assert (found.key_type, found.encrypted, found.fingerprint) == (key_type, bool(passphrase), expected)
    assert found.certificate == ""
    assert not found.hardware


def test_fingerprint_of_an_encrypted_key_needs_no_pub_file_in_the_new_format(tmp_path: Path) -> None:
    expected = make(tmp_path / "id", "-t", "ed25519", passphrase="a-passphrase")
    (tmp_path / "id.pub").unlink()
    assert describe(str(tmp_path / "id")).fingerprint == expected


def test_old_format_without_its_pub_file(tmp_path: Path) -> None:
    make(tmp_path / "id", "-t", "rsa", "-b", "2048", "-m", "PEM", passphrase="a-passphrase")
    (tmp_path / "id.pub").unlink()
    found = describe(str(tmp_path / "id"))
    assert (found.key_type, found.encrypted, found.fingerprint) == ("ssh-rsa", True, "")


def test_certificate_beside(tmp_path: Path) -> None:
    make(tmp_path / "ca", "-t", "ed25519")
    make(tmp_path / "id", "-t", "ed25519")
    subprocess.run(
        ["ssh-keygen", "-q", "-s", str(tmp_path / "ca"), "-I", "kim", "-n", "kim", str(tmp_path / "id.pub")],
        check=True,
        timeout=30,
    )
    assert describe(str(tmp_path / "id")).certificate == str(tmp_path / "id-cert.pub")


@pytest.mark.parametrize(
    ("content", "state"),
    [
        (b"", IdentityState.NOT_A_KEY),
        (b"text\n", IdentityState.NOT_A_KEY),
        (bytes(range(128, 228)), IdentityState.NOT_A_KEY),
        (b"-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n", IdentityState.NOT_A_KEY),
        (b"-----BEGIN OPENSSH PRIVATE KEY-----\n", IdentityState.NOT_A_KEY),
        (b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", IdentityState.NOT_A_KEY),
    ],
)
def test_files_that_are_no_keys(tmp_path: Path, content: bytes, state: IdentityState) -> None:
    (tmp_path / "id").write_bytes(content)
    assert describe(str(tmp_path / "id")).state is state


def test_missing_file_and_folder(tmp_path: Path) -> None:
    assert describe(str(tmp_path / "none")).state is IdentityState.MISSING
    assert describe(str(tmp_path)).state is IdentityState.UNREADABLE


def test_a_cut_key_never_fails(tmp_path: Path) -> None:
    make(tmp_path / "id", "-t", "ed25519")
    content = (tmp_path / "id").read_bytes()
    for length in range(0, len(content), 7):
        (tmp_path / "cut").write_bytes(content[:length])
        assert not describe(str(tmp_path / "cut")).usable
