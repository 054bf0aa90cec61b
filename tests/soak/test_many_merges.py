"""Two hundred pairs of copies, edited by chance and merged both ways: nothing is lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.usecases import merged_copies
from tests.unit.usecases.test_merging_random import merge_and_look

FIRST, PAIRS = 1000, 200


@pytest.mark.soak
@pytest.mark.parametrize("tens", range(PAIRS // 10))
def test_nothing_is_lost_in_ten_pairs(tmp_path: Path, tens: int) -> None:
    base = merged_copies.base_project(tmp_path)
    for seed in range(FIRST + 10 * tens, FIRST + 10 * tens + 10):
        merge_and_look(base, seed)
