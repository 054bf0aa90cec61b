"""Files that are unreadable without a key: where the key comes from, who holds it, and bytes sealed with it.

A key belongs to one salt, and the salt stands at the beginning of whatever the key opens, so that the file itself says
what is asked for. Keys are kept in this process alone, by salt, until it ends or they are dropped.

    salt            ``TUNE``, ``P`` (passphrase) or ``K`` (key file), 11 random bytes
    passphrase      in NFC, UTF-8 -> Argon2id, 3 passes over 64 MiB in 4 lanes (RFC 9106, section 4, second option)
    key file        its bytes -> HKDF-SHA-256
"""

from __future__ import annotations

import errno
import os
import secrets
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import field
from enum import StrEnum
from pathlib import Path

from tunebench.core.errors import UserError
from tunebench.core.plain_files import read_plain
from tunebench.core.records import record

SALT_BYTES = 16
_MARK = b"TUNE"
_SECRET_BYTES = 32
_NONCE_BYTES = 12
SEALED_MORE_BYTES = _NONCE_BYTES + 16
"""By so much sealed bytes are longer: nonce and tag."""
LEAST_PASSPHRASE = 8
_KEY_FILE_BYTES = (32, 1 << 20)
_PASSES, _LANES, _MEMORY_KIB = 3, 4, 64 << 10


class OpenedBy(StrEnum):
    """What opens a file; the letter is in its salt."""

    PASSPHRASE = "P"  # noqa: S105 - the name of a kind, no secret
    KEY_FILE = "K"


@record
class Key:
    """Never shown: `repr` has the salt alone."""

    salt: bytes
    secret: bytes = field(repr=False)

    @property
    def opened_by(self) -> OpenedBy:
        return OpenedBy(self.salt[len(_MARK) : len(_MARK) + 1].decode())


def salt_of(head: bytes) -> bytes | None:
    """The salt at the beginning of an encrypted project; None where the bytes begin otherwise."""
    letter = head[len(_MARK) : len(_MARK) + 1]
    is_sealed = head.startswith(_MARK) and letter in {opened.value.encode() for opened in OpenedBy}
    return head[:SALT_BYTES] if is_sealed and len(head) >= SALT_BYTES else None


def new_salt(opened_by: OpenedBy) -> bytes:
    head = _MARK + opened_by.value.encode()
    return head + secrets.token_bytes(SALT_BYTES - len(head))


def key_of_passphrase(passphrase: str, salt: bytes) -> Key:
    """Takes a tenth of a second and 64 MiB, so that guessing does."""
    from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

    words = unicodedata.normalize("NFC", passphrase).encode("utf-8", "surrogatepass")
    kdf = Argon2id(salt=salt, length=_SECRET_BYTES, iterations=_PASSES, lanes=_LANES, memory_cost=_MEMORY_KIB)
    return Key(salt, kdf.derive(words))


def key_of_file(path: Path, salt: bytes) -> Key:
    """Raises UserError project_key_file_unfit where it cannot be read, or has under 32 bytes or over a mebibyte."""
    least, most = _KEY_FILE_BYTES
    try:
        data = read_plain(path, most, follows=True)
    except OSError as error:
        raise UserError("project_key_file_unfit", path=str(path), detail=error.strerror or str(error)) from error
    if len(data) < least:
        raise UserError("project_key_file_unfit", path=str(path), detail=f"{least} - {most} B")
    return Key(salt, _expanded(data, salt, b"project"))


