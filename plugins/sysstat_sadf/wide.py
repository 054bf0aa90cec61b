"""Rows that hold all activities of a time (``sadf -d -h``): which field is what.

    # hostname;interval;timestamp;CPU;%user;...;%idle[...];runq-sz;plist-sz;...
    dbtest01;2;2026-11-21 07:10:15 UTC;-1;38.30;...;44.22;0;7.77;...;77.72;1;68.37;...;11.22;2;160;...

How often a group is repeated is not said: the fields must come out even, processors count up from -1, and a
thing's name is no decimal number where the group's own figures are.
"""

from __future__ import annotations

from dataclasses import dataclass

from .headings import Group

_MOST_STEPS = 20_000


@dataclass(frozen=True, slots=True)
class Part:
    """One thing's columns: the group, where its fields begin, and its name (None without)."""

    group: Group
    place: int
    size: int
    key: bytes | None


Layout = tuple[Part, ...]


def find_layout(groups: tuple[Group, ...], cells: list[bytes]) -> Layout | None:
    """The parts of a row with these cells; None where they do not come out even."""
    return _Search(groups, cells).found()


class _Search:
    def __init__(self, groups: tuple[Group, ...], cells: list[bytes]) -> None:
        self._groups = groups
        self._cells = cells
        self._steps = 0

    def found(self) -> Layout | None:
        parts: list[Part] = []
        return tuple(parts) if self._place(0, 0, parts) else None

    def _place(self, index: int, place: int, parts: list[Part]) -> bool:
        """Tries to lay out the groups from `index` on over the cells from `place` on."""
        self._steps += 1
        if index == len(self._groups):
            return place == len(self._cells)
        group = self._groups[index]
        if not group.repeated:
            return self._one(group, index, place, parts, index + 1)
        return self._one(group, index, place, parts, index) or self._skip(group, index, place, parts)

    def _skip(self, group: Group, index: int, place: int, parts: list[Part]) -> bool:
        """A repeated group that is over (or of which there is nothing)."""
        return self._place(index + 1, place, parts)

    def _one(self, group: Group, index: int, place: int, parts: list[Part], following: int) -> bool:
        for size in self._sizes(group, parts):
            end = place + size
            if self._steps > _MOST_STEPS or end > len(self._cells) or not self._fits(group, place, end, parts):
                continue
            key = self._cells[place] if group.key_attribute else None
            parts.append(Part(group, place, size, key))
            if self._place(following, end, parts):
                return True
            parts.pop()
        return False

    def _sizes(self, group: Group, parts: list[Part]) -> list[int]:
        if not group.per_cpu:
            return [group.size]
        before = next((part.size for part in reversed(parts) if part.group is group), 0)
        if before:
            return [before]
        processors = sum(part.group.table == "cpu" for part in parts)
        return [processors + 1] if processors else list(range(2, len(self._cells)))

    def _fits(self, group: Group, place: int, end: int, parts: list[Part]) -> bool:
        cells = self._cells[place:end]
        if group.key_attribute is None:
            return all(_is_number(cell) for cell in cells)
        if not all(_is_number(cells[index + 1]) for index in group.figures if not group.per_cpu):
            return False
        if group.key_attribute != "cpu":
            return not _is_decimal(cells[0])
        before = [int(part.key) for part in parts if part.group is group and part.key is not None]
        return cells[0].removeprefix(b"-").isdigit() and (not before or int(cells[0]) > before[-1])


def _is_number(cell: bytes) -> bool:
    return cell.removeprefix(b"-").replace(b".", b"", 1).replace(b",", b"", 1).isdigit() or b"nan" in cell


def _is_decimal(cell: bytes) -> bool:
    return _is_number(cell) and (b"." in cell or b"," in cell)
