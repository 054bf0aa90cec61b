"""JSON shapes of databases, their statements and comparisons: a public contract, like `shapes`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Any
from zoneinfo import ZoneInfo

from tunebench.analysis.databases.database_time import TimeChange
from tunebench.analysis.databases.explained import Explanation
from tunebench.analysis.databases.listing import set_apart
from tunebench.analysis.databases.matching import containers_text
from tunebench.analysis.databases.record import DatabaseRecord, FigureTable, Numbers, statement_keys
from tunebench.analysis.databases.statement_comparison import JUDGED, FigureChange, StatementComparison
from tunebench.analysis.databases.statement_side import SHOWN, StatementSide, side_of
from tunebench.analysis.inference.occurrences import Change, Settling
from tunebench.analysis.inference.verdict import Interval
from tunebench.contract import shapes
from tunebench.contract.shapes import Shape, number, plain, shape, statement
from tunebench.core.messages import Catalogue
from tunebench.domain.databases.choices import KeptLink, LicenceConfirmation
from tunebench.domain.databases.records import DatabaseIdentity, StatementKey
from tunebench.domain.engagement import Statement
from tunebench.usecases.databases.compared_statements import ComparedStatements, ListedStatements
from tunebench.usecases.databases.comparison import DatabaseComparison
from tunebench.usecases.databases.entered_statements import paired
from tunebench.usecases.databases.periods import Period
from tunebench.usecases.databases.sessions import SessionHistory
from tunebench.usecases.databases.sides import Caution, Side
from tunebench.usecases.databases.snapshots import Database, Snapshot

_PER_EXECUTION = ("elapsed_s", "cpu_s", "block_gets", "block_reads", "rows")
_CONTRACT = ("executions", "elapsed_s", "cpu_s", "block_gets", "block_reads", "rows")
_COUNTS = frozenset({"executions", "block_gets", "block_reads", "rows"})


def count(value: float | None) -> int | float | None:
    """A count as a whole number where it is one; null where it is not measured."""
    counted = number(value)
    return int(counted) if counted is not None and counted.is_integer() else counted


# -- databases -----------------------------------------------------------------------------------------


def identity(identity: DatabaseIdentity) -> Shape:
    return {name: plain(value) if value != "" else None for name, value in asdict(identity).items()}


def database(
    database: Database, run: str, taken: Sequence[Snapshot], periods: Sequence[Period], zone: ZoneInfo
) -> Shape:
    return {
        "run": run,
        "id": database.id,
        **identity(database.identity),
        "sources": list(database.sources),
        "snapshots": [
            {
                "time": shapes.time(snapshot.time_ns, zone),
                "artefacts": sorted({part.artefact_id for part in snapshot.parts}),
            }
            for snapshot in taken
        ],
        "periods": [period(stretch, zone) for stretch in periods],
    }


def period(stretch: Period, zone: ZoneInfo) -> Shape:
    record = stretch.record
    return {
        **shape(stretch, "begin=begin_ns end=end_ns", zone),
        **shape(record, "elapsed_s db_time_s source valid faults absent"),
        "artefacts": sorted({part.artefact_id for part in stretch.parts}),
    }


def sessions(history: SessionHistory, listed: SessionHistory | None, zone: ZoneInfo) -> Shape:
    """Average active sessions of each period by what they did, busy processors of the host, and statements by period;
    what a period does not tell is null."""
    over = history.over
    columns = zip(
        over.begins_ns.tolist(),
        over.ends_ns.tolist(),
        over.totals.tolist(),
        over.busy.tolist(),
        over.amounts.T.tolist(),
        strict=True,
    )
    return {
        "processors": over.processors,
        "sampled": history.sampled or None,
        "layers": [
            {"kind": None if layer.kind is None else layer.kind.value, "name": layer.name} for layer in over.layers
        ],
        "periods": [
            {
                "begin": shapes.time(begin, zone),
                "end": shapes.time(end, zone),
                "sessions": number(total),
                "busy_processors": number(busy),
                "by_layer": [number(amount) for amount in amounts],
            }
            for begin, end, total, busy, amounts in columns
        ],
        "statements": [] if listed is None else _by_period(listed, zone),
        "with_host": []
        if listed is None
        else [
            {"statement": correlation.statement.reference, **shape(correlation, "host rho low high n")}
            for correlation in listed.with_host
        ],
    }


def _by_period(listed: SessionHistory, zone: ZoneInfo) -> list[Shape]:
    """One entry per statement: its time per execution in each period that lists it."""
    by_statement = listed.statements
    if by_statement is None:
        return []
    ends = [shapes.time(end, zone) for end in listed.over.ends_ns.tolist()]
    return [
        {
            "statement": key.reference,
            "periods": [
                {"end": end, "sessions": number(amount), "elapsed_s_per_execution": number(per_execution)}
                for end, amount, per_execution in zip(ends, amounts, own, strict=True)
            ],
        }
        for key, amounts, own in zip(
            by_statement.statements, by_statement.sessions.tolist(), by_statement.each_s.tolist(), strict=True
        )
    ]


def link(kept: KeptLink) -> Shape:
    return shape(kept, "id engine before=before_id after=after_id author made_at note")


def licence(given: LicenceConfirmation) -> Shape:
    return shape(given, "subject host? database? confirmed_by confirmed_at evidence note")


def caution(caution: Caution) -> Shape:
    return shape(caution, "key facts")


# -- statements ----------------------------------------------------------------------------------------


def statements(side: Side) -> Iterator[Shape]:
    """Statements of a side, each of its containers apart, over all plans and users."""
    if side.record is None:
        return
    table = side.record.table("statement")
    keys = list(dict.fromkeys(statement_keys(table)))
    figures = _Figures(side_of(side.record, [(key,) for key in keys]))
    texts, columns = side.record.statement_texts(), {name: _all_texts(table, name) for name in _TEXTS}
    engine, artefacts = str(side.record.identity.engine), list(side.artefacts.get("statement", ()))
    for index, key in enumerate(keys):
        yield {
            "engine": engine,
            "database": side.database.id,
            "id": key.id,
            "container": key.container or None,
            "text": texts.get(key.id, ""),
            **{name: columns[name].get(key, [None])[0] for name in ("module", "signature")},
            "users": columns["user"].get(key, []),
            "seen_in": columns["seen_in"].get(key, []),
            **figures.of(index),
            "artefacts": artefacts,
        }


_TEXTS = ("user", "module", "signature", "seen_in")


def _all_texts(table: FigureTable, name: str) -> dict[StatementKey, list[str]]:
    """Statement -> what its rows say in a column, each once."""
    by_statement: dict[StatementKey, dict[str, None]] = {}
    for key, text in zip(statement_keys(table), table.text(name), strict=True):
        if text:
            by_statement.setdefault(key, {}).update(dict.fromkeys(text.split() if name == "seen_in" else [text]))
    return {key: list(texts) for key, texts in by_statement.items()}


class _Figures:
    """A side's figures as JSON knows them: columns are turned into lists once, for a hundred thousand rows.

    The figures of the contract are null where they are not reported; others that the capture has come besides.
    """

    def __init__(self, side: StatementSide) -> None:
        self._plans = side.plans
        self._partial: list[bool] = side.partial.tolist()
        names = dict.fromkeys((*_CONTRACT, *(name for name in SHOWN if name in side.totals)))
        self._totals = {name: _listed(side.total(name), name in _COUNTS) for name in names}
        self._each = {name: _listed(side.each(name)) for name in _PER_EXECUTION}
        self._each["elapsed_stddev_s"] = _listed(side.deviation)

    def of(self, index: int) -> Shape:
        plans = self._plans[index]
        return {
            "plan": plans[0] if plans else None,
            "plans": list(plans),
            **{name: column[index] for name, column in self._totals.items()},
            "per_execution": {name: column[index] for name, column in self._each.items()},
            "partial": self._partial[index],
        }


def _listed(column: Numbers, counted: bool = False) -> list[Any]:
    return [count(value) if counted else number(value) for value in column.tolist()]


# -- comparison ----------------------------------------------------------------------------------------


def comparison(compared: DatabaseComparison, zone: ZoneInfo, container: str = "") -> Shape:
    """``statements`` of ``compare``; the rows are those of one container where it is named."""
    changes = compared.statements
    elapsed, blocks = changes.totals["elapsed_s"], changes.totals["block_gets"]
    return {
        "raw_ratio": number(elapsed.raw_ratio),
        **{name: number(getattr(elapsed, name)) for name in ("fisher", "laspeyres", "paasche")},
        "elapsed": {
            "before_s": number(elapsed.all_before),
            "after_s": number(elapsed.all_after),
            "ratio": ratio(elapsed.all_before, elapsed.all_after),
        },
        "blocks": {
            "before": count(blocks.all_before),
            "after": count(blocks.all_after),
            "ratio": ratio(blocks.all_before, blocks.all_after),
        },
        "database": {"before": _side(compared.before, zone), "after": _side(compared.after, zone)},
        "warnings": [caution(warning) for warning in compared.cautions],
        "margin": changes.margin,
        "similarity": number(changes.similarity),
        "coverage": plain(asdict(changes.coverage)),
        "counts": {str(outcome): number_of for outcome, number_of in changes.counts().items()},
        "totals": {name: plain(asdict(totals)) for name, totals in changes.totals.items()},
        "same_work_totals": {name: plain(asdict(totals)) for name, totals in changes.same_work_totals.items()},
        "net": {name: plain(asdict(effect)) for name, effect in changes.net.items()},
        "decomposition": {name: plain(asdict(decomposition)) for name, decomposition in changes.decompositions.items()},
        "profile": plain(asdict(compared.profile)),
        "time": None if compared.time is None else _time(compared.time),
        "explained": None if compared.explanation is None else _explained(compared.explanation, changes),
        "rows": list(_rows(compared, changes, container)),
    }


def _time(change: TimeChange) -> Shape:
    return {
        **shape(change, "before after ratio verdict reason? per_unit_of?"),
        "work": None if change.work is None else list(change.work),
        "ci95": _ends(change.interval),
        **_basis(change.change, change.settled_by),
    }


def _explained(explanation: Explanation, changes: StatementComparison) -> Shape:
    return {
        **shape(explanation, "basis before after at_equal_work"),
        "steps": [
            {
                **shape(step, "kind count amount low high"),
                "statement": None if step.place is None else changes.pairs[step.place].name,
                "container": None if step.place is None else changes.pairs[step.place].container or None,
            }
            for step in explanation.steps
        ],
        "classes": [shape(step, "kind name? amount") for step in explanation.classes],
    }


def _basis(change: Change, settled_by: Settling | None) -> Shape:
    """What a verdict rests on, and what would settle it."""
    return {
        "occurrences": [change.before, change.after],
        "paired": change.paired,
        "natural_variation": shape(change, "sd df source windows"),
        "would_settle": None if settled_by is None else asdict(settled_by),
    }


def _ends(interval: Interval | None) -> list[float | None] | None:
    return None if interval is None else [number(interval.low), number(interval.high)]


def ratio(before: float | None, after: float | None) -> float | None:
    return before / after if before is not None and after else None


def _side(side: Side, zone: ZoneInfo) -> Shape:
    return {
        **shape(side.database, "id label"),
        "periods": [period(stretch, zone) for stretch in side.used],
        "left_out": [period(stretch, zone) for stretch in side.left_out],
        "elapsed_s": None if side.record is None else number(side.record.elapsed_s),
        "db_time_s": None if side.record is None else number(side.record.db_time_s),
        "faults": [] if side.record is None else [str(fault) for fault in side.record.faults],
        "set_apart": None if side.record is None else set_apart(side.record),
        "warnings": [caution(warning) for warning in side.cautions],
    }


def _rows(compared: DatabaseComparison, changes: StatementComparison, container: str) -> Iterator[Shape]:
    assert compared.before.record is not None and compared.after.record is not None  # a comparison has both
    before, after = _RowSide(compared.before.record, changes.before), _RowSide(compared.after.record, changes.after)
    figures = [_figure_columns(changes, name) for name in JUDGED]
    whole, same = _listed(changes.workload_pct), _listed(changes.same_work)
    for index, (pair, outcome, judged) in enumerate(
        zip(changes.pairs, changes.outcomes, changes.judged_by, strict=True)
    ):
        if not pair.runs_in(container):
            continue
        of_figures = {
            name: dict(zip(_FIGURE, rows[index], strict=True)) for name, rows in zip(JUDGED, figures, strict=True)
        }
        elapsed, weakest = of_figures["elapsed_s"], pair.weakest
        plans = changes.before.plans[index], changes.after.plans[index]
        yield {
            "before": before.of(pair.before, index),
            "after": after.of(pair.after, index),
            "class": outcome.value,
            "judged_by": judged or None,
            "container": pair.container or None,
            "ratio": of_figures[judged]["ratio"] if judged else None,
            **_judged(changes.figure(judged, index) if judged else None),
            "impact_s": elapsed["impact"],
            "volume_s": elapsed["volume"],
            "workload_pct": whole[index],
            "same_work": None if same[index] is None else bool(same[index]),
            "plan_changed": plans[0] != plans[1] if all(plans) else None,
            "matched_by": None if weakest is None else weakest.method.value,
            "confidence": pair.confidence,
            "linked_by": None if weakest is None else weakest.author or None,
            "figures": of_figures,
        }


def _judged(figure: FigureChange | None) -> Shape:
    """The verdict on the figure that decides; nothing of it where there is none."""
    if figure is None or figure.judged is None:
        keys = ("occurrences", "paired", "natural_variation", "would_settle")
        return {"verdict": None, "reason": None, "ci95": None, "p_adjusted": None, **dict.fromkeys(keys)}
    return {**shape(figure, "verdict reason? p_adjusted"), "ci95": _ends(figure.interval), **_basis(*figure.judged)}


class _RowSide:
    def __init__(self, record: DatabaseRecord, side: StatementSide) -> None:
        self._engine = str(record.identity.engine)
        self._texts = record.statement_texts()
        self._figures = _Figures(side)

    def of(self, keys: Sequence[StatementKey], index: int) -> Shape | None:
        """One side of a row; None where the statement is not there."""
        if not keys:
            return None
        ids = list(dict.fromkeys(key.id for key in keys))
        text = next((self._texts[id_] for id_ in ids if id_ in self._texts), "")
        return {
            "engine": self._engine,
            "id": ids[0],
            "ids": ids,
            "container": containers_text(keys) or None,
            "text": text,
            **self._figures.of(index),
        }


_FIGURE = ("class", "before_each", "after_each", "ratio", "impact", "volume", "before_bound", "after_bound")


def _figure_columns(changes: StatementComparison, name: str) -> list[tuple[object, ...]]:
    """One row of `_FIGURE` for each statement."""
    columns = (
        changes.before.each(name),
        changes.after.each(name),
        changes.ratios[name],
        changes.impacts[name],
        changes.volumes[name],
        changes.before_bounds[name],
        changes.after_bounds[name],
    )
    judged = changes.verdicts.get(name)
    verdicts = judged.verdicts if judged else (None,) * len(changes)
    classes = ["not_measured" if verdict is None else verdict.value for verdict in verdicts]
    return list(zip(classes, *(_listed(column) for column in columns), strict=True))


# -- entered by hand -----------------------------------------------------------------------------------


def listed_statements(listed: ListedStatements, container: str = "") -> list[Shape]:
    """Every statement of a window, those of databases first; of one container where it is named."""
    rows = [row for side in listed.sides for row in statements(side)]
    rows += [statement(one) for one in listed.by_hand]
    return [row for row in rows if container in ("", row["container"])]


def compared_statements(statements: ComparedStatements, zone: ZoneInfo, messages: Catalogue) -> Shape | None:
    """Of a database, or what was entered by hand; the sentence where nothing can be compared. None where there is
    nothing of either."""
    if statements.refusal is not None:
        return {"error": messages.error(statements.refusal), "rows": []}
    by_hand = entered_by_hand(*statements.by_hand)
    if statements.compared is None:
        return by_hand
    return {**comparison(statements.compared, zone, statements.container), "by_hand": by_hand}


def entered_by_hand(before: Sequence[Statement], after: Sequence[Statement]) -> Shape | None:
    if not before and not after:
        return None
    elapsed, blocks = (
        tuple(_sum(getattr(statement, name) for statement in side) for side in (before, after))
        for name in ("elapsed_s", "block_gets")
    )
    raw_ratio = ratio(*elapsed)
    return {
        "raw_ratio": raw_ratio,
        **dict.fromkeys(("fisher", "laspeyres", "paasche")),
        "elapsed": {"before_s": elapsed[0], "after_s": elapsed[1], "ratio": raw_ratio},
        "blocks": {"before": blocks[0], "after": blocks[1], "ratio": ratio(*blocks)},
        "rows": [
            {"before": statement(old) if old else None, "after": statement(new) if new else None}
            for old, new in paired(before, after)
        ],
    }


def _sum(values: Iterable[float | None]) -> float | None:
    measured = [value for value in values if value is not None]
    return sum(measured) if measured else None
