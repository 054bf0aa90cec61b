"""From text to nodes, by a white list: what is not named here is refused with its piece of the text."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field

from tunebench.analysis.expressions.faults import ExpressionFault
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
from tunebench.analysis.expressions.tokens import LAST, SPAN_UNITS, plain_text
from tunebench.core.records import record

FUNCTIONS = ("min", "max", "mean", "delta", "trend", "total", "share", "rho2", "abs")
_ONE_ARGUMENT = frozenset({"delta", "trend", "total", "rho2", "abs"})
_OF_ALL_SAMPLES = frozenset({"trend", "total"})
_OVER_MEMBERS = frozenset({"min", "max", "mean"})
_DEEPEST = 24
_GREATEST_BASE, _GREATEST_POWER = 1024.0, 64.0
_MOST_SAMPLES = 100_000

_SIGNS: Mapping[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Pow: "**",
}
_COMPARING: Mapping[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}


@record
class Expression:
    """A condition that may be judged, see `judging.judge`.

    Attributes:
        names: what each name stands for, by how it is used; names in the order of the text.
        tables: the tables it looks up.
        windowed: it asks for a share over a stretch itself, so that one moment at which it holds says enough.
        needs_length: it asks of more than one sample at a time, so that a capture may be too short for it.
    """

    text: str
    root: Node
    names: Mapping[str, Kind]
    tables: frozenset[str] = frozenset()
    windowed: bool = False
    needs_length: bool = False

    def __repr__(self) -> str:
        return f"Expression({self.text!r})"


def parse_expression(text: str, tables: Sequence[str] = ()) -> Expression:
    """The condition that `text` states.

    Args:
        tables: names that may be looked up with a word, ``warn[media]``.

    Raises:
        ExpressionFault: it is no condition, or asks for something that is not allowed.
    """
    source = plain_text(text)
    try:
        tree = ast.parse(source, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ExpressionFault("syntax", value=" ".join(text.split())) from error
    reader = _Reader(frozenset(tables))
    root = reader.condition(tree.body, 0)
    return Expression(
        " ".join(text.split()),
        root,
        reader.names,
        frozenset(reader.looked_up),
        reader.windowed,
        reader.windowed or reader.of_all_samples,
    )


@record(frozen=False)
class _Reader:
    tables: frozenset[str]
    names: dict[str, Kind] = field(default_factory=dict)
    looked_up: set[str] = field(default_factory=set)
    windowed: bool = False
    of_all_samples: bool = False

    # -- conditions ----------------------------------------------------------------------------------

    def condition(self, tree: ast.expr, depth: int) -> Node:
        _check_depth(depth)
        match tree:
            case ast.BoolOp(op=ast.And(), values=values):
                return Both(tuple(self.condition(value, depth + 1) for value in values))
            case ast.BoolOp(op=ast.Or(), values=values):
                return Either(tuple(self.condition(value, depth + 1) for value in values))
            case ast.UnaryOp(op=ast.Not(), operand=inner):
                return Not(self.condition(inner, depth + 1))
            case ast.Compare(left=left, ops=[ast.In() | ast.NotIn() as sign], comparators=[right]):
                return self._one_of(left, right, isinstance(sign, ast.NotIn))
            case ast.Compare(left=left, ops=signs, comparators=others):
                return self._comparison(tree, [left, *others], signs, depth)
            case ast.Name(id=name):
                return Flag(self._named(name, Kind.FLAG))
        if isinstance(tree, ast.BinOp | ast.Constant | ast.Call | ast.Subscript | ast.UnaryOp):
            self._allowed(tree, depth)
            raise ExpressionFault("no_condition", value=ast.unparse(tree))
        raise ExpressionFault("construct", value=ast.unparse(tree))

    def _allowed(self, tree: ast.expr, depth: int) -> None:
        """A call of something unknown is reported as such, not as a number where a condition was expected."""
        self.number(tree, depth)

    def _one_of(self, left: ast.expr, right: ast.expr, negated: bool) -> Node:
        if not isinstance(left, ast.Name) or not isinstance(right, ast.Tuple) or not right.elts:
            raise ExpressionFault("construct", value=f"{ast.unparse(left)} in {ast.unparse(right)}")
        words = []
        for word in right.elts:
            if not (isinstance(word, ast.Constant) and isinstance(word.value, str)):
                raise ExpressionFault("kind", value=ast.unparse(word), expected=Kind.WORD)
            words.append(word.value)
        return OneOf(self._named(left.id, Kind.WORD), tuple(words), negated)

    def _comparison(self, tree: ast.expr, terms: list[ast.expr], signs: list[ast.cmpop], depth: int) -> Node:
        spelt = [_COMPARING.get(type(sign), "") for sign in signs]
        if not all(spelt):
            raise ExpressionFault("construct", value=ast.unparse(tree))
        before = dict(self.names)
        self.names.clear()
        words = any(isinstance(term, ast.Constant) and isinstance(term.value, str) for term in terms)
        read: Callable[[ast.expr, int], Node] = self._word if words else self.number
        if words and not set(spelt) <= {"==", "!="}:
            raise ExpressionFault("kind", value=ast.unparse(tree), expected=Kind.NUMBER)
        nodes = tuple(read(term, depth + 1) for term in terms)
        inside = frozenset(self.names)
        self._merge(before)
        return Comparison(nodes, tuple(spelt), inside)

    def _merge(self, before: dict[str, Kind]) -> None:
        inside = dict(self.names)
        self.names.clear()
        self.names.update(before)
        for name, kind in inside.items():
            self._named(name, kind)

    def _word(self, tree: ast.expr, _depth: int) -> Node:
        match tree:
            case ast.Constant(value=str(text)):
                return Word(text)
            case ast.Name(id=name):
                return Name(self._named(name, Kind.WORD))
        raise ExpressionFault("kind", value=ast.unparse(tree), expected=Kind.WORD)

    # -- numbers -------------------------------------------------------------------------------------

    def number(self, tree: ast.expr, depth: int) -> Node:
        _check_depth(depth)
        match tree:
            case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
                return Number(_finite(float(value), tree))
            case ast.Name(id=name):
                return Name(self._named(name, Kind.NUMBER))
            case ast.UnaryOp(op=ast.USub() | ast.UAdd() as sign, operand=inner):
                spelt = "-" if isinstance(sign, ast.USub) else "+"
                return _folded(Arithmetic(spelt, Number(0.0), self.number(inner, depth + 1)), tree)
            case ast.BinOp(left=left, op=sign_, right=right) if type(sign_) in _SIGNS:
                operation = Arithmetic(_SIGNS[type(sign_)], self.number(left, depth + 1), self.number(right, depth + 1))
                return _folded(operation, tree)
            case ast.Subscript(value=ast.Name(id=table), slice=ast.Name(id=key)):
                return self._lookup(table, key)
            case ast.Call():
                return self._call(tree, depth)
            case ast.Constant(value=str(text)):
                raise ExpressionFault("kind", value=text, expected=Kind.NUMBER)
            case ast.BoolOp() | ast.Compare() | ast.UnaryOp(op=ast.Not()):
                raise ExpressionFault("kind", value=ast.unparse(tree), expected=Kind.NUMBER)
        raise ExpressionFault("construct", value=ast.unparse(tree))

    def _lookup(self, table: str, key: str) -> Node:
        if table not in self.tables:
            raise ExpressionFault("table", value=table, known=", ".join(sorted(self.tables)) or "-")
        self.looked_up.add(table)
        return Lookup(table, self._named(key, Kind.WORD))

    def _call(self, tree: ast.Call, depth: int) -> Node:
        name = tree.func.id if isinstance(tree.func, ast.Name) else ast.unparse(tree.func)
        if name not in FUNCTIONS or not isinstance(tree.func, ast.Name):
            raise ExpressionFault("function", value=name, known=", ".join(FUNCTIONS))
        if tree.keywords or any(isinstance(argument, ast.Starred) for argument in tree.args) or not tree.args:
            raise ExpressionFault("arguments", value=name)
        if name == "share":
            return self._share(tree.args, depth)
        if name in _ONE_ARGUMENT and len(tree.args) > 1:
            raise ExpressionFault("arguments", value=name)
        self.of_all_samples |= name in _OF_ALL_SAMPLES
        if name in _OVER_MEMBERS and len(tree.args) == 1 and isinstance(tree.args[0], ast.Name):
            return Call(name, (Name(self._named(tree.args[0].id, Kind.MEMBERS)),))
        return Call(name, tuple(self.number(argument, depth + 1) for argument in tree.args))

    def _share(self, arguments: list[ast.expr], depth: int) -> Node:
        condition = self.condition(arguments[0], depth + 1)
        if len(arguments) == 1:
            self.windowed = True
            return Share(condition)
        match arguments[1:]:
            case [ast.Call(func=ast.Name(id=called), args=[ast.Constant(value=int(count))])] if called == LAST:
                if not 1 <= count <= _MOST_SAMPLES:
                    raise ExpressionFault("number", value=count)
                self.windowed = True
                return Share(condition, samples=count)
            case [
                ast.Call(
                    func=ast.Name(id=called),
                    args=[ast.Constant(value=int() | float() as span), ast.Constant(value=str(unit))],
                )
            ] if called == LAST and unit in SPAN_UNITS:
                self.windowed = True
                return Share(condition, span_s=_positive(float(span)) * SPAN_UNITS[unit])
        raise ExpressionFault("arguments", value="share")

    # -- names ---------------------------------------------------------------------------------------

    def _named(self, name: str, kind: Kind) -> str:
        """Notes what the name stands for; as a number and inside ``max`` at once it is a number."""
        earlier = self.names.get(name, kind)
        numbers = {Kind.NUMBER, Kind.MEMBERS}
        if earlier is not kind and not {earlier, kind} <= numbers:
            raise ExpressionFault("kind", value=name, expected=earlier)
        self.names[name] = Kind.NUMBER if earlier is not kind else kind
        return name


def _check_depth(depth: int) -> None:
    if depth > _DEEPEST:
        raise ExpressionFault("too_deep", most=_DEEPEST)


def _finite(value: float, tree: ast.expr) -> float:
    if not math.isfinite(value):
        raise ExpressionFault("number", value=ast.unparse(tree))
    return value


def _positive(value: float) -> float:
    if not 0 < value < math.inf:
        raise ExpressionFault("number", value=value)
    return value


def _folded(operation: Arithmetic, tree: ast.expr) -> Node:
    """Arithmetic of two written numbers is done at once; a power is allowed in no other place."""
    if operation.sign in ("/", "//") and operation.right == Number(0.0):
        raise ExpressionFault("zero_division", value=ast.unparse(tree))
    if not (isinstance(operation.left, Number) and isinstance(operation.right, Number)):
        if operation.sign == "**":
            raise ExpressionFault("construct", value=ast.unparse(tree))
        return operation
    left, right = operation.left.value, operation.right.value
    if operation.sign == "**" and not (0 <= left <= _GREATEST_BASE and 0 <= right <= _GREATEST_POWER):
        raise ExpressionFault("number", value=ast.unparse(tree))
    return Number(_finite(_COMPUTE[operation.sign](left, right), tree))


_COMPUTE: Mapping[str, Callable[[float, float], float]] = {
    "+": lambda left, right: left + right,
    "-": lambda left, right: left - right,
    "*": lambda left, right: left * right,
    "/": lambda left, right: left / right,
    "//": lambda left, right: left // right,
    "**": lambda left, right: float(left**right),
}
