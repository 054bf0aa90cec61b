"""Reads ``[[probes]]`` of a manifest; what is wrong is told with its place, nothing is guessed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from string import Formatter

from tunebench.core.patterns import lazy_pattern
from tunebench.domain.capturing.plan import CommandKind, Rights
from tunebench.sdk.probes import (
    DAY_PLACE_HOLDERS,
    RUN_PLACE_HOLDERS,
    ParameterKind,
    Probe,
    ProbeParameter,
    place_holders,
)
from tunebench.sdk.toml_tables import TableReader

OPERATING_SYSTEMS = ("linux", "sunos", "aix", "hp-ux", "freebsd")
"""The words of `HostProfile.os`."""
COST_SOURCES = ("measured", "estimated")

_PARAMETER_NAME = lazy_pattern(r"[a-z][a-z0-9_]*")
_VARIABLE = lazy_pattern(r"[A-Za-z_][A-Za-z0-9_]*")
_SECTION = lazy_pattern(r"[a-z][a-z0-9_]*")
_CONTROL = lazy_pattern(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
"""What one line through any login shell cannot carry."""
_PROBE_KEYS = frozenset(
    {"id", "name", "purpose", "os", "kind", "command", "tool", "version", "parser", "environment", "rights", "cpu_pct",
     "bytes_per_s", "cost_source", "shortest_interval_s", "default", "default_interval_s", "is_work", "section",
     "parameters", "licence", "like"}
)  # fmt: skip
_PARAMETER_KEYS = frozenset({"name", "kind", "label", "default", "required", "many"})
_KINDS = tuple(kind for kind in CommandKind if kind not in (CommandKind.HOUSE, CommandKind.TRIAL))
_ONE_LINE_KEYS = ("command", "version", "tool")


def read_probe_tables(reader: TableReader, key: str) -> tuple[Probe, ...]:
    """The probes of one manifest; faults are in `reader.problems`."""
    seen: set[str] = set()
    earlier: dict[str, Mapping[str, object]] = {}
    return tuple(_read_probe(_completed(table, earlier), seen) for table in reader.tables(key))


def _completed(reader: TableReader, earlier: dict[str, Mapping[str, object]]) -> TableReader:
    """The table with its missing keys taken from the earlier probe that it is ``like``."""
    other = reader.text("like", False)
    if other and other not in earlier:
        reader.problem("not_one_of", "like", value=other, known=", ".join(earlier))
    whole = TableReader({**earlier.get(other, {}), **reader.table}, reader.where, reader.problems)
    earlier[str(reader.table.get("id"))] = {name: value for name, value in whole.table.items() if name != "like"}
    return whole


def _read_probe(reader: TableReader, seen: set[str]) -> Probe:
    reader.refuse_unknown(_PROBE_KEYS)
    probe = Probe(
        id=reader.text("id"),
        name=reader.texts_by_language("name", required=True),
        purpose=reader.texts_by_language("purpose", required=True),
        os=reader.systems("os", OPERATING_SYSTEMS),
        kind=reader.word("kind", _KINDS, None) or CommandKind.ONCE,
        command=reader.text("command"),
        tool=reader.text("tool", False),
        version=reader.text("version", False),
        parser=reader.text("parser", False),
        environment=dict(reader.attributes("environment")),
        rights=reader.word("rights", tuple(Rights), Rights.USER) or Rights.USER,
        cpu_pct=_read_amount(reader, "cpu_pct"),
        bytes_per_s=_read_amount(reader, "bytes_per_s"),
        cost_source=reader.text("cost_source", False),
        shortest_interval_s=_read_seconds(reader, "shortest_interval_s", 1.0),
        default=reader.flag("default"),
        default_interval_s=_read_seconds(reader, "default_interval_s", 0.0),
        is_work=reader.flag("is_work"),
        section=reader.text("section", False),
        parameters=tuple(_read_parameters(reader)),
        licence=reader.text("licence", False),
    )
    _check_words(reader, probe)
    _check_cost(reader, probe)
    _check_command(reader, probe)
    reader.check_once("id", probe.id, seen)
    return probe


def _read_amount(reader: TableReader, key: str) -> float | None:
    value = reader.number(key)
    if value is not None and not 0 <= value < float("inf"):
        reader.problem("negative", key)
    return value


def _read_seconds(reader: TableReader, key: str, assumed: float) -> float:
    value = _read_amount(reader, key)
    return assumed if value is None else value


def _read_parameters(reader: TableReader) -> Iterator[ProbeParameter]:
    seen: set[str] = set()
    for table in reader.tables("parameters"):
        table.refuse_unknown(_PARAMETER_KEYS)
        parameter = ProbeParameter(
            name=table.text("name"),
            kind=table.word("kind", tuple(ParameterKind), None) or ParameterKind.NAME,
            label=table.texts_by_language("label", required=True),
            default=table.text("default", False),
            required=table.flag("required"),
            many=table.flag("many"),
        )
        _check_parameter(table, parameter, seen)
        seen.add(parameter.name)
        yield parameter


def _check_parameter(table: TableReader, parameter: ProbeParameter, seen: set[str]) -> None:
    reserved = (*RUN_PLACE_HOLDERS, *DAY_PLACE_HOLDERS)
    if parameter.name and (not _PARAMETER_NAME.fullmatch(parameter.name) or parameter.name in reserved):
        table.problem("parameter_name", "name", value=parameter.name, reserved=", ".join(reserved))
    if parameter.name in seen:
        table.problem("id_twice", "name", value=parameter.name)
    if parameter.default and not parameter.accepts(parameter.default):
        table.problem("parameter_default", "default", value=parameter.default, kind=str(parameter.kind))
    if parameter.default and parameter.kind is ParameterKind.COMMAND:
        table.problem("command_default", "default")


def _check_words(reader: TableReader, probe: Probe) -> None:
    reader.check_id("id", probe.id)
    for key in _ONE_LINE_KEYS:
        if _CONTROL.search(str(getattr(probe, key))):
            reader.problem("line_unsafe", key)
    for variable, value in probe.environment.items():
        if not _VARIABLE.fullmatch(variable):
            reader.problem("variable_form", f"environment.{variable}", value=variable)
        if _CONTROL.search(value):
            reader.problem("line_unsafe", f"environment.{variable}")
    if probe.section and (probe.kind is not CommandKind.ONCE or not _SECTION.fullmatch(probe.section)):
        reader.problem("section_unfit", "section", value=probe.section)
    reader.check_id("licence", probe.licence)
    if sum(parameter.many for parameter in probe.parameters) > 1:
        reader.problem("many_twice", "parameters")


def _check_cost(reader: TableReader, probe: Probe) -> None:
    """A cost without a source is a rumour, and a source without a cost is an empty word."""
    stated = probe.cpu_pct is not None or probe.bytes_per_s is not None
    if stated and probe.cost_source not in COST_SOURCES:
        reader.problem("not_one_of", "cost_source", value=probe.cost_source, known=", ".join(COST_SOURCES))
    if probe.cost_source and not stated:
        reader.problem("cost_missing", "cost_source")
    if probe.shortest_interval_s <= 0:
        reader.problem("negative", "shortest_interval_s")
    if 0 < probe.default_interval_s < probe.shortest_interval_s:
        reader.problem("interval_short", "default_interval_s", shortest=f"{probe.shortest_interval_s:g}")


def _check_command(reader: TableReader, probe: Probe) -> None:
    try:
        used = place_holders(probe.command)
    except ValueError as error:
        reader.problem("template", "command", reason=str(error))
        return
    _check_place_holders(reader, probe, used)
    quoted, still_open = _names_in_quotes(probe.command)
    for name in sorted(quoted & {parameter.name for parameter in probe.parameters}):
        reader.problem("place_holder_quoted", "command", name=name)
    if still_open:
        reader.problem("quotes_open", "command")
    if probe.kind is CommandKind.STREAM and not ({"interval"} <= set(used) and set(used) & {"count", "duration"}):
        reader.problem("stream_unbounded", "command")
    if probe.kind in (CommandKind.ONCE, CommandKind.PULL):
        for name in sorted(set(used) & set(RUN_PLACE_HOLDERS)):
            reader.problem("place_holder_unfit", "command", name=name, kind=str(probe.kind))
    if probe.kind is CommandKind.PULL and probe.command and not probe.command.startswith(("/", "{")):
        reader.problem("pull_no_path", "command")


def _check_place_holders(reader: TableReader, probe: Probe, used: tuple[str, ...]) -> None:
    """Every place-holder is known, and every parameter has its place."""
    by_day = probe.kind is CommandKind.PULL and any(p.kind is ParameterKind.DAYS for p in probe.parameters)
    days = set(DAY_PLACE_HOLDERS) if by_day else set()
    declared = {parameter.name for parameter in probe.parameters}
    allowed = declared | set(RUN_PLACE_HOLDERS) | days
    for name in dict.fromkeys(used):
        if name not in allowed:
            reader.problem("place_holder_unknown", "command", name=name, known=", ".join(sorted(allowed)))
    for parameter in probe.parameters:
        filled = set(used) & days if by_day and parameter.kind is ParameterKind.DAYS else {parameter.name} & set(used)
        if parameter.name and not filled:
            reader.problem("parameter_unused", "parameters", name=parameter.name)


def _names_in_quotes(command: str) -> tuple[set[str], bool]:
    """Place-holders inside quotes of the shell, where a quoted value would end the quotes; whether one stays open."""
    quoted: set[str] = set()
    quote = ""
    for literal, name, _, _ in Formatter().parse(command):
        quote = _quote_after(literal, quote)
        if name and quote:
            quoted.add(name)
    return quoted, bool(quote)


def _quote_after(text: str, quote: str) -> str:
    """The quote that is open behind `text`, given the one that was open before it."""
    escaped = False
    for character in text:
        if escaped:
            escaped = False
        elif character == "\\" and quote != "'":
            escaped = True
        elif quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
    return quote
