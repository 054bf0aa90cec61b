"""What the sources say: catalogue keys, sentences and functions found by reading the syntax trees of the program."""

from __future__ import annotations

import ast
import gc
import re
import string
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
# Methods of the ledger book whose first argument is the tail of a catalogue key.
LEDGER_CALLS = {
    "skip": "ledger.skipped.",
    "data_became_skipped": "ledger.skipped.",
    "warn": "ledger.warning.",
    "need": "ledger.need.",
    "assume": "ledger.assumption.",
}
TEXT_CALLS = frozenset({"text", "_text", "say", "notice"})
# Functions that show their first argument to the user as it stands.
QT_TEXT_CALLS = frozenset(
    {
        "QLabel",
        "QPushButton",
        "QToolButton",
        "QCheckBox",
        "QRadioButton",
        "QGroupBox",
        "QAction",
        "QDockWidget",
        "setText",
        "setTitle",
        "setWindowTitle",
        "setToolTip",
        "setStatusTip",
        "setPlaceholderText",
        "setAccessibleName",
        "setAccessibleDescription",
        "addAction",
        "addMenu",
        "addTab",
    }
)
FILE_ENDINGS = (".pdf", ".xlsx", ".json", ".csv", ".txt", ".toml", ".po", ".tune", ".ini", ".log", ".py", ".png")
KEY = re.compile(r"[a-z][a-z0-9_]*(\.[a-z0-9_-]+)+")


@dataclass(frozen=True)
class Place:
    path: Path
    line: int

    def __str__(self) -> str:
        return f"{self.path.relative_to(ROOT)}:{self.line}"


@dataclass(frozen=True)
class KeyUse:
    """A catalogue key named in the code; `facts` is None where the code gives them in a way that cannot be read."""

    place: Place
    key: str
    facts: frozenset[str] | None


@cache
def sources(*folders: str) -> tuple[Path, ...]:
    found = (path for folder in folders for path in (ROOT / folder).rglob("*.py"))
    return tuple(sorted(path for path in found if "__pycache__" not in path.parts))


@cache
def tree_of(path: Path) -> ast.Module:
    """Trees are kept and are millions of objects: collecting while they grow takes three times as long as reading them."""
    collecting = gc.isenabled()
    gc.disable()
    tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
    gc.freeze()
    if collecting:
        gc.enable()
    return tree


def calls(path: Path) -> Iterator[tuple[str, ast.Call]]:
    """Every call with the bare name of what is called."""
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Call):
            called = node.func
            name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
            yield name, node


def literal(call: ast.Call) -> str | None:
    """The call's first argument where it is a plain string."""
    first = call.args[0] if call.args else None
    return first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else None


def given_facts(call: ast.Call) -> frozenset[str] | None:
    names = [keyword.arg for keyword in call.keywords]
    return None if None in names else frozenset(name for name in names if name)


def key_uses(path: Path) -> Iterator[KeyUse]:
    """Keys in calls that look a sentence up, raise a refusal or write into the ledger."""
    for name, call in calls(path):
        place = Place(path, call.lineno)
        if name == "translated":
            values = (str(node.value) for node in _bound_keys(call) if isinstance(node, ast.Constant))
            yield from (KeyUse(place, value, frozenset()) for value in values if KEY.fullmatch(value))
        value = literal(call)
        if value is None:
            continue
        if name == "UserError":
            yield KeyUse(place, f"error.{value}", given_facts(call))
        elif name in TEXT_CALLS and KEY.fullmatch(value):
            yield KeyUse(place, value, given_facts(call))
        elif name in LEDGER_CALLS and _is_ledger_book(call):
            yield KeyUse(place, LEDGER_CALLS[name] + value, None)


def _bound_keys(call: ast.Call) -> Iterator[ast.AST]:
    """What may be a key in ``translated(widget, key, toolTip=key, itemText=[key, ...])``; never with facts."""
    for given in (*call.args[1:], *(keyword.value for keyword in call.keywords)):
        yield from ast.walk(given)


