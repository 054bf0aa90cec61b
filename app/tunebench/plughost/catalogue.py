"""The metric catalogue: what a captured column is, in which unit, and which way is better.

Read from `resources/metrics/*.toml` (format: `tunebench.sdk.metrics`) and from the manifests of plug-ins in use.
A column that no map knows keeps its native name, a unit as far as its heading tells one, and direction
neutral: nothing is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from tunebench.core.messages import catalogue as sentences
from tunebench.core.paths import resources_folder
from tunebench.core.records import record
from tunebench.core.toml_texts import table_of
from tunebench.domain.engagement import Direction, Kind
from tunebench.domain.operating_systems import os_word
from tunebench.domain.series import SeriesTraits
from tunebench.sdk.manifest import Manifest
from tunebench.sdk.metrics import ColumnMap, MetricDefinition, read_map, read_metrics
from tunebench.sdk.toml_tables import Problem, TableReader
from tunebench.sdk.units import base_unit_of, factor_between, unit_of_heading

_MOST_NUMBER = 2.0**63
"""A larger one is a negative count printed as an unsigned one; so many inodes some file systems do claim to have."""
_MOST_RATE = 2.0**64 / 86_400
"""In base units a second: a count of 64 bits that fell by little, over an interval of a day. No host does 200 TB/s."""

UNDETERMINED = "undetermined"
"""`SeriesTraits.definition` where versions of the tool differ and the capture does not tell its own."""


@record(frozen=False)
class _Block:
    """Maps of some tools, which are read when one of these is first asked about."""

    tools: frozenset[str]
    reader: TableReader | None
    maps: tuple[ColumnMap, ...] = ()


class _ToolMaps:
    """The maps of one tool, in the files' order: by heading, and those of headings that begin alike."""

    def __init__(self, maps: Iterable[ColumnMap]) -> None:
        self._exact: dict[str, list[ColumnMap]] = {}
        self._endings: list[ColumnMap] = []
        self._attributes: dict[str, tuple[str, ...]] = {}
        for column in maps:
            if column.native.endswith("*"):
                self._endings.append(column)
            else:
                self._exact.setdefault(column.native, []).append(column)

    def of_heading(self, native: str) -> Iterator[ColumnMap]:
        """The best first: exact headings before patterns."""
        yield from self._exact.get(native, ())
        yield from (column for column in self._endings if native.startswith(column.native[:-1]))

    def attributes_of(self, native: str) -> tuple[str, ...]:
        """Names of the attributes that decide between the maps of a heading."""
        names = self._attributes.get(native)
        if names is None:
            names = tuple(sorted({name for column in self.of_heading(native) for name, _ in column.when}))
            self._attributes[native] = names
        return names


