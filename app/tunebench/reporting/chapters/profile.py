"""Where the time of a database went before and after, its load, and the parameters that changed."""

from __future__ import annotations

from collections.abc import Iterator

from tunebench.analysis.comparing.improvement import half_up
from tunebench.analysis.databases.profile_lines import (
    Basis,
    LineKind,
    LoadLine,
    ParameterChange,
    Portion,
    Profile,
    ProfileComparison,
    ProfileLine,
)
from tunebench.columns.formats import decimals_for
from tunebench.reporting.cases.databases import DatabaseCase
from tunebench.reporting.chapters.context import CODE, NUMBER, TEXT, Context, evidence_text, table_of
from tunebench.reporting.chapters.databases import length_text
from tunebench.reporting.document import Block, Cell, Heading, Note, Table, TableHead, Tone
from tunebench.reporting.statement_words import line_text
from tunebench.reporting.wording import Wording

LINES_SHOWN = 20
PARAMETERS_SHOWN = 60


def has_profile(context: Context) -> bool:
    return any(profile_wanted(case) for case in context.case.databases)


def profile_wanted(case: DatabaseCase) -> bool:
    profile = case.profile
    return profile is not None and bool(
        profile.events.lines or profile.classes.lines or profile.time_model or profile.load or profile.parameters
    )


def profiles(context: Context) -> Iterator[Block]:
    for case in context.case.databases:
        if case.profile is not None and profile_wanted(case):
            if len(context.case.databases) > 1:
                yield Heading(case.label, "", level=2)
            yield from _profile(context, case, case.profile)


def _profile(context: Context, case: DatabaseCase, comparison: ProfileComparison) -> Iterator[Block]:
    if comparison.classes.lines:
        yield _lines_table(context, case, comparison, comparison.classes, "caption_classes")
    if comparison.events.lines:
        yield _lines_table(context, case, comparison, comparison.events, "caption_events")
    if comparison.time_model:
        whole = Profile(comparison.time_model, "s", *comparison.db_times_s)
        yield _lines_table(context, case, comparison, whole, "caption_time_model", totals=False)
    if comparison.load:
        yield _load_table(context, case, comparison)
    if comparison.parameters:
        yield _parameter_table(context, case, comparison)
        yield Note(context.text("db.note_parameters"))


# -- time ----------------------------------------------------------------------------------------------


def line_name(words: Wording, line: ProfileLine) -> str:
    """What a line is called: canonical names in words, events and wait classes as the database calls them."""
    if line.kind is LineKind.TIME_MODEL:
        return words.known(f"database.time.{line.name}", line.name)
    return line_text(line.kind, line.name, words.words)


def _lines_table(
    context: Context,
    case: DatabaseCase,
    comparison: ProfileComparison,
    profile: Profile,
    caption: str,
    totals: bool = True,
) -> Table:
    text, words = context.text, context.words
    before, after = text("column.before_short"), text("column.after_short")
    unit = "samples" if profile.unit == "{sample}" else "seconds"
    time, share, amount = (text(f"db.group.{name}") for name in (unit, "share", f"amount_{comparison.basis.value}"))
    grouped_columns = ((time, 2), (share, 2), *(((amount, 2),) if comparison.basis is not Basis.TOTAL else ()))
    columns = (
        TableHead(text("db.line"), TEXT, 2.4, evidence=evidence_text(case.evidence, 2)),
        *(TableHead(side, NUMBER, group=group) for group, _ in grouped_columns for side in (before, after)),
        TableHead(text("db.contribution"), NUMBER),
    )
    shown = profile.lines[:LINES_SHOWN]
    rows = tuple(_line_cells(words, line, comparison.basis) for line in shown)
    notes = [text("db.note_profile", basis=text(f"db.basis.{comparison.basis.value}"))]
    if any(line.kind is LineKind.SAMPLED for line in shown):
        notes.append(text("db.note_sampled"))
    if len(profile.lines) > len(shown):
        notes.append(text("db.lines_hidden", count=f"{len(profile.lines) - len(shown):,}"))
    sums = (_whole_cells(context, comparison, profile),) if totals else ()
    return Table(text(f"db.{caption}", database=case.label), columns, rows, sums, tuple(notes), dense=True)


def _line_cells(words: Wording, line: ProfileLine, basis: Basis) -> tuple[Cell, ...]:
    sides = (line.before, line.after)
    name = line_name(words, line)
    group = line.group if line.group and line.group != line.name else ""
    cells = [Cell(f"{name} · {group}" if group else name)]
    cells += [_side_cell(words, side, side.time_s, time_decimals(side)) for side in sides]
    cells += [_side_cell(words, side, side.share_pct, 1) for side in sides]
    if basis is not Basis.TOTAL:
        decimals = amount_decimals(*(side.amount for side in sides))
        cells += [_side_cell(words, side, side.amount, decimals) for side in sides]
    return (*cells, contribution_cell(line.contribution_pct))


def _side_cell(words: Wording, side: Portion, value: float | None, decimals: int) -> Cell:
    """What a side does not list is accounted nothing in the change: it is not called unmeasured."""
    return Cell(words.number(value, decimals) if side.is_listed else "–", value)


def time_decimals(side: Portion) -> int:
    return 1 if side.time_s is None or abs(side.time_s) >= 100 else 3


