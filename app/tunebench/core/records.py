"""Records: what `dataclass(frozen=True, slots=True)` gives, with nothing that is compiled when a module is imported.

The standard decorator writes and compiles five functions for each class, half a millisecond; a start loads hundreds of
classes and makes values of a few. Here comparing, hashing and showing are closures, and `__init__` is written when it
is first asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from operator import attrgetter, eq, ge, gt, le, lt
from reprlib import recursive_repr
from types import FunctionType
from typing import TypeVar, cast, dataclass_transform, overload

Class = TypeVar("Class")
_Fields = Sequence[Field[object]]
_Namespace = dict[str, object]
_Values = Callable[[object], tuple[object, ...]]
_Compare = Callable[[tuple[object, ...], tuple[object, ...]], object]

_FIELDS, _PARAMETERS = "__dataclass_fields__", "__dataclass_params__"
"""Where the standard decorator keeps what `fields`, `replace` and classes that derive from a dataclass ask for."""


@overload
def record(cls: type[Class], /) -> type[Class]: ...
@overload
def record(
    *, frozen: bool = True, eq: bool = True, order: bool = False, kw_only: bool = False
) -> Callable[[type[Class]], type[Class]]: ...
@dataclass_transform(frozen_default=True, field_specifiers=(field, Field))
def record(
    cls: type[Class] | None = None,
    /,
    *,
    frozen: bool = True,
    eq: bool = True,
    order: bool = False,
    kw_only: bool = False,
) -> type[Class] | Callable[[type[Class]], type[Class]]:
    """The class with slots and the methods of a dataclass; `fields`, `replace` and `asdict` know its instances.

    The options are those of `dataclasses.dataclass`. Methods that the class has itself stand. There is no `InitVar`.
    """

    def decorated(plain: type[Class]) -> type[Class]:
        return cast("type[Class]", _record(plain, frozen=frozen, eq=eq, order=order, kw_only=kw_only))

    return decorated if cls is None else decorated(cls)


def _record(plain: type, *, frozen: bool, eq: bool, order: bool, kw_only: bool) -> type:
    own = {name: value for name, value in vars(plain).items() if name not in {"__dict__", "__weakref__"}}
    own["__doc__"] = plain.__doc__ or plain.__name__  # else the standard decorator would write the signature there
    described: type = dataclass(init=False, repr=False, eq=False, kw_only=kw_only)(type(plain.__name__, (), dict(own)))
    setattr(described, _FIELDS, _inherited(plain) | vars(described)[_FIELDS])
    vars(described)[_PARAMETERS].frozen = frozen
    parts = fields(described)
    if own.get("__hash__", MISSING) is None:  # Python's own mark of a class that compares
        del own["__hash__"]
    namespace = _methods(parts, frozen=frozen, compares=eq, order=order) | own
    for part in parts:
        namespace.pop(part.name, None)
    taken = {name for base in plain.__mro__[1:] for name in vars(base).get("__slots__", ())}
    namespace |= {name: vars(described)[name] for name in (_FIELDS, _PARAMETERS)}
    namespace |= {"__slots__": tuple(part.name for part in parts if part.name not in taken)}
    return type(plain)(plain.__name__, plain.__bases__, namespace | {"__qualname__": plain.__qualname__})


def _inherited(plain: type) -> dict[str, Field[object]]:
    parts: dict[str, Field[object]] = {}
    for base in reversed(plain.__mro__[1:]):
        parts |= vars(base).get(_FIELDS, {})
    return parts


def _methods(parts: _Fields, *, frozen: bool, compares: bool, order: bool) -> _Namespace:
    """What a record has where its class has not the same itself."""
    methods: _Namespace = {
        "__init__": _UnwrittenInit(),
        "__repr__": _shown([part.name for part in parts if part.repr]),
        "__match_args__": tuple(part.name for part in parts if part.init and not part.kw_only),
    }
    values = _values([part.name for part in parts if part.compare])
    comparisons: list[_Compare] = [*([eq] if compares else []), *([lt, le, gt, ge] if order else [])]
    for compare in comparisons:
        methods[f"__{compare.__name__}__"] = _compared(values, compare)
    if compares and frozen:
        hashed = _values([part.name for part in parts if (part.compare if part.hash is None else part.hash)])
        methods["__hash__"] = lambda one: hash(hashed(one))
    if frozen:
        methods |= {"__setattr__": _refuse_setting, "__delattr__": _refuse_deleting}
        methods |= {"__getstate__": _state, "__setstate__": _set_state}
    return methods


def _values(names: Sequence[str]) -> _Values:
    """Gives those attributes of a record as a tuple."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda one: tuple(getattr(one, name) for name in names)


