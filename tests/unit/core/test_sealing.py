"""Sealed files: opened by their passphrase alone, and not where a byte was changed."""

from __future__ import annotations

import pytest

from app.core.errors import UserError
from app.core.sealing import opened, sealed

DATA = "홍길동 PERSON-001".encode()


def test_only_the_passphrase_opens_it() -> None:
    blob = sealed(DATA, "long enough")
    assert opened(blob, "long enough") == DATA
    assert DATA not in blob
    assert blob != sealed(DATA, "long enough")
    with pytest.raises(UserError, match="seal_refused"):
        opened(blob, "long enougH")


@pytest.mark.parametrize("place", [9, 24, 26, 40, -1])
def test_a_changed_byte_is_refused(place: int) -> None:
    blob = bytearray(sealed(DATA, "long enough"))
    blob[place] ^= 1
    with pytest.raises(UserError, match="seal_"):
        opened(bytes(blob), "long enough")


def test_what_was_never_sealed_and_what_asks_for_too_much_memory() -> None:
    blob = sealed(DATA, "long enough")
    for wrong in (b"", b"TBSEAL1\n", DATA, blob[:24] + b"\x3f" + blob[25:]):
        with pytest.raises(UserError, match="seal_unreadable"):
            opened(wrong, "long enough")
    with pytest.raises(UserError, match="seal_passphrase_short"):
        sealed(DATA, "short")
