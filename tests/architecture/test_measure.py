"""What measures the house sees what it is meant to see, and the limits that are reached are kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.architecture import source_scan
from tests.architecture.measure import House, report

MARK = "# fmt: " + "skip"
COUNTED = '''"""Any of this is no token."""

from typing import Any
from os import path as path, sep as separator

def outer(told):  # a parameter is no local, a comment no token
    """Any."""
    found, each = 1, 2
    def inner():
        found: Any = Any
        for one, x in []:
            with found as handle:
                late = [number for number in handle]
        try:
            pass
        except OSError as error:
            return late
    return inner
'''
PLANTED = {
    "app/tunebench/__init__.py": "",
    "app/tunebench/room/__init__.py": '"""A room."""\n',
    # Five statements: import, def, its own assignment, the class and its attribute. Docstrings and comments are none.
    "app/tunebench/room/one.py": (
        '"""Says nothing."""\n\n# why\nimport tunebench.room.two\n\ndef act(project: Any, other: Any):\n    """Acts."""\n'
        "    x = 1\n\nclass Held:\n    project: Any\n"
    ),
    "app/tunebench/room/two.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from tunebench.room import three\n",
    "app/tunebench/room/three.py": "def late():\n    from . import one\n",
    "app/tunebench/room/used.py": "a = 1\n",
    "app/tunebench/room/user.py": "from tunebench.room.used import a\n",
    **{f"tests/counted_{index}.py": COUNTED for index in range(10)},
    "plugins/kept.py": f"A = {{\n    1: 2,\n}}  {MARK}\nB = frozenset({{\n    1,\n}})  {MARK}\nprint(1,\n  2)  {MARK}\n",
    "plugins/long.py": "class Long:\n" + "    a = 1\n" * 300 + "class Short:\n" + "    a = 1\n" * 299,
}


@pytest.fixture
def planted(tmp_path: Path) -> House:
    for name, text in PLANTED.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return House(tmp_path)


@pytest.fixture(scope="module")
def house() -> House:
    return House(source_scan.ROOT)


def test_lines_and_statements_are_counted_by_room(planted: House) -> None:
    assert list(planted.rooms) == ["plugins", "room", "tests", "tunebench"]
    room = planted.rooms["room"]
    assert (room.files, room.lines, room.statements) == (6, 19, 5 + 3 + 2 + 1 + 1)
    rows = [line.split() for line in report(planted).splitlines()]
    assert ["room", "6", "19", "12"] in [row[:4] for row in rows]
    assert ["together", "7", "19", "12"] in [row[:4] for row in rows], "plug-ins and tests apart"


def test_each_count_sees_what_it_counts(planted: House) -> None:
    """In ten files alike, as fewer would be too small to have a shape."""
    counts = planted.measured()["tests"].counts
    assert counts == {
        "statements": 130, "tokens": 710, "private_locals": 30, "any_lines": 10, "aliases": 10, "packed": 10,
        "long_classes": 0, "small_files": 0,
    }  # fmt: skip
    shape = planted.measured()["tests"].shape
    assert not planted.measured()["room"].shape
    assert shape["function_p90"] == 12
    assert shape["one_letter_percent"] == round(100 * 1 / 9, 1)


def test_circles_close_through_functions_and_the_type_checker(planted: House) -> None:
    assert planted.circles() == [["tunebench.room.one", "tunebench.room.three", "tunebench.room.two"]]


def test_small_files_of_one_importer(planted: House) -> None:
    one_importer_each = [
        "app/tunebench/room/one.py",
        "app/tunebench/room/three.py",
        "app/tunebench/room/two.py",
        "app/tunebench/room/used.py",
    ]
    assert planted.small_files_of_one() == one_importer_each


def test_untyped_projects_are_found_as_parameter_and_attribute(planted: House) -> None:
    assert set(planted.untyped_projects()) == {"app/tunebench/room/one.py:6", "app/tunebench/room/one.py:11"}


def test_only_tables_may_keep_their_shape(planted: House) -> None:
    assert planted.skipped_formats() == ["plugins/kept.py:8"]


def test_a_class_is_long_from_its_first_line_past_the_limit(planted: House) -> None:
    assert planted.long_classes() == ["plugins/long.py Long 301"]


def test_the_formatter_decides_but_for_tables_of_data(house: House) -> None:
    assert not house.skipped_formats()


def test_no_project_is_untyped(house: House) -> None:
    assert not house.untyped_projects()
