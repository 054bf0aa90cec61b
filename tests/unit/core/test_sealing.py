"""Keys come from what was given and nothing else; what is sealed is opened by the same key alone."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest

from tunebench.core import sealing
from tunebench.core.errors import UserError
from tunebench.core.sealing import Key, OpenedBy, Sealed, Sealer, opened, sealed

SALT = b"TUNEP" + bytes(range(11))


def test_a_passphrase_is_the_same_however_the_keyboard_composes_it() -> None:
    words = "열려라 참깨"
    composed = sealing.key_of_passphrase(unicodedata.normalize("NFC", words), SALT)
    assert composed == sealing.key_of_passphrase(unicodedata.normalize("NFD", words), SALT)
    assert composed != sealing.key_of_passphrase(words + " ", SALT)


def test_the_secret_is_in_no_text_of_a_key() -> None:
    key = sealing.key_of_passphrase("correct horse", SALT)
    assert key.secret.hex() not in repr(key)
    assert repr(key.secret) not in f"{key} {key!r}"


@pytest.mark.parametrize(
    ("size", "fits"), [(0, False), (31, False), (32, True), (1 << 20, True), ((1 << 20) + 1, False)]
)
def test_a_key_file_has_at_least_256_bits(tmp_path: Path, size: int, fits: bool) -> None:
    file = tmp_path / "key"
    file.write_bytes(b"k" * size)
    if fits:
        assert len(sealing.key_of_file(file, SALT).secret) == 32
    else:
        with pytest.raises(UserError, match="project_key_file_unfit"):
            sealing.key_of_file(file, SALT)


def test_a_key_file_is_for_its_owner_and_never_overwritten(tmp_path: Path) -> None:
    sealing.make_key_file(tmp_path / "key")
    assert (tmp_path / "key").stat().st_mode & 0o777 == 0o600
    with pytest.raises(UserError, match="key_file_there"):
        sealing.make_key_file(tmp_path / "key")


def test_the_salt_says_what_opens_the_file() -> None:
    for kind in OpenedBy:
        salt = sealing.new_salt(kind)
        assert sealing.salt_of(salt + b"more") == salt
        assert Key(salt, b"").opened_by is kind
    assert sealing.salt_of(b"SQLite format 3\0") is None
    assert sealing.salt_of(b"TUNEX" + bytes(11)) is None
    assert sealing.salt_of(b"TUNEP") is None


def test_sealed_bytes_open_with_their_key_their_file_and_their_place_alone() -> None:
    key = Key(SALT, b"1" * 32)
    sealer = Sealer(key)
    sealed = sealer.seal(b"payload", b"place")
    assert len(sealed) == len(b"payload") + sealing.SEALED_MORE_BYTES
    assert Sealer(key, sealer.head).open(sealed, b"place") == b"payload"
    for other, about in ((Sealer(key), b"place"), (Sealer(Key(SALT, b"2" * 32), sealer.head), b"place"), (sealer, b"")):
        with pytest.raises(Sealed):
            other.open(sealed, about)
    with pytest.raises(Sealed):
        Sealer(head=sealer.head)  # nobody holds the key


DATA = "홍길동 PERSON-001".encode()


def test_only_the_passphrase_opens_it() -> None:
    blob = sealed(DATA, "long enough")
    assert opened(blob, "long enough") == DATA
    assert DATA not in blob
    assert blob != sealed(DATA, "long enough")
    with pytest.raises(UserError, match="seal_refused"):
        opened(blob, "long enougH")


@pytest.mark.parametrize("place", [2, 9, 24, 40, -1])
def test_a_changed_byte_is_refused(place: int) -> None:
    blob = bytearray(sealed(DATA, "long enough"))
    blob[place] ^= 1
    with pytest.raises(UserError, match="seal_"):
        opened(bytes(blob), "long enough")


def test_what_was_never_sealed() -> None:
    blob = sealed(DATA, "long enough")
    for wrong in (b"", b"TUNEP", DATA, blob[:32]):
        with pytest.raises(UserError, match="seal_unreadable"):
            opened(wrong, "long enough")
    with pytest.raises(UserError, match="key_passphrase_short"):
        sealed(DATA, "short")
