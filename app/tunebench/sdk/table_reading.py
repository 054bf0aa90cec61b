"""Reads `[[tables]]` of a manifest; every mistake is one problem with its place."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tunebench.domain.engagement import Direction, Kind
from tunebench.sdk.line_patterns import LinePattern, PatternFault, line_pattern
from tunebench.sdk.stamp_formats import FormatFault, StampFormat, stamp_format
from tunebench.sdk.table_definition import (
    DECIMALS,
    SEPARATORS,
    NamePart,
    Suffix,
    TableColumn,
    TableDefinition,
    TableSection,
    TableTime,
    TimeRule,
)
from tunebench.sdk.toml_tables import TableReader

LONGEST_INTERVAL_S = 86_400.0
_TABLE_KEYS = frozenset(
    {
        "id",
        "tool",
        "os",
        "name",
        "files",
        "separator",
        "decimal",
        "skip",
        "since_boot",
        "short_rows",
        "host_line",
        "version_line",
        "time",
        "sections",
    }
)
_TIME_KEYS = {
    TimeRule.COLUMNS: frozenset({"rule", "columns", "format", "zone", "date_line", "date_format"}),
    TimeRule.FIRST: frozenset({"rule", "format", "date_line", "date_format"}),
    TimeRule.LINE: frozenset({"rule", "format", "line", "date_line", "date_format", "interval_s"}),
    TimeRule.START: frozenset({"rule", "interval_s", "date_line", "date_format"}),
}
_ALL_TIME_KEYS = frozenset().union(*_TIME_KEYS.values())
_SECTION_KEYS = frozenset({"table", "heading", "above", "names", "key", "host", "series", "parts", "columns"})
_MOST_ABOVE = 5
_PART_KEYS = frozenset({"heading", "name"})
_COLUMN_KEYS = frozenset({"unit", "metric", "suffix", "attributes", "ignored", "kind", "direction", "name", "meaning"})
_OWN_METRIC_KEYS = ("kind", "direction", "name", "meaning")


def read_table_definitions(reader: TableReader, key: str) -> tuple[TableDefinition, ...]:
    """The definitions of ``[[key]]``; what is wrong is in `reader.problems`."""
    definitions = []
    for table in reader.tables(key):
        before = len(table.problems)
        definition = _read_definition(table)
        if definition is not None and not any(one.level == "error" for one in table.problems[before:]):
            definitions.append(definition)
    return tuple(definitions)


def _read_definition(reader: TableReader) -> TableDefinition | None:
    reader.refuse_unknown(_TABLE_KEYS)
    id_ = reader.text("id")
    reader.check_id("id", id_)
    separators = _read_separators(reader)
    decimal = _read_decimal(reader, separators)
    time = _read_time(reader)
    sections = tuple(_read_sections(reader, time))
    files = reader.texts("files", False)
    raw = reader.table.get("sections")
    headed = ["heading" in table for table in raw] if sections and isinstance(raw, list) else []
    if sections and not all(headed):
        _check_headless(reader, headed, sections, files)
    if time is None:
        return None
    return TableDefinition(
        id=id_,
        tool=reader.text("tool"),
        time=time,
        sections=sections,
        os=reader.texts("os", False),
        name=reader.one_or_texts("name", required=True),
        files=files,
        separators=separators,
        decimal=decimal,
        skip=tuple(_patterns(reader, "skip")),
        since_boot=reader.flag("since_boot"),
        short_rows=reader.flag("short_rows"),
        host_line=_pattern(reader, "host_line", "host"),
        version_line=_pattern(reader, "version_line", "version"),
    )


def _read_separators(reader: TableReader) -> tuple[str, ...]:
    value = reader.table.get("separator", "blanks")
    given = value if isinstance(value, list) and value else [value]
    values = [name for name in given if isinstance(name, str)]
    if len(values) < len(given):
        reader.problem("not_text", "separator")
        return ("",)
    for name in values:
        if name not in SEPARATORS and (not name.strip() or len(name) > 10 or re.search(r"[\w.+-]", name.strip())):
            reader.problem("separator_form", "separator", value=name, known=", ".join(SEPARATORS))
    return tuple(SEPARATORS.get(name, name) for name in values)


def _read_decimal(reader: TableReader, separators: tuple[str, ...]) -> str:
    value = reader.table.get("decimal", ".")
    if value not in DECIMALS:
        reader.problem("not_one_of", "decimal", value=str(value), known=" ".join(DECIMALS))
        return "."
    if value in separators:
        reader.problem("decimal_separates", "decimal")
    return str(value)


def _check_headless(
    reader: TableReader, told: list[bool], sections: tuple[TableSection, ...], files: tuple[str, ...]
) -> None:
    """Without a heading in the text there is one table only, whose columns are named, known by the file's name."""
    if len(sections) > 1:
        reader.problem("heading_needed", f"sections[{told.index(False) + 1}].heading")
        return
    if not sections[0].names:
        reader.problem("names_needed", "sections[1].names")
    if not files:
        reader.problem("files_needed", "files")


