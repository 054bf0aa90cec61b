"""What is declared of a record's field beside its type, once and for every room: marks in `Annotated`.

A text without a shape is one line. A field whose name a sheet or form is to show says how wide it stands there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass, replace
from enum import StrEnum
from functools import cache
from typing import Annotated, Any, TypeVar, cast, get_args, get_type_hints

from tunebench.core.records import record

T = TypeVar("T")


class Shape(StrEnum):
    """What a text may be."""

    LINE = "line"
    LINES = "lines"
    COMMANDS = "commands"  # several lines, leading blanks belong to them
    DAY = "day"  # ISO
    MOMENT = "moment"  # ISO with zone
    ZONE = "zone"


@record
class Filled:
    """The text is never empty."""


@record
class Translatable:
    """Words that a person wrote for readers: they may stand in a second language (`domain.translations`)."""


@record
class OfPerson:
    """Names of people, who are the same in every language: a document spells them as its own language does."""


@record
class OneOf:
    """The texts that there are to choose from; `words` is what the key of their words begins with."""

    choices: tuple[str, ...]
    words: str = ""


@record
class Within:
    """The lowest and the highest number."""

    low: float
    high: float


@record
class Names:
    """An id, or several, of records.

    Attributes:
        kind: of the records (`cycle.book.KINDS`), empty where any may be named.
        owner: the record, or the part of one, is nothing without the named one and goes with it.
    """

    kind: str = ""
    owner: bool = False


@record
class Outside:
    """An id of what is no record: ``run``, ``artefact`` or ``experiment``."""

    what: str


@record
class ByAct:
    """No text sets the field, but the act of that name, whose gates must not be passed by."""

    act: str


@record
class OnSheet:
    """The field has a column on the sheet of its kind.

    Attributes:
        width: in characters.
        name: of the column, the field's own where empty.
        optional: its cell may be empty although the field has no default.
    """

    width: float = 18
    name: str = ""
    optional: bool = False


@record
class InPlan:
    """The field is typed by itself in the plan of an experiment.

    Attributes:
        group: the part of the plan that it stands in.
        row: its row there.
    """

    group: str
    row: int


@record
class InForm:
    """The field has a place in the form of its kind: its row, and its width in twelfths."""

    row: int
    span: int = 12


Lines = Annotated[str, Shape.LINES]
Words = Annotated[str, Translatable()]
Prose = Annotated[str, Shape.LINES, Translatable()]
PersonName = Annotated[str, OfPerson()]
Commands = Annotated[str, Shape.COMMANDS]
Day = Annotated[str, Shape.DAY]
Moment = Annotated[str, Shape.MOMENT]
IterationId = Annotated[int, Names("iteration", owner=True)]

M = TypeVar("M")


@record
class RecordField:
    """A field as it was declared.

    Attributes:
        place: ``Type.field``.
        hint: its type without the marks.
        has_default: whether a new record may leave it out.
    """

    name: str
    place: str
    hint: Any
    has_default: bool
    marks: Mapping[type, Any]

    def mark(self, kind: type[M]) -> M | None:
        return cast("M | None", self.marks.get(kind))

    @property
    def shape(self) -> Shape:
        return self.mark(Shape) or Shape.LINE

    @property
    def has_lines(self) -> bool:
        return self.shape in (Shape.LINES, Shape.COMMANDS)


def schema(record_type: type) -> Mapping[str, RecordField]:
    """Name -> field of a record, or of a part of one, in their order."""
    return _fields(record_type)


@cache
def _fields(record_type: type) -> Mapping[str, RecordField]:
    plain, marked = get_type_hints(record_type), get_type_hints(record_type, include_extras=True)
    return {
        field.name: RecordField(
            field.name,
            f"{record_type.__name__}.{field.name}",
            plain[field.name],
            field.default is not MISSING or field.default_factory is not MISSING,
            {type(mark): mark for mark in getattr(marked[field.name], "__metadata__", ())},
        )
        for field in fields(record_type)
    }


def planned(record_type: type, group: str) -> tuple[str, ...]:
    """Names of the fields in a group of the plan, in the order of their rows."""
    marks = {field.name: field.mark(InPlan) for field in schema(record_type).values()}
    rows = {name: mark.row for name, mark in marks.items() if mark is not None and mark.group == group}
    return tuple(sorted(rows, key=rows.__getitem__))


# -- what a record names -------------------------------------------------------------------------------


@cache
def _naming(record_type: type) -> tuple[tuple[str, Names | Outside | None], ...]:
    """The fields that name something, and without a mark those that hold parts which do."""
    marks = {declared.name: declared.mark(Names) or declared.mark(Outside) for declared in schema(record_type).values()}
    return tuple(
        (name, mark) for name, mark in marks.items() if mark is not None or _holds(schema(record_type)[name].hint)
    )


def _holds(hint: Any) -> bool:
    if is_dataclass(hint):
        return bool(_naming(cast("type", hint)))
    return any(_holds(part) for part in get_args(hint))


def named(value: Any) -> Iterator[tuple[str, Names | Outside, int]]:
    """Field, mark and id of everything that a record names, in its parts too."""
    for name, mark in _naming(value.__class__):
        inner = getattr(value, name)
        for part in inner if isinstance(inner, tuple) else (inner,):
            if mark is not None and part:
                yield name, mark, part
            elif mark is None and part is not None:
                yield from named(part)


def owners(value: Any) -> frozenset[int]:
    """Ids of the records without which this one, or this part of one, is nothing."""
    marks = _naming(value.__class__)
    return frozenset(getattr(value, name) for name, mark in marks if isinstance(mark, Names) and mark.owner)


def renamed(value: T, name: Callable[[int], int | None]) -> T:
    """The record with `name` of every id of a record in it.

    An id that has none is taken out, and so is a part whose owner has none.
    """
    record: Any = value
    changes: dict[str, object] = {}
    for field, mark in _naming(record.__class__):
        inner = getattr(record, field)
        if isinstance(mark, Outside) or not inner:
            continue
        if isinstance(inner, tuple):
            kept = [name(part) if mark else _renamed_part(part, name) for part in inner]
            changes[field] = tuple(part for part in kept if part is not None)
        else:
            changes[field] = name(inner) if mark else renamed(inner, name)
    return cast("T", replace(record, **changes))


def _renamed_part(part: T, name: Callable[[int], int | None]) -> T | None:
    return None if any(name(id_) is None for id_ in owners(part) if id_) else renamed(part, name)
