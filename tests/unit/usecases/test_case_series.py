"""Which series a report charts: the worst thing of each host by the figure that is shown, whichever side it is on."""

from __future__ import annotations

from dataclasses import replace

from tunebench.analysis.comparing.comparison import ComparedSeries
from tunebench.analysis.statistics import Statistics
from tunebench.domain.engagement import Direction, Kind
from tunebench.domain.series import SeriesInfo
from tunebench.usecases.reports.case_series import HOSTS_SHOWN, Chosen, choose

IDLE = SeriesInfo(
    1,
    1,
    "before",
    1,
    "",
    1,
    1,
    "vmstat",
    "vmstat",
    "id",
    "system.cpu.utilization",
    "%",
    Kind.RATIO,
    Direction.HIGHER,
    0.01,
    "1",
    60,
    0,
    0,
    60_000_000_000,
    1.0,
)
UTIL = replace(IDLE, tool="iostat", table="device", native="%util", direction=Direction.LOWER)


def row(info: SeriesInfo, host: str, before: float | None, after: float | None, device: str = "") -> ComparedSeries:
    part = replace(info, host=host, attributes={"device": device} if device else {})
    first, second = (() if mean is None else (part,) for mean in (before, after))
    old, new = (None if mean is None else Statistics(60, 0, *[mean] * 5) for mean in (before, after))
    return ComparedSeries(first, second, old, new, None, "")


def named(chosen: Chosen) -> list[str]:
    return [pair.row.series.host + pair.row.series.device for pair in chosen.pairs]


def test_of_idle_times_the_busiest_host_is_the_first() -> None:
    """Idle 98 and 97 % on one host, 5 and 60 % on the other: shown as 2 and 3 % against 95 and 40 %."""
    chosen = choose([row(IDLE, "spare", 98, 97), row(IDLE, "busy", 5, 60)])
    assert named(chosen) == ["busy", "spare"]


def test_a_host_that_got_worse_stands_beside_one_that_got_better() -> None:
    assert set(named(choose([row(UTIL, "a", 26, 2, "sda"), row(UTIL, "b", 2, 26, "sda")]))) == {"asda", "bsda"}


def test_the_choice_is_the_same_with_the_sides_exchanged() -> None:
    rows = [row(UTIL, "a", 40, 3, "sda"), row(UTIL, "a", 30, 60, "sdb"), row(UTIL, "b", 5, 7, "sdc")]
    turned = [
        replace(each, before_statistics=each.after_statistics, after_statistics=each.before_statistics) for each in rows
    ]
    assert named(choose(rows))[:2] == named(choose(turned))[:2] == ["asdb", "bsdc"]


def test_a_device_that_got_worse_is_shown_beside_the_busiest_one_of_its_host() -> None:
    rows = [row(UTIL, "a", 90, 20, "sda"), row(UTIL, "a", 1, 60, "sdb"), row(UTIL, "a", 50, 40, "sdc")]
    assert named(choose(rows)) == ["asda", "asdb"]


def test_of_many_hosts_the_worst_are_shown_and_the_others_named() -> None:
    rows = [row(UTIL, f"h{place}", 90 - place, 30, "sda") for place in range(6)] + [row(UTIL, "late", 5, 40, "sda")]
    chosen = choose(rows)
    assert named(chosen) == [*(f"h{place}sda" for place in range(HOSTS_SHOWN)), "latesda"]
    assert [hosts for _, hosts in chosen.further] == [("h4", "h5")]


def test_each_host_is_shown_by_a_tool_that_it_has() -> None:
    other = replace(IDLE, tool="iostat", table="cpu", native="%idle")
    assert set(named(choose([row(other, "linux", 20, 30), row(IDLE, "solaris", 40, 50)]))) == {"linux", "solaris"}


def test_where_one_side_only_was_captured_it_is_shown_alone() -> None:
    assert named(choose([row(IDLE, "a", 20, None)])) == ["a"]
    assert named(choose([row(IDLE, "a", 20, None), row(IDLE, "b", 20, 30)])) == ["b"]


def test_throughput_is_that_of_the_whole_run() -> None:
    whole = replace(UTIL, tool="pgbench", table="progress", native="tps", direction=Direction.HIGHER)
    thread = replace(whole, table="log")
    chosen = choose([row(thread, "a", 5, 6, "1"), row(whole, "a", 10, 12)])
    assert [pair.row.series.table for pair in chosen.pairs] == ["progress"]
