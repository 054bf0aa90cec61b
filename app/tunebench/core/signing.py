"""The only module that knows cryptography: Ed25519 keys of people, and signatures in the form of OpenSSH.

A signature is that of ``ssh-keygen -Y sign -n tunebench`` (PROTOCOL.sshsig of OpenSSH), without the lines around it:
who signs needs no TuneBench, and who verifies neither.
"""

from __future__ import annotations

import base64
import hashlib
import os
import struct
from pathlib import Path
from typing import TYPE_CHECKING

from tunebench.core.errors import UserError
from tunebench.core.plain_files import read_plain

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

NAMESPACE = "tunebench"
_KEY_TYPE = "ssh-ed25519"
_MAGIC = b"SSHSIG"
_VERSION = b"\0\0\0\1"
_FRAME = ("-----BEGIN SSH SIGNATURE-----", "-----END SSH SIGNATURE-----")
_HASHES = ("sha256", "sha512")
_LARGEST_FILE = 64 << 10
_LEAST_PASSPHRASE = 8


# -- keys ----------------------------------------------------------------------------------------------


def make_key(path: Path, passphrase: str, comment: str = "") -> str:
    """A new key: the private part encrypted in `path`, for its owner alone to read, the public one in ``path.pub``.

    Returns:
        The public line, ``ssh-ed25519 AAAA...``.

    Raises:
        UserError: key_passphrase_short; key_file_there; file_unwritable.
    """
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    if len(passphrase) < _LEAST_PASSPHRASE:
        raise UserError("key_passphrase_short", least=_LEAST_PASSPHRASE)
    private = Ed25519PrivateKey.generate()
    text = private.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.OpenSSH,
        serialization.BestAvailableEncryption(passphrase.encode()),
    )
    line = _line(private.public_key())
    public = path.with_name(f"{path.name}.pub")
    try:
        for where, data, mode in ((path, text, 0o600), (public, f"{line} {comment}".strip().encode() + b"\n", 0o644)):
            descriptor = os.open(where, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
    except FileExistsError as error:
        raise UserError("key_file_there", path=str(error.filename)) from error
    except OSError as error:
        raise UserError("file_unwritable", path=str(path), reason=error.strerror or str(error)) from error
    return line


class SigningKey:
    """A private key in memory; only its public line can be read."""

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key = key
        self.public = _line(key.public_key())

    @classmethod
    def read(cls, path: Path, passphrase: str = "") -> SigningKey:
        """OpenSSH's form or PKCS #8 (PEM).

        Raises:
            UserError: key_file_unreadable; key_passphrase_wrong, also where one is needed and none was given;
                key_not_ed25519.
        """
        from cryptography.exceptions import UnsupportedAlgorithm
        from cryptography.hazmat.primitives import serialization
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        data = _bytes_of(path)
        load = serialization.load_ssh_private_key if b"OPENSSH" in data[:80] else serialization.load_pem_private_key
        private: object
        try:
            private = load(data, passphrase.encode() or None)
        except UnsupportedAlgorithm as error:
            raise UserError("key_not_ed25519", path=str(path)) from error
        except (ValueError, TypeError) as error:
            encrypted = _is_encrypted(data)
            if not encrypted and passphrase:
                return cls.read(path)  # a passphrase that is not needed does no harm
            key = "key_passphrase_wrong" if encrypted else "key_file_unreadable"
            raise UserError(key, path=str(path)) from error
        if not isinstance(private, Ed25519PrivateKey):
            raise UserError("key_not_ed25519", path=str(path))
        return cls(private)

    def sign(self, text: str) -> str:
        """The signature of a text (in UTF-8), on one line."""
        hashed = hashlib.sha512(text.encode()).digest()
        signature = self._key.sign(_signed(NAMESPACE.encode(), b"", b"sha512", hashed))
        parts = (_key_blob(self.public), NAMESPACE.encode(), b"", b"sha512", _strings(_KEY_TYPE.encode(), signature))
        return base64.b64encode(_MAGIC + _VERSION + _strings(*parts)).decode()


def is_encrypted(path: Path) -> bool:
    """Whether a private key's file asks for a passphrase. Raises UserError key_file_unreadable."""
    return _is_encrypted(_bytes_of(path))


def _is_encrypted(data: bytes) -> bool:
    if b"ENCRYPTED" in data:
        return True
    body = b"".join(data.split(b"-----")[2:3]).split()
    try:
        raw = base64.b64decode(b"".join(body))
    except ValueError:
        return False
    return raw.startswith(b"openssh-key-v1\0") and not raw[15:].startswith(_strings(b"none"))


def _bytes_of(path: Path) -> bytes:
    try:
        return read_plain(path, _LARGEST_FILE, follows=True)
    except OSError as error:
        raise UserError("key_file_unreadable", path=str(path)) from error


def public_line(text: str) -> str:
    """``ssh-ed25519 AAAA...`` of a public line as OpenSSH writes it, its comment left out.

    Raises:
        UserError: key_line_unreadable.
    """
    words = text.split()
    if len(words) < 2 or words[0] != _KEY_TYPE or _public_of(words[1]) is None:
        raise UserError("key_line_unreadable", words=" ".join(words)[:60])
    return f"{words[0]} {words[1]}"


def read_public(path: Path) -> str:
    """The public line that a file holds. Raises UserError key_file_unreadable, key_line_unreadable."""
    return public_line(_bytes_of(path).decode("utf-8", "replace"))


def fingerprint(line: str) -> str:
    """``SHA256:...`` as ``ssh-keygen -l`` prints it."""
    digest = hashlib.sha256(_key_blob(line)).digest()
    return "SHA256:" + base64.b64encode(digest).decode().rstrip("=")


def _line(key: Ed25519PublicKey) -> str:
    return f"{_KEY_TYPE} {base64.b64encode(_strings(_KEY_TYPE.encode(), key.public_bytes_raw())).decode()}"


def _key_blob(line: str) -> bytes:
    return base64.b64decode(line.split()[1])


def _public_of(blob: str) -> Ed25519PublicKey | None:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        key_type, raw = _read_strings(base64.b64decode(blob, validate=True), 2)
    except ValueError:
        return None
    is_ed25519 = key_type == _KEY_TYPE.encode() and len(raw) == 32
    return Ed25519PublicKey.from_public_bytes(raw) if is_ed25519 else None


# -- signatures ----------------------------------------------------------------------------------------


def as_signature(text: str) -> str:
    """The signature on one line without its frame; "" where the text is none."""
    bare = text.strip()
    if bare.startswith(_FRAME[0]) and bare.endswith(_FRAME[1]):
        bare = bare.removeprefix(_FRAME[0]).removesuffix(_FRAME[1])
    bare = "".join(bare.split())
    try:
        return bare if base64.b64decode(bare, validate=True).startswith(_MAGIC) else ""
    except ValueError:  # no base64, or not even ASCII
        return ""


def framed(signature: str) -> str:
    """The signature as ``ssh-keygen -Y verify`` reads it from a file."""
    lines = [signature[at : at + 70] for at in range(0, len(signature), 70)]
    return "\n".join((_FRAME[0], *lines, _FRAME[1], ""))


def signer_of(signature: str, text: str) -> str:
    """The public line of the key whose valid signature of `text` it is; "" where it is none."""
    from cryptography.exceptions import InvalidSignature

    try:
        raw = base64.b64decode(as_signature(signature))
        if not raw.startswith(_MAGIC + _VERSION):
            return ""
        key_blob, namespace, reserved, algorithm, signed = _read_strings(raw[len(_MAGIC + _VERSION) :], 5)
        signed_type, value = _read_strings(signed, 2)
    except ValueError:
        return ""
    blob = base64.b64encode(key_blob).decode()
    key, is_ours = _public_of(blob), signed_type == _KEY_TYPE.encode() and namespace == NAMESPACE.encode()
    if key is None or not is_ours or algorithm.decode("ascii", "replace") not in _HASHES:
        return ""
    hashed = hashlib.new(algorithm.decode(), text.encode()).digest()
    try:
        key.verify(value, _signed(namespace, reserved, algorithm, hashed))
    except InvalidSignature:
        return ""
    return f"{_KEY_TYPE} {blob}"


def _signed(namespace: bytes, reserved: bytes, algorithm: bytes, hashed: bytes) -> bytes:
    return _MAGIC + _strings(namespace, reserved, algorithm, hashed)


def _strings(*parts: bytes) -> bytes:
    """Strings as SSH writes them: a length of four bytes, and the bytes."""
    return b"".join(struct.pack(">I", len(part)) + part for part in parts)


def _read_strings(data: bytes, count: int) -> list[bytes]:
    """The strings as SSH writes them. Raises ValueError where the data are not exactly `count`."""
    strings, at = [], 0
    for _ in range(count):
        if len(data) - at < 4:
            raise ValueError(len(data))
        end = at + 4 + struct.unpack_from(">I", data, at)[0]
        if end > len(data):
            raise ValueError(end)
        strings.append(data[at + 4 : end])
        at = end
    if at != len(data):
        raise ValueError(at)
    return strings


# -- a time stamp from outside -------------------------------------------------------------------------

_REQUEST = bytes.fromhex("3039020101303130 0d060960864801650304020105000420")
"""Version 1, and SHA-256 as the algorithm of the imprint that follows (DER)."""
_WITH_CERTIFICATE = bytes.fromhex("0101ff")


def time_stamp_request(digest: str) -> bytes:
    """RFC 3161: asks a time-stamp service to put its clock to a SHA-256 (hex); answers are ``.tsr``."""
    return _REQUEST + bytes.fromhex(digest) + _WITH_CERTIFICATE
