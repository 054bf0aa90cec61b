"""A record with one of its fields changed, as typed: for ``cycle set``, grids and forms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar, cast, get_args, get_origin

from tunebench.core.errors import UserError
from tunebench.core.messages import LANGUAGES
from tunebench.domain.cycle.book import KINDS, Record
from tunebench.domain.cycle.records import Figure
from tunebench.domain.cycle.worksheet import Action, ActionState
from tunebench.domain.schema import ByAct, RecordField, schema
from tunebench.domain.translations import FIELD, is_translatable, with_translation
from tunebench.usecases.cycle.values import field_name, item, parse
from tunebench.usecases.cycle.words import FieldRefusal

R = TypeVar("R")


def set_field(record: R, path: str, text: str) -> R:
    """The record with the field at `path` changed to what `text` says.

    Args:
        path: ``title``; a part's field (``rollback.command``, ``impacts.2.note``, counted from 1); ``impacts+`` adds an
            item (``resource=cpu; direction=-1``), ``impacts-`` takes the item of that number out. ``title@en`` is the
            text in the second language, of a field that no act alone sets too.

    Raises:
        UserError: cycle_field_unknown, cycle_field_by_act, or cycle_value_* for a text that is no such value.
    """
    head, _, rest = path.partition(".")
    kind = cast("type", type(record))
    if "@" in head:
        return _translated(record, kind, head, text)
    operation = head[-1:] if head[-1:] in ("+", "-") else ""
    name = field_name(kind, head.removesuffix(operation))
    field, value = schema(kind)[name], getattr(record, name)
    by = field.mark(ByAct)
    if by is not None and "@" not in rest:
        raise FieldRefusal("cycle_field_by_act", field=name, act=by.act)
    if isinstance(value, ActionState):
        return cast("R", _with_state(cast("Action", record), cast("ActionState", parse(field.hint, field, text))))
    if operation:
        new: object = _with_item(field, value, operation, text)
    elif rest:
        new = _inside(field, value, rest, text)
    else:
        new = parse(field.hint, field, text)
    return cast("R", replace(cast("Any", record), **{name: new}))


def _translated(record: R, kind: type, path: str, text: str) -> R:
    typed, _, language = path.partition("@")
    name = field_name(kind, typed)
    if not is_translatable(schema(kind)[name]) or language not in LANGUAGES:
        raise FieldRefusal("cycle_field_untranslated", field=f"{name}@{language}")
    return cast("R", with_translation(record, name, language, text))


def _with_state(action: Action, state: ActionState) -> Action:
    """Drafts may be proposed and dropped by hand; what was done to a system is said by its acts alone."""
    acts = {ActionState.EXECUTED: "execute", ActionState.ROLLED_BACK: "roll-back"}
    act = acts.get(state) or ("roll-back" if action.state is ActionState.EXECUTED else "")
    if act and state is not action.state:
        raise FieldRefusal("cycle_field_by_act", field="state", act=act)
    return replace(action, state=state)


def _item_type(field: RecordField) -> Any:
    if get_origin(field.hint) is not tuple:
        raise FieldRefusal("cycle_field_no_list", field=field.name)
    return get_args(field.hint)[0]


def _with_item(field: RecordField, value: object, operation: str, text: str) -> object:
    wanted, items = _item_type(field), cast("tuple[Any, ...]", value)
    if wanted is int:
        ids = cast("tuple[int, ...]", parse(field.hint, field, text))
        kept = tuple(id_ for id_ in items if id_ not in ids)
        return (*kept, *ids) if operation == "+" else kept
    if operation == "+":
        return (*items, item(wanted, field, text))
    index = _index(text, items, field)
    return (*items[:index], *items[index + 1 :])


def _index(text: str, items: tuple[Any, ...], field: RecordField) -> int:
    if not text.strip().isdecimal() or not 1 <= int(text) <= len(items):
        raise FieldRefusal("cycle_item_unknown", field=field.name, value=text, count=len(items))
    return int(text) - 1


def _inside(field: RecordField, value: object, path: str, text: str) -> object:
    if isinstance(value, tuple):
        wanted = _item_type(field)
        number, _, rest = path.partition(".")
        index = _index(number, value, field)
        new = set_field(value[index], rest, text) if rest else item(wanted, field, text)
        return (*value[:index], new, *value[index + 1 :])
    if value is None:
        value = _begun(field)
    if not is_dataclass(value) or isinstance(value, type):
        raise FieldRefusal("cycle_field_unknown", field=f"{field.name}.{path}", known="-")
    return set_field(value, path, text)


def _begun(field: RecordField) -> object:
    """A part that is not there yet; only a figure can be begun by one of its fields."""
    if Figure not in get_args(field.hint):
        raise FieldRefusal("cycle_field_unknown", field=field.name, known="-")
    return Figure(None)


Typed = Mapping[str, str] | Iterable[tuple[str, str]]
"""Paths and texts as for `set_field`; as pairs, a path may come twice (``impacts+`` for every item)."""


def pairs_of(values: Typed) -> list[tuple[str, str]]:
    return list(values.items() if isinstance(values, Mapping) else values)


def new_record(kind: str, values: Typed, **given: object) -> Record:
    """A record of `kind` from texts; `given` are values that are known already (``iteration_id``, ``number``).

    Raises:
        UserError: cycle_kind_unknown, cycle_field_missing, cycle_field_unknown, cycle_value_*.
    """
    record_type: Any = KINDS.get(kind)
    if record_type is None:
        raise UserError("cycle_kind_unknown", kind=kind, known=", ".join(KINDS))
    record_fields = schema(record_type)
    begun: dict[str, object] = {"id": 0, **{name: value for name, value in given.items() if name in record_fields}}
    later: list[tuple[str, str]] = []
    for path, text in pairs_of(values):
        name = path if path.endswith(("+", "-")) or {".", "@"} & {*path} else field_name(record_type, path)
        if name in record_fields and not record_fields[name].mark(ByAct):
            begun[name] = parse(record_fields[name].hint, record_fields[name], text)
        else:
            later.append((path, text))
    for field in record_fields.values():
        if field.name not in begun and not field.has_default:
            raise FieldRefusal("cycle_field_missing", kind=kind, field=field.name)
    record: Any = record_type(**begun)
    for path, text in sorted(later, key=lambda pair: "@" in pair[0]):  # of words that are there by then
        record = set_field(record, path, text)
    return cast("Record", record)


_PLACES = frozenset({"id", "iteration_id", "number", FIELD})
"""Fields that say where a record stands, or what stands in it once more, and nothing of what is in it."""


def told_fields(record: Record) -> tuple[str, ...]:
    """Names of the fields that say what is in the record."""
    return tuple(name for name in schema(type(record)) if name not in _PLACES)


def is_empty(record: Record) -> bool:
    """Whether no field of the record holds more than its default."""
    names = told_fields(record)
    stated = ((field.default, getattr(record, field.name)) for field in fields(record) if field.name in names)
    return not any(_says(value) for default, value in stated if value != default)


def _says(value: object) -> bool:
    return bool(value.strip()) if isinstance(value, str) else value not in (None, ())
