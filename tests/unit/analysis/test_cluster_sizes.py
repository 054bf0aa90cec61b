"""Cluster sizes: against sums done file by file, and lists as people type them."""

from __future__ import annotations

from itertools import pairwise
from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tunebench.analysis.cluster_sizes import CLUSTER_SIZES, SizeBucket, costs, rate_between, suggested, totals
from tunebench.analysis.file_size_lists import distributions, read_list
from tunebench.core.errors import UserError

K, M = 2**10, 2**20


def by_hand(sizes: list[int], cluster: int) -> tuple[int, int]:
    """Clusters and wasted bytes, file by file (document 004, 3.3)."""
    clusters = sum(ceil(size / cluster) for size in sizes)
    return clusters, clusters * cluster - sum(sizes)


def bucketed(sizes: list[int]) -> tuple[SizeBucket, ...]:
    """As the probe counts: by powers of two, empty files apart."""
    edges = [0, *(2**power for power in range(40))]
    found = []
    for low, high in pairwise(edges):
        inside = [size for size in sizes if low <= size < high]
        if inside:
            found.append(SizeBucket(low, high, len(inside), sum(inside)))
    return tuple(found)


def test_the_sizes_are_those_of_the_document() -> None:
    assert (CLUSTER_SIZES[0], CLUSTER_SIZES[-1]) == (4 * K, 16 * M)


def test_known_sizes_are_computed_exactly() -> None:
    sizes = [1 * K] * 120 + [3 * K] * 900 + [9 * K] * 640 + [70 * K] * 210 + [900 * K] * 45 + [12 * M] * 6
    buckets = read_list("1K, 120\n3K, 900\n9K, 640\n70K, 210\n900K, 45\n12M, 6")
    for cost in costs(buckets):
        assert cost.exact
        assert (cost.clusters, cost.wasted_bytes) == by_hand(sizes, cost.cluster_bytes)
    assert totals(buckets).files == 1921 and totals(buckets).size_bytes == sum(sizes)


@given(st.lists(st.integers(0, 40_000_000), min_size=1, max_size=60))
def test_the_bounds_hold_whatever_the_files_are(sizes: list[int]) -> None:
    for cost in costs(bucketed(sizes)):
        clusters, wasted = by_hand(sizes, cost.cluster_bytes)
        assert cost.least_clusters <= clusters <= cost.most_clusters
        assert cost.least_wasted_bytes <= wasted <= cost.most_wasted_bytes
        assert cost.least_clusters <= cost.clusters <= cost.most_clusters


def test_files_below_a_cluster_are_exact_from_their_bucket() -> None:
    (at_4k, at_8k) = costs((SizeBucket(2048, 4096, 10, 30_000),), (4 * K, 8 * K))
    assert (at_4k.clusters, at_4k.wasted_bytes, at_4k.exact) == (10, 10_960, True)
    assert at_8k.wasted_pct == pytest.approx(100 * (81_920 - 30_000) / 81_920)


def test_the_suggestion_is_the_largest_that_wastes_no_more() -> None:
    found = costs(read_list("1M, 10"))
    chosen = suggested(found, 10)
    assert chosen is not None and chosen.cluster_bytes == M
    assert suggested(costs(read_list("100, 5")), 10) is None


def test_rates_come_from_what_was_measured_alone() -> None:
    measured = {128 * K: 40.0, 4 * M: 50.0}
    assert rate_between(measured, 128 * K) == 40
    assert rate_between(measured, 64 * K) is None and rate_between(measured, 8 * M) is None
    assert rate_between(measured, 256 * K) == pytest.approx(42)  # one of five doublings
    by_size = {cost.cluster_bytes: cost for cost in costs(read_list("1M, 1"), measured_mb_s=measured)}
    assert by_size[128 * K].rate_measured and not by_size[M].rate_measured
    assert by_size[4 * K].rate_mb_s is None


def test_no_files_are_no_waste_and_no_share() -> None:
    (cost,) = costs((SizeBucket(0, 1, 7, 0),), (4 * K,))
    assert (cost.clusters, cost.wasted_bytes, cost.wasted_pct) == (0, 0, None)
    assert totals(()).mean_bytes is None


# --- lists
@pytest.mark.parametrize(
    "words",
    [
        "4K,8K,210,1289531",
        "4096\t8192\t210\t1,289,531",
        "4096; 8192; 210; 1289531",
        "4K  8K  210 1,289,531",
        "from,to,files,bytes\n4096,8192,210,1289531",
        "# a tree\n\n4096 8192 210 1289531\n",
    ],
)
def test_lists_as_people_write_them(words: str) -> None:
    assert read_list(words) == (SizeBucket(4096, 8192, 210, 1_289_531),)


def test_the_middle_stands_for_bytes_that_nobody_counted() -> None:
    buckets = read_list("0, 4K, 10")
    assert totals(buckets).estimated and totals(buckets).size_bytes == 20_475  # 10 x 2047.5


@pytest.mark.parametrize(
    ("words", "key"),
    [
        ("", "file_sizes_empty"),
        ("size,files", "file_sizes_empty"),
        ("4K", "file_sizes_line"),
        ("4K,8K,210,99", "file_sizes_line"),  # 210 files of 4K have more bytes than 99
        ("8K,4K,210", "file_sizes_line"),
        ("1M,-,5", "file_sizes_line"),  # without a limit the bytes are needed
        ("4K,-3", "file_sizes_line"),
        ("1,2,3,4,5", "file_sizes_line"),
        ("4K,many", "file_sizes_line"),
        ("1,1\n" * 10_001, "file_sizes_too_long"),
    ],
)
def test_a_list_that_cannot_be_read_is_refused(words: str, key: str) -> None:
    with pytest.raises(UserError) as refusal:
        read_list(words)
    assert refusal.value.key == key


def test_the_line_that_is_wrong_is_named() -> None:
    with pytest.raises(UserError) as refusal:
        read_list("size,files\n4K,1\n8K,x")
    assert refusal.value.facts["line"] == 3


def test_facts_of_a_capture_become_distributions() -> None:
    facts = [
        ("/oradata 0-1 files", "3"),
        ("/oradata 0-1 bytes", "0"),
        ("/oradata 4096-8192 files", "210"),
        ("/oradata 4096-8192 bytes", "1289531"),
        ("/oradata total files", "213"),
        ("/oradata state", "complete"),
        ("/my files 1048576- files", "2"),
        ("/my files 1048576- bytes", "5000000"),
    ]
    assert distributions(facts) == {
        "/oradata": (SizeBucket(0, 1, 3, 0), SizeBucket(4096, 8192, 210, 1_289_531)),
        "/my files": (SizeBucket(1_048_576, None, 2, 5_000_000),),
    }
