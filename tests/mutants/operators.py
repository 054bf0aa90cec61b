"""The standard operators of mutation testing, as places in a source text: each mutant changes one of them.

Not touched, as nothing could tell: annotations, docstrings and f-strings, decorators, assertions (they tell the type checker
what the line before ensured), `strict=` of `zip`, what is written to the log; and what sends signals, which must not go wrong.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

_COMPARED: dict[type[ast.cmpop], tuple[str, ...]] = {
    ast.Lt: ("<", "<=", ">="),
    ast.LtE: ("<=", "<", ">"),
    ast.Gt: (">", ">=", "<="),
    ast.GtE: (">=", ">", "<"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
}
_COMPUTED: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "/"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "/"),
    ast.Mod: ("%", "*"),
    ast.Pow: ("**", "*"),
    ast.BitAnd: ("&", "|"),
    ast.BitOr: ("|", "&"),
    ast.LShift: ("<<", ">>"),
    ast.RShift: (">>", "<<"),
}
_NOT_DROPPED = ("log", "logger", "logging", "warnings")
_NOT_TESTED = ("TYPE_CHECKING", "sys.platform", "os.name", "__name__")


@dataclass(frozen=True, slots=True)
class Mutant:
    """
    Attributes:
        owner: the function as `co_qualname` has it; empty for what runs when the module is imported.
        start, end: offsets in the UTF-8 bytes of the source.
    """

    path: str
    owner: str
    line: int
    start: int
    end: int
    becomes: str

    def applied(self, source: bytes) -> bytes:
        return source[: self.start] + self.becomes.encode() + source[self.end :]

    def difference(self, source: bytes) -> tuple[str, str]:
        """The line as it is and as it becomes."""
        mutated = self.applied(source).decode().splitlines()
        return source.decode().splitlines()[self.line - 1].strip(), mutated[self.line - 1].strip()


def mutants_of(path: str, source: bytes) -> list[Mutant]:
    """Every mutant of a file, in the order of its text."""
    return list(_Places(path, source).of(ast.parse(source), ""))


def is_another_program(mutant: Mutant, source: bytes) -> bool:
    """Whether the mutant parses and differs in more than its layout; too slow to ask of all of them."""
    try:
        return ast.dump(ast.parse(mutant.applied(source))) != ast.dump(ast.parse(source))
    except SyntaxError:
        return False


class _Places:
    def __init__(self, path: str, source: bytes) -> None:
        self._path = path
        self._source = source
        self._lines = [0]
        for line in source.splitlines(keepends=True):
            self._lines.append(self._lines[-1] + len(line))

    def of(self, node: ast.AST, owner: str, prefix: str = "") -> Iterator[Mutant]:
        """
        Args:
            prefix: what stands before the qualified names of functions in here.
        """
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            name = prefix + node.name
            defaults = [default for default in [*node.args.defaults, *node.args.kw_defaults] if default]
            for each in [*defaults, *node.body]:
                yield from self.of(each, name, f"{name}.<locals>.")
            return
        if isinstance(node, ast.ClassDef):
            prefix += node.name + "."
        if not isinstance(node, ast.JoinedStr | ast.Assert) and not self._is_left_alone(node):
            yield from self._of_expression(node, owner)
            yield from self._of_statement(node, owner)
            for each in self._children(node):
                yield from self.of(each, owner, prefix)

    def _children(self, node: ast.AST) -> Iterator[ast.AST]:
        left_out = {"annotation", "decorator_list", "type_params", "bases"}
        for field, value in ast.iter_fields(node):
            if field not in left_out:
                yield from (
                    each for each in (value if isinstance(value, list) else [value]) if isinstance(each, ast.AST)
                )

    def _is_left_alone(self, node: ast.AST) -> bool:
        if isinstance(node, ast.If):
            return any(word in ast.unparse(node.test) for word in _NOT_TESTED)
        if isinstance(node, ast.keyword):
            return node.arg == "strict"
        return isinstance(node, ast.Call) and ast.unparse(node.func).endswith((".kill", ".killpg", ".send_signal"))

    def _of_expression(self, node: ast.AST, owner: str) -> Iterator[Mutant]:
        match node:
            case ast.Compare():
                for left, op, right in zip([node.left, *node.comparators], node.ops, node.comparators, strict=False):
                    was, *others = _COMPARED[type(op)]
                    yield from (self._between(left, right, was, other, owner) for other in others)
            case ast.BinOp(left, op, right) if type(op) in _COMPUTED and not _is_text(left) and not _is_text(right):
                if owner or not isinstance(op, ast.BitOr):  # at the top of a module: a type
                    yield self._between(left, right, *_COMPUTED[type(op)], owner)
            case ast.BoolOp():
                was, other = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
                yield from (self._between(left, right, was, other, owner) for left, right in pairwise(node.values))
            case ast.UnaryOp(ast.Not() | ast.USub(), operand):
                yield self._instead(node, f"({self._text(operand)})", owner)
            case ast.Constant(bool() as value):
                yield self._instead(node, str(not value), owner)
            case ast.Constant(int() | float() as value):
                yield from (self._instead(node, repr(other), owner) for other in _neighbours(value))

    def _of_statement(self, node: ast.AST, owner: str) -> Iterator[Mutant]:
        match node:
            case ast.Return(value) if value is not None and ast.unparse(value) != "None":
                yield self._instead(value, "None", owner)
            case ast.Expr(ast.Call(function)) if not ast.unparse(function).startswith(_NOT_DROPPED):
                yield self._instead(node, "pass", owner)
            case ast.AugAssign() | ast.Raise():
                yield self._instead(node, "pass", owner)
            case ast.Continue():
                yield self._instead(node, "break", owner)
            case ast.Break():
                yield self._instead(node, "continue", owner)
            case ast.If(test) | ast.While(test) | ast.IfExp(test):
                if not isinstance(test, ast.Compare | ast.UnaryOp | ast.Constant):
                    yield self._instead(test, f"not ({self._text(test)})", owner)

    def _between(self, left: ast.expr, right: ast.expr, was: str, becomes: str, owner: str) -> Mutant:
        start, end = self._end(left), self._start(right)
        at = self._source.index(was.encode(), start, end)
        line = self._source.count(b"\n", 0, at) + 1
        return Mutant(self._path, owner, line, at, at + len(was), becomes)

    def _instead(self, node: ast.expr | ast.stmt, becomes: str, owner: str) -> Mutant:
        return Mutant(self._path, owner, node.lineno, self._start(node), self._end(node), becomes)

    def _start(self, node: ast.expr | ast.stmt) -> int:
        return self._lines[node.lineno - 1] + node.col_offset

    def _end(self, node: ast.expr | ast.stmt) -> int:
        assert node.end_lineno is not None and node.end_col_offset is not None
        return self._lines[node.end_lineno - 1] + node.end_col_offset

    def _text(self, node: ast.expr) -> str:
        return self._source[self._start(node) : self._end(node)].decode()


def _neighbours(value: float) -> list[float]:
    """A step of one in a small number; a large one or a fraction is doubled and halved, lest nothing shows."""
    if isinstance(value, int) and abs(value) <= 10:
        return [value + 1, value - 1] if value else [1]
    return [value * 2, value // 2 if isinstance(value, int) else value / 2] if value else [1.0]


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str | bytes))
