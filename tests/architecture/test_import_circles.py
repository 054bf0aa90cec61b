"""No two modules of the program need each other: neither at the top, nor inside of a function, nor for a type alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.architecture.measure import House


def test_the_program_has_no_import_circle(project_root: Path) -> None:
    house = House(project_root)
    assert house.imports["app.store.opening"] >= {"app.store.project", "app.store.audit.trail"}, "imports are read"
    assert house.circles() == []


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
    (circle,) = House(tmp_path).circles()
    assert {"app.one", "app.two"} <= set(circle)


def test_modules_that_stand_in_one_row_are_no_circle(tmp_path: Path) -> None:
    (tmp_path / "app").mkdir()
    for name, text in (("one", "import app.two\nimport app.three"), ("two", "from app.three import x"), ("three", "")):
        (tmp_path / "app" / f"{name}.py").write_text(text, encoding="utf-8")
    assert House(tmp_path).circles() == []
