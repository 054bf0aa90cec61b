"""Names of members: decoded as they were meant, and never leading out of the bundle."""

from __future__ import annotations

import os
import unicodedata

from tunebench.core.errors import UserError
from tunebench.core.patterns import lazy_pattern
from tunebench.core.records import record

ROOTED = "rooted_name"
_CONTROL = lazy_pattern(r"[\x00-\x1f\x7f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_DRIVE = lazy_pattern(r"^(?:[A-Za-z]:|//[^/]+/[^/]+)")
_ENCODINGS = ("utf-8", "cp949")
"""CP949 holds all of EUC-KR."""
_DROPPINGS = frozenset({"Thumbs.db", "desktop.ini", "__MACOSX"})


@record
class CleanName:
    """`note` is set where something was taken off the name."""

    text: str
    note: str = ""


def decode_name(raw: bytes) -> str:
    """UTF-8 where it is that, else what Korean Windows writes, else byte by byte."""
    for encoding in _ENCODINGS:
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError:
            continue
    return raw.decode("latin-1")


def shown_name(name: str) -> str:
    """The name of a file of this machine, which may be any bytes, as text that can be stored and written."""
    return decode_name(os.fsencode(name))


def clean_name(name: str, where: str, longest: int) -> CleanName:
    """The name with slashes, composed, without its root.

    Absolute names are common (``tar cf x.tar /var/log/sa``) and harmless where nothing is written: the root goes.

    Args:
        where: what stands before the name in a sentence.

    Raises:
        UserError: member_outside, member_name_long.
    """
    text = _CONTROL.sub("\N{REPLACEMENT CHARACTER}", unicodedata.normalize("NFC", name)).replace("\\", "/")
    if len(text) > longest:
        raise UserError("member_name_long", path=where + text[:80] + "…", most=longest)
    inner = _DRIVE.sub("", text)
    parts = [part for part in inner.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise UserError("member_outside", path=where + text)
    rooted = inner != text or inner.startswith("/")
    return CleanName("/".join(parts), ROOTED if rooted else "")


def is_dropping(name: str) -> bool:
    """Hidden files and what desktops leave in every folder."""
    return any(part.startswith(".") or part in _DROPPINGS for part in name.split("/"))
