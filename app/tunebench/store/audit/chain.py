"""How the rows of the audit trail are chained, so that a changed, added or missing row is noticed.

The digest of a row is the SHA-256, in hex, of the UTF-8 text

    PREVIOUS + "\\n" + ["ID","TIME","USER","ACTION","FACTS"]

where PREVIOUS is the digest of the row before (64 zeros before the first) and the second line is a JSON array
without spaces of the columns as they are stored, the id as a number, facts as the stored JSON text, characters
outside ASCII as they are. Anybody can recompute it from an export.

Whoever can write the file can recompute the whole chain: the chain shows tampering only against a digest kept
elsewhere, such as the one printed in a report.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import NamedTuple

GENESIS = "0" * 64
HEAD = "audit_head"  # name of the property


class Row(NamedTuple):
    """The columns that are chained; `facts` is the stored JSON text."""

    id: int
    time: str
    user: str
    action: str
    facts: str


class ChainedRow(NamedTuple):
    row: Row
    previous: str
    digest: str


def digest_of(previous: str, row: Row) -> str:
    text = json.dumps(row, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(f"{previous}\n{text}".encode("utf-8", "surrogatepass")).hexdigest()


def head_text(last_id: int, digest: str) -> str:
    """What the property `HEAD` holds."""
    return f"{last_id} {digest}"


def parse_head(text: str | None) -> tuple[int, str] | None:
    """Id and digest of the last chained row; None where the property is missing or was spoilt."""
    last_id, _, digest = (text or "").partition(" ")
    return (int(last_id), digest) if last_id.isdecimal() and digest else None


def first_broken(rows: Iterable[ChainedRow], head: tuple[int, str] | None) -> int | None:
    """Id of the first row that does not fit; the id after the last one where rows at the end are missing.

    A head that names no row, or another digest than that row's, breaks the chain too.
    """
    digest, last_id = GENESIS, 0
    fits_head = head is None  # decided below
    for row, previous, stated in rows:
        computed = digest_of(digest, row)
        if (previous, stated) != (digest, computed):
            return row.id
        if head is not None and row.id == head[0]:
            if computed != head[1]:
                return row.id
            fits_head = True
        elif fits_head:
            return row.id  # chained after the head: nobody but us chains, and we move the head along
        digest, last_id = computed, row.id
    return None if fits_head and head is not None else last_id + 1
