"""The columns of the tables of a profile."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from operator import attrgetter

from tunebench.analysis.databases.explained import Step
from tunebench.analysis.databases.profile_lines import (
    Basis,
    HostLine,
    LineKind,
    LoadLine,
    ParameterChange,
    Portion,
    ProfileLine,
)
from tunebench.analysis.databases.side_by_side import CounterLine
from tunebench.analysis.databases.statement_comparison import StatementComparison
from tunebench.analysis.databases.subtraction import EMPTY_VALUE
from tunebench.columns.column import Column, Locale, Row
from tunebench.columns.formats import DASH, format_value
from tunebench.columns.series_words import unit_text
from tunebench.reporting.statement_words import group_text, statistic_text
from tunebench.usecases.databases import profile_words as words

Sides = Sequence[str]
_BECAME = " → "


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
        columns.append(_words("group", lambda line, _: line.group))
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
        _words("name", lambda line, locale: words.load_name(line.name, locale)),
        _words("unit", lambda line, locale: unit_text(line.unit, locale.messages)),
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
        _words("name", lambda line, _: line.name),
        _words("unit", lambda line, locale: unit_text(line.figure_unit, locale.messages)),
    ]
    columns += [_figure(f"{side}.value", attrgetter(side), words.value_words, side) for side in sides]
    if len(sides) == 2:
        columns.append(_ratio("ratio", attrgetter("ratio"), attrgetter("before", "after")))
    return columns


def step_columns(statements: StatementComparison | None) -> list[Column[Step]]:
    """The columns of what the change of DB time is made of."""

    def part(index: int) -> Callable[[Step, Locale], str]:
        return lambda step, locale: words.step_words(step, statements, locale)[index]

    added: Column[Step]
    added = Column("added", "ui.profile.column.added", attrgetter("amount"), text=part(2))
    return [_words("cause", part(0)), _words("statement", part(1)), added]


def counter_columns(sides: Sides, lines: Sequence[CounterLine]) -> list[Column[CounterLine]]:
    """The columns of segments, files and statistics; one that is empty everywhere is left out."""
    columns: list[Column[CounterLine]] = (
        [_words("counter", lambda line, _: line.name)] if any(line.name for line in lines) else []
    )
    columns += [
        _words("statistic", lambda line, locale: statistic_text(line, locale.messages)),
        _words("unit", lambda line, locale: unit_text(line.figure_unit, locale.messages)),
    ]
    columns += [_figure(f"{side}.value", attrgetter(side), words.listed_words, side) for side in sides]
    if len(sides) == 2:
        columns.append(_figure("ratio", attrgetter("ratio"), words.ratio_or_dash))
    if any(line.group for line in lines):
        columns.append(_words("scope", lambda line, locale: group_text(line, locale.messages)))
    return columns


def parameter_columns(sides: Sides) -> list[Column[ParameterChange]]:
    columns: list[Column[ParameterChange]] = [_words("name", lambda change, _: change.name)]
    columns += [
        Column(
            f"{side}.value",
            f"ui.profile.column.{side}.value",
            partial(_ends_value, side=side),
            text=partial(_ends_words, side=side),
            right=False,
            side=side,
        )
        for side in sides
    ]
    columns.append(_words("unit", lambda change, _: change.unit))
    if len(sides) == 2:
        columns.append(_words("where", _where))
    columns.append(_words("scope", lambda change, _: change.scope))
    return columns


def _ends(change: ParameterChange, side: str) -> tuple[str, ...]:
    """The value of a side, both where it changed inside the period; nothing where it is not listed."""
    ends = change.before if side == "before" else change.after
    if ends is None:
        return ()
    begin, end = (value.strip() or EMPTY_VALUE for value in ends)
    return (begin,) if begin.casefold() == end.casefold() else (begin, end)


def _ends_value(change: ParameterChange, side: str) -> str | None:
    return _BECAME.join(_ends(change, side)) or None


def _ends_words(change: ParameterChange, locale: Locale, side: str) -> str:
    empty = locale.text("ui.profile.empty_value")
    ends = (empty if value == EMPTY_VALUE else value for value in _ends(change, side))
    return _BECAME.join(ends) or locale.text("ui.profile.not_listed")


def _where(change: ParameterChange, locale: Locale) -> str:
    names = [name for name in ("between", "inside") if getattr(change, name)]
    return ", ".join(locale.text(f"ui.profile.parameter.{name}") for name in names)


# --- making columns


def _portions(
    name: str,
    sides: Sides,
    figure: Callable[[Portion], float | None],
    shown: Callable[[float | None, Locale], str],
    unit: Callable[[Locale], str] | None = None,
) -> list[Column[ProfileLine]]:
    def of(line: ProfileLine, side: str) -> float | None:
        return figure(line.before if side == "before" else line.after)

    def listed(line: ProfileLine, locale: Locale, side: str) -> str:
        portion = line.before if side == "before" else line.after
        return shown(figure(portion), locale) if portion.is_listed else locale.text("ui.profile.not_listed")

    return [
        replace(_figure(f"{side}.{name}", partial(of, side=side), shown, side, unit), text=partial(listed, side=side))
        for side in sides
    ]


def _figure(
    id_: str,
    figure: Callable[[Row], float | None],
    shown: Callable[[float | None, Locale], str],
    side: str = "",
    unit: Callable[[Locale], str] | None = None,
) -> Column[Row]:
    key = f"ui.profile.column.{id_}"
    heading = key if unit is None else lambda locale: f"{locale.text(key)} ({unit(locale)})"
    return Column(id_, heading, figure, text=lambda line, locale: shown(figure(line), locale), side=side)


def _ratio(
    id_: str, ratio: Callable[[Row], float | None], ends: Callable[[Row], tuple[float | None, float | None]]
) -> Column[Row]:
    """Of two measured sides there may be no ratio: from nothing."""

    def shown(line: Row, locale: Locale) -> str:
        value = ratio(line)
        if value is None and None not in ends(line):
            return locale.text("compare.not_computable")
        return words.ratio_words(value, locale)

    return Column(id_, f"ui.profile.column.{id_}", ratio, text=shown)


def _words(id_: str, shown: Callable[[Row, Locale], str]) -> Column[Row]:
    return Column(id_, f"ui.profile.column.{id_}", text=shown)


def total_words(before: float | None, after: float | None, sides: Sides, locale: Locale) -> list[str]:
    """The totals of a profile, for the line above it."""
    values = {"before": before, "after": after}
    return [format_value(values[side]) if values[side] is not None else words.not_measured(locale) for side in sides]
