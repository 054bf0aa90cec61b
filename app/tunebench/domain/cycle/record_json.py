"""Records of the cycle as JSON and back. Strict: what was not written by us is damage, not a default.

A field that is missing takes its default, so that a later version may add one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum, IntEnum
from functools import lru_cache
from math import isfinite
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, NoReturn, Union, cast, get_args, get_origin

from tunebench.domain.cycle.book import KINDS, Record
from tunebench.domain.cycle.records import (
    ExperimentSource,
    ManualSource,
    MeasurementSource,
    SeriesSource,
    StatementSource,
)
from tunebench.domain.schema import schema
from tunebench.domain.translations import FIELD as TRANSLATIONS

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_TAG = "type"
_REMEMBERED = 8_192
_SOURCES: Mapping[str, type] = {
    "series": SeriesSource,
    "statement": StatementSource,
    "measurement": MeasurementSource,
    "experiment": ExperimentSource,
    "manual": ManualSource,
}
_TAG_OF = {made: name for name, made in _SOURCES.items()}


class BadRecord(ValueError):
    """A stored text is not the JSON of such a record; the message says where and why."""


# -- to JSON -------------------------------------------------------------------------------------------


def to_json(record: DataclassInstance) -> str:
    """JSON of all fields but the id. Raises ValueError for a number that is not finite."""
    return json.dumps(fields_of(record), ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def fields_of(record: DataclassInstance) -> dict[str, object]:
    """Field -> JSON value, without the id; translations where there are any."""
    return {name: value for name, value in all_fields_of(record).items() if value or name != TRANSLATIONS}


def all_fields_of(record: DataclassInstance) -> dict[str, object]:
    """Field -> JSON value, without the id."""
    return {field.name: plain(getattr(record, field.name)) for field in fields(record) if field.name != "id"}


def changed_fields(
    before: DataclassInstance | None, after: DataclassInstance | None
) -> Iterator[tuple[str, list[object]]]:
    """Field -> [old, new] where they differ, None where the record was not there."""
    old = all_fields_of(before) if before is not None else {}
    new = all_fields_of(after) if after is not None else {}
    for name in new or old:
        pair = [old.get(name), new.get(name)]
        if pair[0] != pair[1] and (any(pair) or name != TRANSLATIONS):
            yield name, pair


def plain(value: object) -> object:
    """Any value of a record as JSON; a metric's source names its ``type``."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, tuple):
        return [plain(member) for member in value]
    if not is_dataclass(value):
        return value
    tag = {_TAG: _TAG_OF[type(value)]} if type(value) in _TAG_OF else {}
    parts = {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    return {**tag, **{name: part for name, part in parts.items() if part or name != TRANSLATIONS}}


# -- from JSON -----------------------------------------------------------------------------------------


@lru_cache(maxsize=_REMEMBERED)
def from_json(kind: str, id_: int, text: str) -> Record:
    """Records are frozen, so one that was read before is given again. Raises BadRecord."""
    record_type = KINDS.get(kind)
    if record_type is None:
        raise BadRecord(f"unknown kind {kind!r}")
    try:
        body = json.loads(text, parse_constant=_no_number)
    except ValueError as error:
        raise BadRecord(str(error)) from error
    if not isinstance(body, dict) or "id" in body:
        raise BadRecord("not the fields of a record")
    return cast("Record", _object(record_type, {**body, "id": id_}, kind))


def value_from_json(hint: Any, value: object, place: str) -> object:
    """A value of the type `hint`, which stands at `place`. Raises BadRecord."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (UnionType, Union):
        return _one_of(inner, value, place)
    if origin is tuple:
        return _tuple(inner, value, place)
    if is_dataclass(hint):
        return _object(cast("type", hint), value, place)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return _enum(hint, value, place)
    return _SCALARS[hint](value, place)


def _no_number(text: str) -> NoReturn:
    raise BadRecord(f"{text} is no number")


def _refuse(place: str, value: object, wanted: str) -> NoReturn:
    raise BadRecord(f"{place}: {wanted} wanted, {json.dumps(value, ensure_ascii=False, default=str)[:80]} found")


def _object(record_type: type, value: object, place: str) -> object:
    if not isinstance(value, dict):
        _refuse(place, value, "object")
    declared = schema(record_type)
    unknown = sorted(value.keys() - declared.keys())
    if unknown:
        raise BadRecord(f"{place}: unknown field {unknown[0]}")
    missing = [name for name, field in declared.items() if name not in value and not field.has_default]
    if missing:
        raise BadRecord(f"{place}: field {missing[0]} is missing")
    return record_type(
        **{name: value_from_json(declared[name].hint, inner, f"{place}.{name}") for name, inner in value.items()}
    )


def _one_of(hints: tuple[Any, ...], value: object, place: str) -> object:
    if value is None and NoneType in hints:
        return None
    wanted = [hint for hint in hints if hint is not NoneType]
    if len(wanted) == 1:
        return value_from_json(wanted[0], value, place)
    if not isinstance(value, dict):
        _refuse(place, value, "object")
    source_type = _SOURCES.get(str(value.get(_TAG)))
    if source_type is None:
        _refuse(place, value.get(_TAG), _TAG)
    return _object(source_type, {name: inner for name, inner in value.items() if name != _TAG}, place)


def _tuple(hints: tuple[Any, ...], value: object, place: str) -> object:
    if not isinstance(value, list):
        _refuse(place, value, "list")
    if hints[-1] is Ellipsis:
        return tuple(value_from_json(hints[0], inner, f"{place}.{index}") for index, inner in enumerate(value))
    if len(hints) != len(value):
        _refuse(place, value, f"list of {len(hints)}")
    return tuple(value_from_json(hint, inner, place) for hint, inner in zip(hints, value, strict=True))


def _enum(hint: type[Enum], value: object, place: str) -> Enum:
    if isinstance(value, int if issubclass(hint, IntEnum) else str) and not isinstance(value, bool):
        for member in hint:
            if member.value == value:
                return member
    _refuse(place, value, hint.__name__)


def _text(value: object, place: str) -> str:
    return value if isinstance(value, str) else _refuse(place, value, "text")


def _whole(value: object, place: str) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else _refuse(place, value, "whole number")


def _flag(value: object, place: str) -> bool:
    return value if isinstance(value, bool) else _refuse(place, value, "true or false")


def _number(value: object, place: str) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value):
        return float(value)
    _refuse(place, value, "number")


_SCALARS: Mapping[Any, Callable[[object, str], object]] = {str: _text, int: _whole, bool: _flag, float: _number}


def source_type(value: object) -> type | None:
    """The kind of a metric's source that a JSON value is; None for what is none."""
    return _SOURCES.get(str(value.get(_TAG))) if isinstance(value, dict) else None
