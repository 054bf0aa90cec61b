"""The pieces an expression is made of."""

from __future__ import annotations

from enum import StrEnum

from tunebench.core.records import record


class Kind(StrEnum):
    """What a name stands for, by how it is used."""

    NUMBER = "number"
    MEMBERS = "members"  # one number per member (per processor) and moment; only inside max, min and mean
    WORD = "word"
    FLAG = "flag"


@record
class Number:
    value: float


@record
class Word:
    text: str


@record
class Name:
    name: str


@record
class Lookup:
    """``warn[media]``: the number of `table` under the word that `key` has."""

    table: str
    key: str


@record
class Arithmetic:
    """`sign` is one of ``+ - * / //``."""

    sign: str
    left: Node
    right: Node


@record
class Call:
    function: str
    arguments: tuple[Node, ...]


@record
class Share:
    """Share of samples at which `condition` was so: of the last `samples`, of the last `span_s`, or of all."""

    condition: Node
    samples: int | None = None
    span_s: float | None = None


@record
class Comparison:
    """``a < b <= c``: `terms` has one more entry than `signs`; `names` are all names inside."""

    terms: tuple[Node, ...]
    signs: tuple[str, ...]
    names: frozenset[str]


@record
class OneOf:
    """``word in ('sata', 'sas')``."""

    name: str
    words: tuple[str, ...]
    negated: bool


@record
class Flag:
    name: str


@record
class Not:
    inner: Node


@record
class Both:
    terms: tuple[Node, ...]


@record
class Either:
    terms: tuple[Node, ...]


Node = Number | Word | Name | Lookup | Arithmetic | Call | Share | Comparison | OneOf | Flag | Not | Both | Either
