"""Mails, and pages that were saved with their parts (.eml, .mht, mbox): what is attached, decoded.

A mail without an encoding is left as the text it is: what stands around a capture is skipped by its parser.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from tunebench.core.patterns import lazy_pattern
from tunebench.core.records import record
from tunebench.transport.containers.limits import Budget, OverLimit, gib
from tunebench.transport.containers.members import PIECE_BYTES, ByteSource, Damaged

if TYPE_CHECKING:
    from email.message import Message

_POSTMARK = rb"From \S+ +[A-Z][a-z]{2} [A-Z][a-z]{2} "
_POSTMARKS = lazy_pattern(rb"^(?=" + _POSTMARK + rb")", re.MULTILINE)
_HEADERS = lazy_pattern(
    rb"\s*(?:" + _POSTMARK + rb"[^\n]*\n)?((?:[A-Za-z][A-Za-z0-9-]*:[^\n]*\n(?:[ \t][^\n]*\n)*)+)\r?\n"
)
_ENCODED = lazy_pattern(
    rb"^(?:Content-Transfer-Encoding:\s*(?:quoted-printable|base64)|Content-Type:\s*multipart/)",
    re.IGNORECASE | re.MULTILINE,
)
_TORN = frozenset(
    {
        "CloseBoundaryNotFoundDefect",
        "StartBoundaryNotFoundDefect",
        "InvalidBase64PaddingDefect",
        "InvalidBase64LengthDefect",
        "NoBoundaryInMultipartDefect",
    }
)
"""Names of `email.errors`, which is loaded where there is a mail."""
_SUFFIXES = {"text/html": ".html", "text/plain": ".txt"}


@record
class MailPart:
    """`name` is the attachment's own, else ``body`` with a suffix; several mails in one file are folders 1, 2 ..."""

    name: str
    data: bytes


def looks_like_mail(head: bytes) -> bool:
    """Whether headers stand at the beginning and say that what follows is encoded or has several parts."""
    match = _HEADERS.match(head)
    return match is not None and _ENCODED.search(match[1]) is not None


def mail_parts(source: ByteSource, budget: Budget, name: str) -> Iterator[MailPart]:
    """The parts that hold something, decoded, in their order.

    Raises:
        OverLimit: it is larger than `Limits.mail_bytes`; mails are read as a whole.
        Damaged: it breaks off; what was given before is as it came.
    """
    from email import message_from_bytes
    from email.policy import compat32

    data, broken = _whole(source, budget, name)
    mails = [mail for mail in _POSTMARKS.split(data) if mail.strip()]
    torn = False
    for number, mail in enumerate(mails, 1):
        try:
            message = message_from_bytes(mail.lstrip(), policy=compat32)
        except RecursionError as error:
            raise Damaged("contents") from error
        names = _PartNames(f"{number}/" if len(mails) > 1 else "")
        for part in message.walk():
            if not part.is_multipart():
                decoded = part.get_payload(decode=True)
                if isinstance(decoded, bytes) and decoded.strip():
                    budget.count_bytes(len(decoded))
                    yield MailPart(names.take(part), decoded)
            torn = torn or any(type(defect).__name__ in _TORN for defect in part.defects)
    if broken is not None:
        raise broken
    if torn:
        raise Damaged("cut_off")


def _whole(source: ByteSource, budget: Budget, name: str) -> tuple[bytes, Damaged | None]:
    """Everything; what came before the source broke off."""
    pieces: list[bytes] = []
    size = 0
    try:
        while piece := source.read(PIECE_BYTES):
            size += len(piece)
            if size > budget.limits.mail_bytes:
                raise OverLimit("member_too_large", path=name, most=gib(budget.limits.mail_bytes))
            pieces.append(piece)
    except Damaged as damage:
        return b"".join(pieces), damage
    return b"".join(pieces), None


class _PartNames:
    """The names of one mail's parts, each only once."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._seen: set[str] = set()

    def take(self, part: Message) -> str:
        stated = part.get_filename() or str(part.get("Content-Location", "")).strip()
        own = re.split(r"[\\/]", stated)[-1].strip() or f"body{_SUFFIXES.get(part.get_content_type(), '.bin')}"
        path, name, number = PurePosixPath(own), own, 1
        while name in self._seen:
            number += 1
            name = f"{path.stem}-{number}{path.suffix}"
        self._seen.add(name)
        return self._folder + name
