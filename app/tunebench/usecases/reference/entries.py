"""The reference: entries of `resources/reference`, found by id, or by any part of a word in Korean or English.

The texts stand in both languages beside quotation and figures, as in plug-in data: an entry is one thing that one
person checks against one document, and its words are content, not the program's own speech.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from tunebench.core.errors import UserError
from tunebench.core.messages import LANGUAGES
from tunebench.core.paths import resources_folder
from tunebench.domain.reference import Entry, EntryKind, Statement, Texts, Trust
from tunebench.usecases.reference.search import Indexed, best_first, indexed

SOURCES = "sources.toml"


@cache
def entries() -> tuple[Entry, ...]:
    """All entries, by kind; within a kind as the files list them."""
    paths = sorted(path for path in _folder().glob("*.toml") if path.name != SOURCES)
    read = [_entry(table) for path in paths for table in _toml(path)["entries"]]
    order = list(EntryKind)
    return tuple(sorted(read, key=lambda entry: order.index(entry.kind)))


@cache
def sources() -> Mapping[str, Texts]:
    """Id of a founding document -> its title."""
    tables = _toml(_folder() / SOURCES)["sources"]
    return {name: dict(source["title"]) for name, source in tables.items()}


def find(entry_id: str) -> Entry:
    """Raises UserError reference_unknown."""
    match = _by_id().get(entry_id)
    if match is None:
        raise UserError("reference_unknown", entry=entry_id)
    return match


def known(entry_id: str) -> bool:
    return entry_id in _by_id()


def search(words: str, kind: EntryKind | None = None) -> tuple[Entry, ...]:
    """Entries that hold every part of `words`, best first; all of them, by kind, where nothing is asked.

    Blanks do not matter: ``디스크병목`` finds "디스크 병목" and what holds both words apart.
    """
    return tuple(entry for entry in best_first(_index(), words) if kind is None or entry.kind is kind)


def quoted_from(statement: Statement, language: str) -> str:
    """The document's title; "" for what is computed."""
    return sources()[statement.source][language] if statement.source else ""


@cache
def _by_id() -> Mapping[str, Entry]:
    return {entry.id: entry for entry in entries()}


@cache
def _index() -> tuple[Indexed[Entry], ...]:
    texts = ((entry, *words_of(entry)) for entry in entries())
    return tuple(indexed(entry, strong=one, middling=two, weak=three) for entry, one, two, three in texts)


def words_of(entry: Entry) -> tuple[list[str], list[str], list[str]]:
    """By what an entry is found: names, tags, and all the rest; in both languages."""
    rest = [
        *entry.text.values(),
        *(entry.caveat or {}).values(),
        *(entry.attribution or {}).values(),
        *(statement.quotation for statement in entry.statements),
        *(cell for rows in (entry.rows or {}).values() for row in rows for cell in row),
    ]
    return [entry.id, *entry.title.values()], [*entry.tags, *entry.rules], rest


def _folder() -> Path:
    return resources_folder() / "reference"


def _toml(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def _entry(table: Mapping[str, Any]) -> Entry:
    columns = table.get("columns")
    return Entry(
        id=table["id"],
        kind=EntryKind(table["kind"]),
        title=_texts(table["title"]),
        text=_texts(table["text"]),
        trust=Trust(table["confidence"]),
        caveat=_texts(table["caveat"]) if "caveat" in table else None,
        attribution=_texts(table["attribution"]) if "attribution" in table else None,
        statements=tuple(_statement(statement) for statement in table.get("statements", ())),
        columns={language: tuple(columns[language]) for language in LANGUAGES} if columns else None,
        rows={language: _rows(table["rows"], language) for language in LANGUAGES} if columns else None,
        **{name: tuple(table.get(name, ())) for name in ("related", "rules", "calculators", "tags")},
    )


def _rows(rows: Sequence[Sequence[str | Texts]], language: str) -> tuple[tuple[str, ...], ...]:
    """A cell is the same in all languages, or one text for each."""
    return tuple(tuple(cell if isinstance(cell, str) else cell[language] for cell in row) for row in rows)


def _statement(table: Mapping[str, Any]) -> Statement:
    computed = _texts(table["computed"]) if "computed" in table else None
    return Statement(table.get("quotation", ""), table.get("source", ""), table.get("section", ""), computed)


def _texts(texts: Mapping[str, str]) -> Texts:
    return {language: texts[language] for language in LANGUAGES}
