"""The statements of one or two sides as a table needs them: columns of numbers, texts to search in, owners to filter
by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

import numpy as np
from numpy.typing import NDArray

from tunebench.analysis.databases.listing import NAMELESS
from tunebench.analysis.databases.matching import MatchedPair, active_rows, several_containers, shared_ids
from tunebench.analysis.databases.record import DatabaseRecord, FigureTable, Numbers, statement_keys
from tunebench.analysis.databases.statement_comparison import JUDGED, StatementClass, StatementComparison
from tunebench.analysis.databases.statement_side import StatementSide, side_of
from tunebench.core import records
from tunebench.domain.databases.records import StatementKey

OWNERS = ("module", "user", "container")
MOST_OWNERS = 100
"""As many names of one kind can be filtered by; the busiest ones."""

Places = NDArray[np.intp]

_CLASSES = tuple(StatementClass)


@records.record(eq=False)
class StatementRows:
    """Columns of n statements.

    Attributes:
        before, after: None where that side was not asked for.
        comparison: None where one side is looked at alone.
        codes: int[n], index of each statement's class in `StatementClass`; -1 without a comparison.
        judges: int[n], index in `JUDGED` of the figure a statement is judged by; -1 without one.
        texts: one line each; `search` the same with ids, modules and users, casefolded.
        shared_ids: side -> ids that stand in several of its containers.
        several_containers: whether a reader has to be told which one a statement is of.
        owners: kind of owner -> name -> indexes of its statements, the busiest first; `owned`: index -> names.
        whole_texts: side -> id -> text.
    """

    pairs: tuple[MatchedPair, ...]
    before: StatementSide | None
    after: StatementSide | None
    comparison: StatementComparison | None
    codes: NDArray[np.int64]
    judges: NDArray[np.int64]
    texts: Sequence[str]
    search: Sequence[str]
    owners: Mapping[str, Mapping[str, Places]]
    whole_texts: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    owned: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    shared_ids: Mapping[str, frozenset[str]] = field(default_factory=dict)
    several_containers: bool = False

    def __len__(self) -> int:
        return len(self.pairs)

    def side(self, name: str) -> StatementSide | None:
        return self.before if name == "before" else self.after

    def outcome(self, index: int) -> StatementClass | None:
        code = int(self.codes[index])
        return None if code < 0 else _CLASSES[code]

    def counts(self) -> dict[StatementClass, int]:
        counts = np.bincount(self.codes[self.codes >= 0], minlength=len(_CLASSES))
        return dict(zip(_CLASSES, counts.tolist(), strict=True))

    def judged(self, columns: Mapping[str, Numbers]) -> Numbers:
        """float64[n] of the figure that each statement is judged by; NaN where none is."""
        values = np.full(len(self), np.nan)
        for index, name in enumerate(JUDGED):
            values = np.where(self.judges == index, columns[name], values)
        return values

    def measured(self, figure: str) -> bool:
        """Whether a side reports the figure for any statement."""
        sides = [side for side in (self.before, self.after) if side is not None]
        return any(not np.isnan(side.total(figure)).all() for side in sides)

    def place_of(self, reference: str) -> int | None:
        keys = ((index, key) for index, pair in enumerate(self.pairs) for key in (*pair.after, *pair.before))
        return next((index for index, key in keys if key.answers_to(reference)), None)

    def reference_of(self, side: str, index: int) -> str:
        """What a statement is called by on its side: with its container where the id alone would mean several."""
        key: StatementKey = getattr(self.pairs[index], side)[0]
        return key.reference if key.id in self.shared_ids[side] else key.id

    def text_of(self, side: str, index: int) -> str:
        """The whole text of a statement; empty where the capture has none."""
        pair, texts = self.pairs[index], self.whole_texts.get(side, {})
        ids = pair.before_ids if side == "before" else pair.after_ids
        return next((texts[id_] for id_ in ids if id_ in texts), "")


def compared_rows(changes: StatementComparison, records: Mapping[str, DatabaseRecord | None]) -> StatementRows:
    """The rows of a comparison, in its order; `records` by side."""
    code_of = {outcome: code for code, outcome in enumerate(_CLASSES)}
    judge_of = {name: index for index, name in enumerate(JUDGED)}
    codes = np.array([code_of[outcome] for outcome in changes.outcomes], dtype=np.int64)
    judges = np.array([judge_of.get(name, -1) for name in changes.judged_by], dtype=np.int64)
    return _rows(changes.pairs, changes.before, changes.after, changes, codes, judges, records)


def single_rows(record: DatabaseRecord, name: str) -> StatementRows:
    """The rows of one side alone, the costliest first. `name` is ``before`` or ``after``."""
    table = record.table("statement")
    active, names = active_rows(table), statement_keys(table)
    keys = dict.fromkeys(names[index] for index in np.flatnonzero(active).tolist())
    groups = [(key,) for key in keys if key.id not in NAMELESS]
    columns = side_of(record, groups)
    weight = next((columns.total(figure) for figure in JUDGED if (columns.total(figure) > 0).any()), columns.nothing)
    order = np.argsort(-np.nan_to_num(weight), kind="stable")
    empty: tuple[StatementKey, ...] = ()
    chosen = [groups[index] for index in order.tolist()]
    pairs = tuple(MatchedPair(group, empty) if name == "before" else MatchedPair(empty, group) for group in chosen)
    nothing = np.full(len(pairs), -1, dtype=np.int64)
    taken = columns.taken(order)
    before, after = (taken, None) if name == "before" else (None, taken)
    return _rows(pairs, before, after, None, nothing, nothing, {name: record})


def _rows(
    pairs: tuple[MatchedPair, ...],
    before: StatementSide | None,
    after: StatementSide | None,
    comparison: StatementComparison | None,
    codes: NDArray[np.int64],
    judges: NDArray[np.int64],
    records: Mapping[str, DatabaseRecord | None],
) -> StatementRows:
    present = {side: record for side, record in records.items() if record is not None}
    whole = {side: _texts_of(record.table("statement_text")) for side, record in present.items()}
    owners, owned = _owners(pairs, present)
    texts, search = [], []
    for index, pair in enumerate(pairs):
        one = " ".join(_text(pair, whole).split())
        texts.append(one)
        search.append(" ".join((*pair.before_ids, *pair.after_ids, one, *owned.get(index, ()))).casefold())
    shared = {side: shared_ids(key for pair in pairs for key in getattr(pair, side)) for side in ("before", "after")}
    return StatementRows(
        pairs,
        before,
        after,
        comparison,
        codes,
        judges,
        texts,
        search,
        owners,
        whole,
        owned,
        shared,
        several_containers(pairs),
    )


def _texts_of(table: FigureTable) -> dict[str, str]:
    """Id -> its longest text."""
    texts: dict[str, str] = {}
    for id_, words in zip(table.text("statement_id"), table.text("text"), strict=True):
        if len(words) > len(texts.get(id_, "")):
            texts[id_] = words
    return texts


def _text(pair: MatchedPair, whole: Mapping[str, Mapping[str, str]]) -> str:
    """The text of the statement after, else before; empty where neither has one."""
    ids = (("after", pair.after_ids), ("before", pair.before_ids))
    texts = (whole.get(side, {}).get(id_) for side, own in ids for id_ in own)
    return next((words for words in texts if words is not None), "")


def _owners(
    pairs: Sequence[MatchedPair], records: Mapping[str, DatabaseRecord]
) -> tuple[dict[str, dict[str, Places]], dict[int, tuple[str, ...]]]:
    """Kind -> owner -> indexes of its statements; and the owners of each statement by its index."""
    by_kind: dict[str, dict[str, set[int]]] = {kind: {} for kind in OWNERS}
    owned: dict[int, dict[str, None]] = {}
    for side, record in records.items():
        indexes: dict[StatementKey, int] = {
            key: index for index, pair in enumerate(pairs) for key in getattr(pair, side)
        }
        table = record.table("statement")
        names = statement_keys(table)
        for kind in OWNERS:
            if kind not in table.texts:
                continue
            for key, owner in zip(names, table.text(kind), strict=True):
                if owner and key in indexes:
                    by_kind[kind].setdefault(owner, set()).add(indexes[key])
                    owned.setdefault(indexes[key], {})[owner] = None
    by_index = {index: tuple(names) for index, names in owned.items()}
    return {kind: _busiest(by_name) for kind, by_name in by_kind.items() if by_name}, by_index


def _busiest(by_name: Mapping[str, set[int]]) -> dict[str, Places]:
    ranked = sorted(by_name.items(), key=lambda item: (-len(item[1]), item[0]))[:MOST_OWNERS]
    return {name: np.array(sorted(places), dtype=np.intp) for name, places in ranked}
