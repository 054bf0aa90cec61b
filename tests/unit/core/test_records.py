"""A record against the standard dataclass of the same text, in all that the program relies on."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import typing
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import KW_ONLY, FrozenInstanceError, asdict, dataclass, field, fields, is_dataclass, replace
from typing import Any, ClassVar

import pytest

from tunebench.core.records import record

STANDARD = dataclass(frozen=True, slots=True)
MUTABLE, STANDARD_MUTABLE = record(frozen=False), dataclass(slots=True)

Decorator = Callable[[type], type]


@record
class Point:
    x: int
    y: list[int] = field(default_factory=list)


@record(frozen=False)
class Tally:
    count: int = 0


@dataclass(frozen=True)
class Named(Point):
    """A standard dataclass of a record, and a record of that."""

    name: str = ""


@record
class Numbered(Named):
    number: int = 0


class Wide(Point):
    """No record itself."""


def plain(decorator: Decorator) -> type:
    @decorator
    class Span:
        first: int
        last: int = 9
        words: list[str] = field(default_factory=list)
        unit: ClassVar[str] = "s"

        @property
        def length(self) -> int:
            return self.last - self.first

    return Span


def choosy(decorator: Decorator) -> type:
    @decorator
    class Choosy:
        name: str
        shown: float = field(default=0.5, repr=False)
        compared: int = field(default=1, compare=False)
        hashed: int = field(default=2, hash=False)
        fixed: str = field(default="x", init=False)
        kept: dict[str, int] = field(default_factory=dict, init=False, compare=False)
        _: KW_ONLY
        by_word: bool = False

    return Choosy


def checking(decorator: Decorator) -> type:
    @decorator
    class Checking:  # noqa: PLW1641 - made by the decorator
        """With a text and a check of its own."""

        share: float
        percent: float = field(init=False, default=0.0)

        def __post_init__(self) -> None:
            if not 0 <= self.share <= 1:
                raise ValueError(self.share)
            object.__setattr__(self, "percent", self.share * 100)

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Checking) and abs(self.share - other.share) < 0.1

        def __repr__(self) -> str:
            return f"{self.percent:g} %"

    return Checking


def empty(decorator: Decorator) -> type:
    @decorator
    class Empty:
        pass

    return Empty


def single(decorator: Decorator) -> type:
    @decorator
    class Single:
        value: object

    return Single


def derived(decorator: Decorator) -> type:
    @decorator
    class Base(ABC):
        first: int
        second: str = "b"

        @abstractmethod
        def name(self) -> str: ...

    @decorator
    class Derived(Base):
        third: tuple[int, ...] = ()
        second: str = "d"

        def name(self) -> str:
            return self.second

    return Derived


SHAPES: dict[str, tuple[Callable[[Decorator], type], tuple[tuple[tuple[object, ...], dict[str, object]], ...]]] = {
    "plain": (plain, (((1,), {}), ((1, 9), {}), ((1,), {"words": ["a"]}), ((), {"last": 3, "first": 1}))),
    "choosy": (choosy, ((("a",), {}), (("a", 0.5, 7), {}), (("a", 0.1), {"by_word": True}), (("a",), {"hashed": 5}))),
    "checking": (checking, (((0.5,), {}), ((0.55,), {}), ((1,), {}))),
    "empty": (empty, (((), {}),)),
    "single": (single, (((1,), {}), (((1,),), {}), ((None,), {}))),
    "derived": (derived, (((1,), {}), ((1, "d", (2,)), {}), ((2,), {"third": (1,)}))),
}
PAIRS = {"frozen": (record, STANDARD), "mutable": (MUTABLE, STANDARD_MUTABLE)}


@pytest.fixture(params=[(shape, pair) for shape in SHAPES for pair in PAIRS], ids="-".join)
def twins(request):
    """(the record, the standard class, the values of each of some instances)."""
    shape, pair = request.param
    make, values = SHAPES[shape]
    ours, standard = PAIRS[pair]
    return make(ours), make(standard), values


def instances(cls: Any, values) -> list[Any]:
    return [cls(*words, **named) for words, named in values]


def outcome(ask: Callable[..., object], *given: object, **named: object) -> object:
    """What comes of it: the answer, or the kind of the exception."""
    try:
        return ask(*given, **named)
    except Exception as error:  # noqa: BLE001 - kinds are compared
        return type(error)


def described(parts: tuple[dataclasses.Field[object], ...]) -> list[tuple[object, ...]]:
    return [
        (
            part.name,
            part.type,
            part.default,
            part.default_factory,
            part.init,
            part.repr,
            part.hash,
            part.compare,
            part.kw_only,
        )
        for part in parts
    ]


def test_the_class_is_described_alike(twins):
    ours, standard, values = twins
    assert all(map(is_dataclass, twins[:2]))
    assert described(fields(ours)) == described(fields(standard))
    assert ours.__match_args__ == standard.__match_args__
    assert ours.__slots__ == standard.__slots__
    assert (ours.__qualname__, ours.__module__) == (standard.__qualname__, standard.__module__)
    assert str(inspect.signature(ours)) == str(inspect.signature(standard))
    assert not hasattr(instances(ours, values)[0], "__dict__")


def test_instances_look_compare_and_hash_alike(twins):
    ours, standard, values = twins
    left, right = instances(ours, values), instances(standard, values)
    assert [repr(one) for one in left] == [repr(one) for one in right]
    assert [asdict(one) for one in left] == [asdict(one) for one in right]
    assert [[one == other for other in left] for one in left] == [[one == other for other in right] for one in right]
    assert [outcome(hash, one) for one in left] == [outcome(hash, one) for one in right]
    assert left[0] != right[0]


def test_frozen_ones_refuse_alike(twins):
    ours, standard, values = twins
    for cls in (ours, standard):
        for one in instances(cls, values):
            for name in [part.name for part in fields(one)]:
                before, is_frozen = repr(one), cls.__dataclass_params__.frozen
                assert outcome(setattr, one, name, getattr(one, name)) is (FrozenInstanceError if is_frozen else None)
                assert repr(one) == before
                if is_frozen:
                    assert outcome(delattr, one, name) is FrozenInstanceError
            assert outcome(setattr, one, "unheard_of", 1) in (FrozenInstanceError, AttributeError, TypeError)
    assert ours.__dataclass_params__.frozen == standard.__dataclass_params__.frozen


def test_wrong_arguments_are_refused_alike(twins):
    ours, standard, _ = twins
    for words, named in [((), {}), ((1,) * 12, {}), ((1,), {"nobody": 1}), ((), {"first": 1}), ((2.5,), {})]:
        answers = [outcome(cls, *words, **named) for cls in (ours, standard)]
        assert repr(answers[0]) == repr(answers[1])


def test_replacing_and_copying_is_alike(twins):
    ours, standard, values = twins
    for one, other in zip(instances(ours, values), instances(standard, values), strict=True):
        names = [part.name for part in fields(ours) if part.init]
        for name in names:
            assert repr(replace(one, **{name: getattr(one, name)})) == repr(
                replace(other, **{name: getattr(other, name)})
            )
        for copied in (copy.copy(one), copy.deepcopy(one)):
            assert copied is not one
            assert type(copied) is ours
            assert asdict(copied) == asdict(one)


def test_patterns_match_by_position():
    match Point(3, [4]):
        case Point(x, [y]):
            assert (x, y) == (3, 4)
        case _:
            pytest.fail("no match")


@pytest.mark.parametrize("one", [Point(1, [2]), Tally(3), Named(1, [2], "a"), Numbered(1, [2], "a", 5)])
@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickled_ones_come_back(one, protocol):
    back = pickle.loads(pickle.dumps(one, protocol))
    assert type(back) is type(one)
    assert back == one


def test_records_and_dataclasses_derive_from_each_other():
    assert repr(Numbered(1, name="a", number=2)) == "Numbered(x=1, y=[], name='a', number=2)"
    assert vars(Numbered)["__slots__"] == ("name", "number")
    with pytest.raises(FrozenInstanceError):
        Numbered(1).x = 2  # type: ignore[misc]
    with pytest.raises(TypeError):  # what derives from a frozen one is frozen

        @dataclass
        class Thawed(Point):  # type: ignore[misc]
            pass


def test_a_class_that_is_no_record_may_have_more():
    wide: Any = Wide(1)
    wide.width = 5
    assert wide.width == 5
    with pytest.raises(FrozenInstanceError):
        wide.x = 2
    assert wide != Point(1)


def test_ordered_ones_compare_as_their_values():
    def version(decorator):
        @decorator
        class Version:
            major: int
            minor: int = 0

        return Version

    ours, standard = version(record(order=True)), version(dataclass(frozen=True, slots=True, order=True))
    numbers = [(1, 0), (1, 2), (0, 9), (1, 2)]
    assert [(v.major, v.minor) for v in sorted(ours(*pair) for pair in numbers)] == sorted(numbers)
    for compare in ("__lt__", "__le__", "__gt__", "__ge__"):
        for left in numbers:
            for right in numbers:
                assert getattr(ours(*left), compare)(ours(*right)) == getattr(standard(*left), compare)(
                    standard(*right)
                )
    assert ours(1).__lt__(3) is NotImplemented


def test_by_word_only_and_by_identity():
    @record(kw_only=True)
    class Words:
        a: int
        b: int = 2

    @record(eq=False)
    class Thing:
        a: int

    assert Words(a=1).b == 2
    with pytest.raises(TypeError):
        Words(1)  # type: ignore[call-arg]
    assert Words.__match_args__ == ()
    thing = Thing(1)
    assert thing == thing
    assert thing != Thing(1)
    assert len({thing, Thing(1)}) == 2


def test_it_shows_itself_within_itself():
    point = Point(1)
    point.y.append(point)  # type: ignore[arg-type]
    assert repr(point) == "Point(x=1, y=[...])"


def test_a_default_that_changes_is_refused():
    with pytest.raises(ValueError, match="mutable default"):

        @record
        class Shared:
            names: list[str] = []  # noqa: RUF012 - what is refused


def test_hints_are_read():
    assert typing.get_type_hints(Point) == {"x": int, "y": list[int]}


def test_init_is_written_at_the_first_instance():
    @record
    class Late:
        a: int

    assert not inspect.isfunction(vars(Late)["__init__"])
    first = Late(1)
    assert inspect.isfunction(vars(Late)["__init__"])
    assert Late(1) == first
