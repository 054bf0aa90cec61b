"""The columns of the profile's tables, where each row stands in the captures, and a profile of one side alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from operator import attrgetter

from tunebench.analysis.databases.explained import Step
from tunebench.analysis.databases.profile import compare_profiles, is_sampled
from tunebench.analysis.databases.profile_lines import (
    Basis,
    HostLine,
    LineKind,
    LoadLine,
    ParameterChange,
    Portion,
    ProfileComparison,
    ProfileLine,
)
from tunebench.analysis.databases.side_by_side import CounterLine
from tunebench.analysis.databases.statement_comparison import StatementComparison
from tunebench.analysis.databases.subtraction import EMPTY_VALUE
from tunebench.columns.column import Column, Locale, Row
from tunebench.columns.formats import DASH, format_value
from tunebench.domain.cycle.evidence import EvidenceTarget
from tunebench.ui.cycle.evidence_offer import Offer, Part
from tunebench.ui.databases import figure_words as words
from tunebench.ui.databases.original_browser import Place
from tunebench.ui.look.formats import unit_text
from tunebench.ui.look.language import text
from tunebench.usecases.cycle import evidence as cycle_evidence
from tunebench.usecases.databases.sides import Side
from tunebench.usecases.importing import originals
from tunebench.usecases.projects import Project

Sides = Sequence[str]
BOTH = ("before", "after")


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


def of_row(places: Sequence[tuple[str, str, Place]]) -> Offer:
    """The offer of a row; `places`: (``before`` or ``after``, the run's label, where the row stands)."""
    parts = tuple(Part(key, _side_words(*side)) for key, side in enumerate(places))

    def targets(project: Project, keys: Sequence[int]) -> list[EvidenceTarget]:
        evidence = []
        for place in (place for key, (_side, _run, place) in enumerate(places) if key in keys):
            id_ = originals.holding(project, place.artefact_ids, place.line, place.words)
            if id_ is not None:
                evidence.append(cycle_evidence.capture(project, id_, place.line, place.line))
        return evidence

    name = next((place.words for _side, _run, place in places if place.words), "")
    return Offer(text("ui.pinned.offer.measurement", name=name), name, parts, targets)


def _side_words(side: str, run: str, place: Place) -> str:
    lines = text("ui.pinned.lines", first=place.line, last=place.line)
    return f"{text(f'ui.pinned.side.{side}')} · {run} · {lines}"


def profile_columns(
    basis: Basis, unit: str, sides: Sides, grouped: bool, with_calls: bool = True
) -> list[Column[ProfileLine]]:
    """The columns of wait events and classes, and of the time model."""
    columns: list[Column[ProfileLine]] = [_words("name", words.line_name)]
    shown = words.value_words
    columns += _portions("amount", sides, lambda portion: portion.amount, shown, partial(words.basis_unit, basis, unit))
    if len(sides) == 2:
        columns.append(_figure("change", change_of, words.change_words))
        columns.append(_figure("contribution", lambda line: line.contribution_pct, words.contribution_words))
    if grouped:
        columns.append(_words("group", lambda line: line.group))
    columns += _portions("share", sides, lambda portion: portion.share_pct, words.share_words)
    if with_calls:
        calls = _portions("calls", sides, lambda portion: portion.calls, shown)
        means = _portions("mean", sides, lambda portion: portion.mean_s, words.duration_words)
        columns += [_of_waits(column) for column in (*calls, *means)]
    if basis is not Basis.TOTAL:
        columns += _portions("total", sides, lambda portion: portion.time_s, shown)
    return columns


def counts_calls(lines: Sequence[ProfileLine]) -> bool:
    """Whether any line tells how often it was waited; samples do not."""
    return any(portion.calls is not None for line in lines for portion in (line.before, line.after))


def _of_waits(column: Column[ProfileLine]) -> Column[ProfileLine]:
    """The column with dashes in lines other than waits: only waits are called."""

    def words(line: ProfileLine, locale: Locale) -> str:
        return column.words(line, locale) if line.kind is LineKind.WAIT else DASH

    return replace(column, text=words)


def change_of(line: ProfileLine) -> float | None:
    """After less before, by the basis; what is not listed on a side is not accounted to the line there."""
    if line.before.amount is None and line.after.amount is None:
        return None
    return (line.after.amount or 0.0) - (line.before.amount or 0.0)


def load_columns(sides: Sides) -> list[Column[LoadLine]]:
    columns: list[Column[LoadLine]] = [
        _words("name", lambda line: words.load_name(line.name)),
        _words("unit", lambda line: unit_text(line.unit)),
    ]
    for name in ("per_second", "per_transaction", "total"):
        columns += [_load(name, side) for side in sides]
        if len(sides) == 2:
            columns.append(_load_ratio(name))
    return columns


def _load_ratio(name: str) -> Column[LoadLine]:
    return _ratio(
        f"ratio.{name}", lambda line: line.ratio(name), lambda line: (line.before.get(name), line.after.get(name))
    )


def _load(name: str, side: str) -> Column[LoadLine]:
    def figure(line: LoadLine) -> float | None:
        return (line.before if side == "before" else line.after).get(name)

    return _figure(f"{side}.{name}", figure, words.value_words, side)


def host_columns(sides: Sides) -> list[Column[HostLine]]:
    columns: list[Column[HostLine]] = [
        _words("name", lambda line: line.name),
        _words("unit", lambda line: unit_text(line.figure_unit)),
    ]
    columns += [_figure(f"{side}.value", attrgetter(side), words.value_words, side) for side in sides]
    if len(sides) == 2:
        columns.append(_ratio("ratio", attrgetter("ratio"), attrgetter("before", "after")))
    return columns


def step_columns(statements: StatementComparison | None) -> list[Column[Step]]:
    """The columns of what the change of DB time is made of."""

    def part(index: int) -> Callable[[Step], str]:
        return lambda step: words.step_words(step, statements)[index]

    added: Column[Step]
    added = Column("added", "ui.profile.column.added", attrgetter("amount"), text=lambda step, _: part(2)(step))
    return [_words("cause", part(0)), _words("statement", part(1)), added]


def counter_columns(sides: Sides, lines: Sequence[CounterLine]) -> list[Column[CounterLine]]:
    """The columns of segments, files and statistics; one that is empty everywhere is left out."""
    columns: list[Column[CounterLine]] = (
        [_words("counter", lambda line: line.name)] if any(line.name for line in lines) else []
    )
    columns += [_words("statistic", words.statistic_name), _words("unit", lambda line: unit_text(line.figure_unit))]
    columns += [_figure(f"{side}.value", attrgetter(side), words.listed_words, side) for side in sides]
    if len(sides) == 2:
        columns.append(_figure("ratio", attrgetter("ratio"), words.ratio_or_dash))
    if any(line.group for line in lines):
        columns.append(_words("scope", words.group_name))
    return columns


def parameter_columns(sides: Sides) -> list[Column[ParameterChange]]:
    columns: list[Column[ParameterChange]] = [_words("name", lambda change: change.name)]
    columns += [
        Column(
            f"{side}.value",
            f"ui.profile.column.{side}.value",
            partial(_ends, side=side),
            text=partial(_ends_words, side=side),
            right=False,
            side=side,
        )
        for side in sides
    ]
    columns.append(_words("unit", lambda change: change.unit))
    if len(sides) == 2:
        columns.append(_words("where", _where))
    columns.append(_words("scope", lambda change: change.scope))
    return columns


def _ends(change: ParameterChange, side: str) -> str | None:
    """The value, both where it changed inside the period."""
    ends = change.before if side == "before" else change.after
    if ends is None:
        return None
    values = [text("ui.profile.empty_value") if value.strip() in ("", EMPTY_VALUE) else value.strip() for value in ends]
    return values[0] if values[0].casefold() == values[1].casefold() else f"{values[0]} → {values[1]}"


def _ends_words(change: ParameterChange, _locale: Locale, side: str) -> str:
    return _ends(change, side) or text("ui.profile.not_listed")


def _where(change: ParameterChange) -> str:
    names = [name for name in ("between", "inside") if getattr(change, name)]
    return ", ".join(text(f"ui.profile.parameter.{name}") for name in names)


# --- making columns


def _portions(
    name: str,
    sides: Sides,
    figure: Callable[[Portion], float | None],
    shown: Callable[[float | None], str],
    unit: Callable[[], str] | None = None,
) -> list[Column[ProfileLine]]:
    def of(line: ProfileLine, side: str) -> float | None:
        return figure(line.before if side == "before" else line.after)

    def listed(line: ProfileLine, _locale: Locale, side: str) -> str:
        portion = line.before if side == "before" else line.after
        return shown(figure(portion)) if portion.is_listed else text("ui.profile.not_listed")

    return [
        replace(_figure(f"{side}.{name}", partial(of, side=side), shown, side, unit), text=partial(listed, side=side))
        for side in sides
    ]


def _figure(
    id_: str,
    figure: Callable[[Row], float | None],
    shown: Callable[[float | None], str],
    side: str = "",
    unit: Callable[[], str] | None = None,
) -> Column[Row]:
    key = f"ui.profile.column.{id_}"
    heading = key if unit is None else lambda _: f"{text(key)} ({unit()})"
    return Column(id_, heading, figure, text=lambda line, _: shown(figure(line)), side=side)


def _ratio(
    id_: str, ratio: Callable[[Row], float | None], ends: Callable[[Row], tuple[float | None, float | None]]
) -> Column[Row]:
    """Of two measured sides there may be no ratio: from nothing."""

    def shown(line: Row, _locale: Locale) -> str:
        value = ratio(line)
        return text("compare.not_computable") if value is None and None not in ends(line) else words.ratio_words(value)

    return Column(id_, f"ui.profile.column.{id_}", ratio, text=shown)


def _words(id_: str, shown: Callable[[Row], str]) -> Column[Row]:
    return Column(id_, f"ui.profile.column.{id_}", shown)


def total_words(before: float | None, after: float | None, sides: Sides) -> list[str]:
    """The totals of a profile, for the line above it."""
    values = {"before": before, "after": after}
    return [format_value(values[side]) if values[side] is not None else words.not_measured() for side in sides]
