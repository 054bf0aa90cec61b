"""Judges an expression at every sample at once, of one thing or of several.

A sample is judged where every figure that is needed was measured at it and its answer does not hang on a division by
zero: ``r_s > 0 and kr_s / r_s > 8`` is judged at an idle disk, ``kr_s / r_s > 8`` is not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from functools import reduce
from typing import TypeGuard

import numpy as np

from tunebench.analysis.comparing.stationarity import FEWEST, rise
from tunebench.analysis.expressions.figures import Figures
from tunebench.analysis.expressions.moments import Bools, Floats, Ints, trailing_share
from tunebench.analysis.expressions.nodes import (
    Arithmetic,
    Both,
    Call,
    Comparison,
    Either,
    Flag,
    Kind,
    Lookup,
    Name,
    Node,
    Not,
    Number,
    OneOf,
    Share,
    Word,
)
from tunebench.analysis.expressions.parsing import Expression
from tunebench.analysis.queueing.stations import knee
from tunebench.core.records import record

Tables = Mapping[str, Mapping[str, float]]
Value = Floats | float
_Known = Bools | np.bool_
_YES = np.bool_(True)
_COMPARE: Mapping[str, Callable[[Value, Value], Bools]] = {
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "==": np.equal,
    "!=": np.not_equal,
}
_COMPUTE: Mapping[str, Callable[[Value, Value], Floats]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "//": np.floor_divide,
}
_NS_PER_S = 1_000_000_000
_LONGEST_QUEUE = 4096
"""Servers of a station; no machine has more processors that one queue feeds."""


@record
class Judged:
    """The answer at each sample, of the shape of the figures.

    Attributes:
        held: so, among those that were judged.
        zero_divisions: samples that were not judged because of a division by zero; of several things of each.
    """

    held: Bools
    judged: Bools
    zero_divisions: Ints | int = 0


def judge(
    expression: Expression, figures: Figures, tables: Tables | None = None, optional: frozenset[str] = frozenset()
) -> Judged:
    """Where `expression` holds; a name that is not measured leaves every sample unjudged, unless it is `optional`."""
    evaluation = _Evaluation(figures, tables or {}, optional)
    with np.errstate(all="ignore"):  # what overflows or divides by zero becomes NaN and is looked at
        answer = evaluation.truth(expression.root)
    shape = figures.shape
    known = np.broadcast_to(answer.known, shape)
    measured = _measured(expression, figures, optional)
    judged = known.copy() if measured is None else known & measured
    held = np.broadcast_to(answer.true, shape) & judged
    return Judged(held, judged, evaluation.divisions(judged, measured))


def _measured(expression: Expression, figures: Figures, optional: frozenset[str]) -> Bools | None:
    """Samples at which all figures that are needed were measured; None: all."""
    whole: Bools | None = None
    for name, kind in expression.names.items():
        if name in optional:
            continue
        if name not in figures:
            return np.zeros(figures.shape, dtype=np.bool_)
        measured = figures.finite(name) if kind in (Kind.NUMBER, Kind.MEMBERS) else None
        if measured is not None:
            whole = measured if whole is None else whole & measured
    return whole


@record
class _Truth:
    """Of three values: true, known and not true, not known (then `true` is false)."""

    true: _Known
    known: _Known


@record
class _Quantity:
    """Numbers, NaN where there is none; `finite` None: there is one everywhere."""

    values: Value
    finite: _Known | None = None


@record(frozen=False)
class _Evaluation:
    figures: Figures
    tables: Tables
    optional: frozenset[str]
    zeros: list[_Known] = field(default_factory=list)
    open: _Known = _YES
    """Of each thing, whether anything asked from here on can still change an answer."""

    def divisions(self, judged: Bools, measured: Bools | None) -> Ints | int:
        """Samples that were measured, not judged, and divided by zero."""
        if not self.zeros:
            return 0
        lost = reduce(np.logical_or, self.zeros) & ~judged
        counts: Ints | int = np.count_nonzero(lost if measured is None else lost & measured, axis=-1)
        return counts

    # -- truth ---------------------------------------------------------------------------------------

    def truth(self, node: Node) -> _Truth:
        match node:
            case Both(terms):
                return self._both(terms, self.truth)
            case Either(terms):
                return self._not(self._both(terms, lambda term: self._not(self.truth(term))))
            case Not(inner):
                return self._not(self.truth(inner))
            case Comparison():
                return self._comparison(node)
            case OneOf(name, words, negated):
                return self._one_of(name, words, negated)
            case Flag(name):
                flag = self.figures.flag(name)
                return self._settled(_Truth(np.bool_(flag is True), np.bool_(flag is not None)), name)
        raise TypeError(f"{node!r} is no condition")

    def _both(self, terms: Sequence[Node], truth: Callable[[Node], _Truth]) -> _Truth:
        """True where all are, false where one is known to be false: of what is so at all samples no more is asked."""
        outer = self.open
        first = truth(terms[0])
        true, known, false = first.true, first.known, first.known & ~first.true
        for node in terms[1:]:
            self.open = self.open & ~np.broadcast_to(false, self.figures.shape).all(axis=-1)
            term = truth(node)
            true = true & term.true
            known = known & term.known
            false = false | (term.known & ~term.true)
        self.open = outer
        return _Truth(true, known | false)

    @staticmethod
    def _not(inner: _Truth) -> _Truth:
        return _Truth(inner.known & ~inner.true, inner.known)

    def _settled(self, answer: _Truth, *names: str) -> _Truth:
        """A condition on an optional figure does not hold where that figure is missing."""
        return _Truth(answer.true, _YES) if self.optional.intersection(names) else answer

    def _one_of(self, name: str, words: tuple[str, ...], negated: bool) -> _Truth:
        word = self.figures.word(name)
        matches = (word in words) is not negated
        return self._settled(_Truth(np.bool_(bool(word) and matches), np.bool_(bool(word))), name)

    def _comparison(self, node: Comparison) -> _Truth:
        if any(isinstance(term, Word) for term in node.terms):
            return self._settled(self._words(node), *node.names)
        terms = [self.value(term) for term in node.terms]
        pairs = zip(node.signs, terms, terms[1:], strict=False)
        true: _Known = reduce(
            np.logical_and, (_COMPARE[sign](left.values, right.values) for sign, left, right in pairs)
        )
        gaps = [term.finite for term in terms if term.finite is not None]
        if not gaps:
            return self._settled(_Truth(true, _YES), *node.names)
        known: _Known = reduce(np.logical_and, gaps)
        return self._settled(_Truth(true & known, known), *node.names)

    def _words(self, node: Comparison) -> _Truth:
        words = [term.text if isinstance(term, Word) else self._word(term) for term in node.terms]
        pairs = zip(node.signs, words, words[1:], strict=False)
        true = all((left == right) is (sign == "==") for sign, left, right in pairs)
        known = all(words)
        return _Truth(np.bool_(true and known), np.bool_(known))

    def _word(self, node: Node) -> str:
        return self.figures.word(node.name) if isinstance(node, Name) else ""

    # -- numbers -------------------------------------------------------------------------------------

    def value(self, node: Node) -> _Quantity:
        match node:
            case Number(value):
                return _Quantity(value)
            case Name(name):
                return self._figure(name)
            case Lookup(table, key):
                return _quantity(self.tables.get(table, {}).get(self.figures.word(key), float("nan")))
            case Arithmetic(sign, left, right):
                return self._arithmetic(sign, self.value(left).values, self.value(right).values)
            case Call(function, arguments):
                return _quantity(self._call(function, arguments))
            case Share():
                return _quantity(self._share(node))
        raise TypeError(f"{node!r} is no number")

    def _figure(self, name: str) -> _Quantity:
        value = self.figures.number(name)
        return _Quantity(value, self.figures.finite(name)) if isinstance(value, np.ndarray) else _quantity(value)

    def _arithmetic(self, sign: str, left: Value, right: Value) -> _Quantity:
        if sign in ("/", "//"):
            zero = np.equal(right, 0.0)
            if np.any(zero):
                self.zeros.append(zero)
        return _quantity(_COMPUTE[sign](left, right))

    def _call(self, function: str, arguments: tuple[Node, ...]) -> Value:
        first = arguments[0]
        if len(arguments) == 1 and isinstance(first, Name) and function in ("min", "max", "mean"):
            return self.figures.over_members(first.name, function)
        values = [self.value(argument).values for argument in arguments]
        match function:
            case "min":
                return reduce(np.minimum, values)
            case "max":
                return reduce(np.maximum, values)
            case "mean":
                return np.divide(reduce(np.add, values), float(len(values)))
            case "abs":
                return np.abs(values[0])
            case "delta" | "trend" | "total":
                return {"delta": self._delta, "trend": self._trend, "total": self._total}[function](values[0])
        return _double_point(values[0])

    def _delta(self, value: Value) -> Value:
        """The change since the sample before; NaN at the first one of each run."""
        if not self._is_series(value):
            return float("nan")
        change = np.full(value.shape, np.nan)
        change[..., 1:] = np.diff(value)
        change[..., self.figures.moments.run_starts] = np.nan
        return change

    def _trend(self, value: Value) -> Value:
        """How much higher the end lies than the beginning, as a fraction of the mean; 0 where it is less than a fifth
        or not sure (see `rise`), NaN with too few samples."""
        if not self._is_series(value):
            return float("nan")
        rows = np.atleast_2d(value)
        asked = np.broadcast_to(np.any(self.open) if len(rows) == 1 else self.open, len(rows))
        return self._of_each(np.array([_rise(row) if one else np.nan for row, one in zip(rows, asked, strict=True)]))

    def _total(self, value: Value) -> Value:
        """How many over all samples, of a figure per second; NaN where no interval is known."""
        moments = self.figures.moments
        if not self._is_series(value) or moments.times_ns is None or not moments.interval_ns:
            return float("nan")
        step_ns = np.diff(moments.times_ns, prepend=0).astype(np.float64)
        step_ns[moments.run_starts] = moments.interval_ns
        return self._of_each(np.nansum(np.atleast_2d(value) * step_ns, axis=-1) / _NS_PER_S)

    def _is_series(self, value: Value) -> TypeGuard[Floats]:
        return isinstance(value, np.ndarray) and value.ndim > 0 and value.shape[-1] == self.figures.count

    def _of_each(self, numbers: Floats) -> Value:
        """float64[things] as a value that is the same at all samples."""
        return float(numbers[0]) if self.figures.things is None else numbers[:, np.newaxis]

    def _share(self, node: Share) -> Value:
        answer = self.truth(node.condition)
        shape = self.figures.shape
        true, known = np.broadcast_to(answer.true, shape), np.broadcast_to(answer.known, shape)
        if node.samples is not None:
            return trailing_share(true, known, *self.figures.moments.last(node.samples))
        if node.span_s is not None:
            return trailing_share(true, known, *self.figures.moments.since(node.span_s))
        held, judged = (np.atleast_1d(np.count_nonzero(flags, axis=-1)) for flags in (true, known))
        return self._of_each(np.where(judged > 0, held / np.maximum(judged, 1), np.nan))


def _rise(values: Floats) -> float:
    return float("nan") if np.count_nonzero(np.isfinite(values)) < FEWEST else rise(values) or 0.0


def _quantity(values: Value) -> _Quantity:
    """The quantity with NaN for what is not finite."""
    finite = np.isfinite(values)
    if finite.all():
        return _Quantity(values)
    return _Quantity(np.where(finite, values, np.nan), finite)


def _double_point(servers: Value) -> Value:
    """The utilisation at which a station of so many servers doubles the response time; NaN for fewer than one."""
    if not isinstance(servers, np.ndarray) or servers.ndim == 0:
        return _knee(float(servers))
    different, places = np.unique(servers, return_inverse=True)
    knees: Floats = np.array([_knee(count) for count in different])[places]
    return knees


def _knee(servers: float) -> float:
    if not 1 <= servers <= _LONGEST_QUEUE:
        return float("nan")
    return knee(int(servers))