def amount_decimals(*values: float | None) -> int:
    """Decimals with which the smaller amount has two figures; at most six."""
    sizes = [abs(value) for value in values if value]
    smallest = min(sizes, default=1.0)
    return next((places for places in range(2, 6) if smallest >= 10.0 ** (1 - places)), 6)


def contribution_cell(share: float | None) -> Cell:
    if share is None:
        return Cell("–")
    rounded = half_up(share, 1)
    return Cell(f"{abs(rounded) if rounded == 0 else rounded:,f} %", share)


def _whole_cells(context: Context, comparison: ProfileComparison, profile: Profile) -> tuple[Cell, ...]:
    """The row of the whole: DB time where it is known, else the sum of the lines."""
    words = context.words
    is_timed = all(time is not None for time in comparison.db_times_s) and profile.unit == "s"
    name = context.text("db.db_time" if is_timed else "db.sum")
    times = comparison.db_times_s if is_timed else tuple(_sum_of(profile, side) for side in ("before", "after"))
    cells = [Cell(name), *(Cell(words.number(value, 1), value) for value in times), Cell(""), Cell("")]
    if comparison.basis is not Basis.TOTAL:
        decimals = amount_decimals(profile.before, profile.after)
        cells += [Cell(words.number(value, decimals), value) for value in (profile.before, profile.after)]
    return (*cells, Cell(""))


def _sum_of(profile: Profile, side: str) -> float | None:
    times = [getattr(line, side).time_s for line in profile.lines]
    measured = [time for time in times if time is not None]
    return float(sum(measured)) if measured else None


# -- load ----------------------------------------------------------------------------------------------


def load_values(line: LoadLine, column: str) -> tuple[float | None, float | None]:
    return line.before.get(column), line.after.get(column)


def _load_table(context: Context, case: DatabaseCase, comparison: ProfileComparison) -> Table:
    text, words = context.text, context.words
    before, after = text("column.before_short"), text("column.after_short")
    groups = [
        name
        for name in ("per_second", "per_transaction")
        if any(name in {**e.before, **e.after} for e in comparison.load)
    ]
    columns = (
        TableHead(text("db.line"), TEXT, 2.2, evidence=evidence_text(case.evidence, 2)),
        *(
            TableHead(side, NUMBER, group=text(f"db.group.{name}"))
            for name in groups
            for side in (before, after, text("db.load_ratio"))
        ),
    )
    rows = tuple(
        (Cell(load_name(words, line)), *(cell for name in groups for cell in _load_cells(words, line, name)))
        for line in comparison.load
    )
    lengths = [length_text(length, words) for length in comparison.lengths_s]
    notes = (text("db.note_load", before=lengths[0], after=lengths[1]),)
    return Table(text("db.caption_load", database=case.label), columns, rows, notes=notes, dense=True)


def load_name(words: Wording, line: LoadLine) -> str:
    name = words.known(f"database.load.{line.name}", line.name)
    return words.label_with_unit(name, line.unit)


def _load_cells(words: Wording, line: LoadLine, column: str) -> Iterator[Cell]:
    values = load_values(line, column)
    decimals = decimals_for(values)
    for value in values:
        yield Cell(words.number(value, decimals), value)
    ratio = line.ratio(column)
    yield Cell("–" if ratio is None else words.text("fisher.known", figure=f"{half_up(ratio, 2):,f}"), ratio)


# -- parameters ----------------------------------------------------------------------------------------


def parameter_texts(context: Context, change: ParameterChange) -> tuple[str, str]:
    """The parameter's value on either side; begin and end where it changed inside."""
    return tuple(_ends(context, ends) for ends in (change.before, change.after))  # type: ignore[return-value]


def _ends(context: Context, ends: tuple[str, str] | None) -> str:
    if ends is None:
        return context.text("db.not_listed")
    first, last = (value or context.text("db.empty_value") for value in ends)
    return first if first == last else f"{first} → {last}"


def _parameter_table(context: Context, case: DatabaseCase, comparison: ProfileComparison) -> Table:
    text, hidden = context.text, len(comparison.parameters) - PARAMETERS_SHOWN
    return table_of(
        text("db.caption_parameters", database=case.label, count=f"{len(comparison.parameters):,}"),
        comparison.parameters[:PARAMETERS_SHOWN],
        (
            TableHead(text("db.parameter"), CODE, 2, evidence=evidence_text(case.evidence, 2)),
            lambda change: f"{change.scope} {change.name}".strip(),
        ),
        (TableHead(text("column.before"), CODE, 1.6), lambda change: parameter_texts(context, change)[0]),
        (TableHead(text("column.after"), CODE, 1.6), lambda change: parameter_texts(context, change)[1]),
        (TableHead(text("db.unit"), TEXT, 0.6), lambda change: change.unit),
        (
            TableHead(text("db.changed_when"), TEXT, 1.2),
            lambda change: Cell(changed_when(context, change), tone=Tone.WARNING if change.inside else Tone.PLAIN),
        ),
        notes=(text("db.parameters_hidden", count=f"{hidden:,}"),) if hidden > 0 else (),
    )


def changed_when(context: Context, change: ParameterChange) -> str:
    keys = [name for name, holds in (("between", change.between), ("inside", change.inside)) if holds]
    return ", ".join(context.text(f"db.changed.{key}") for key in keys)