class MetricCatalogue:
    """Metrics by id, column maps by (tool, heading)."""

    def __init__(self) -> None:
        self._problems: list[Problem] = []
        self._metrics: dict[str, MetricDefinition] = {}
        self._blocks: list[_Block] = []
        self._tools: dict[str, _ToolMaps] = {}
        self._described: dict[tuple[str | int, str], SeriesTraits] = {}
        self._traits: dict[tuple[str, ...], SeriesTraits] = {}

    @classmethod
    def load(cls, folder: Path | None = None, manifests: Iterable[Manifest] = ()) -> MetricCatalogue:
        """The shipped catalogue (or that of `folder`) and what plug-ins add to it."""
        catalogue = cls()
        paths = sorted((folder or resources_folder() / "metrics").glob("*.toml"))
        for path in paths:
            catalogue._read(path)
        for manifest in manifests:
            catalogue._add_metrics(manifest.metrics)
            tools = frozenset(tool for column in manifest.maps for tool in column.tools)
            catalogue._blocks.append(_Block(tools, None, catalogue._checked(manifest.maps)))
        return catalogue

    @property
    def problems(self) -> list[Problem]:
        """What is wrong with the files and what plug-ins add to them."""
        self.maps()
        return self._problems

    def metrics(self) -> tuple[MetricDefinition, ...]:
        return tuple(self._metrics.values())

    def metric(self, metric_id: str) -> MetricDefinition | None:
        return self._metrics.get(metric_id)

    def maps(self) -> tuple[ColumnMap, ...]:
        return tuple(column for block in self._blocks for column in self._maps_in(block))

    def describe(
        self, tool: str, os: str, table: str, native: str, attributes: Mapping[str, str], tool_version: str = ""
    ) -> SeriesTraits:
        """What one captured column is.

        Where the capture does not tell its tool's version, the first map that fits otherwise is taken: the
        files list the definition that is in widest use first.
        """
        deciding = (attributes.get(name, "") for name in self._maps_of(tool).attributes_of(native))
        key = (tool, os, table, native, tool_version, *deciding)
        traits = self._traits.get(key)
        if traits is None:  # one column of a thousand devices is looked for once
            column = next(self._fitting(tool, os, table, native, attributes, tool_version), None)
            traits = self._traits[key] = self._described_as(column, native, tool_version)
        return traits

    def _described_as(self, column: ColumnMap | None, native: str, tool_version: str) -> SeriesTraits:
        """The same object for the same map: what is told of a table's columns is held once."""
        key = native if column is None else id(column), tool_version
        if key not in self._described:
            self._described[key] = self._unmapped(native) if column is None else self._mapped(column, tool_version)
        return self._described[key]

    def _unmapped(self, native: str) -> SeriesTraits:
        unit = unit_of_heading(native)
        base = base_unit_of(unit)
        to_base = factor_between(unit, base) or 1.0
        most = _MOST_RATE / to_base if base.endswith("/s") else _MOST_NUMBER
        return SeriesTraits("", unit, Kind.GAUGE, Direction.NEUTRAL, to_base, base, least=-most, most=most)

    def _mapped(self, column: ColumnMap, tool_version: str) -> SeriesTraits:
        metric = self._metrics[column.metric]
        kind = column.kind or metric.kind
        to_base = factor_between(column.unit, metric.unit) or 1.0 if column.to_base is None else column.to_base
        least, most = _bounds(metric, kind, to_base)
        return SeriesTraits(
            metric=metric.id,
            unit=column.unit,
            kind=kind,
            direction=column.direction or metric.direction,
            to_base=to_base,
            base_unit=metric.unit,
            implied=column.implied,
            definition=_definition(column, tool_version),
            least=least,
            most=most,
        )

    def meaning(
        self,
        metric: str,
        native: str,
        language: str,
        *,
        tool: str = "",
        os: str = "",
        table: str = "",
        attributes: Mapping[str, str] | None = None,
        tool_version: str = "",
    ) -> str:
        """Name and meaning of a metric for people, with what this tool's manual says beyond it.

        Without `tool` only the metric is explained; an unknown column says so. Where versions of the tool
        differ and none is given, each definition is told.
        """
        definition = self._metrics.get(metric)
        if definition is None:
            return sentences(language).text("plughost.metric.unknown", native=native)
        parts = [f"{definition.name[language]} ({native}).", definition.meaning[language]]
        columns = list(self._fitting(tool, os, table, native, attributes or {}, tool_version))
        shown = columns if columns and columns[0].definition else columns[:1]
        parts += [column.meaning[language] for column in shown if column.meaning]
        if columns and columns[0].source:
            parts.append(f"[{columns[0].source}]")
        return " ".join(parts)

    def name(self, metric: str, language: str) -> str:
        """``CPU 사용률``; ``""`` for an unknown metric."""
        definition = self._metrics.get(metric)
        return definition.name[language] if definition else ""

    def _fitting(
        self, tool: str, os: str, table: str, native: str, attributes: Mapping[str, str], version: str
    ) -> Iterator[ColumnMap]:
        """The maps that fit, the best first: exact headings before patterns, else in the files' order."""
        os = os_word(os)
        for column in self._maps_of(tool).of_heading(native):
            if _fits(column, os, table, attributes, version):
                yield column

    def _maps_of(self, tool: str) -> _ToolMaps:
        maps = self._tools.get(tool)
        if maps is None:
            blocks = [block for block in self._blocks if tool in block.tools]
            own = (column for block in blocks for column in self._maps_in(block) if tool in column.tools)
            maps = self._tools[tool] = _ToolMaps(own)
        return maps

    # -- reading -------------------------------------------------------------------------------------

    def _read(self, path: Path) -> None:
        try:
            table = table_of(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            self._problems.append(Problem("error", "manifest_no_toml", {"path": str(path), "reason": str(error)}))
            return
        reader = TableReader(table, path.name, self._problems)
        reader.refuse_unknown(frozenset({"metrics", "maps"}))
        self._add_metrics(read_metrics(reader, "metrics"))
        for block in reader.tables("maps"):
            self._blocks.append(_Block(frozenset(block.texts("tools")), block))

    def _maps_in(self, block: _Block) -> tuple[ColumnMap, ...]:
        if block.reader is not None:
            block.maps, block.reader = self._checked(read_map(block.reader)), None
        return block.maps

    def _add_metrics(self, metrics: Iterable[MetricDefinition]) -> None:
        """The first definition of an id stands: a plug-in cannot change a metric of the house."""
        for metric in metrics:
            if metric.id in self._metrics:
                self._problems.append(Problem("warning", "metric_twice", {"where": metric.id}))
            self._metrics.setdefault(metric.id, metric)

    def _checked(self, maps: Iterable[ColumnMap]) -> tuple[ColumnMap, ...]:
        """Those whose metric there is, in a unit of its kind."""
        good = []
        for column in maps:
            metric = self._metrics.get(column.metric)
            where = f"{'/'.join(column.tools)} {column.native}"
            if metric is None:
                self._problems.append(Problem("error", "metric_unknown", {"where": where, "metric": column.metric}))
            elif column.to_base is None and factor_between(column.unit, metric.unit) is None:
                facts = {"where": where, "unit": column.unit, "base": metric.unit, "metric": metric.id}
                self._problems.append(Problem("error", "unit_mismatch", facts))
            else:
                good.append(column)
        return tuple(good)


def _bounds(metric: MetricDefinition, kind: Kind, to_base: float) -> tuple[float, float]:
    """The least and the largest value that can have been measured, as captured."""
    most = _MOST_RATE / to_base if kind is Kind.RATE else _MOST_NUMBER
    is_signed = metric.signed or kind is Kind.GAUGE
    if metric.at_most is not None and kind is metric.kind:
        most = metric.at_most / to_base
    return -most if is_signed else 0.0, most


def _fits(column: ColumnMap, os: str, table: str, attributes: Mapping[str, str], version: str) -> bool:
    if os and column.os and os not in column.os:
        return False
    if column.tables and not any(_matches(pattern, table) for pattern in column.tables):
        return False
    if not all(_matches(pattern, attributes.get(name, "")) for name, pattern in column.when):
        return False
    return not version or _within(column, version)


def _matches(pattern: str, value: str) -> bool:
    """``"read*"`` any ending, ``"*"`` anything but nothing, ``""`` nothing."""
    if pattern == "*":
        return bool(value)
    if pattern.endswith("*"):
        return value.startswith(pattern[:-1])
    return value == pattern


def _within(column: ColumnMap, version: str) -> bool:
    number = _version_number(version)
    if column.min_version and number < _version_number(column.min_version):
        return False
    return not column.max_version or number < _version_number(column.max_version)


def _definition(column: ColumnMap, version: str) -> str:
    """The column's definition; which one it is cannot be said where versions differ and none is known."""
    versioned = column.min_version or column.max_version
    return UNDETERMINED if column.definition and versioned and not version else column.definition


def _version_number(version: str) -> tuple[int, ...]:
    """``12.7.8`` and ``sysstat 12.7.8-1`` -> (12, 7, 8)."""
    match = re.search(r"\d+(?:\.\d+)*", version)
    return tuple(int(part) for part in match.group().split(".")) if match else ()
