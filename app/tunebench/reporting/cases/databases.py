"""What a report tells of databases, as plain values: comparisons, and what must be known to read them.

Cautions, faults and kinds of captures are final sentences in the language of the document.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

import numpy as np

from tunebench.analysis.databases.database_time import TimeChange
from tunebench.analysis.databases.explained import Explanation
from tunebench.analysis.databases.matching import MatchedPair
from tunebench.analysis.databases.profile_lines import ProfileComparison
from tunebench.analysis.databases.record import Numbers
from tunebench.analysis.databases.sessions import SessionsOverTime
from tunebench.analysis.databases.statement_comparison import (
    JUDGED,
    StatementChange,
    StatementClass,
    StatementComparison,
)
from tunebench.analysis.databases.text import folded
from tunebench.columns.statement_names import pair_name
from tunebench.core.messages import Catalogue
from tunebench.core.records import record
from tunebench.domain.databases.choices import LicenceConfirmation
from tunebench.domain.databases.records import StatementKey

FEW_MORE = 1.1
MOST_PAGES, LEAST_PART = 10, 0.01
"""Statements that get a page of their own, and the part of all impacts that they have at least."""


@record
class CasePeriod:
    """A period of the captures.

    Attributes:
        source: kind of capture, in words.
        used: whether the figures are made of it; `faults` say what is wrong with it, in sentences.
        evidence: keys of the captures.
    """

    source: str
    begin_ns: int | None
    end_ns: int | None
    length_s: float | None
    db_time_s: float | None
    used: bool
    faults: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()


@record(eq=False)
class CaseSide:
    """One side of a comparison.

    Attributes:
        texts: by statement id.
        modules: by statement.
        plans: text by (statement id, plan id).
        places: where the figures of a statement stand, ``F-3:127`` (capture and line).
        evidence: keys of the captures that the statements, the profile and the parameters come from.
        sessions: at work over time; None where no period tells.
        sampled: they were counted in samples, whose mean is not that of DB time.
    """

    run: str
    label: str
    version: str = ""
    periods: tuple[CasePeriod, ...] = ()
    cautions: tuple[str, ...] = ()
    length_s: float | None = None
    db_time_s: float | None = None
    texts: Mapping[str, str] = field(default_factory=dict)
    modules: Mapping[StatementKey, str] = field(default_factory=dict)
    plans: Mapping[tuple[str, str], str] = field(default_factory=dict)
    places: Mapping[StatementKey, str] = field(default_factory=dict)
    evidence: tuple[str, ...] = ()
    sessions: SessionsOverTime | None = None
    sampled: bool = False

    def text_of(self, ids: tuple[str, ...]) -> str:
        return next((self.texts[id_].strip() for id_ in ids if id_ in self.texts), "")

    def places_of(self, keys: tuple[StatementKey, ...]) -> tuple[str, ...]:
        return tuple(self.places[key] for key in keys if key in self.places)

    def plan_of(self, ids: tuple[str, ...], plans: tuple[str, ...]) -> str:
        """The text of the first plan that has one; of a capture that names no plans, the statement's own."""
        wanted = [(id_, plan) for id_ in ids for plan in (*plans, "")]
        return next((self.plans[key] for key in wanted if self.plans.get(key)), "")


@record(eq=False)
class DatabaseCase:
    """One database before and after.

    Attributes:
        profile, time, explanation: None where the figures were entered by hand.
        cautions: of the comparison; each side has its own besides.
        pinned: references to statements that are evidence of the cycle.
    """

    label: str
    before: CaseSide
    after: CaseSide
    statements: StatementComparison
    profile: ProfileComparison | None = None
    cautions: tuple[str, ...] = ()
    pinned: frozenset[str] = frozenset()
    time: TimeChange | None = None
    explanation: Explanation | None = None

    @property
    def evidence(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.before.evidence, *self.after.evidence)))

    def module_of(self, pair: MatchedPair) -> str:
        sides = ((self.before.modules, pair.before), (self.after.modules, pair.after))
        return next((names[key] for names, keys in sides for key in keys if names.get(key)), "")

    def container_of(self, pair: MatchedPair) -> str:
        """The container of the pair; empty where there is but one."""
        return pair.container if self.statements.several_containers else ""

    def name_of(self, pair: MatchedPair, messages: Catalogue) -> str:
        """``SELECT orders, PDB1``."""
        return pair_name(self.statements, pair, messages)

    def reference_of(self, pair: MatchedPair) -> str:
        """``0gx3w → 9abcd · PDB1``: its ids and its container, in one line."""
        ids = dict.fromkeys(", ".join(ids) for ids in (pair.before_ids, pair.after_ids) if ids)
        return " · ".join(part for part in (" → ".join(ids), self.container_of(pair)) if part)

    def is_pinned(self, pair: MatchedPair) -> bool:
        return any(key.answers_to(pinned) for key in (*pair.before, *pair.after) for pinned in self.pinned)

    def chosen(self, most: int) -> list[int]:
        """The statements with the greatest impact, and beyond them every one that became slower; a few more are no
        reason to leave any out."""
        if len(self.statements) <= most * FEW_MORE:
            return list(range(len(self.statements)))
        rest = range(most, len(self.statements))
        slower = [index for index in rest if self.statements.outcomes[index] is StatementClass.REGRESSED]
        return [*range(min(most, len(self.statements))), *slower]

    def paged(self) -> list[int]:
        """The statements that get a page: those that were pinned, and those that have a real part in the change."""
        pinned = [index for index, pair in enumerate(self.statements.pairs) if self.is_pinned(pair)]
        weights = self._weights()
        least = LEAST_PART * float(weights.sum())
        ranked = sorted(range(len(weights)), key=lambda index: (-weights[index], index))
        weighty = [index for index in ranked if weights[index] > 0 and weights[index] >= least and index not in pinned]
        return sorted((*pinned, *weighty[: max(MOST_PAGES - len(pinned), 0)]))

    def _weights(self) -> Numbers:
        """Impact by the figure that decides, regardless of its sign; 0 where there is none."""
        statements = self.statements
        judge = next((name for name in JUDGED if name in statements.judged_by), JUDGED[0])
        return np.abs(np.nan_to_num(statements.impacts[judge]))

    def counted(self, index: int) -> bool:
        """Whether the totals have the statement: what ran inside of other statements is in theirs already."""
        return bool(self.statements.before.outer[index] or self.statements.after.outer[index])

    def one_sided(self, figure: str) -> bool:
        """Whether a statement of the totals was measured on one side only."""
        before, after = self.statements.before.total(figure), self.statements.after.total(figure)
        return bool((np.isnan(before) != np.isnan(after)).any())

    def rewritten(self, row: StatementChange) -> bool:
        """Whether the statement's text is another one but for blanks and case."""
        old, new = self.before.text_of(row.pair.before_ids), self.after.text_of(row.pair.after_ids)
        return bool(old and new) and folded(old) != folded(new)


@record
class LicenceNotes:
    """What was confirmed of licences, and captures that need a confirmation and have none."""

    confirmed: tuple[LicenceConfirmation, ...] = ()
    unconfirmed: tuple[str, ...] = ()
