"""The ceilings hold what is measured, and bite: a rise, a drop and lines joined to look like a drop are all refused."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from tests.architecture import ceilings
from tests.architecture.ceilings import breaches, lowered, parsed, unexplained_rises, written
from tests.architecture.measure import House

FUNCTION = "def act_{number}(first, second):\n    total = first + second\n    half = total / 2\n    return half\n\n\n"
REVISIONS = 30


def _measured(folder: Path, text: str) -> ceilings.Rooms:
    """What is measured of a house with one room of one module."""
    module = folder / "app/tunebench/room" / "one.py"
    module.parent.mkdir(parents=True, exist_ok=True)
    module.write_text(text, encoding="utf-8")
    return House(folder).measured()


def _functions(number: int) -> str:
    return "".join(FUNCTION.format(number=index) for index in range(number))


@pytest.fixture
def held(tmp_path: Path) -> ceilings.Rooms:
    return lowered({}, _measured(tmp_path / "before", _functions(50)))


def test_this_house_is_within_its_ceilings(project_root: Path) -> None:
    held = parsed(ceilings.PATH.read_text(encoding="utf-8"))
    assert not breaches(held, House(project_root).measured())


def test_each_rise_of_a_ceiling_has_its_reason(project_root: Path) -> None:
    """Of the last revisions, and of what is not committed yet."""
    path = ceilings.PATH.relative_to(project_root).as_posix()

    def git(*words: str) -> str:
        return subprocess.run(["git", *words], cwd=project_root, capture_output=True, text=True, check=True).stdout

    if not (project_root / ".git").exists():
        pytest.skip("not a checkout")
    revisions = git("log", f"-{REVISIONS}", "--format=%H", "--diff-filter=AM", "--", path).split()
    texts = [ceilings.PATH.read_text(encoding="utf-8"), *(git("show", f"{name}:{path}") for name in revisions)]
    pairs = zip(map(parsed, texts[1:]), map(parsed, texts), strict=False)
    assert not [line for older, newer in pairs for line in unexplained_rises(older, newer)]


def test_a_planted_rise_is_refused(held: ceilings.Rooms, tmp_path: Path) -> None:
    risen = _measured(tmp_path, _functions(50) + "LIMIT: Any = 1\n")
    assert breaches(held, risen) == [
        f"{room}.{figure}: {counts[figure]:,}, {rise} above its ceiling of {held[room].counts[figure]:,}"
        for room, counts in (("together", risen["together"].counts), ("room", risen["room"].counts))
        for figure, rise in (("statements", 1), ("tokens", 5), ("any_lines", 1))
    ]


def test_a_planted_drop_is_refused_until_it_is_written(held: ceilings.Rooms, tmp_path: Path) -> None:
    dropped = _measured(tmp_path, _functions(49))
    assert "room.statements: 196, 1 % or more below its ceiling of 200: measure --lower" in breaches(held, dropped)
    assert not breaches(lowered(held, dropped), dropped)
    within_a_hundredth = replace(held["room"], counts={**held["room"].counts, "statements": 199})
    assert not breaches(held, {**held, "room": within_a_hundredth})


@pytest.mark.parametrize(
    "joined",
    [
        "def act_{number}(first, second):\n    total = first + second; half = total / 2; return half\n\n\n",
        "def act_{number}(first, second):\n    total, half = first + second, (first + second) / 2\n    return half\n\n\n",
        "def act_{number}(first, second):\n    return [half for total in [first + second] for half in [total / 2]][0]\n",
        "def act_{number}(first, second):\n    t = first + second\n    h = t / 2\n    return h\n\n\n",
        "act_{number} = lambda first, second: (first + second) / 2 if first + second else (first + second)\n",
    ],
    ids=["one line", "packed", "comprehension", "one letter", "lambda"],
)
def test_joined_lines_are_no_drop(held: ceilings.Rooms, tmp_path: Path, joined: str) -> None:
    """In one function of fifty or in all of them: fewer lines, statements or letters, and past a limit all the same."""
    everywhere = _measured(tmp_path / "all", "".join(joined.format(number=index) for index in range(50)))
    refused = [line for line in breaches(held, everywhere) if "below its ceiling" not in line]
    assert refused
    once = _measured(tmp_path / "one", _functions(49) + joined.format(number=49))
    assert breaches(held, once)


def test_what_was_lowered_reads_as_it_was_written(held: ceilings.Rooms) -> None:
    reasoned = {name: replace(room, why={"tokens": "readers of a new format"}) for name, room in held.items()}
    assert parsed(written(reasoned)) == reasoned


def test_lowering_never_raises_and_drops_only_spent_reasons(held: ceilings.Rooms, tmp_path: Path) -> None:
    risen = _measured(tmp_path, _functions(51))
    assert lowered(held, risen)["room"].counts == held["room"].counts
    reasoned = {"room": replace(held["room"], why={"tokens": "a", "packed": "b", "function_p90": "c"})}
    assert lowered(reasoned, _measured(tmp_path, _functions(40)))["room"].why == {"packed": "b", "function_p90": "c"}


def test_a_rise_by_hand_needs_its_own_reason(held: ceilings.Rooms) -> None:
    room = held["room"]
    raised = replace(
        room,
        counts={**room.counts, "tokens": room.counts["tokens"] + 1},
        shape={**room.shape, "line_p90": 200, "local_name_median": 1, "function_p90": 1},
    )
    assert unexplained_rises({"room": room}, {"room": raised}) == [
        "room.tokens", "room.line_p90", "room.local_name_median"
    ]  # fmt: skip
    why = {"tokens": "a new reader", "line_p90": "tables of data", "local_name_median": "x and y of charts"}
    explained = replace(raised, why=why)
    assert not unexplained_rises({"room": room}, {"room": explained})
    again = replace(explained, counts={**raised.counts, "tokens": raised.counts["tokens"] + 1})
    assert unexplained_rises({"room": explained}, {"room": again}) == ["room.tokens"], "an old reason is none"
