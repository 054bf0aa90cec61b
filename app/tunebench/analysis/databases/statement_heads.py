"""What a statement does, and to which table: the words that a person calls it by.

No grammar of any engine is assumed beyond where the first table stands behind a verb: texts that are cut off, that are
no SQL or that name no table give as much as they tell. Only words of the text itself are used.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from tunebench.analysis.databases.text import code_and_names
from tunebench.core.patterns import lazy_pattern
from tunebench.core.records import record

_LONGEST = 20_000
"""Characters that are looked at: behind them nothing names the statement any more."""
_TOKEN = lazy_pattern(r"[^\W\d][\w$#]*|[().,;@=]|\d+|\S")
_QUOTE = "\0"
"""Before a quoted name, which is no keyword."""
_STAND_IN = lazy_pattern(r"SQL-\d{3,}")
"""What redaction puts in the place of a whole statement: each has a number of its own."""

_BEFORE_TABLE = frozenset(
    [
        "ALL",
        "ANALYZE",
        "CONCURRENTLY",
        "DELAYED",
        "EXISTS",
        "FIRST",
        "FROM",
        "FULL",
        "HIGH_PRIORITY",
        "IF",
        "IGNORE",
        "INTO",
        "LATERAL",
        "LOW_PRIORITY",
        "NOT",
        "ONLY",
        "OVERWRITE",
        "QUICK",
        "TABLE",
        "TABLES",
        "VERBOSE",
    ]
)
"""Words between a verb and its table."""
_QUERIES = frozenset({"SELECT", "WITH", "VALUES"})
_ONE_TABLE = frozenset(
    {"ANALYZE", "CALL", "COPY", "EXEC", "INSERT", "LOCK", "MERGE", "REPLACE", "TRUNCATE", "UPDATE", "VACUUM"}
)
"""Verbs behind which their table, or procedure, stands."""
_DEFINITIONS = frozenset({"ALTER", "CREATE", "DROP"})
_KINDS = frozenset({"INDEX", "SEQUENCE", "TABLE", "TRIGGER", "VIEW"})
_BLOCKS = frozenset({"BEGIN", "DECLARE"})
_PART_OF_BEGIN = frozenset({"TRAN", "TRANSACTION", "WORK", "ISOLATION", "READ", "NOT", "DEFERRABLE", "DEFERRED"})
_NO_NAMES = frozenset(
    ["AS", "FROM", "GROUP", "INTO", "ON", "ORDER", "SELECT", "SET", "USING", "VALUES", "WHERE", "WITH"]
)


@record
class StatementHead:
    """
    Attributes:
        verb: in capitals: ``SELECT``, ``SELECT FOR UPDATE``, ``CREATE INDEX``, ``COMMIT``.
        table: the first one, as it is written and without quotes; of a call the procedure; empty where none is named.
        schema: before the table, as it is written; empty where it is not.
    """

    verb: str
    table: str = ""
    schema: str = ""


@lru_cache(maxsize=4096)
def statement_head(text: str) -> StatementHead | None:
    """Verb and first table of a statement's text; None where it begins with no word. A stand-in is called as it is."""
    if _STAND_IN.fullmatch(text):
        return StatementHead(text)
    return _Reader(list(_tokens(text[:_LONGEST]))).head()


def _tokens(text: str) -> Iterator[str]:
    """Words and signs of the code; comments, hints and literals are left out."""
    for part, is_name in code_and_names(text):
        if is_name:
            yield _QUOTE + part.strip(part[0]).replace(2 * part[0], part[0])
        else:
            yield from _TOKEN.findall(part)


