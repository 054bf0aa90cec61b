"""Metrics and the columns that carry them, as catalogue files and manifests write them.

    [[metrics]]
    id = "system.disk.operations"
    kind = "rate"                      # gauge, rate, counter, ratio
    unit = "1/s"                       # UCUM base unit
    direction = "neutral"              # which way is better: lower, higher, neutral
    signed = true                      # what cannot be negative by its kind may be: a change
    at_most = 1.05                     # in the base unit; what is above it was never measured
    name = { en = "Disk operations", ko = "디스크 I/O 횟수" }
    meaning = { en = "...", ko = "..." }

    [[maps]]
    tools = ["iostat"]
    os = ["linux"]                     # empty: any
    tables = ["device"]                # empty: any
    source = "iostat(1), sysstat 12.6" # where the definition stands
    [maps.columns]
    "r/s" = { metric = "system.disk.operations", unit = "1/s", implied = { direction = "read" } }
    "sy" = [ { when = { group = "faults" }, ... }, { when = { group = "cpu" }, ... } ]

Patterns: a heading, a table and a condition may end in ``*``. Versions (`min_version` inclusive,
`max_version` exclusive) tell apart definitions that a tool changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field

from tunebench.core.records import record
from tunebench.domain.engagement import Direction, Kind
from tunebench.domain.operating_systems import os_word
from tunebench.sdk.toml_tables import TableReader

_METRIC_KEYS = frozenset({"id", "kind", "unit", "direction", "signed", "at_most", "name", "meaning"})
_MAP_KEYS = frozenset({"tools", "os", "tables", "source", "min_version", "max_version", "when", "columns"})
_COLUMN_KEYS = frozenset(
    {
        "metric",
        "unit",
        "to_base",
        "kind",
        "direction",
        "implied",
        "when",
        "tables",
        "min_version",
        "max_version",
        "definition",
        "meaning",
    }
)


@record
class MetricDefinition:
    """One canonical metric; `unit` is the UCUM base unit its values are compared in.

    Attributes:
        signed: it may be negative, though rates, counters and ratios cannot.
        at_most: largest value that can be measured, in `unit`: for shares of time a little more than the whole,
            because tools round and their clocks jitter; None where nothing bounds it.
    """

    id: str
    kind: Kind
    unit: str
    direction: Direction
    name: Mapping[str, str]
    meaning: Mapping[str, str]
    signed: bool = False
    at_most: float | None = None


@record
class ColumnMap:
    """One column heading of one tool and the metric it is.

    Attributes:
        native: heading as the tool prints it in English; a ``*`` at its end stands for any ending.
        unit: UCUM unit of the captured values.
        to_base: captured value * `to_base` = value in the metric's base unit; None: derived from the units.
        kind, direction: where this column differs from its metric (a counter of something usually a rate).
        implied: attributes that the heading implies (``r/s`` is direction=read).
        when: attributes the series must have, ``"*"`` for any value, ``""`` for none.
        definition: names a definition that other versions of the tool do not share.
        meaning: what this column says beyond its metric's meaning, per language.
    """

    tools: tuple[str, ...]
    os: tuple[str, ...]
    tables: tuple[str, ...]
    native: str
    metric: str
    unit: str
    to_base: float | None = None
    kind: Kind | None = None
    direction: Direction | None = None
    implied: tuple[tuple[str, str], ...] = ()
    when: tuple[tuple[str, str], ...] = ()
    min_version: str = ""
    max_version: str = ""
    definition: str = ""
    source: str = ""
    meaning: Mapping[str, str] = field(default_factory=dict)


def read_metric_tables(
    reader: TableReader, metrics_key: str, maps_key: str
) -> tuple[tuple[MetricDefinition, ...], tuple[ColumnMap, ...]]:
    """Metrics and column maps of one file; what is wrong is in `reader.problems`."""
    maps = tuple(column for table in reader.tables(maps_key) for column in read_map(table))
    return read_metrics(reader, metrics_key), maps


def read_metrics(reader: TableReader, key: str) -> tuple[MetricDefinition, ...]:
    """The metrics of one file; what is wrong is in `reader.problems`."""
    return tuple(_read_metric(table) for table in reader.tables(key))


def _read_metric(reader: TableReader) -> MetricDefinition:
    reader.refuse_unknown(_METRIC_KEYS)
    unit = reader.unit()
    return MetricDefinition(
        id=reader.text("id"),
        kind=reader.word("kind", tuple(Kind), None) or Kind.GAUGE,
        unit=unit,
        direction=reader.word("direction", tuple(Direction), None) or Direction.NEUTRAL,
        name=reader.texts_by_language("name", required=True),
        meaning=reader.texts_by_language("meaning", required=True),
        signed=reader.flag("signed"),
        at_most=reader.finite("at_most"),
    )


@record
class _Block:
    """What a map says of all its columns; a column may say otherwise of tables, versions and single attributes."""

    tools: tuple[str, ...]
    os: tuple[str, ...]
    tables: tuple[str, ...]
    when: Mapping[str, str]
    min_version: str
    max_version: str
    source: str


def read_map(reader: TableReader) -> Iterator[ColumnMap]:
    """The columns of one block of maps; what is wrong is in `reader.problems`."""
    reader.refuse_unknown(_MAP_KEYS)
    block = _Block(
        tools=reader.texts("tools"),
        os=tuple(map(os_word, reader.texts("os", False))),
        tables=reader.texts("tables", False),
        when=dict(reader.attributes("when")),
        min_version=reader.text("min_version", False),
        max_version=reader.text("max_version", False),
        source=reader.text("source", False),
    )
    if not block.tools:
        return
    columns = reader.subtable("columns")
    if columns is None:
        reader.problem("key_missing", "columns")
        return
    for native, value in columns.table.items():
        if isinstance(value, dict):
            variants = [TableReader(value, columns.place(f'"{native}"'), columns.problems)]
        else:
            variants = list(columns.tables(native))
        for variant in variants:
            yield _read_column(block, native, variant)


def _read_column(block: _Block, native: str, column: TableReader) -> ColumnMap:
    column.refuse_unknown(_COLUMN_KEYS)
    unit = column.unit()
    when = {**block.when, **dict(column.attributes("when"))}
    implied = column.series_attributes("implied")
    return ColumnMap(
        tools=block.tools,
        os=block.os,
        tables=column.texts("tables", False) or block.tables,
        native=native,
        metric=column.text("metric"),
        unit=unit,
        to_base=column.number("to_base"),
        kind=column.word("kind", tuple(Kind), None) if "kind" in column.table else None,
        direction=column.word("direction", tuple(Direction), None) if "direction" in column.table else None,
        implied=implied,
        when=tuple(sorted(when.items())),
        min_version=column.text("min_version", False) or block.min_version,
        max_version=column.text("max_version", False) or block.max_version,
        definition=column.text("definition", False),
        source=block.source,
        meaning=column.texts_by_language("meaning", required=True) if "meaning" in column.table else {},
    )
