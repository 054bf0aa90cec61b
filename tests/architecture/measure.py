"""How large the house is and where it bends: ``python -m tests.architecture.measure [TREE ...]``.

``--lower`` writes what has fallen into `ceilings.toml`. What statements, tokens and the like are: `figures`.

Room        a folder of `tunebench`; what lies beside them is the room `tunebench`; `plugins` and `tests` are one each.
Import      an ``import`` of a module of `tunebench`, wherever it stands: at the top, inside of a function, for the type checker only.
            A package is its ``__init__``; who imports ``app.a.b`` does not count as an importer of ``app.a``.
Circle      modules of `tunebench` that reach each other by imports (a strongly connected component of two or more).
Table       what a ``fmt: skip`` may keep as it stands: an assignment of a display (dict, list, set, tuple), or of one that a
            call wraps (``frozenset({...})``). Any other ``fmt: skip`` is counted.
Small file  one of `tunebench` of fewer than 60 lines that one module alone imports.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tests.architecture import ceilings
from tests.architecture import source_scan as scan
from tests.architecture.figures import LONGEST_CLASS_LINES, Figures

ROOT = scan.ROOT
PACKAGE = "app/tunebench"
OTHERS = ("plugins", "tests")
TOGETHER = "together"
ONE_HOME = ("p_adjusted",)
"""Figures that are to be named in few files of the program: where they are made and said once."""
SMALL_FILE_LINES = 60
DISPLAYS = (ast.Dict, ast.List, ast.Set, ast.Tuple)


@dataclass(frozen=True)
class House:
    """The program's sources below `root`, read once."""

    root: Path

    @cached_property
    def texts(self) -> Mapping[str, str]:
        """Path within the tree -> text, of the program, its plug-ins and its tests."""
        paths = (path for folder in (PACKAGE, *OTHERS) for path in (self.root / folder).rglob("*.py"))
        return {path.relative_to(self.root).as_posix(): path.read_text(encoding="utf-8") for path in sorted(paths)}

    def files(self, *folders: str) -> list[str]:
        return [name for name in self.texts if name.startswith(tuple(f"{folder}/" for folder in folders))]

    @cached_property
    def trees(self) -> Mapping[str, ast.Module]:
        """Those of the program and its plug-ins, kept; a test's is read where it is counted."""
        return {name: scan.tree_of(self.root / name) for name in self.files(PACKAGE, "plugins")}

    @cached_property
    def rooms(self) -> Mapping[str, Figures]:
        """Room -> what is counted in it."""
        rooms: defaultdict[str, Figures] = defaultdict(Figures)
        for name, text in self.texts.items():
            tree = self.trees[name] if name in self.trees else ast.parse(text)
            rooms[_room(name)].add(name, text, tree)
        return dict(sorted(rooms.items()))

    def measured(self) -> ceilings.Rooms:
        """What has ceilings, by room; `TOGETHER` is the program without plug-ins and tests."""
        small = Counter(_room(path) for path in self.small_files_of_one())
        rooms = {
            name: ceilings.Room(_counts(figures) | {"small_files": small[name]}, figures.shape())
            for name, figures in self.rooms.items()
        }
        program = [Counter(room.counts) for name, room in rooms.items() if name not in OTHERS]
        counts = {name: sum(count[name] for count in program) for name in program[0]}
        naming = {f"files_naming_{figure}": len(self.files_that_name(figure)) for figure in ONE_HOME}
        return {TOGETHER: ceilings.Room(counts | naming, {}), **rooms}

    @cached_property
    def modules(self) -> Mapping[str, str]:
        """Module of `tunebench` -> its path."""
        return {_module(name): name for name in self.files(PACKAGE)}

    @cached_property
    def imports(self) -> Mapping[str, frozenset[str]]:
        """Module of `tunebench` -> the modules of `tunebench` that it imports."""
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
            for name in self.files(PACKAGE)
            for node in ast.walk(self.trees[name])
            if isinstance(node, ast.arg | ast.AnnAssign) and _is_untyped_project(node)
        ]

    def skipped_formats(self) -> list[str]:
        """Places of ``fmt: skip`` that keep something else than a table of data."""
        mark = "# fmt: " + "skip"
        found = []
        for name, tree in self.trees.items():
            text = self.texts[name]
            marked = [number for number, line in enumerate(text.splitlines(), 1) if line.endswith(mark)]
            nodes = ast.walk(tree) if marked else ()
            tables = {n.end_lineno for n in nodes if isinstance(n, ast.stmt) and _is_table(n)}
            found += [f"{name}:{number}" for number in marked if number not in tables]
        return found

    def long_classes(self) -> list[str]:
        return [item for figures in self.rooms.values() for item in figures.long_classes]

    def files_that_name(self, figure: str) -> list[str]:
        """Files of `tunebench` in which the word `figure` stands."""
        word = re.compile(rf"\b{figure}\b")
        return [name for name in self.files(PACKAGE) if word.search(self.texts[name])]


def _counts(figures: Figures) -> dict[str, int]:
    names = ("statements", "tokens", "private_locals", "any_lines", "aliases", "packed")
    return {**{name: getattr(figures, name) for name in names}, "long_classes": len(figures.long_classes)}


def _room(path: str) -> str:
    room, *below = path.removeprefix(f"{PACKAGE}/").split("/")
    return room if below else "tunebench"


def _module(path: str) -> str:
    return path.removeprefix("app/").removesuffix(".py").removesuffix("/__init__").replace("/", ".")


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
    measured = house.measured()
    program = [figures for room, figures in house.rooms.items() if room not in OTHERS]
    sizes = {room: (figures.files, figures.lines) for room, figures in house.rooms.items()}
    sizes[TOGETHER] = (sum(figures.files for figures in program), sum(figures.lines for figures in program))
    rows = [_row("", ("files", "lines", *measured[TOGETHER].counts))]
    rows += [_row(name, (*sizes[name], *room.counts.values())) for name, room in measured.items()]
    rows += ["", _row("", tuple(house.rooms["tests"].shape()))]
    rows += [_row(name, tuple(room.shape.values())) for name, room in measured.items() if room.shape]
    lists = {
        "project: Any": house.untyped_projects(),
        "fmt: skip outside of tables": house.skipped_formats(),
        "import circles": [f"{len(circle)} modules: {' '.join(circle)}" for circle in house.circles()],
        f"classes over {LONGEST_CLASS_LINES} lines": house.long_classes(),
    }
    for name, items in lists.items():
        rows += ["", f"{name}: {len(items)}", *(f"  {item}" for item in items)]
    return "\n".join(rows)


def _row(name: str, cells: Sequence[float | str]) -> str:
    return f"{name:12}" + "".join(f"{cell if isinstance(cell, str) else f'{cell:,}':>19}" for cell in cells)


def main(words: Sequence[str]) -> None:
    if "--lower" in words:
        held = ceilings.parsed(ceilings.PATH.read_text(encoding="utf-8"))
        ceilings.PATH.write_text(ceilings.written(ceilings.lowered(held, House(ROOT).measured())), encoding="utf-8")
        return
    for tree in [Path(word) for word in words] or [ROOT]:
        print(tree, report(House(tree)), sep="\n\n", end="\n\n")


if __name__ == "__main__":
    main(sys.argv[1:])
