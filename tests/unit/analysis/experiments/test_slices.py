"""Two factors at a time, the third held or averaged over."""

from __future__ import annotations

import pytest

from tunebench.analysis.experiments.analysis import analyse
from tunebench.analysis.experiments.slices import slice_of
from tunebench.domain.experiments.records import Experiment, Factor, Level, Reading, Response, Trial, TrialState


def experiment(**values: float) -> tuple[Experiment, list[Trial]]:
    """Cells as ``ax1``: factors of the levels a b, x y, 1 2; one run of each that is named."""
    factors = tuple(
        Factor(name, tuple(Level(level) for level in levels))
        for name, levels in (("A", "ab"), ("B", "xy"), ("C", "12"))
    )
    made = Experiment(1, "t", factors, (Response("s", "s"),), 1)
    trials = [
        Trial(n, 1, tuple(cell), 1, n, state=TrialState.DONE, values=(Reading("s", value),))
        for n, (cell, value) in enumerate(values.items(), start=1)
    ]
    return made, trials


def test_a_held_factor_gives_the_cells_own_medians():
    made, trials = experiment(ax1=2, ax2=8, ay1=3, bx1=5)
    part = analyse(made, trials).parts[0]
    found = slice_of(made, part, 0, 1, {2: "1"})
    assert found.values == ((2, 3), (5, None)) and found.runs == ((1, 1), (1, 0))


def test_averaging_is_the_geometric_mean_and_says_when_it_mixes():
    """sqrt(2 * 8) = 4, sqrt(3 * 12) = 6."""
    made, trials = experiment(ax1=2, ax2=8, ay1=3, ay2=12)
    found = slice_of(made, analyse(made, trials).parts[0], 0, 1, {})
    assert list(found.values[0]) == [pytest.approx(4), pytest.approx(6)] and found.comparable
    made, trials = experiment(ax1=2, ax2=8, ay1=3)  # y was run at the first level of C only
    assert not slice_of(made, analyse(made, trials).parts[0], 0, 1, {}).comparable


def test_one_factor_alone_is_one_column():
    made, trials = experiment(ax1=2, bx1=5)
    found = slice_of(made, analyse(made, trials).parts[0], 0, None, {1: "x", 2: "1"})
    assert found.values == ((2,), (5,)) and found.second == ""


def test_a_mean_over_zero_is_not_given():
    made, trials = experiment(ax1=0, ax2=8)
    assert slice_of(made, analyse(made, trials).parts[0], 0, 1, {}).values[0][0] is None
