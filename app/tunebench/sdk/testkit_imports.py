"""What the sources of a plug-in import, read without running them."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

from tunebench.core.paths import builtin_plugins_folder
from tunebench.core.records import record
from tunebench.sdk.loading import plugin_files

FAMILIES = "tunebench.families"
ALLOWED_ROOTS = frozenset(sys.stdlib_module_names) | {"numpy"}
IMPURE = frozenset(
    {
        "asyncio",
        "ctypes",
        "ftplib",
        "http",
        "multiprocessing",
        "pty",
        "smtplib",
        "socket",
        "socketserver",
        "sqlite3",
        "ssl",
        "subprocess",
        "telnetlib",
        "urllib",
        "webbrowser",
        "winreg",
        "xmlrpc",
    }
)
"""A parser is pure: no network, no processes, no data base. Such imports are pointed out."""


@record
class ImportFault:
    """One import that a plug-in must not make; `key` names the finding."""

    key: str
    file: str
    line: int
    module: str


def source_files(folder: Path) -> Iterator[Path]:
    """The plug-in's sources without its tests, which may use whatever they like."""
    for path in plugin_files(folder):
        inner = path.relative_to(folder)
        if path.suffix == ".py" and inner.parts[0] != "tests" and not path.name.startswith(("test_", "conftest")):
            yield path


def import_faults(folder: Path) -> Iterator[ImportFault]:
    own = folder.resolve().parent == builtin_plugins_folder().resolve()
    for path in source_files(folder):
        name = path.relative_to(folder).as_posix()
        try:
            tree = ast.parse(path.read_bytes(), filename=name)
        except (SyntaxError, ValueError) as error:
            yield ImportFault("source_unreadable", name, getattr(error, "lineno", None) or 1, str(error))
            continue
        depth = len(path.relative_to(folder).parts)
        for node in ast.walk(tree):
            yield from (fault for fault in _faults_of(node, name, depth) if not (own and _is_shared(fault.module)))


def _is_shared(module: str) -> bool:
    """Whether it is of the room that the program's own plug-ins share."""
    return module == FAMILIES or module.startswith(f"{FAMILIES}.")


def _faults_of(node: ast.AST, file: str, depth: int) -> Iterator[ImportFault]:
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield from _fault(alias.name, file, node.lineno)
    elif isinstance(node, ast.ImportFrom) and not node.level:
        if node.module == "tunebench":
            for alias in node.names:
                yield from _fault(f"tunebench.{alias.name}", file, node.lineno)
        else:
            yield from _fault(node.module or "", file, node.lineno)
    elif isinstance(node, ast.ImportFrom) and node.level > depth:
        yield ImportFault("import_outside", file, node.lineno, "." * node.level + (node.module or ""))


def _fault(module: str, file: str, line: int) -> Iterator[ImportFault]:
    root = module.partition(".")[0]
    if module == "tunebench.sdk" or module.startswith("tunebench.sdk."):
        return
    if root not in ALLOWED_ROOTS:
        yield ImportFault("import_forbidden", file, line, module)
    elif root in IMPURE:
        yield ImportFault("import_impure", file, line, module)
