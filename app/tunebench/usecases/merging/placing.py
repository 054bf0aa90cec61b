"""Records of another copy in the numbers of this one: every id that their JSON holds, wherever it stands."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import is_dataclass
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

from tunebench.domain.cycle.book import KINDS
from tunebench.domain.cycle.evidence import EvidenceKind, EvidenceTarget
from tunebench.domain.cycle.record_json import source_type
from tunebench.domain.cycle.records import Figure, Result
from tunebench.domain.cycle.seals import Amendment, Seal
from tunebench.domain.schema import Names, Outside, schema

Move = Callable[[str, int], int | None]
"""The id here of what the other copy calls by that number: a ``record``, ``run``, ``artefact``, ``experiment`` ..., or
the ``reference`` of a record in a text; None for what is not brought."""
Fields = dict[str, Any]


def placed_fields(record_type: type, body: Mapping[str, Any], move: Move) -> Fields:
    """The fields of a record, or of a part of one, as JSON."""
    moved = {name: _field(record_type, name, value, move) for name, value in body.items()}
    if record_type is EvidenceTarget:
        moved["series"] = _each(body.get("series", ()), "series", move)
        if body.get("kind") == EvidenceKind.EXPERIMENT and str(body.get("key", "")).isdecimal():
            moved["key"] = str(move("experiment", int(body["key"])))
    elif record_type in (Seal, Amendment):
        moved |= _of_a_seal(body, move)
    return moved


def placed_reference(reference: str, move: Move) -> str:
    """``target.7`` here."""
    kind, _, id_ = reference.partition(".")
    return f"{kind}.{move('reference', int(id_))}" if kind in KINDS and id_.isdecimal() else reference


def _field(record_type: type, name: str, value: Any, move: Move) -> Any:
    declared = schema(record_type).get(name)
    if declared is None or value is None:
        return value
    mark = declared.mark(Names) or declared.mark(Outside)
    if mark is None:
        return _value(declared.hint, value, move)
    what = "record" if isinstance(mark, Names) else mark.what
    return _each(value, what, move) if isinstance(value, list) else move(what, value)


def _each(ids: Iterable[int], what: str, move: Move) -> list[int]:
    return [here for id_ in ids if (here := move(what, id_)) is not None]


def _value(hint: Any, value: Any, move: Move) -> Any:
    origin, inner = get_origin(hint), get_args(hint)
    if origin is tuple and isinstance(value, list):
        hints = [inner[0]] * len(value) if inner[-1] is Ellipsis else inner
        return [_value(part, member, move) for part, member in zip(hints, value, strict=True)]
    if origin in (UnionType, Union):
        hints = [part for part in inner if part is not NoneType]
        part_type = hints[0] if len(hints) == 1 else source_type(value)
        return value if part_type is None or value is None else _value(part_type, value, move)
    if is_dataclass(hint) and isinstance(hint, type) and isinstance(value, dict):
        return placed_fields(hint, value, move)
    return value


# -- seals and amendments speak of records in texts ----------------------------------------------------


def _of_a_seal(body: Mapping[str, Any], move: Move) -> Fields:
    moved: Fields = {"record": placed_reference(str(body["record"]), move)}
    if "content" in body:
        return {**moved, "content": _placed_content(str(body["content"]), move)}
    kind = KINDS[str(body["record"]).partition(".")[0]]
    field = re.split(r"[.@]", str(body["field"]))[0]
    return {**moved, **{side: _placed_text(kind, field, str(body[side]), move) for side in ("old", "new")}}


def _placed_content(content: str, move: Move) -> str:
    records = json.loads(content)
    moved = {
        placed_reference(reference, move): placed_fields(KINDS[reference.partition(".")[0]], body, move)
        for reference, body in records.items()
    }
    return compact(moved)


def _placed_text(kind: type, field: str, text: str, move: Move) -> str:
    value = json.loads(text)
    if field:
        return compact(_field(kind, field, value, move))
    part = Figure if kind is Result else kind
    return compact(placed_fields(part, value, move)) if isinstance(value, dict) else text


def compact(value: object) -> str:
    """Canonical JSON, as seals and amendments have it."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