def make_key_file(path: Path) -> None:
    """A new one, for its owner alone to read. Raises UserError key_file_there, file_unwritable."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(secrets.token_hex(_SECRET_BYTES).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        if error.errno == errno.EEXIST:
            raise UserError("key_file_there", path=str(path)) from error
        raise UserError("file_unwritable", path=str(path), reason=error.strerror or str(error)) from error


def require_strong(passphrase: str) -> None:
    """Raises UserError key_passphrase_short."""
    if len(passphrase) < LEAST_PASSPHRASE:
        raise UserError("key_passphrase_short", least=LEAST_PASSPHRASE)


@contextmanager
def passing_key() -> Iterator[Key]:
    """A key that nobody can ever give again: what it opens is lost with the block, or with the process."""
    key = Key(new_salt(OpenedBy.KEY_FILE), secrets.token_bytes(_SECRET_BYTES))
    hold(key)
    try:
        yield key
    finally:
        drop(key.salt)


# -- who holds it --------------------------------------------------------------------------------------

_held: dict[bytes, Key] = {}
_folders: dict[Path, Key] = {}


def hold(key: Key) -> None:
    _held[key.salt] = key


def held(salt: bytes) -> Key | None:
    return _held.get(salt)


def drop(salt: bytes) -> None:
    _held.pop(salt, None)


def cover(folder: Path, key: Key) -> Callable[[], None]:
    """Whatever is written below `folder` is sealed with `key`, until what is returned is called."""
    folder = folder.absolute()
    _folders[folder] = key

    def uncover() -> None:
        _folders.pop(folder, None)

    return uncover


def covering(path: Path) -> Key | None:
    """The key with which a file at `path` is to be sealed."""
    path = path.absolute()
    return next((key for folder in (path, *path.parents) if (key := _folders.get(folder))), None)


# -- sealed bytes --------------------------------------------------------------------------------------


class Sealed(Exception):
    """The bytes are sealed with a key that this process does not hold, or are not what was sealed."""


class Sealer:
    """Seals the pieces of one file (AES-256-GCM, a random nonce each). The file begins with `head`.

    Args:
        head: of a file that is there; a new one without.

    Raises:
        Sealed: nobody here holds the key.
    """

    HEAD_BYTES = 2 * SALT_BYTES

    def __init__(self, key: Key | None = None, head: bytes = b"") -> None:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        if not head and key is not None:
            head = key.salt + secrets.token_bytes(SALT_BYTES)
        key = key or held(head[:SALT_BYTES])
        if key is None or len(head) != self.HEAD_BYTES:
            raise Sealed
        self.head = head
        self._cipher = AESGCM(_expanded(key.secret, head[SALT_BYTES:], b"file"))

    def seal(self, data: bytes, about: bytes = b"") -> bytes:
        """`about` is not in the result, but must be the same when it is opened."""
        nonce = secrets.token_bytes(_NONCE_BYTES)
        return nonce + self._cipher.encrypt(nonce, data, about)

    def open(self, data: bytes, about: bytes = b"") -> bytes:
        """Raises Sealed where the bytes are not what was sealed."""
        from cryptography.exceptions import InvalidTag

        try:
            return self._cipher.decrypt(data[:_NONCE_BYTES], data[_NONCE_BYTES:], about)
        except (InvalidTag, ValueError) as error:
            raise Sealed from error


def sealed(data: bytes, passphrase: str) -> bytes:
    """A small file that the passphrase alone opens. Raises UserError key_passphrase_short."""
    require_strong(passphrase)
    sealer = Sealer(key_of_passphrase(passphrase, new_salt(OpenedBy.PASSPHRASE)))
    return sealer.head + sealer.seal(data)


def opened(blob: bytes, passphrase: str) -> bytes:
    """Raises UserError seal_unreadable where it is no such file, seal_refused where the passphrase is another or a byte
    was changed."""
    salt, head = salt_of(blob), blob[: Sealer.HEAD_BYTES]
    if salt is None or len(blob) <= len(head):
        raise UserError("seal_unreadable")
    try:
        return Sealer(key_of_passphrase(passphrase, salt), head).open(blob[len(head) :])
    except Sealed as error:
        raise UserError("seal_refused") from error


def _expanded(data: bytes, salt: bytes, use: bytes) -> bytes:
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    return HKDF(hashes.SHA256(), _SECRET_BYTES, salt, b"tunebench " + use).derive(data)