def _compared(values: _Values, compare: _Compare) -> Callable[[object, object], object]:
    def compared(record: object, other: object) -> object:
        if other.__class__ is record.__class__:
            return compare(values(record), values(other))
        return NotImplemented

    return compared


def _shown(names: Sequence[str]) -> Callable[[object], str]:
    @recursive_repr()
    def shown(record: object) -> str:
        values = ", ".join(f"{name}={getattr(record, name)!r}" for name in names)
        return f"{type(record).__qualname__}({values})"

    return shown


# -- frozen --------------------------------------------------------------------------------------------


def _refuse_setting(record: object, name: str, value: object) -> None:
    _refuse(record, name, "assign to")
    object.__setattr__(record, name, value)


def _refuse_deleting(record: object, name: str) -> None:
    _refuse(record, name, "delete")
    object.__delattr__(record, name)


def _refuse(record: object, name: str, doing: str) -> None:
    """A class that derives from a record, and is none, may have attributes of its own."""
    if name in getattr(record, _FIELDS) or _FIELDS in vars(type(record)):
        raise FrozenInstanceError(f"cannot {doing} field {name!r}")


def _state(record: object) -> list[object]:
    """For pickling and copying, which would set the attributes one by one."""
    return [getattr(record, name) for name in _field_names(record)]


def _set_state(record: object, state: list[object]) -> None:
    for name, value in zip(_field_names(record), state, strict=True):
        object.__setattr__(record, name, value)


def _field_names(record: object) -> list[str]:
    return [part.name for part in fields(record)]  # type: ignore[arg-type]  # records are dataclasses


# -- __init__ ------------------------------------------------------------------------------------------


class _UnwrittenInit:
    """The place of an `__init__` that nobody has asked for yet; who does gets the one that is written then."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._owner = owner

    def __get__(self, record: object, owner: type | None = None) -> object:
        init = _written_init(self._owner)
        setattr(self._owner, "__init__", init)  # noqa: B010 - mypy knows no such assignment
        return init.__get__(record, owner)


class _Default:
    """Stands for what a factory makes."""

    def __repr__(self) -> str:
        return "<factory>"


_MADE = _Default()


def _written_init(cls: type) -> FunctionType:
    """The function that the standard decorator would have written, but that it sets slots without looking them up."""
    parts = fields(cls)
    frozen = vars(cls)[_PARAMETERS].frozen
    namespace: _Namespace = {"MADE": _MADE}
    for part in parts:
        namespace |= {f"default_{part.name}": part.default, f"make_{part.name}": part.default_factory}
        namespace[f"set_{part.name}"] = getattr(cls, part.name).__set__ if frozen else None
    parameters = [_parameter(part) for part in parts if part.init and not part.kw_only]
    by_word = [_parameter(part) for part in parts if part.init and part.kw_only]
    body = [f"set_{name}(self, {value})" if frozen else f"self.{name} = {value}" for name, value in _set_values(parts)]
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    words = ", ".join(["self", *parameters, *(["*", *by_word] if by_word else [])])
    text = f"def __init__({words}):\n " + "\n ".join(body or ["pass"])
    exec(compile(text, f"<record {cls.__qualname__}>", "exec"), namespace)  # noqa: S102 - made of names of fields alone
    init = cast("FunctionType", namespace["__init__"])
    init.__annotations__ = {part.name: part.type for part in parts if part.init} | {"return": None}
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    init.__module__ = cls.__module__
    return init


def _parameter(part: Field[object]) -> str:
    if part.default_factory is not MISSING:
        return f"{part.name}=MADE"
    return part.name if part.default is MISSING else f"{part.name}=default_{part.name}"


def _set_values(parts: _Fields) -> Iterator[tuple[str, str]]:
    """Name and value of each field that `__init__` sets, as they are written."""
    for part in parts:
        fresh = f"make_{part.name}()"
        if part.init:
            yield (
                part.name,
                part.name if part.default_factory is MISSING else f"{fresh} if {part.name} is MADE else {part.name}",
            )
        elif part.default_factory is not MISSING:
            yield part.name, fresh
        elif part.default is not MISSING:
            yield part.name, f"default_{part.name}"
