"""No two modules of the program need each other: neither at the top, nor inside of a function, nor for a type alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest


def imports_between(root: Path, package: str) -> dict[str, set[str]]:
    """Each module of `package` below `root`, with the modules of it that it imports anywhere."""
    found = {_name(path.relative_to(root)): path for path in sorted((root / package).rglob("*.py"))}
    return {
        name: {imported for imported in _imported(path, frozenset(found)) if imported != name}
        for name, path in found.items()
    }


def _name(place: Path) -> str:
    return ".".join(place.with_suffix("").parts).removesuffix(".__init__")


def _imported(path: Path, known: frozenset[str]) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield from {inner if inner in known else node.module} & known


def circle_in(imports: dict[str, set[str]]) -> list[str]:
    """The modules of one circle, the first again at the end; nothing where there is none."""
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_the_program_has_no_import_circle(project_root: Path) -> None:
    imports = imports_between(project_root, "app")
    assert imports["app.store.opening"] >= {"app.store.project", "app.store.audit.trail"}, "imports are read"
    assert circle_in(imports) == []


@pytest.mark.parametrize(
    "back",
    [
        "import app.one",
        "from app import one",
        "from app.one import first",
        "def late():\n    from app.one import first",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from app.one import First",
        "import app.three",  # a way round
    ],
)
def test_a_planted_circle_is_found(tmp_path: Path, back: str) -> None:
    for name, text in (
        ("__init__", ""),
        ("one", "from app.two import second"),
        ("two", back),
        ("three", "import app.one"),
    ):
        (tmp_path / "app").mkdir(exist_ok=True)
        (tmp_path / "app" / f"{name}.py").write_text(text, encoding="utf-8")
    assert {"app.one", "app.two"} <= set(circle_in(imports_between(tmp_path, "app")))


def test_modules_that_stand_in_one_row_are_no_circle(tmp_path: Path) -> None:
    (tmp_path / "app").mkdir()
    for name, text in (("one", "import app.two\nimport app.three"), ("two", "from app.three import x"), ("three", "")):
        (tmp_path / "app" / f"{name}.py").write_text(text, encoding="utf-8")
    assert circle_in(imports_between(tmp_path, "app")) == []
