"""What is a signature and what is none; the keys themselves are tried against OpenSSH in tests/e2e."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from tunebench.core.errors import UserError
from tunebench.core.signing import SigningKey, as_signature, fingerprint, framed, make_key, public_line, signer_of

# RFC 8032, section 7.1, test 1: the public key of an empty message's signer.
RFC_KEY = bytes.fromhex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
LINE = "ssh-ed25519 " + base64.b64encode(b"\0\0\0\x0bssh-ed25519\0\0\0 " + RFC_KEY).decode()


@pytest.mark.parametrize(
    "words", ["", "문서 12", "document 12", "U1NIU0l", "====", "-----BEGIN SSH SIGNATURE-----", "\x00"]
)
def test_words_are_no_signature(words: str) -> None:
    assert as_signature(words) == "" and signer_of(words, "text") == ""


def test_every_changed_byte_is_noticed(tmp_path: Path) -> None:
    line = make_key(tmp_path / "kim", "correct horse")
    signature = SigningKey.read(tmp_path / "kim", "correct horse").sign("승인\n")
    assert signer_of(framed(signature), "승인\n") == line and signer_of(signature, "승인") == ""
    raw = base64.b64decode(signature)
    for place in range(len(raw)):
        changed = bytes((*raw[:place], raw[place] ^ 1, *raw[place + 1 :]))
        assert signer_of(base64.b64encode(changed).decode(), "승인\n") != line, place
        assert signer_of(base64.b64encode(raw[:place]).decode(), "승인\n") == ""


def test_public_lines(tmp_path: Path) -> None:
    assert public_line(f"{LINE} kim@bank\n") == LINE
    assert fingerprint(LINE).startswith("SHA256:") and len(fingerprint(LINE)) == 50
    for words in ("", "ssh-ed25519", "ssh-rsa AAAA", f"{LINE[:-8]}", "ssh-ed25519 한글"):
        with pytest.raises(UserError) as refused:
            public_line(words)
        assert refused.value.key == "key_line_unreadable"
