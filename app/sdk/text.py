"""Text of a customer's file."""

from __future__ import annotations


def decode_text(data: bytes) -> str:
    """Text of a customer's file: UTF-8, else the Korean code page, else Latin-1. Never raises."""
    for encoding in ("utf-8", "cp949"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode("latin-1")
