"""Copies that were edited by chance and merged: nothing is lost, and it does not matter which is called mine."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.unit.usecases import merged_copies as copies
from tunebench.store.check import check_project
from tunebench.store.opening import open_project
from tunebench.usecases.merging.merge import opened


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copies.base_project(tmp_path_factory.mktemp("base"))


def edited_pair(base: Path, seed: int) -> tuple[Path, Path]:
    chance = random.Random(seed)
    paths = []
    for side in "ab":
        path = copies.copy_of(base, f"{seed}{side}.tune")
        with open_project(path) as project:
            copies.Editor(project, chance, side).run(chance.randrange(1, 12))
        paths.append(path)
    return paths[0], paths[1]


def merge_and_look(base: Path, seed: int) -> None:
    mine, theirs = edited_pair(base, seed)
    before = [path.read_bytes() for path in (mine, theirs)]
    outcomes = []
    for one, other in ((mine, theirs), (theirs, mine)):
        target = base.with_name(f"{one.stem}-{other.stem}.tune")
        with opened(one, other) as merge:
            merged = merge.apply({}, target)
        with open_project(one, read_only=True) as left, open_project(other, read_only=True) as right:
            wanted = copies.words_in(left) | copies.words_in(right)
            one_has, other_has = copies.captures_in(left), copies.captures_in(right)
        there = one_has.keys() & other_has.keys() | (one_has | other_has).keys() - copies.captures_of(base)
        with open_project(target, read_only=True) as project:
            lost = wanted - copies.words_in(project)
            assert not lost, (seed, lost)
            assert there <= copies.captures_in(project).keys()
            wrong = [result for result in check_project(project) if result.state == "failed"]
            assert not wrong, (seed, wrong)
            outcomes.append((copies.contents(project), {conflict.key for conflict in merged.undecided}))
        target.unlink()
    assert [path.read_bytes() for path in (mine, theirs)] == before
    (one_contents, conflicts), (other_contents, _) = outcomes
    if not conflicts:
        assert one_contents == other_contents, seed
    mine.unlink()
    theirs.unlink()


@pytest.mark.parametrize("seed", range(24))
def test_nothing_is_lost_whichever_is_mine(base: Path, seed: int) -> None:
    merge_and_look(base, seed)