# -- time --------------------------------------------------------------------------------------------


def _read_time(reader: TableReader) -> TableTime | None:
    inner = reader.subtable("time")
    if inner is None:
        if "time" not in reader.table:
            reader.problem("key_missing", "time")
        return None
    rule = inner.word("rule", tuple(TimeRule), None)
    inner.refuse_unknown(_ALL_TIME_KEYS)
    if rule is None:
        return None
    for key in inner.table:
        if key in _ALL_TIME_KEYS and key not in _TIME_KEYS[rule]:
            inner.problem("time_key_unfit", key, "warning", rule=str(rule))
    stamped = rule is not TimeRule.START
    time = TableTime(
        rule=rule,
        columns=inner.texts("columns") if rule is TimeRule.COLUMNS else (),
        formats=tuple(_formats(inner, "format")) if stamped else (),
        zone=_pattern(inner, "zone", "bias"),
        line=_pattern(inner, "line", "stamp", required=True) if rule is TimeRule.LINE else None,
        date_line=_pattern(inner, "date_line", "date"),
        date_format=next(_formats(inner, "date_format", required=False), None),
        interval_s=_read_interval(inner),
    )
    if time.format is not None and not time.format.has_time and time.date_line is not None:
        inner.problem("date_line_needless", "date_line", "warning")
    return time


def _read_interval(reader: TableReader) -> float | None:
    value = reader.finite("interval_s")
    if value is not None and not 0.001 <= value <= LONGEST_INTERVAL_S:
        reader.problem("interval_range", "interval_s", value=f"{value:g}")
        return None
    return value


def _formats(reader: TableReader, key: str, required: bool = True) -> Iterator[StampFormat]:
    several = isinstance(reader.table.get(key), list)
    for text in reader.texts(key) if several else (reader.text(key, required),):
        try:
            if text:
                yield stamp_format(text)
        except FormatFault as fault:
            reader.problem("stamp_format", key, value=text, fault=str(fault))


def _pattern(reader: TableReader, key: str, place: str = "", required: bool = False) -> LinePattern | None:
    text = reader.text(key, required)
    if not text:
        return None
    pattern = _made(reader, key, text)
    if pattern is not None and place and place not in pattern.places:
        reader.problem("pattern_place", key, value=text, place="{" + place + "}")
        return None
    return pattern


def _patterns(reader: TableReader, key: str) -> Iterator[LinePattern]:
    for text in reader.texts(key, False):
        pattern = _made(reader, key, text)
        if pattern is not None:
            yield pattern


def _made(reader: TableReader, key: str, text: str) -> LinePattern | None:
    try:
        return line_pattern(text)
    except PatternFault as fault:
        reader.problem("pattern_form", key, value=text, fault=str(fault))
        return None


# -- sections ----------------------------------------------------------------------------------------


def _read_sections(reader: TableReader, time: TableTime | None) -> Iterator[TableSection]:
    seen: set[str] = set()
    if "sections" not in reader.table:
        reader.problem("key_missing", "sections")
    for inner in reader.tables("sections"):
        section = _read_section(inner)
        inner.check_once("table", section.table, seen)
        _check_names(inner, section, time)
        yield section


