"""One value of a record from the text that a person typed, or one clear sentence why not."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import is_dataclass
from datetime import date
from enum import Enum, IntEnum
from math import isfinite
from types import NoneType, UnionType
from typing import Any, NoReturn, Union, cast, get_args, get_origin

from tunebench.core.patterns import lazy_pattern
from tunebench.domain.cycle.moments import typed_moment
from tunebench.domain.cycle.record_json import BadRecord, value_from_json
from tunebench.domain.cycle.records import (
    FIGURES,
    DailyWindow,
    ExperimentSource,
    Figure,
    ManualSource,
    MeasurementSource,
    MetricSource,
    SeriesSource,
    StatementSource,
)
from tunebench.domain.experiments.records import CacheState
from tunebench.domain.schema import Filled, Names, OneOf, Outside, RecordField, Shape, Within, schema
from tunebench.domain.translations import FIELD
from tunebench.usecases.cycle.words import FieldRefusal

_NOTHING = ("", "-")
_METRIC = "metric"
_YES = {"yes": True, "true": True, "1": True, "on": True, "no": False, "false": False, "0": False, "off": False}
_REFERENCE = lazy_pattern(r"(?:[a-z]+\.)?([1-9][0-9]*)")
_FIGURE = lazy_pattern(r"([<>]?)\s*(-?[0-9][0-9,]*(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)")
_TIME = lazy_pattern(r"(?:[01][0-9]|2[0-3]):[0-5][0-9]|24:00")


def parse(hint: Any, field: RecordField, text: str) -> object:
    """The value of type `hint` that `text` says; `field` is where it is to stand.

    Raises:
        UserError: cycle_value_*; what it is about is in `field`.
    """
    text = text.strip() if hint is not str else text
    origin, inner = get_origin(hint), get_args(hint)
    if hint == MetricSource:
        return _source(field, text)
    if origin in (UnionType, Union):
        (wanted,) = (part for part in inner if part is not NoneType)
        return None if text in _NOTHING else parse(wanted, field, text)
    if origin is tuple:
        return _several(hint, inner[0], field, text)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return _member(hint, field, text)
    if hint in _PARTS:
        return _PARTS[hint](field, text)
    return item(hint, field, text) if is_dataclass(hint) else _SCALARS[hint](field, text)


def _refuse(key: str, field: RecordField, text: str, **facts: object) -> NoReturn:
    raise FieldRefusal(key, field=field.name, value=text, **facts)


# -- scalars -------------------------------------------------------------------------------------------


def _text(field: RecordField, text: str) -> str:
    if field.shape is Shape.DAY:
        return _day(field, text.strip())
    if field.shape is Shape.MOMENT:
        return _moment(field, text.strip())
    offered = field.mark(OneOf)
    if offered is not None and text.strip() not in offered.choices:
        _refuse("cycle_value_choice", field, text, choices=", ".join(choice or "-" for choice in offered.choices))
    if not text.strip() and field.mark(Filled) is not None:
        _refuse("cycle_value_empty", field, text)
    return text.strip() if offered is not None else text


def _day(field: RecordField, text: str) -> str:
    if text in _NOTHING:
        return ""
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        _refuse("cycle_value_date", field, text)


def _moment(field: RecordField, text: str) -> str:
    if text in _NOTHING:
        return ""
    try:
        return typed_moment(text).isoformat()
    except ValueError:
        _refuse("cycle_value_moment", field, text)


def _number(field: RecordField, text: str) -> float:
    try:
        number = float(text.replace(",", ""))
    except ValueError:
        _refuse("cycle_value_number", field, text)
    if not isfinite(number):
        _refuse("cycle_value_number", field, text)
    limits = field.mark(Within)
    if limits is not None and not limits.low <= number <= limits.high:
        _refuse("cycle_value_range", field, text, low=f"{limits.low:g}", high=f"{limits.high:g}")
    return number


def _whole(field: RecordField, text: str) -> int:
    if field.mark(Names) or field.mark(Outside):
        return _reference(field, text)
    number = _number(field, text)
    if number != int(number):
        _refuse("cycle_value_number", field, text)
    return int(number)


def _reference(field: RecordField, text: str) -> int:
    """``12`` or ``cause.12``."""
    match = _REFERENCE.fullmatch(text)
    if match is None:
        _refuse("cycle_value_reference", field, text)
    return int(match[1])


def _flag(field: RecordField, text: str) -> bool:
    answer = _YES.get(text.lower())
    return answer if answer is not None else _refuse("cycle_value_choice", field, text, choices=", ".join(_YES))


def _member(hint: type[Enum], field: RecordField, text: str) -> Enum:
    for member in hint:
        if text.lower() in (str(member.value), member.name.lower()):
            return member
    names = [member.name.lower() if issubclass(hint, IntEnum) else str(member.value) for member in hint]
    _refuse("cycle_value_choice", field, text, choices=", ".join(names))


_SCALARS: Mapping[Any, Callable[[RecordField, str], object]] = {str: _text, int: _whole, float: _number, bool: _flag}


# -- parts ---------------------------------------------------------------------------------------------


def _several(hint: Any, inner: Any, field: RecordField, text: str) -> object:
    if inner is int:
        return tuple(dict.fromkeys(_reference(field, part) for part in re.split(r"[,\s]+", text) if part))
    if text in _NOTHING:
        return ()
    try:
        return value_from_json(hint, json.loads(text), field.place)
    except (BadRecord, ValueError) as error:
        _refuse("cycle_value_list", field, text, detail=str(error))


def item(hint: Any, field: RecordField, text: str) -> object:
    """``resource=cpu; direction=-1``: a part of a record; a semicolon in a value is written ``\\;``."""
    if text.startswith("{"):
        try:
            return value_from_json(hint, json.loads(text), field.place)
        except (BadRecord, ValueError) as error:
            _refuse("cycle_value_list", field, text, detail=str(error))
    kind = cast("type", hint)
    part_fields, values = schema(kind), {}
    for pair in filter(str.strip, re.split(r"(?<!\\);", text)):
        name, equals, value = pair.partition("=")
        name = field_name(kind, name.strip())
        if not equals:
            _refuse("cycle_value_pairs", field, pair.strip(), known=known_fields(kind))
        values[name] = parse(part_fields[name].hint, part_fields[name], value.replace("\\;", ";").strip())
    for own in part_fields.values():
        if own.name not in values and not own.has_default:
            raise FieldRefusal("cycle_field_missing", kind=field.name, field=own.name)
    return kind(**values)


def known_fields(record_type: type) -> str:
    return ", ".join(name for name in schema(record_type) if name not in ("id", FIELD))


def field_name(record_type: type, name: str) -> str:
    """The field that is meant: ``metric`` may be said for ``metric_id``, ``causes`` for ``cause_ids``.

    Raises:
        UserError: cycle_field_unknown.
    """
    names = schema(record_type).keys() - {"id"}
    for candidate in (name, f"{name}_id", f"{name.removesuffix('s')}_ids"):
        if candidate in names:
            return candidate
    raise FieldRefusal("cycle_field_unknown", field=name, known=known_fields(record_type))


def _window(field: RecordField, text: str) -> DailyWindow:
    """``09:00-12:00``; over midnight where the end is the earlier."""
    start, _, end = (part.strip() for part in text.replace("~", "-").partition("-"))
    if not _TIME.fullmatch(start) or not _TIME.fullmatch(end) or start == end:
        _refuse("cycle_value_window", field, text)
    return DailyWindow(start, end)


def _figure(field: RecordField, text: str) -> Figure:
    """``590.997``, ``< 20``, ``590.997 @ document 000 p. 28``: value, bound and where it stands."""
    number, _, source = (part.strip() for part in text.partition("@"))
    if number in _NOTHING:
        return Figure(None, source=source)
    match = _FIGURE.fullmatch(number)
    if match is None:
        _refuse("cycle_value_figure", field, text)
    return Figure(_number(field, match[2]), match[1], source=source)


def _source(field: RecordField, text: str) -> MetricSource:
    """``series:HOST|TOOL|COLUMN|device=ssd2``, ``statement:elapsed_s|ENGINE|ID|per_execution``, ``measurement:KEY``,
    ``experiment:ID|RESPONSE|CACHE`` or ``manual:HOW``. A series' canonical metric stands among its attributes."""
    kind, _, rest = text.partition(":")
    parts = [part.strip() for part in rest.split("|")]
    if kind == "series" and len(parts) >= 3 and all("=" in pair for pair in parts[3:]):
        pairs = {pair.partition("=")[0]: pair.partition("=")[2] for pair in parts[3:]}
        metric = pairs.pop(_METRIC, "")
        return SeriesSource(parts[0], parts[1], parts[2], metric, tuple(sorted(pairs.items())))
    if kind == "statement" and parts[0] in FIGURES:
        engine, statement, per = (*parts[1:], "", "", "")[:3]
        return StatementSource(parts[0], engine, statement, per == "per_execution")
    if kind == "measurement" and rest.strip():
        return MeasurementSource(rest.strip())
    if kind == "experiment" and len(parts) in (2, 3) and parts[0].isdecimal() and parts[1]:
        cache = parts[2] if len(parts) == 3 else ""
        if cache in ("", *CacheState):
            return ExperimentSource(int(parts[0]), parts[1], cache)
    if kind == "manual":
        return ManualSource(rest.strip())
    _refuse("cycle_value_source", field, text, figures=", ".join(FIGURES))


def source_text(source: MetricSource) -> str:
    """What `parse` reads back as this source."""
    if isinstance(source, SeriesSource):
        pairs = [f"{name}={value}" for name, value in source.attributes]
        metric = [f"{_METRIC}={source.metric}"] if source.metric else []
        return "series:" + "|".join((source.host, source.tool, source.native, *metric, *pairs))
    if isinstance(source, StatementSource):
        parts = (source.figure, source.engine, source.statement_id, "per_execution" if source.per_execution else "")
        return "statement:" + "|".join(parts).rstrip("|")
    if isinstance(source, ExperimentSource):
        return "experiment:" + "|".join((str(source.experiment_id), source.response, source.cache)).rstrip("|")
    return f"measurement:{source.key}" if isinstance(source, MeasurementSource) else f"manual:{source.how}"


_PARTS: Mapping[Any, Callable[[RecordField, str], object]] = {DailyWindow: _window, Figure: _figure}