def _is_ledger_book(call: ast.Call) -> bool:
    """``self.book.skip(...)`` and the like, not ``pytest.skip``."""
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    name = owner.attr if isinstance(owner, ast.Attribute) else getattr(owner, "id", "")
    return "book" in name or "ledger" in name or name == "self"


def formatted_keys(path: Path) -> Iterator[tuple[Place, re.Pattern[str]]]:
    """Keys put together at run time (``f"cli.column.{name}"``), as patterns that some key must match."""
    for name, call in calls(path):
        keys = _bound_keys(call) if name == "translated" else call.args[:1] if name in TEXT_CALLS else ()
        for key in keys:
            if isinstance(key, ast.JoinedStr):
                parts = [re.escape(str(p.value)) if isinstance(p, ast.Constant) else ".+" for p in key.values]
                if parts[0] != ".+":
                    yield Place(path, call.lineno), re.compile("".join(parts))


def key_literals(path: Path, subjects: frozenset[str]) -> Iterator[tuple[Place, str]]:
    """Every string that reads like a key of one of the `subjects`, wherever it stands."""
    for node, value in _strings(path):
        if KEY.fullmatch(value) and value.partition(".")[0] in subjects and not value.endswith(FILE_ENDINGS):
            yield Place(path, node.lineno), value


def _strings(path: Path) -> Iterator[tuple[ast.Constant, str]]:
    """String constants that are no docstrings and no parts of annotations."""
    tree = tree_of(path)
    skipped = {id(node) for node in _docstrings(tree)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in skipped:
            yield node, node.value


def _docstrings(tree: ast.Module) -> Iterator[ast.Constant]:
    for node in ast.walk(tree):
        # A bare string statement is a docstring or the comment under an attribute.
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield node.value


def hangul(path: Path) -> Iterator[tuple[Place, str]]:
    for node, value in _strings(path):
        if re.search("[가-힣]", value):
            yield Place(path, node.lineno), value


SENTENCE = re.compile(r"[A-Z][a-z]+(?: [\w{}'’,;:()/-]+){3,}[.!?]")


def sentences(path: Path) -> Iterator[tuple[Place, str]]:
    """English sentences outside exceptions and log lines, which only developers see."""
    tree = tree_of(path)
    for_developers = {id(part) for node in ast.walk(tree) if _speaks_to_developers(node) for part in ast.walk(node)}
    for node, value in _strings(path):
        if id(node) not in for_developers and SENTENCE.fullmatch(value.strip()):
            yield Place(path, node.lineno), value


def _speaks_to_developers(node: ast.AST) -> bool:
    if isinstance(node, ast.Raise | ast.Assert):
        return True
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    return node.func.attr in {"debug", "info", "warning", "error", "exception", "critical"}


def shown_literals(path: Path) -> Iterator[tuple[Place, str]]:
    """Words handed to a widget as they stand."""
    for name, call in calls(path):
        value = literal(call)
        if name in QT_TEXT_CALLS and value and re.search("[A-Za-z가-힣]{2}", value):
            yield Place(path, call.lineno), value


def place_holders(sentence: str) -> frozenset[str]:
    """Names in braces, without their format (``{share:.0%}`` is ``share``)."""
    found = (name for _, name, _, _ in string.Formatter().parse(sentence) if name is not None)
    return frozenset(re.split(r"[.\[]", name)[0] for name in found)


def function_lengths(path: Path) -> Iterator[tuple[Place, str, int]]:
    """Lines of every function, its docstring not counted."""
    for node in ast.walk(tree_of(path)):
        if isinstance(node, FUNCTIONS):
            text = ast.get_docstring(node, clean=False)
            doc = len(text.splitlines()) if text else 0
            yield Place(path, node.lineno), node.name, (node.end_lineno or node.lineno) - node.lineno + 1 - doc
