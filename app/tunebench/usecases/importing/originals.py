"""Captures in the form in which they came: a report in HTML as a document, anything else as its lines."""

from __future__ import annotations

from collections.abc import Sequence

from tunebench.core.records import record
from tunebench.sdk.html_tables import MOST_BYTES, MOST_TAGS, HtmlDocument
from tunebench.sdk.text import decode_text
from tunebench.store import artefacts
from tunebench.store.artefacts import ArtefactInfo
from tunebench.store.project import Project

LINES_AROUND = 4_000
_SIGNS = (b"<html", b"<table", b"<!doctype html", b"<body")
_HEAD_BYTES = 16_384


@record
class Place:
    """Where something stands: on a line of one of these captures; `words` are in its row."""

    artefact_ids: tuple[int, ...]
    line: int = 0
    words: str = ""


@record
class Original:
    """A capture as it was imported.

    Attributes:
        report: its markup, where it is a report in HTML.
        first_line: of `lines`.
        lines: of any other capture: those around the line that was asked for.
        line: the one that was asked for; 0 where none was.
    """

    artefact: ArtefactInfo
    report: HtmlDocument | None
    first_line: int
    lines: tuple[str, ...]
    line: int


def original(project: Project, artefact_id: int, line: int = 0) -> Original:
    """A capture, ready to be shown at a line.

    Raises:
        UserError: artefact_missing.
    """
    artefact = artefacts.find_artefact(project, artefact_id)
    report = _report(project, artefact)
    if report is not None:
        return Original(artefact, report, 1, (), line)
    first = max(1, line - LINES_AROUND)
    lines = artefacts.artefact_lines(project, artefact_id, first, max(line, 1) + LINES_AROUND)
    return Original(artefact, None, first, tuple(decode_text(line_bytes) for line_bytes in lines), line)


def _report(project: Project, artefact: ArtefactInfo) -> HtmlDocument | None:
    if artefact.size_bytes > MOST_BYTES:
        return None
    pieces = artefacts.read_artefact(project, artefact.id)
    data = next(pieces, b"")
    head = data[:_HEAD_BYTES].replace(b"\0", b"").lower()
    if not any(sign in head for sign in _SIGNS):
        return None
    data += b"".join(pieces)
    return None if data.count(b"<") > MOST_TAGS else HtmlDocument(data)


def holding(project: Project, artefact_ids: Sequence[int], line: int, words: str) -> int | None:
    """The capture of several in which `words` stand on a line or right below it; else the first."""
    for artefact_id in artefact_ids if words and line > 0 else ():
        there = artefacts.artefact_lines(project, artefact_id, line, line + 1)
        if any(words in decode_text(line_bytes) for line_bytes in there):
            return artefact_id
    return next(iter(artefact_ids), None)
