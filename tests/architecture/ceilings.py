"""How much each room may hold: ``ceilings.toml``, whose figures fall by ``measure --lower`` and rise by hand, with a reason.

A count above its ceiling is refused, and so is one that lies 1 % or more below it: what was won is written down before
anybody spends it. Limits of the shape stand against counts that fall by worse code (longer lines, longer functions, names
of one letter), with a margin, as a median also moves when short lines go; they are changed by hand alone. Lines have no
ceiling: a comment that says why costs nothing.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

PATH = Path(__file__).with_name("ceilings.toml")
SLACK = 0.01
MARGINS = {"line_median": 1, "line_p90": 2, "tokens_per_line": 0.2, "function_p90": 1, "one_letter_percent": 0.3}
"""How far above what was measured a limit of the shape is first set."""
FLOORS = frozenset({"local_name_median"})
"""Limits of the shape that nothing may fall below; the others, that nothing may rise above."""
HEAD = """\
# What each room may hold. Lowered by `python -m tests.architecture.measure --lower`; raised by hand alone, each rise with
# its reason below: why.tokens = "...". What is counted: figures.py.
"""


@dataclass(frozen=True)
class Room:
    """Figures of one room, measured or as ceilings; `why` of ceilings that were raised: count or limit -> the reason."""

    counts: Mapping[str, int]
    shape: Mapping[str, float]
    why: Mapping[str, str] = field(default_factory=dict)


Rooms = Mapping[str, Room]


def parsed(text: str) -> Rooms:
    return {
        name: Room(
            {key: value for key, value in table.items() if key not in {"shape", "why"}},
            table.get("shape", {}),
            table.get("why", {}),
        )
        for name, table in tomllib.loads(text).items()
    }


def written(rooms: Rooms) -> str:
    """The file's text."""
    return HEAD + "".join(f"\n[{name}]\n{_table(room)}" for name, room in rooms.items())


def _table(room: Room) -> str:
    rows = [f"{name} = {count}" for name, count in room.counts.items()]
    if room.shape:
        rows.append("shape = { " + ", ".join(f"{name} = {limit}" for name, limit in room.shape.items()) + " }")
    rows += [f'why.{name} = "{reason}"' for name, reason in room.why.items()]
    return "\n".join(rows) + "\n"


def breaches(ceilings: Rooms, measured: Rooms) -> list[str]:
    """A sentence for each figure that its ceiling does not hold."""
    names = sorted(ceilings.keys() ^ measured.keys())
    unlike = [f"[{name}] is of one of the two alone: measure --lower" for name in names]
    both = [name for name in measured if name in ceilings]
    return [*unlike, *(line for name in both for line in _breaches(name, ceilings[name], measured[name]))]


def _breaches(name: str, ceiling: Room, room: Room) -> list[str]:
    lines = []
    for figure, count in room.counts.items():
        most = ceiling.counts.get(figure, 0)
        if count > most:
            lines.append(f"{name}.{figure}: {count:,}, {count - most:,} above its ceiling of {most:,}")
        elif count < most and count <= most * (1 - SLACK):
            lines.append(f"{name}.{figure}: {count:,}, 1 % or more below its ceiling of {most:,}: measure --lower")
    for figure, size in room.shape.items():
        limit = ceiling.shape.get(figure, size)
        if (size < limit) if figure in FLOORS else (size > limit):
            lines.append(f"{name}.shape.{figure}: {size}, past its limit of {limit}")
    return lines


def lowered(ceilings: Rooms, measured: Rooms) -> Rooms:
    """The ceilings with every count that has fallen; its reason goes with it. A room that is new comes as it is measured."""
    return {name: _lowered(ceilings.get(name, Room({}, {})), room) for name, room in measured.items()}


def _lowered(ceiling: Room, room: Room) -> Room:
    counts = {name: min(count, ceiling.counts.get(name, count)) for name, count in room.counts.items()}
    shape = {name: ceiling.shape.get(name, round(size + MARGINS.get(name, 0), 1)) for name, size in room.shape.items()}
    why = {name: reason for name, reason in ceiling.why.items() if counts.get(name) == ceiling.counts.get(name)}
    return Room(counts, shape, why)


def unexplained_rises(older: Rooms, newer: Rooms) -> list[str]:
    """``room.figure`` of what was raised, or of what limit was widened, without a reason beside it."""
    return [
        f"{name}.{figure}"
        for name, room in newer.items()
        if name in older
        for figure in _raised(older[name], room)
        if older[name].why.get(figure) == room.why.get(figure)
    ]


def _raised(older: Room, newer: Room) -> list[str]:
    counts = [name for name, count in newer.counts.items() if count > older.counts.get(name, count)]
    return counts + [
        name
        for name, limit in newer.shape.items()
        if (older.shape.get(name, limit) > limit if name in FLOORS else limit > older.shape.get(name, limit))
    ]
