"""The pieces an expression is made of."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What a name stands for, by how it is used."""

    NUMBER = "number"
    MEMBERS = "members"  # one number per member (per processor) and moment; only inside max, min and mean
    WORD = "word"
    FLAG = "flag"


@dataclass(frozen=True, slots=True)
class Number:
    value: float


@dataclass(frozen=True, slots=True)
class Word:
    text: str


@dataclass(frozen=True, slots=True)
class Name:
    name: str


@dataclass(frozen=True, slots=True)
class Lookup:
    """``warn[media]``: the number of `table` under the word that `key` has."""

    table: str
    key: str


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """`sign` is one of ``+ - * / //``."""

    sign: str
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Call:
    function: str
    arguments: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Share:
    """Share of samples at which `condition` was so: of the last `samples`, of the last `span_s`, or of all."""

    condition: Node
    samples: int | None = None
    span_s: float | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """``a < b <= c``: `terms` has one more entry than `signs`; `names` are all names inside."""

    terms: tuple[Node, ...]
    signs: tuple[str, ...]
    names: frozenset[str]


@dataclass(frozen=True, slots=True)
class OneOf:
    """``word in ('sata', 'sas')``."""

    name: str
    words: tuple[str, ...]
    negated: bool


@dataclass(frozen=True, slots=True)
class Flag:
    name: str


@dataclass(frozen=True, slots=True)
class Not:
    inner: Node


@dataclass(frozen=True, slots=True)
class Both:
    terms: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Either:
    terms: tuple[Node, ...]


Node = Number | Word | Name | Lookup | Arithmetic | Call | Share | Comparison | OneOf | Flag | Not | Both | Either
