"""No two modules of the program need each other: neither at the top, nor inside of a function, nor for a type alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.architecture.measure import House


def test_the_program_has_no_import_circle(project_root: Path) -> None:
    house = House(project_root)
    assert house.imports["tunebench.store.opening"] >= {"tunebench.store.project", "tunebench.store.audit.trail"}, (
        "imports are read"
    )
    assert house.circles() == []


@pytest.mark.parametrize(
    "back",
    [
        "import tunebench.one",
        "from tunebench import one",
        "from tunebench.one import first",
        "def late():\n    from tunebench.one import first",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from tunebench.one import First",
        "import tunebench.three",  # a way round
    ],
)
def test_a_planted_circle_is_found(tmp_path: Path, back: str) -> None:
    for name, text in (
        ("__init__", ""),
        ("one", "from tunebench.two import second"),
        ("two", back),
        ("three", "import tunebench.one"),
    ):
        (tmp_path / "app/tunebench").mkdir(parents=True, exist_ok=True)
        (tmp_path / "app/tunebench" / f"{name}.py").write_text(text, encoding="utf-8")
    (circle,) = House(tmp_path).circles()
    assert {"tunebench.one", "tunebench.two"} <= set(circle)


def test_modules_that_stand_in_one_row_are_no_circle(tmp_path: Path) -> None:
    (tmp_path / "app/tunebench").mkdir(parents=True)
    for name, text in (
        ("one", "import tunebench.two\nimport tunebench.three"),
        ("two", "from tunebench.three import x"),
        ("three", ""),
    ):
        (tmp_path / "app/tunebench" / f"{name}.py").write_text(text, encoding="utf-8")
    assert House(tmp_path).circles() == []
