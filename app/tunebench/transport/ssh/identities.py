"""What a private key file is, told from its unencrypted parts alone: no secret is needed, none is loaded.

OpenSSH's own format (PROTOCOL.key) holds the public key in clear; PEM and PKCS #8 say in their first lines whether they
are encrypted, and their public key is taken from ``NAME.pub`` beside them.
"""

from __future__ import annotations

import base64
import binascii
from enum import StrEnum
from pathlib import Path

from tunebench.core.records import record
from tunebench.transport.ssh.known_hosts import fingerprint

LARGEST_KEY_BYTES = 1 << 20
_MAGIC = b"openssh-key-v1\0"
_PEM_TYPES = {
    "RSA PRIVATE KEY": "ssh-rsa",
    "DSA PRIVATE KEY": "ssh-dss",
    "EC PRIVATE KEY": "ecdsa",
    "PRIVATE KEY": "",
    "ENCRYPTED PRIVATE KEY": "",
}


class IdentityState(StrEnum):
    USABLE = "usable"
    MISSING = "missing"
    UNREADABLE = "unreadable"  # no permission, or a folder
    NOT_A_KEY = "not_a_key"


@record
class Identity:
    """A key file.

    Attributes:
        key_type: ``ssh-ed25519`` ...; empty where neither the file nor its ``.pub`` says.
        encrypted: a passphrase is needed.
        fingerprint: ``SHA256:...``; empty where the public key is not to be had without the passphrase.
        certificate: path of ``NAME-cert.pub`` beside it, or empty.
        hardware: a FIDO key, which only the system's ssh can use.
    """

    path: str
    state: IdentityState
    key_type: str = ""
    encrypted: bool = False
    fingerprint: str = ""
    certificate: str = ""

    @property
    def usable(self) -> bool:
        return self.state is IdentityState.USABLE

    @property
    def hardware(self) -> bool:
        return self.key_type.startswith("sk-")


def describe(path: str) -> Identity:
    """Never raises: what cannot be read is a state."""
    file = Path(path).expanduser()
    try:
        if not file.exists():
            return Identity(str(file), IdentityState.MISSING)
        with file.open("rb") as opened:
            text = opened.read(LARGEST_KEY_BYTES).decode("ascii", "replace")
    except OSError:
        return Identity(str(file), IdentityState.UNREADABLE)
    label, body = _pem(text)
    if label == "OPENSSH PRIVATE KEY":
        return _openssh_identity(file, body)
    if label in _PEM_TYPES:
        return _pem_identity(file, label, text)
    return Identity(str(file), IdentityState.NOT_A_KEY)


def certificate_beside(path: str) -> str:
    """``NAME-cert.pub`` where it exists, as ssh looks for it; else empty."""
    beside = Path(f"{Path(path).expanduser()}-cert.pub")
    return str(beside) if beside.is_file() else ""


def public_key_line(path: Path) -> tuple[str, bytes]:
    """(type, key) of a ``.pub`` file; ("", b"") where there is none or it is no key."""
    try:
        fields = path.read_text(encoding="utf-8", errors="replace").split()
        return fields[0], base64.b64decode(fields[1], validate=True)
    except (OSError, IndexError, ValueError, binascii.Error):
        return "", b""


def _pem(text: str) -> tuple[str, str]:
    """Label and body between the first BEGIN and its END."""
    lines = [line.strip() for line in text.splitlines()]
    for number, line in enumerate(lines):
        if line.startswith("-----BEGIN ") and line.endswith("-----"):
            label, body = line[11:-5], lines[number + 1 :]
            end = f"-----END {label}-----"
            return label, "".join(body[: body.index(end)] if end in body else [])
    return "", ""


def _openssh_identity(file: Path, body: str) -> Identity:
    try:
        cipher, public = _openssh_fields(base64.b64decode(body, validate=True))
    except (ValueError, binascii.Error):
        return Identity(str(file), IdentityState.NOT_A_KEY)
    key_type = _string(public, 0)[0].decode("ascii", "replace")
    return Identity(
        str(file), IdentityState.USABLE, key_type, cipher != b"none", fingerprint(public), certificate_beside(str(file))
    )


def _openssh_fields(content: bytes) -> tuple[bytes, bytes]:
    """(cipher, public key): magic, cipher, kdf, kdf options, number of keys, public key."""
    if not content.startswith(_MAGIC):
        raise ValueError("no OpenSSH key")
    cipher, at = _string(content, len(_MAGIC))
    for _ in range(2):
        _, at = _string(content, at)
    public, _ = _string(content, at + 4)
    return cipher, public


def _string(content: bytes, at: int) -> tuple[bytes, int]:
    size = int.from_bytes(content[at : at + 4], "big")
    end = at + 4 + size
    if len(content) < end or end == at:
        raise ValueError("cut off")
    return content[at + 4 : end], end


def _pem_identity(file: Path, label: str, text: str) -> Identity:
    encrypted = label == "ENCRYPTED PRIVATE KEY" or "Proc-Type: 4,ENCRYPTED" in text
    key_type, public = public_key_line(Path(f"{file}.pub"))
    return Identity(
        str(file),
        IdentityState.USABLE,
        key_type or _PEM_TYPES[label],
        encrypted,
        fingerprint(public) if public else "",
        certificate_beside(str(file)),
    )
