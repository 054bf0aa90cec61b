"""Where many of a kind part, and what is said of each part: on drawn changes whose truth is known."""

from __future__ import annotations

import math
import random

import pytest

from tunebench.analysis.answering.groups import FEWEST, ManyOfAKind, Member, grouped, parted
from tunebench.analysis.inference.verdict import Verdict
from tunebench.domain.engagement import Direction

MARGIN = 0.10


def members(changes: list[float], reach: float | None = None) -> list[Member]:
    return [Member(place, change, reach, Verdict.INCONCLUSIVE) for place, change in enumerate(changes)]


def drawn(count: int, planted: int, factor: float, sd: float, seed: int) -> list[float]:
    chance = random.Random(seed)
    return [chance.gauss(math.log(factor) if number < planted else 0.0, sd) for number in range(count)]


def of(changes: list[float], direction: Direction = Direction.LOWER) -> ManyOfAKind:
    made = grouped(members(changes), direction, MARGIN)
    assert made is not None
    return made


@pytest.mark.parametrize("planted", [5, 14, 30])
def test_what_was_planted_is_one_group_and_exactly_its_members(planted: int) -> None:
    for seed in range(40):
        changes = drawn(40, planted, 0.6, 0.05, seed)
        kind = of(changes)
        fell, stayed = kind.groups
        assert {own.place for own in fell.members} == set(range(planted)) and not kind.apart
        assert (fell.low, fell.high) == (min(changes[:planted]), max(changes[:planted])) or planted > 20
        assert fell.verdict is Verdict.IMPROVED and fell.relative is not None
        truth = sum(changes[:planted]) / planted - sum(changes[planted:]) / (40 - planted)
        assert fell.relative[0] == pytest.approx(truth)
        assert fell.relative[1].low < truth < fell.relative[1].high
        assert stayed.verdict is Verdict.DESCRIPTIVE_ONLY, "nothing tells how much days differ"


@pytest.mark.parametrize(("count", "most"), [(12, 4), (20, 2), (40, 1), (100, 0)])
def test_where_nothing_changed_hardly_ever_two_groups_are_told(count: int, most: int) -> None:
    """Of a hundred draws, members differing by 5, 10 or 20 %."""
    for sd in (0.05, 0.10, 0.20):
        told = sum(len(of(drawn(count, 0, 1.0, sd, seed)).groups) > 1 for seed in range(100))
        assert told <= most


def test_what_the_week_did_to_all_of_them_cancels() -> None:
    week = 0.3
    fell, stayed = of([change + week for change in drawn(40, 14, 0.6, 0.03, 7)]).groups
    assert fell.relative is None, "none stayed inside the margin: there is nothing to be relative to"
    fell, stayed = of([change + 0.06 for change in drawn(40, 14, 0.6, 0.03, 7)]).groups
    assert fell.relative is not None and fell.verdict is Verdict.IMPROVED
    assert stayed.change == pytest.approx(0.06, abs=0.02)


def test_a_group_is_called_by_the_way_that_is_better() -> None:
    changes = drawn(40, 14, 1.6, 0.03, 3)
    assert of(changes).groups[-1].verdict is Verdict.REGRESSED
    assert of(changes, Direction.HIGHER).groups[-1].verdict is Verdict.IMPROVED
    assert of(changes, Direction.NEUTRAL).groups[-1].verdict is Verdict.DESCRIPTIVE_ONLY


def test_members_are_no_surer_together_than_each_of_them() -> None:
    """Their days are the same days: forty hosts of one day each are one day."""
    made = grouped(members([0.0] * 40, reach=0.4), Direction.LOWER, MARGIN)
    assert made is not None and made.groups[0].own is not None
    assert made.groups[0].own.high == pytest.approx(0.4) and made.groups[0].verdict is Verdict.INCONCLUSIVE
    sure = grouped(members([0.0] * 40, reach=0.05), Direction.LOWER, MARGIN)
    assert sure is not None and sure.groups[0].verdict is Verdict.EQUIVALENT


def test_one_far_from_all_others_stands_apart() -> None:
    kind = of([*drawn(39, 0, 1.0, 0.03, 5), math.log(1.6)])
    assert [own.place for own in kind.apart] == [39]
    assert sum(len(group.members) for group in kind.groups) == 39


def test_every_member_is_told_once() -> None:
    kind = of([*drawn(40, 14, 0.6, 0.03, 9), math.log(3.0)])
    places = [own.place for group in kind.groups for own in group.members] + [own.place for own in kind.apart]
    assert sorted(places) == list(range(41)) and kind.count == 41


def test_few_are_lines_of_their_own() -> None:
    assert grouped(members([0.0] * (FEWEST - 1)), Direction.LOWER, MARGIN) is None


def test_gaps_are_clear_or_none_is_cut() -> None:
    assert parted([0.0, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08, 0.09, 0.10, 0.11]) == ()
    assert parted([-0.5] * 6 + [0.0] * 6) == (6,)
