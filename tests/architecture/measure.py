"""How large the house is and where it bends: ``python -m tests.architecture.measure [TREE ...]``.

Statement   a node of the syntax tree that is an `ast.stmt`, at any depth; docstrings and other bare strings do not count.
Line        a line of a file as it stands, blank lines and comments with it.
Import      an ``import`` of a module of `app`, wherever it stands: at the top, inside of a function, for the type checker only.
            A package is its ``__init__``; who imports ``app.a.b`` does not count as an importer of ``app.a``.
Circle      modules of `app` that reach each other by imports (a strongly connected component of two or more).
Table       what a ``fmt: skip`` may keep as it stands: an assignment of a display (dict, list, set, tuple), or of one that a
            call wraps (``frozenset({...})``). Any other ``fmt: skip`` is counted.
Class       its lines from ``class`` to its end, the docstring with it.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tests.architecture import source_scan as scan

ROOT = scan.ROOT
SMALL_FILE_LINES = 60
LONGEST_CLASS_LINES = 300
DISPLAYS = (ast.Dict, ast.List, ast.Set, ast.Tuple)


@dataclass(frozen=True)
class House:
    """The program's sources below `root`, read once."""

    root: Path

    @cached_property
    def texts(self) -> Mapping[str, str]:
        """Path within the tree -> text, of the program and its plug-ins."""
        paths = (path for folder in ("app", "plugins") for path in (self.root / folder).rglob("*.py"))
        return {path.relative_to(self.root).as_posix(): path.read_text(encoding="utf-8") for path in sorted(paths)}

    @cached_property
    def trees(self) -> Mapping[str, ast.Module]:
        return {name: scan.tree_of(self.root / name) for name in self.texts}

    @cached_property
    def modules(self) -> Mapping[str, str]:
        """Module of `app` -> its path."""
        return {_module(name): name for name in self.texts if name.startswith("app/")}

    def files(self, folder: str) -> list[str]:
        return [name for name in self.texts if name.startswith(folder)]

    def lines(self, folder: str) -> int:
        return sum(self.texts[name].count("\n") for name in self.files(folder))

    def statements(self, folder: str) -> int:
        nodes = (node for name in self.files(folder) for node in ast.walk(self.trees[name]))
        return sum(isinstance(node, ast.stmt) and not _is_bare_string(node) for node in nodes)

    def rooms(self) -> list[str]:
        return sorted({name.split("/")[1] for name in self.files("app/") if name.count("/") > 1})

    @cached_property
    def imports(self) -> Mapping[str, frozenset[str]]:
        """Module of `app` -> the modules of `app` that it imports."""
        return {module: frozenset(self._imported(module)) - {module} for module in self.modules}

    def _imported(self, module: str) -> Iterator[str]:
        path = self.modules[module]
        package = module if path.endswith("__init__.py") else module.rpartition(".")[0]
        for node in ast.walk(self.trees[path]):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names if alias.name in self.modules)
            elif isinstance(node, ast.ImportFrom):
                outer = package.split(".")[: package.count(".") + 2 - node.level] if node.level else []
                base = ".".join([*outer, *([node.module] if node.module else [])])
                named = (
                    f"{base}.{alias.name}" if f"{base}.{alias.name}" in self.modules else base for alias in node.names
                )
                yield from (name for name in named if name in self.modules)

    def small_files_of_one(self) -> list[str]:
        """Files of fewer than 60 lines that one module alone imports."""
        importers = Counter(target for targets in self.imports.values() for target in targets)
        alone = (self.modules[module] for module in self.modules if importers[module] == 1)
        return [
            path
            for path in alone
            if not path.endswith("__init__.py") and self.texts[path].count("\n") < SMALL_FILE_LINES
        ]

    def circles(self) -> list[list[str]]:
        """The modules of each circle, the largest circle first."""
        reached = {module: self._reached(module) for module in self.modules}
        groups = defaultdict(list)
        for module, others in reached.items():
            if module in others:
                groups[frozenset(other for other in others if module in reached[other])].append(module)
        return sorted((sorted(group) for group in groups.values()), key=lambda group: (-len(group), group))

    def _reached(self, module: str) -> frozenset[str]:
        seen: set[str] = set()
        ahead = list(self.imports[module])
        while ahead:
            found = ahead.pop()
            if found not in seen:
                seen.add(found)
                ahead.extend(self.imports[found])
        return frozenset(seen)

    def untyped_projects(self) -> list[str]:
        """Places where a parameter or an attribute called `project` (or ``_project``) is annotated with ``Any``."""
        return [
            f"{name}:{node.lineno}"
            for name in self.files("app/")
            for node in ast.walk(self.trees[name])
            if isinstance(node, ast.arg | ast.AnnAssign) and _is_untyped_project(node)
        ]

    def skipped_formats(self) -> list[str]:
        """Places of ``fmt: skip`` that keep something else than a table of data."""
        mark = "# fmt: " + "skip"
        found = []
        for name, text in self.texts.items():
            marked = [number for number, line in enumerate(text.splitlines(), 1) if line.endswith(mark)]
            nodes = ast.walk(self.trees[name]) if marked else ()
            tables = {n.end_lineno for n in nodes if isinstance(n, ast.stmt) and _is_table(n)}
            found += [f"{name}:{number}" for number in marked if number not in tables]
        return found

    def long_classes(self) -> dict[str, int]:
        """``path Class`` -> lines, of the classes of more than 300."""
        sizes = {
            f"{name} {node.name}": (node.end_lineno or node.lineno) - node.lineno + 1
            for name, tree in self.trees.items()
            for node in ast.walk(tree)
            if isinstance(node, ast.ClassDef)
        }
        return {name: size for name, size in sizes.items() if size > LONGEST_CLASS_LINES}


def _module(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _is_bare_string(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _is_untyped_project(node: ast.arg | ast.AnnAssign) -> bool:
    name = node.arg if isinstance(node, ast.arg) else ast.unparse(node.target).rpartition(".")[2]
    return name.lstrip("_") == "project" and node.annotation is not None and ast.unparse(node.annotation) == "Any"


def _is_table(node: ast.stmt) -> bool:
    if not isinstance(node, ast.Assign | ast.AnnAssign):
        return False
    value = node.value
    if isinstance(value, ast.Call) and len(value.args) == 1 and not value.keywords:
        value = value.args[0]
    return isinstance(value, DISPLAYS)


def report(house: House) -> str:
    """The table of one tree."""
    rows = [f"{'':28}{'files':>8}{'lines':>10}{'statements':>12}"]
    for folder in ("app/", *(f"app/{room}/" for room in house.rooms())):
        counted = (len(house.files(folder)), house.lines(folder), house.statements(folder))
        rows.append("{:28}{:8,}{:10,}{:12,}".format(folder, *counted))
    rows.append("")
    lists = {
        "small files with one importer": house.small_files_of_one(),
        "project: Any": house.untyped_projects(),
        "fmt: skip outside of tables": house.skipped_formats(),
        "import circles": [f"{len(circle)} modules: {' '.join(circle)}" for circle in house.circles()],
        f"classes over {LONGEST_CLASS_LINES} lines": [f"{name} {size}" for name, size in house.long_classes().items()],
    }
    rows += [f"{name:32}{len(found):8,}" for name, found in lists.items()]
    for name in ("import circles", f"classes over {LONGEST_CLASS_LINES} lines"):
        rows += ["", name, *(f"  {item}" for item in lists[name])]
    return "\n".join(rows)


if __name__ == "__main__":
    for tree in [Path(word) for word in sys.argv[1:]] or [ROOT]:
        print(tree, report(House(tree)), sep="\n\n", end="\n\n")