class _Reader:
    """The tokens of one text; positions run from 0, and behind the end there is nothing."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens
        self._words = [token.upper() for token in tokens]

    def head(self) -> StatementHead | None:
        start = next((index for index, word in enumerate(self._words) if word not in "({;"), len(self._words))
        verb = self._word(start)
        if not verb[:1].isalpha():
            return None
        if verb == "WITH":
            return self._with_tables(start)
        if verb in _QUERIES:
            return self._named(self._query_verb(start), self._table_of_query(start))
        if verb == "DELETE":
            from_ = self._at_same_depth(start, "FROM")
            return self._named(verb, self._table_at(start + 1 if from_ is None else from_ + 1))
        if verb in _ONE_TABLE:
            return self._named(verb, self._table_at(start + 1))
        if verb in _DEFINITIONS:
            return self._definition(verb, start)
        if verb in _BLOCKS:
            return self._block(verb, start)
        return StatementHead("START TRANSACTION" if verb == "START" else verb)

    # -- verbs -----------------------------------------------------------------------------------------

    def _query_verb(self, start: int) -> str:
        is_locking = any(
            word == "FOR" and self._word(index + 1) in ("UPDATE", "SHARE", "NO", "KEY")
            for index, word in self._same_depth(start)
        )
        return "SELECT FOR UPDATE" if is_locking else self._word(start)

    def _with_tables(self, start: int) -> StatementHead:
        """The statement behind the common table expressions; these are no tables."""
        own: set[str] = set()
        main = len(self._words)
        for index, word in self._same_depth(start):
            if word == "AS" and self._is_name(index - 1) or word == "(" and self._before_columns(index):
                own.add(self._tokens[index - 1].strip(_QUOTE).upper())
            elif word in ("SELECT", "INSERT", "UPDATE", "DELETE", "MERGE", "VALUES"):
                main = index
                break
        head = _Reader(self._tokens[main:]).head() or StatementHead("WITH")
        if head.table and (head.schema or head.table.upper() not in own):
            return head
        table = next((table for table in self._tables(start) if table[-1].upper() not in own), ())
        return self._named("SELECT" if head.verb == "WITH" else head.verb, table)

    def _before_columns(self, index: int) -> bool:
        """``name (a, b) AS (``."""
        behind = self._closing(index) + 1
        return self._word(behind) == "AS" and self._is_name(index - 1)

    def _definition(self, verb: str, start: int) -> StatementHead:
        kind = next((index for index in range(start, len(self._words)) if self._words[index] in _KINDS), None)
        if kind is None:
            return StatementHead(verb)
        named = f"{verb} {self._words[kind]}"
        on = self._at_same_depth(kind, "ON") if self._words[kind] in ("INDEX", "TRIGGER") else None
        return self._named(named, self._table_at(kind + 1 if on is None else on + 1))

    def _block(self, verb: str, start: int) -> StatementHead:
        """A block of a procedural language is called by what it calls; ``BEGIN`` alone begins a transaction."""
        behind = self._word(start + 1)
        if verb == "DECLARE" or behind in ("", ";") or behind in _PART_OF_BEGIN:
            return StatementHead(verb)
        if self._word(start + 2) in (".", "(", ";"):
            return self._named("CALL", self._table_at(start + 1))
        return _Reader(self._tokens[start + 1 :]).head() or StatementHead(verb)

    # -- tables ----------------------------------------------------------------------------------------

    def _table_of_query(self, start: int) -> tuple[str, ...]:
        return next(self._tables(start), ())

    def _tables(self, start: int) -> Iterator[tuple[str, ...]]:
        """The first table of the query, then those of the queries in brackets."""
        from_ = self._at_same_depth(start, "FROM")
        if from_ is not None and (table := self._table_at(from_ + 1)):
            yield table
        for index in range(start, len(self._words)):
            if self._words[index] == "(" and self._word(index + 1) in _QUERIES:
                from_ = self._at_same_depth(index + 1, "FROM")
                if from_ is not None and (table := self._table_at(from_ + 1)):
                    yield table

    def _table_at(self, index: int) -> tuple[str, ...]:
        """The parts of the name that stands here, or of the first table of a query in brackets."""
        while self._word(index) in _BEFORE_TABLE:
            index += 1
        while self._word(index) == "(":
            index += 1
        if self._word(index) in _QUERIES:
            return self._table_of_query(index)
        parts: list[str] = []
        while self._is_name(index):
            parts.append(self._tokens[index].strip(_QUOTE))
            if self._word(index + 1) != ".":
                break
            index += 2
            if self._word(index) == ".":  # ``ord...``: the text ends inside of the name
                parts[-1] += "…"
        return tuple(parts)

    def _named(self, verb: str, table: tuple[str, ...]) -> StatementHead:
        if not table:
            return StatementHead(verb)
        return StatementHead(verb, table[-1], table[-2] if len(table) > 1 else "")

    # -- tokens ----------------------------------------------------------------------------------------

    def _word(self, index: int) -> str:
        return self._words[index] if 0 <= index < len(self._words) else ""

    def _is_name(self, index: int) -> bool:
        word = self._word(index)
        return word.startswith(_QUOTE) or (word[:1].isalpha() or word[:1] == "_") and word not in _NO_NAMES

    def _same_depth(self, start: int) -> Iterator[tuple[int, str]]:
        """Positions and words of the statement that begins here; what stands in brackets is another one's."""
        depth = 0
        for index in range(start, len(self._words)):
            word = self._words[index]
            depth -= word == ")"
            if depth < 0 or not depth and word == ";":
                return
            if not depth:
                yield index, word
            depth += word == "("

    def _at_same_depth(self, start: int, wanted: str) -> int | None:
        return next((index for index, word in self._same_depth(start) if word == wanted), None)

    def _closing(self, opening: int) -> int:
        """Of a bracket; behind the end where the text was cut off before."""
        inside = self._same_depth(opening + 1)
        last = max((index for index, _ in inside), default=opening)
        return next((index for index in range(last, len(self._words)) if self._words[index] == ")"), len(self._words))
