"""Disks, arrays, interfaces and clusters."""

from __future__ import annotations

from math import ceil

from tunebench.analysis.calculators.calculator import (
    Answer,
    Calculator,
    Given,
    Input,
    Note,
    Output,
    maybe,
    number,
    warning_if,
)

WRITE_PENALTY = {"raid0": 1, "raid1": 2, "raid10": 2, "raid5": 4, "raid6": 6}
LEAST_DISKS = {"raid0": 1, "raid1": 2, "raid10": 4, "raid5": 3, "raid6": 4}
CEILINGS_MB_S = {
    "eide": 16.7, "scsi1": 5.0, "fast_scsi": 10.0, "fast_wide_scsi": 20.0, "ultra_scsi": 40.0, "fcal": 100.0,
    "sata3": 600.0, "sas3": 1200.0, "ethernet10": 1250.0, "fc16": 1600.0, "fc32": 3200.0, "nvme3": 3940.0,
    "nvme4": 7880.0,
}  # fmt: skip
"""Theoretical, one direction, 10**6 bytes per second; the first six as document 000 prints them."""


def backend_iops(layout: str, reads_per_s: float, writes_per_s: float) -> float:
    """Operations on the disks of an array for what its users ask, without a write-back cache."""
    return reads_per_s + WRITE_PENALTY[layout] * writes_per_s


def disks_for(layout: str, iops: float, iops_per_disk: float) -> int:
    """Disks that carry `iops`; not fewer than the layout needs, an even number where it mirrors."""
    disks = max(ceil(iops / iops_per_disk), LEAST_DISKS[layout])
    return disks + disks % 2 if layout in ("raid1", "raid10") else disks


def clusters_of(file_bytes: float, cluster_bytes: float) -> int:
    return ceil(file_bytes / cluster_bytes)


def _backend(given: Given) -> Answer:
    layout = str(given["raid_layout"])
    reads, writes, per_disk = (number(given, name) for name in ("reads_per_s", "writes_per_s", "iops_per_disk"))
    iops = backend_iops(layout, reads, writes)
    disks = disks_for(layout, iops, per_disk)
    values = {"write_penalty": float(WRITE_PENALTY[layout]), "backend_iops": iops, "disks": float(disks)}
    mostly_writes = layout in ("raid5", "raid6") and writes > reads
    return Answer(values, (*warning_if(mostly_writes, "parity_and_writes"), Note("cache_lowers_penalty")))


def _ceiling(given: Given) -> Answer:
    ceiling = CEILINGS_MB_S[str(given["interface"])]
    measured, size = maybe(given, "measured_mb_s"), maybe(given, "size_mb")
    used = None if measured is None else 100 * measured / ceiling
    seconds = None if size is None else size / ceiling
    above = used is not None and used > 100
    return Answer(
        {"ceiling_mb_s": ceiling, "ceiling_used_pct": used, "least_s": seconds},
        (*warning_if(above, "above_ceiling"), Note("ceiling_is_theory")),
    )


def _waste(given: Given) -> Answer:
    size, cluster, files = (number(given, name) for name in ("file_bytes", "cluster_bytes_wanted", "files"))
    clusters = clusters_of(size, cluster)
    allocated = clusters * cluster
    values = {
        "clusters": clusters * files,
        "allocated_bytes": allocated * files,
        "wasted_bytes": (allocated - size) * files,
        "wasted_pct": 100 * (allocated - size) / allocated if allocated else None,
    }
    return Answer(values)


CALCULATORS = (
    Calculator(
        "raid_backend",
        (
            Input("raid_layout", "raid5", choices=("raid0", "raid1", "raid10", "raid5", "raid6")),
            Input("reads_per_s", 1000, "iops", 0, 1e9),
            Input("writes_per_s", 500, "iops", 0, 1e9),
            Input("iops_per_disk", 150, "iops", 1, 1e7),
        ),
        (Output("write_penalty"), Output("backend_iops", "iops"), Output("disks", "disks")),
        ("M-WRITE-PENALTY", "SF-302", "C-15"),
        _backend,
    ),
    Calculator(
        "interface_ceiling",
        (
            Input("interface", "fcal", choices=tuple(CEILINGS_MB_S)),
            Input("measured_mb_s", "", "mb_s", 0, 1e9, optional=True),
            Input("size_mb", "", "MB", 0, 1e12, optional=True),
        ),
        (Output("ceiling_mb_s", "mb_s", 1), Output("ceiling_used_pct", "pct", 1), Output("least_s", "s", 1)),
        ("T-SCSI", "M-INTERFACES", "SF-030", "SF-032"),
        _ceiling,
    ),
    Calculator(
        "space_waste",
        (
            Input("file_bytes", 5000, "bytes", 0, 2**50, whole=True),
            Input("cluster_bytes_wanted", 4096, "bytes", 512, 2**30, whole=True),
            Input("files", 1, "", 1, 1e12, whole=True),
        ),
        (
            Output("clusters"),
            Output("allocated_bytes", "bytes"),
            Output("wasted_bytes", "bytes"),
            Output("wasted_pct", "pct", 1),
        ),
        ("SF-500", "SF-203", "TERM-CLUSTER"),
        _waste,
    ),
)
