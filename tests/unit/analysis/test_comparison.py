from __future__ import annotations

import pytest

from app.analysis.comparison import pair_series, ratio_of_means
from app.analysis.statistics import Statistics
from app.domain.engagement import Direction, Kind
from app.domain.series import SeriesInfo


def info(number: int, native: str, host: str = "db01", **attributes: str) -> SeriesInfo:
    return SeriesInfo(
        id=number, run_id=1, run="r", host_id=1, host=host, artefact_id=1, clock_id=1, tool="iostat", table="device",
        native=native, metric="", unit="ms", kind=Kind.GAUGE, direction=Direction.LOWER, to_base=1.0, base_unit="ms",
        count=1, missing=0, first_ns=0, last_ns=0, interval_s=1.0, attributes=attributes,
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
        (None, 10.0, Direction.LOWER, None, "no_samples"),
    ],
)
def test_ratio_knows_its_direction(
    before: float | None, after: float, direction: Direction, ratio: float | None, reason: str
) -> None:
    assert ratio_of_means(mean(before), mean(after), direction) == (ratio, reason)


def test_one_side_only_has_no_ratio() -> None:
    assert ratio_of_means(None, mean(1.0), Direction.LOWER) == (None, "one_side_only")


def test_pairs_by_name_and_keeps_the_rest() -> None:
    before = [info(1, "await", device="sda"), info(2, "await", device="sdb"), info(3, "svctm", device="sda")]
    after = [info(11, "await", device="sdb"), info(12, "await", device="sda"), info(13, "aqu-sz", device="sda")]
    pairs = [(a and a.id, b and b.id) for a, b in pair_series(before, after)]
    assert pairs == [(1, 12), (2, 11), (3, None), (None, 13)]


def test_a_replaced_server_still_pairs_but_two_servers_do_not_mix() -> None:
    assert [(a and a.id, b and b.id) for a, b in pair_series([info(1, "await")], [info(2, "await", host="db02")])] == [
        (1, 2)
    ]
    mixed = pair_series([info(1, "await"), info(3, "await", host="app1")], [info(2, "await", host="db02")])
    assert [(a and a.id, b and b.id) for a, b in mixed] == [(1, None), (3, None), (None, 2)]


def test_the_same_series_from_two_files_pairs_in_order() -> None:
    pairs = pair_series([info(1, "tps"), info(2, "tps")], [info(11, "tps"), info(12, "tps")])
    assert [(a and a.id, b and b.id) for a, b in pairs] == [(1, 11), (2, 12)]
