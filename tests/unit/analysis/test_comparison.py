from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tunebench.analysis.comparing.comparison import Parts, pair_series, ratio_of_means
from tunebench.analysis.series import SeriesData, joined
from tunebench.analysis.statistics import Statistics
from tunebench.domain.engagement import Direction, Kind
from tunebench.domain.series import SeriesInfo


def info(number: int, native: str, host: str = "db01", **attributes: str) -> SeriesInfo:
    return SeriesInfo(
        id=number,
        run_id=1,
        run="r",
        host_id=1,
        host=host,
        artefact_id=1,
        clock_id=1,
        tool="iostat",
        table="device",
        native=native,
        metric="",
        unit="ms",
        kind=Kind.GAUGE,
        direction=Direction.LOWER,
        to_base=1.0,
        base_unit="ms",
        count=1,
        missing=0,
        first_ns=0,
        last_ns=0,
        interval_s=1.0,
        attributes=attributes,
    )


def mean(value: float | None) -> Statistics:
    return Statistics(0, 1) if value is None else Statistics(5, 0, value, value, value, value, value)


@pytest.mark.parametrize(
    ("before", "after", "direction", "ratio", "reason"),
    [
        (10.0, 1.0, Direction.LOWER, 10.0, "no_uncertainty"),
        (10.0, 30.0, Direction.HIGHER, 3.0, "no_uncertainty"),
        (10.0, 30.0, Direction.NEUTRAL, 3.0, "no_uncertainty"),
        (10.0, 0.0, Direction.LOWER, None, "zero"),
        (0.0, 10.0, Direction.LOWER, None, "zero"),
        (-20.0, -10.0, Direction.LOWER, None, "zero"),
        (None, 10.0, Direction.LOWER, None, "no_samples"),
    ],
)
def test_ratio_knows_its_direction(
    before: float | None, after: float, direction: Direction, ratio: float | None, reason: str
) -> None:
    assert ratio_of_means(mean(before), mean(after), direction) == (ratio, reason)


def test_one_side_only_has_no_ratio() -> None:
    assert ratio_of_means(None, mean(1.0), Direction.LOWER) == (None, "one_side_only")


def ids(pairs: list[tuple[Parts, Parts]]) -> list[tuple[list[int], list[int]]]:
    return [([a.id for a in before], [b.id for b in after]) for before, after in pairs]


def test_pairs_by_name_and_keeps_the_rest() -> None:
    before = [info(1, "await", device="sda"), info(2, "await", device="sdb"), info(3, "svctm", device="sda")]
    after = [info(11, "await", device="sdb"), info(12, "await", device="sda"), info(13, "aqu-sz", device="sda")]
    assert ids(pair_series(before, after)) == [([1], [12]), ([2], [11]), ([3], []), ([], [13])]


def test_a_replaced_server_still_pairs_but_two_servers_do_not_mix() -> None:
    assert ids(pair_series([info(1, "await")], [info(2, "await", host="db02")])) == [([1], [2])]
    mixed = pair_series([info(1, "await"), info(3, "await", host="app1")], [info(2, "await", host="db02")])
    assert ids(mixed) == [([1], []), ([3], []), ([], [2])]


def test_the_captures_of_one_run_are_one_thing_in_the_order_of_time() -> None:
    tuesday, monday = (replace(info(n, "tps"), first_ns=first) for n, first in ((1, 200), (2, 100)))
    pairs = pair_series([tuesday, monday, info(3, "lat")], [info(11, "tps")])
    assert ids(pairs) == [([2, 1], [11]), ([3], [])]


def test_other_units_are_another_thing() -> None:
    pairs = pair_series([info(1, "free")], [replace(info(11, "free"), unit="s")])
    assert ids(pairs) == [([1], []), ([], [11])]


def test_what_is_defined_alike_pairs_first_and_other_definitions_never_join() -> None:
    old, new = (replace(info(n, "await"), definition=words) for n, words in ((1, "old"), (2, "new")))
    assert ids(pair_series([old, new], [replace(new, id=11)])) == [([1], []), ([2], [11])]
    assert ids(pair_series([old], [replace(new, id=11)])) == [([1], [11])]


def samples(times: list[int], values: list[float], since_boot: list[bool] | None = None) -> SeriesData:
    boot = since_boot or [False] * len(times)
    return SeriesData(np.array(times), np.array(values), np.array(boot, dtype=np.bool_), np.arange(len(times)))


def test_joined_captures_are_in_the_order_of_time() -> None:
    whole = joined([samples([1, 2], [10.0, 20.0]), samples([5, 6], [50.0, 60.0])])
    assert (whole.times_ns.tolist(), whole.values.tolist()) == ([1, 2, 5, 6], [10.0, 20.0, 50.0, 60.0])
    assert whole.line_numbers.tolist() == [0, 1, 0, 1]


def test_captures_that_are_no_neighbours_may_overlap() -> None:
    parts = [
        samples([1, 9], [10.0, 90.0]),
        samples([], []),
        samples([3, 4], [30.0, 40.0]),
        samples([9, 12], [91.0, 120.0]),
    ]
    whole = joined(parts)
    assert whole.times_ns.tolist() == [1, 3, 4, 9, 12]
    assert whole.values.tolist() == [10.0, 30.0, 40.0, 90.0, 120.0]


def test_an_instant_of_two_overlapping_captures_counts_once() -> None:
    whole = joined([samples([1, 2, 4], [10.0, 20.0, 40.0]), samples([2, 3, 4, 5], [21.0, 31.0, 41.0, 51.0])])
    assert whole.times_ns.tolist() == [1, 2, 3, 4, 5]
    assert whole.values.tolist() == [10.0, 20.0, 31.0, 40.0, 51.0]


def test_an_average_since_boot_does_not_stand_for_its_instant() -> None:
    whole = joined([samples([3, 4], [99.0, 40.0], [True, False]), samples([2, 3], [20.0, 30.0])])
    assert whole.measured().tolist() == [20.0, 30.0, 40.0]


def test_repeated_stamps_of_one_capture_stay() -> None:
    whole = joined([samples([1, 1, 2], [1.0, 2.0, 3.0]), samples([2, 3, 3], [9.0, 4.0, 5.0])])
    assert whole.values.tolist() == [1.0, 2.0, 3.0, 4.0, 5.0]
