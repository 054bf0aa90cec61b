"""Profiles of one or two sides: compared, where their rows stand in the captures, and what of that can be pinned."""

from __future__ import annotations

from collections.abc import Sequence

from tunebench.analysis.databases.profile import compare_profiles, is_sampled
from tunebench.analysis.databases.profile_lines import (
    Basis,
    HostLine,
    LineKind,
    LoadLine,
    ParameterChange,
    ProfileComparison,
    ProfileLine,
)
from tunebench.analysis.databases.side_by_side import CounterLine
from tunebench.columns.column import Locale
from tunebench.domain.cycle.evidence import EvidenceTarget
from tunebench.store.project import Project
from tunebench.usecases.cycle import evidence as cycle_evidence
from tunebench.usecases.cycle.pinning import Offer, Part
from tunebench.usecases.databases.sides import Side
from tunebench.usecases.importing import originals
from tunebench.usecases.importing.originals import Place


def compared(before: Side | None, after: Side | None, basis: Basis | None) -> ProfileComparison | None:
    """Compares two valid sides, or one with itself; None where a side that was asked for has no valid period."""
    sides = [side for side in (before, after) if side is not None]
    records = [side.record for side in sides if side.record is not None and side.record.valid]
    if not records or len(records) < len(sides):
        return None
    return compare_profiles(records[0], records[-1], basis)


def place_of(side: Side, row: object, which: str, classes: bool = False) -> Place | None:
    """Where a row of any of the tables stands in the captures of a side; None where it does not.

    Args:
        which: ``before`` or ``after``, the side's part in the comparison.
        classes: whether waits are told by class.
    """
    if isinstance(row, ProfileLine):
        return _of_line(side, row, which, classes)
    if isinstance(row, LoadLine):
        native = _text_beside(side, "load", "name", row.name, "native")
        return _of_name(side, "load", "name", row.name, native)
    if isinstance(row, ParameterChange):
        return _of_name(side, "parameter", "name", row.name, row.name)
    if isinstance(row, CounterLine):
        return _place(side, row.table, row.places[which == "after"], row.name or row.statistic)
    if isinstance(row, HostLine):
        table = "activity" if row.per_second else "state"
        return _of_name(side, table, "name", row.name, row.name)
    return None


def _of_line(side: Side, row: ProfileLine, which: str, classes: bool) -> Place | None:
    portion = row.before if which == "before" else row.after
    if row.kind is LineKind.WAIT:
        sampled = side.record is not None and is_sampled(side.record)
        return _place(side, "wait_class" if classes and not sampled else "wait_event", portion.line, row.name)
    if row.kind in (LineKind.CPU, LineKind.TIME_MODEL):
        return _place(side, "time_model", portion.line, "")
    return None


def _of_name(side: Side, table: str, column: str, name: str, words: str) -> Place | None:
    rows = side.record.table(table) if side.record is not None else None
    names = list(rows.text(column)) if rows is not None else []
    if rows is None or name not in names:
        return None
    return _place(side, table, int(rows.lines[names.index(name)]), words)


def _text_beside(side: Side, table: str, column: str, name: str, wanted: str) -> str:
    rows = side.record.table(table) if side.record is not None else None
    names: Sequence[str] = list(rows.text(column)) if rows is not None else []
    return rows.text(wanted)[names.index(name)] if rows is not None and name in names else ""


def _place(side: Side, table: str, line: int, words: str) -> Place | None:
    ids = side.artefacts.get(table, ())
    return Place(tuple(ids), line, words) if ids and line > 0 else None


def pinned_row(origins: Sequence[tuple[str, str, Place]], locale: Locale) -> Offer:
    """The offer of a row; `origins`: (``before`` or ``after``, the run's label, where the row stands)."""
    parts = tuple(Part(key, _side_words(*side, locale)) for key, side in enumerate(origins))

    def targets(project: Project, keys: Sequence[int]) -> list[EvidenceTarget]:
        evidence = []
        for origin in (origin for key, (_side, _run, origin) in enumerate(origins) if key in keys):
            id_ = originals.holding(project, origin.artefact_ids, origin.line, origin.words)
            if id_ is not None:
                evidence.append(cycle_evidence.capture(project, id_, origin.line, origin.line))
        return evidence

    name = next((origin.words for _side, _run, origin in origins if origin.words), "")
    return Offer(locale.text("ui.pinned.offer.measurement", name=name), name, parts, targets)


def _side_words(side: str, run: str, origin: Place, locale: Locale) -> str:
    lines = locale.text("ui.pinned.lines", first=origin.line, last=origin.line)
    return f"{locale.text(f'ui.pinned.side.{side}')} · {run} · {lines}"
