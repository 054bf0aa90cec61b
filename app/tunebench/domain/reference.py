"""An entry of the reference: what is known, in whose words, how far it may be trusted."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from tunebench.core.records import record

Texts = Mapping[str, str]
"""Language -> words."""


class EntryKind(StrEnum):
    """In the order in which kinds are listed."""

    TERM = "term"
    PRINCIPLE = "principle"
    PROCEDURE = "procedure"
    FORMULA = "formula"
    RULE = "rule"
    TRADEOFF = "tradeoff"
    CAUTION = "caution"
    CLAIM = "claim"
    TABLE = "table"
    CONTRADICTION = "contradiction"
    METHOD = "method"
    MODERN = "modern"


class Trust(StrEnum):
    """How far an entry may be relied on as a rule today, not how well it is quoted."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


@record
class Statement:
    """What a document says, verbatim in its own language; or, with `computed`, what its own figures give.

    Attributes:
        source: id of a `Source`; "" for what is computed.
        section: as the document numbers it; "" where it does not.
    """

    quotation: str = ""
    source: str = ""
    section: str = ""
    computed: Texts | None = None


@record
class Entry:
    """
    Attributes:
        attribution: where it comes from, if from none of the founding documents.
        related, rules, calculators: ids.
        columns: language -> headings of `rows`, language -> cells; both None for what is no table.
    """

    id: str
    kind: EntryKind
    title: Texts
    text: Texts
    trust: Trust
    caveat: Texts | None = None
    attribution: Texts | None = None
    statements: tuple[Statement, ...] = ()
    related: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    calculators: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    columns: Mapping[str, tuple[str, ...]] | None = None
    rows: Mapping[str, tuple[tuple[str, ...], ...]] | None = None
