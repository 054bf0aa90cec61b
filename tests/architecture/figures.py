"""What is counted in the text of one module, and in a room of them.

Statement      a node of the syntax tree that is an `ast.stmt`, at any depth; docstrings and other bare strings do not count.
Line           a line of a file as it stands, blank lines and comments with it.
Code line      a line on which a token begins, comments and bare strings apart; its length is with its indentation.
Token          as Python's own tokenizer splits the text, without comments, line ends, indentation and bare strings: two
               lines made one keep their tokens.
Private local  a pair of a function and one of the seven words of this program's own dialect that the function binds.
Any line       a line on which the name ``Any`` stands, but for imports of it.
Alias          ``import x as x``, ``from a import x as x``.
Packed         an assignment of a tuple that is written out to a tuple of targets (``a, b = 1, 2``): two statements as one.
Local          a name that a function binds by assignment, loop, comprehension, ``with`` or ``except``; once a function.
Function       its lines from ``def`` to its end, its docstring not counted.
Class          its lines from ``class`` to its end, the docstring with it.
"""

from __future__ import annotations

import ast
import io
import statistics
import tokenize
from dataclasses import dataclass, field
from typing import TypeGuard

LONGEST_CLASS_LINES = 300
LEAST_CODE_LINES = 100
PRIVATE_LOCALS = frozenset({"found", "told", "each", "place", "known", "made", "said"})
_BETWEEN = frozenset(
    {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
)


@dataclass
class Figures:
    """Counts, and the sizes that shapes are made of; those of a room are of all its modules."""

    files: int = 0
    lines: int = 0
    statements: int = 0
    tokens: int = 0
    private_locals: int = 0
    any_lines: int = 0
    aliases: int = 0
    packed: int = 0
    long_classes: list[str] = field(default_factory=list)
    """``path Class lines`` of those of more than 300 lines."""
    code_lines: list[int] = field(default_factory=list)
    functions: list[int] = field(default_factory=list)
    locals: list[str] = field(default_factory=list)

    def add(self, name: str, text: str, tree: ast.Module) -> None:
        """Counts the module at path `name`."""
        self.files += 1
        self.lines += text.count("\n")
        bare: set[int] = set()
        imports: set[int] = set()
        for node in ast.walk(tree):
            if is_bare_string(node):
                bare.update(_lines_of(node))
            elif isinstance(node, ast.stmt):
                self.statements += 1
                self._add_statement(name, node)
                if isinstance(node, ast.ImportFrom):
                    imports.update(_lines_of(node))
        self._add_tokens(text, bare, imports)

    def _add_statement(self, name: str, node: ast.stmt) -> None:
        match node:
            case ast.Import() | ast.ImportFrom():
                self.aliases += sum(alias.asname == alias.name for alias in node.names)
            case ast.Assign(targets=[ast.Tuple()], value=ast.Tuple()):
                self.packed += 1
            case ast.ClassDef() if len(_lines_of(node)) > LONGEST_CLASS_LINES:
                self.long_classes.append(f"{name} {node.name} {len(_lines_of(node))}")
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                docstring = ast.get_docstring(node, clean=False)
                self.functions.append(len(_lines_of(node)) - (len(docstring.splitlines()) if docstring else 0))
                bound = _bound_names(node)
                self.locals += bound
                self.private_locals += len(PRIVATE_LOCALS.intersection(bound))

    def _add_tokens(self, text: str, bare: set[int], imports: set[int]) -> None:
        lengths: dict[int, int] = {}
        any_lines: set[int] = set()
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            number = token.start[0]
            if token.type in _BETWEEN or number in bare:
                continue
            self.tokens += 1
            if number not in lengths:
                lengths[number] = len(token.line.splitlines()[0])
            if token.string == "Any" and number not in imports:
                any_lines.add(number)
        self.code_lines += lengths.values()
        self.any_lines += len(any_lines)

    def shape(self) -> dict[str, float]:
        """What shorter but worse code would change: limits of `ceilings`; none of a room too small to have a shape."""
        if len(self.code_lines) < LEAST_CODE_LINES:
            return {}
        names = [len(name) for name in self.locals] or [0]
        return {
            "line_median": statistics.median_low(self.code_lines),
            "line_p90": _p90(self.code_lines),
            "tokens_per_line": round(self.tokens / len(self.code_lines), 1),
            "function_p90": _p90(self.functions),
            "one_letter_percent": round(100 * sum(length == 1 for length in names) / len(names), 1),
            "local_name_median": statistics.median_low(names),
        }


def is_bare_string(node: ast.AST) -> TypeGuard[ast.Expr]:
    """Whether a statement is a docstring or the comment under an attribute."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _lines_of(node: ast.stmt) -> range:
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def _p90(sizes: list[int]) -> int:
    """The smallest size that nine of ten do not exceed; 0 where there is none."""
    return sorted(sizes)[len(sizes) * 9 // 10] if sizes else 0


def _bound_names(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    """The locals of a function, without those of the functions in it."""
    bound: dict[str, None] = {}
    ahead = list(ast.iter_child_nodes(function))
    while ahead:
        node = ahead.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound[node.id] = None
        elif isinstance(node, ast.ExceptHandler) and node.name:
            bound[node.name] = None
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            ahead.extend(ast.iter_child_nodes(node))
    return list(bound)
