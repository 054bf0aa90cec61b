"""Read-ahead and write-behind of UFS: how much one operation moves."""

from __future__ import annotations

from tunebench.analysis.calculators.calculator import (
    Answer,
    Calculator,
    Given,
    Input,
    InputRefusal,
    Note,
    Output,
    maybe,
    number,
    warning_if,
)

UFS_BLOCK_BYTES = 8192
VXIO_BLOCK_BYTES = 512
RAID0, RAID1, RAID01 = "raid0", "raid1", "raid01"
_BLOCKS = Input("maxcontig_blocks", 128, "blocks", 1, 1_000_000, whole=True)
_BLOCK = Input("block_bytes", UFS_BLOCK_BYTES, "bytes", 512, 65536, whole=True)


def cluster_bytes(maxcontig_blocks: float, block_bytes: float = UFS_BLOCK_BYTES) -> float:
    return maxcontig_blocks * block_bytes


def maxcontig_for(wanted_bytes: float, block_bytes: float = UFS_BLOCK_BYTES) -> int:
    """Whole blocks that fit into `wanted_bytes`."""
    return int(wanted_bytes // block_bytes)


def effective_cluster_bytes(requested_bytes: float, *limits_bytes: float | None) -> float:
    """No more goes over the wire at once than the smallest of the limits (maxphys, volume manager) allows."""
    return min(requested_bytes, *(limit for limit in limits_bytes if limit is not None), requested_bytes)


def raid_cluster_bytes(layout: str, stripe_bytes: float, members: float) -> float | None:
    """`members`: of the stripe, for RAID 0+1 of one mirror. None for RAID 1: the document makes no sense there."""
    return stripe_bytes * members if layout in (RAID0, RAID01) else None


def amplification(request_bytes: float, read_bytes: float) -> float:
    return max(read_bytes, request_bytes) / request_bytes


def _cluster(given: Given) -> float:
    return cluster_bytes(number(given, "maxcontig_blocks"), number(given, "block_bytes"))


def _maxcontig(given: Given) -> Answer:
    return Answer({"cluster_bytes": _cluster(given)})


def _blocks(given: Given) -> Answer:
    wanted, block = number(given, "wanted_bytes"), number(given, "block_bytes")
    blocks = maxcontig_for(wanted, block)
    values = {"maxcontig_blocks": float(blocks), "cluster_bytes": blocks * block}
    return Answer(values, warning_if(blocks * block != wanted, "not_a_multiple"))


def _effective(given: Given) -> Answer:
    asked = _cluster(given)
    volume_blocks = maybe(given, "vol_maxio_blocks")
    volume_bytes = None if volume_blocks is None else volume_blocks * VXIO_BLOCK_BYTES
    effective = effective_cluster_bytes(asked, number(given, "maxphys_bytes"), volume_bytes)
    notes = warning_if(effective < asked, "cluster_limited") or (Note("cluster_not_limited"),)
    return Answer({"requested_bytes": asked, "effective_bytes": effective}, notes)


def _raid(given: Given) -> Answer:
    layout, block = str(given["stripe_layout"]), number(given, "block_bytes")
    whole = raid_cluster_bytes(layout, number(given, "stripe_bytes"), number(given, "members"))
    if whole is None:
        raise InputRefusal("calculator_raid1_cluster", name="stripe_layout")
    values = {"cluster_bytes": whole, "maxcontig_blocks": float(maxcontig_for(whole, block))}
    return Answer(values, warning_if(whole % block != 0, "not_a_multiple"))


def _amplified(given: Given) -> Answer:
    request = number(given, "request_bytes")
    read = max(request, _cluster(given))
    times = amplification(request, read)
    values = {"read_bytes": read, "wasted_bytes": read - request, "amplification": times}
    return Answer(values, warning_if(times >= 2, "read_ahead_off"))


CALCULATORS = (
    Calculator(
        "maxcontig_bytes", (_BLOCKS, _BLOCK), (Output("cluster_bytes", "bytes"),), ("SF-072", "SF-073"), _maxcontig
    ),
    Calculator(
        "blocks_for_bytes",
        (Input("wanted_bytes", 1_048_576, "bytes", 512, 2**33, whole=True), _BLOCK),
        (Output("maxcontig_blocks", "blocks"), Output("cluster_bytes", "bytes")),
        ("SF-072",),
        _blocks,
    ),
    Calculator(
        "effective_cluster",
        (
            _BLOCKS,
            _BLOCK,
            Input("maxphys_bytes", 131072, "bytes", 512, 2**33, whole=True),
            Input("vol_maxio_blocks", "", "blocks512", 1, 2**24, whole=True, optional=True),
        ),
        (Output("requested_bytes", "bytes"), Output("effective_bytes", "bytes")),
        ("SF-090", "SF-091", "SF-093"),
        _effective,
    ),
    Calculator(
        "raid_cluster",
        (
            Input("stripe_layout", RAID0, choices=(RAID0, RAID1, RAID01)),
            Input("stripe_bytes", 65536, "bytes", 512, 2**30, whole=True),
            Input("members", 4, "", 1, 1000, whole=True),
            _BLOCK,
        ),
        (Output("cluster_bytes", "bytes"), Output("maxcontig_blocks", "blocks")),
        ("SF-094", "SF-096", "C-07"),
        _raid,
    ),
    Calculator(
        "read_amplification",
        (Input("request_bytes", 1024, "bytes", 1, 2**33, whole=True), _BLOCKS, _BLOCK),
        (Output("read_bytes", "bytes"), Output("wasted_bytes", "bytes"), Output("amplification", "times", 1)),
        ("SF-082", "SF-081"),
        _amplified,
    ),
)
