"""Random effects, against the figures that metafor's documentation gives for the trials of the BCG vaccine."""

from __future__ import annotations

from math import log, sqrt

import numpy as np
import pytest

from tunebench.analysis.inference.pooling import pooled

# Colditz et al., JAMA 271 (1994), as `dat.bcg` of R's metadat: cases and healthy, vaccinated and not.
BCG = [
    (4, 119, 11, 128), (6, 300, 29, 274), (3, 228, 11, 209), (62, 13536, 248, 12619), (33, 5036, 47, 5761),
    (180, 1361, 372, 1079), (8, 2537, 10, 619), (505, 87886, 499, 87892), (29, 7470, 45, 7232),
    (17, 1699, 65, 1600), (186, 50448, 141, 27197), (5, 2493, 3, 2338), (27, 16886, 29, 17825),
]  # fmt: skip
EFFECTS = [log(a / (a + b)) - log(c / (c + d)) for a, b, c, d in BCG]
ERRORS = [sqrt(1 / a - 1 / (a + b) + 1 / c - 1 / (c + d)) for a, b, c, d in BCG]


def test_it_is_what_others_find_in_a_well_known_set() -> None:
    """`rma(yi, vi, method="DL")`: estimate -0.7141, tau^2 0.3088."""
    found = pooled(EFFECTS, ERRORS)
    assert found.cases == 13
    assert found.estimate == pytest.approx(-0.7141, abs=5e-5)
    assert found.between**2 == pytest.approx(0.3088, abs=5e-5)
    assert found.low is not None and found.high is not None
    assert found.low < -1.07 and found.high > -0.36  # wider than the normal interval, -1.0644 to -0.3638
    assert found.low + found.high == pytest.approx(2 * found.estimate)


def test_one_case_tells_nothing_of_how_much_cases_differ() -> None:
    assert pooled([0.7], [0.1]) == (alone := pooled([0.7], [5.0])) and alone.low is None and alone.high is None


def test_cases_that_agree_are_their_weighted_mean() -> None:
    found = pooled([1.0, 1.0, 1.0], [0.1, 0.2, 0.4])
    assert found.estimate == pytest.approx(1.0) and found.between == 0.0


@pytest.mark.parametrize(("effects", "errors"), [([], []), ([1.0], [0.0]), ([1.0, 2.0], [0.1, -1.0])])
def test_what_cannot_be_weighed_is_refused(effects: list[float], errors: list[float]) -> None:
    with pytest.raises(ValueError, match="error above zero"):
        pooled(effects, errors)


def test_the_interval_holds_the_truth_where_cases_truly_differ() -> None:
    """95 of 100 intervals, of which 400 are drawn: fewer than 360 would come once in 10^4 times."""
    draw, held = np.random.default_rng(1124), 0
    for _ in range(400):
        errors = draw.uniform(0.05, 0.4, 6)
        effects = 0.3 + draw.normal(0, 0.3, 6) + draw.normal(0, errors)
        found = pooled(effects.tolist(), errors.tolist())
        held += found.low is not None and found.high is not None and found.low < 0.3 < found.high
    assert held >= 360
