"""Small files that only a passphrase opens: scrypt (RFC 7914) gives the key, AES-256-GCM seals.

    TBSEAL1\\n | salt (16) | log2 of scrypt's N (1) | nonce (12) | sealed data

What stands before the sealed data is authenticated with it.
"""

from __future__ import annotations

import hashlib
import os

from app.core.errors import UserError

LEAST_PASSPHRASE = 8
_MAGIC = b"TBSEAL1\n"
_SALT_BYTES, _NONCE_BYTES, _KEY_BYTES = 16, 12, 32
_HEAD_BYTES = len(_MAGIC) + _SALT_BYTES + 1 + _NONCE_BYTES
_COST_LOG2 = 17
"""OWASP's first choice for scrypt: N = 2^17, r = 8, p = 1, which takes 128 MiB."""
_MOST_COST_LOG2 = 20
_BLOCKS = 8


def sealed(data: bytes, passphrase: str) -> bytes:
    """Raises UserError seal_passphrase_short."""
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    if len(passphrase) < LEAST_PASSPHRASE:
        raise UserError("seal_passphrase_short", least=LEAST_PASSPHRASE)
    salt, nonce = os.urandom(_SALT_BYTES), os.urandom(_NONCE_BYTES)
    head = _MAGIC + salt + bytes((_COST_LOG2,)) + nonce
    return head + AESGCM(_key(passphrase, salt, _COST_LOG2)).encrypt(nonce, data, head)


def opened(blob: bytes, passphrase: str) -> bytes:
    """Raises UserError seal_unreadable where it is no sealed file, seal_refused where the passphrase is another or
    a byte was changed."""
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    head, body = blob[:_HEAD_BYTES], blob[_HEAD_BYTES:]
    salt = head[len(_MAGIC) : len(_MAGIC) + _SALT_BYTES]
    if not blob.startswith(_MAGIC) or not body or head[len(_MAGIC) + _SALT_BYTES] > _MOST_COST_LOG2:
        raise UserError("seal_unreadable")
    try:
        return AESGCM(_key(passphrase, salt, head[len(_MAGIC) + _SALT_BYTES])).decrypt(head[-_NONCE_BYTES:], body, head)
    except (InvalidTag, ValueError) as error:
        raise UserError("seal_refused") from error


def _key(passphrase: str, salt: bytes, cost_log2: int) -> bytes:
    cost = 1 << cost_log2
    most = 128 * cost * _BLOCKS + (1 << 20)
    return hashlib.scrypt(passphrase.encode(), salt=salt, n=cost, r=_BLOCKS, p=1, maxmem=most, dklen=_KEY_BYTES)
