"""What became of the whole work, in words; expected values by hand."""

from __future__ import annotations

import pytest

from tunebench.analysis.inference.verdict import Interval
from tunebench.columns.column import Locale
from tunebench.usecases.databases.workload_words import interval_words, volume_words


@pytest.mark.parametrize(
    ("ratio", "interval", "words"),
    [
        (1.25, Interval(1.12, 1.4), "[95 %: 1.12–1.40]"),
        (0.8, Interval(0.5, 0.9), "[95 %: 1.11–2.00]"),
        (0.8, Interval(0.0, 0.9), "[95 %: 1.11–∞]"),
        (None, Interval(0.5, 0.9), ""),
        (1.25, None, ""),
    ],
)
def test_an_interval_is_of_the_factor_that_stands_before_it(
    ratio: float | None, interval: Interval | None, words: str
) -> None:
    assert interval_words(ratio, interval, Locale("en")) == words


@pytest.mark.parametrize(
    ("effect", "words"), [(None, "not computable"), (1.25, "-20.0 %"), (0.8, "+25.0 %"), (4.0, "4.00× lower")]
)
def test_what_executions_alone_did_is_neither_good_nor_bad(effect: float | None, words: str) -> None:
    assert volume_words(effect, Locale("en")) == words
