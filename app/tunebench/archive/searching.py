"""The index of words: what `find` looks through, made of the other tables' rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

_Row = Mapping[str, object]

INDEXED = ("hosts", "periods", "systems", "findings", "causes", "actions")
"""Tables that it is made of."""


def words_of(tables: Mapping[str, Sequence[_Row]]) -> list[_Row]:
    """A row of `words` for each finding, cause and countermeasure of one engagement."""
    systems = _joined(sorted({name for name in _systems(tables) if name}))
    changes = _joined(
        dict.fromkeys(str(action["changes"]) for action in tables.get("actions", ()) if action["changes"])
    )
    return [
        {**record, "text": _text(record).lower(), "systems": systems or None, "changes": changes or None}
        for record in _records(tables)
    ]


def _records(tables: Mapping[str, Sequence[_Row]]) -> Iterator[_Row]:
    for finding in tables.get("findings", ()):
        yield {
            "kind": "finding",
            "what": _joined(_of(finding, "title", "host", "attributes"), " "),
            "state": finding["severity"],
            "detail": _joined(_of(finding, "rule", "figures", "later")),
        }
    for cause in tables.get("causes", ()):
        yield {"kind": "cause", "what": cause["title"], "state": cause["state"], "detail": cause["text"]}
    for action in tables.get("actions", ()):
        yield {
            "kind": "action",
            "what": action["title"],
            "state": action["state"],
            "detail": _joined(_of(action, "changes", "causes", "hypothesis")),
        }


def _systems(tables: Mapping[str, Sequence[_Row]]) -> Iterator[str]:
    """Operating systems, databases, and what the engagement says that it is about."""
    for host in tables.get("hosts", ()):
        yield _joined(_of(host, "os", "os_version"), " ")
    for period in tables.get("periods", ()):
        yield str(period["database"] or "")
    for system in tables.get("systems", ()):
        yield _joined(_of(system, "name", "role", "product", "detail"), " ")


def _text(record: _Row) -> str:
    return _joined(_of(record, "what", "state", "detail"), " ")


def _of(row: _Row, *names: str) -> Iterator[str]:
    return (str(row[name]) for name in names if row[name])


def _joined(texts: Iterable[str], between: str = " · ") -> str:
    return between.join(texts)