def _read_section(reader: TableReader) -> TableSection:
    reader.refuse_unknown(_SECTION_KEYS)
    words: tuple[str, ...] = ()
    pattern = None
    if isinstance(reader.table.get("heading"), str):
        pattern = _pattern(reader, "heading")
    else:
        words = reader.texts("heading", False)
    keys = reader.series_attributes("key")
    columns = reader.subtable("columns")
    read = {} if columns is None else {native: _read_column(columns, native) for native in columns.table}
    names = reader.texts("names", False)
    series = reader.subtable("series")
    return TableSection(
        reader.text("table"),
        words,
        pattern,
        names,
        keys,
        {k: v for k, v in read.items() if v},
        above=_read_above(reader),
        host=reader.text("host", required=False),
        name="" if series is None else series.text("name"),
        value="" if series is None else series.text("value"),
        parts=tuple(_read_parts(reader)),
    )


def _read_above(reader: TableReader) -> int:
    value = reader.whole("above") or 0
    if not 0 <= value <= _MOST_ABOVE:
        reader.problem("not_one_of", "above", value=str(value), known=f"0 .. {_MOST_ABOVE}")
        return 0
    return value


def _read_parts(reader: TableReader) -> Iterator[NamePart]:
    for table in reader.tables("parts"):
        table.refuse_unknown(_PART_KEYS)
        heading = _pattern(table, "heading")
        if heading is not None and not heading.places:
            table.problem("pattern_place", "heading", value=heading.text, place="{name}")
        elif heading is not None:
            yield NamePart(heading, table.text("name"))


def _check_names(reader: TableReader, section: TableSection, time: TableTime | None) -> None:
    """A column stands for one thing only; where the definition names them all, no other can be meant."""
    stamps = () if time is None else time.columns
    keyed = [column for _, column in section.keys]
    for column in [name for name in dict.fromkeys(keyed) if keyed.count(name) > 1 or name in stamps]:
        reader.problem("column_twice", "key", value=column)
    for column in section.columns:
        if column in stamps or column in keyed:
            reader.problem("column_twice", f'columns."{column}"', value=column)
    if not section.names:
        return
    for name in [name for name in dict.fromkeys(section.names) if section.names.count(name) > 1]:
        reader.problem("id_twice", "names", value=name)
    for key, wanted in (("names", stamps), ("key", keyed), ("columns", section.columns)):
        for column in wanted:
            if column not in section.names:
                reader.problem("column_missing", key, value=column)
    taken = {*stamps, *keyed, *(name for name, one in section.columns.items() if one.ignored)}
    if not set(section.names) - taken:
        reader.problem("no_numbers", "names")


def _read_column(reader: TableReader, native: str) -> TableColumn | None:
    quoted = f'"{native}"'
    value = reader.table[native]
    if not isinstance(value, dict):
        reader.problem("not_table", quoted)
        return None
    column = TableReader(value, reader.place(quoted), reader.problems)
    column.refuse_unknown(_COLUMN_KEYS)
    ignored = column.one_or_texts("ignored", required=True) if "ignored" in column.table else {}
    if ignored and len(column.table) > 1:
        other = next(key for key in column.table if key != "ignored")
        column.problem("column_ignored", other, value=native)
    return TableColumn(
        native=native,
        unit=column.unit(required=False),
        metric=_read_metric(column),
        suffix=column.word("suffix", tuple(Suffix), Suffix.NONE) or Suffix.NONE,
        attributes=column.series_attributes("attributes"),
        ignored=ignored,
        kind=column.word("kind", tuple(Kind), Kind.GAUGE) or Kind.GAUGE,
        direction=column.word("direction", tuple(Direction), Direction.NEUTRAL) or Direction.NEUTRAL,
        name=column.one_or_texts("name", required=False),
        meaning=column.one_or_texts("meaning", required=False),
    )


def _read_metric(reader: TableReader) -> str:
    """The column's metric, which needs its unit; a description of a metric of its own would contradict it."""
    metric = reader.text("metric", required=False)
    if metric and not reader.table.get("unit"):
        reader.problem("key_missing", "unit")
    own = [key for key in _OWN_METRIC_KEYS if key in reader.table]
    if metric and own:
        reader.problem("metric_known", own[0], metric=metric)
    elif own and not reader.table.get("unit"):
        reader.problem("key_missing", "unit")
    return metric
