"""What a cluster size costs in space: from a distribution of file sizes to allocations and waste per cluster size.

A file of any size takes whole clusters (document 004, 3.3). Of a distribution only the files and bytes of each bucket
are known, so the number of clusters is exact where all sizes of a bucket take equally many, and otherwise an estimate
between bounds that hold for every distribution with these totals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, log2

from tunebench.core.records import record

CLUSTER_SIZES = tuple(2**power for power in range(12, 25))
"""4 KiB to 16 MiB, as document 004 says NEC offers them, bytes."""
MOST_WASTE_PCT = 10.0


@record
class SizeBucket:
    """`files` files of low <= size < high bytes (high None: no limit), `size_bytes` together (None: not known)."""

    low_bytes: int
    high_bytes: int | None
    files: int
    size_bytes: int | None = None


@record
class ClusterCost:
    """The cost of one cluster size over a whole distribution.

    Attributes:
        clusters, least_clusters, most_clusters: estimate and bounds; equal where it is exact.
        wasted_bytes: allocated but not used, by the estimate.
        wasted_pct: share of what is allocated; None where nothing is.
        rate_mb_s: measured at this size, or between two measured sizes; None where nothing was measured around it.
        rate_measured: it was measured at exactly this size.
    """

    cluster_bytes: int
    clusters: float
    least_clusters: int
    most_clusters: int
    wasted_bytes: float
    least_wasted_bytes: int
    most_wasted_bytes: int
    wasted_pct: float | None
    rate_mb_s: float | None = None
    rate_measured: bool = False

    @property
    def exact(self) -> bool:
        return self.least_clusters == self.most_clusters


@record
class SizeTotals:
    """Totals of a distribution: `estimated` where the bytes of a bucket are not known and its middle was taken."""

    files: int
    size_bytes: int
    estimated: bool

    @property
    def mean_bytes(self) -> float | None:
        return self.size_bytes / self.files if self.files else None


def totals(buckets: Sequence[SizeBucket]) -> SizeTotals:
    return SizeTotals(
        sum(bucket.files for bucket in buckets),
        sum(_size(bucket) for bucket in buckets),
        any(bucket.size_bytes is None for bucket in buckets),
    )


def costs(
    buckets: Sequence[SizeBucket],
    sizes: Sequence[int] = CLUSTER_SIZES,
    measured_mb_s: Mapping[int, float] | None = None,
) -> tuple[ClusterCost, ...]:
    """One cost for each of `sizes`. `measured_mb_s`: cluster bytes -> transfer rate that somebody measured."""
    size = totals(buckets).size_bytes
    return tuple(_cost(buckets, cluster, size, measured_mb_s or {}) for cluster in sizes)


def suggested(costs: Sequence[ClusterCost], most_waste_pct: float = MOST_WASTE_PCT) -> ClusterCost | None:
    """The largest cluster that wastes no more than `most_waste_pct`: larger ones are faster. None if none does."""
    fitting = [cost for cost in costs if cost.wasted_pct is not None and cost.wasted_pct <= most_waste_pct]
    return max(fitting, key=lambda cost: cost.cluster_bytes, default=None)


def rate_between(measured_mb_s: Mapping[int, float], cluster_bytes: int) -> float | None:
    """Straight between the neighbours on a scale of doublings; None outside what was measured."""
    below = [size for size in measured_mb_s if size <= cluster_bytes]
    above = [size for size in measured_mb_s if size >= cluster_bytes]
    if not below or not above:
        return None
    low, high = max(below), min(above)
    if low == high:
        return measured_mb_s[low]
    share = (log2(cluster_bytes) - log2(low)) / (log2(high) - log2(low))
    return measured_mb_s[low] + share * (measured_mb_s[high] - measured_mb_s[low])


def _cost(buckets: Sequence[SizeBucket], cluster: int, size: int, measured: Mapping[int, float]) -> ClusterCost:
    parts = [_clusters(bucket, cluster) for bucket in buckets if bucket.files]
    least, estimate, most = (sum(part[k] for part in parts) for k in range(3))
    allocated = estimate * cluster
    wasted = max(allocated - size, 0.0)
    return ClusterCost(
        cluster,
        estimate,
        int(least),
        int(most),
        wasted,
        max(int(least) * cluster - size, 0),
        max(int(most) * cluster - size, 0),
        100 * wasted / allocated if allocated else None,
        rate_between(measured, cluster),
        cluster in measured,
    )


def _size(bucket: SizeBucket) -> int:
    """Bytes of a bucket; by its middle (its lower end where it has no upper one) where nobody counted them."""
    if bucket.size_bytes is not None:
        return bucket.size_bytes
    middle = bucket.low_bytes if bucket.high_bytes is None else (bucket.low_bytes + bucket.high_bytes - 1) / 2
    return round(bucket.files * middle)


def _clusters(bucket: SizeBucket, cluster: int) -> tuple[int, float, int]:
    """Least, estimated and most clusters of the files of a bucket.

    Estimate: the last cluster of a file is half full on average. Files of the smallest bucket are taken to be of one
    byte at least: a distribution does not tell empty files, which take nothing.
    """
    files, size = bucket.files, _size(bucket)
    if not size:
        return 0, 0.0, 0
    least = files * ceil(max(bucket.low_bytes, 1) / cluster)
    most = files * ceil(((bucket.high_bytes or size + 1) - 1) / cluster)
    if bucket.size_bytes is not None:
        least = max(least, ceil(size / cluster))
        most = max(min(most, (size + files * (cluster - 1)) // cluster), least)
    estimate = (size + files * (cluster - 1) / 2) / cluster
    return least, min(max(estimate, least), most), most
