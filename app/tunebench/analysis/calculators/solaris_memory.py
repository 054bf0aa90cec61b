"""Name cache, page scanner and swap of Solaris."""

from __future__ import annotations

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

NFS_SERVER_LEAST = 50_000
SWAP_LOW, SWAP_HIGH = 0.5, 1.5
NO_RULE_ABOVE_MIB = 64 * 1024
LOTSFREE_PART = 64


def default_ncsize(maxusers: float, max_nprocs: float) -> float:
    return 4 * (maxusers + max_nprocs) + 320


def lotsfree_bytes(memory_bytes: float) -> float:
    return memory_bytes / LOTSFREE_PART


def swap_range(memory: float) -> tuple[float, float]:
    """The least and the most swap that document 003 advises, in the unit of `memory`."""
    return SWAP_LOW * memory, SWAP_HIGH * memory


def _dnlc(given: Given) -> Answer:
    default = default_ncsize(number(given, "maxusers"), number(given, "max_nprocs"))
    current, planned = maybe(given, "current_ncsize"), maybe(given, "planned_ncsize")
    new = default if planned is None else planned
    notes = []
    if current is not None and new < current:
        notes.append(Note("cache_shrinks", "warning", {"new": f"{new:,.0f}", "current": f"{current:,.0f}"}))
    if planned is not None and planned < default:
        notes.append(Note("below_default", "warning", {"new": f"{planned:,.0f}", "default": f"{default:,.0f}"}))
    serves_too_few = given["nfs_server"] == "yes" and new < NFS_SERVER_LEAST
    notes += warning_if(serves_too_few, "nfs_wants_more", least=f"{NFS_SERVER_LEAST:,}")
    return Answer({"ncsize": default, "ufs_ninode": new}, (*notes, Note("dnlc_reboot")))


def _lotsfree(given: Given) -> Answer:
    least_free = lotsfree_bytes(number(given, "memory_mib") * 2**20)
    free = maybe(given, "free_mib")
    notes: tuple[Note, ...] = ()
    if free is not None:
        notes = warning_if(free * 2**20 < least_free, "scanner_runs") or (Note("scanner_rests"),)
    return Answer(
        {"lotsfree_mib": least_free / 2**20, "lotsfree_pages": least_free // number(given, "page_bytes")}, notes
    )


def _swap(given: Given) -> Answer:
    memory, swap = number(given, "memory_mib"), maybe(given, "disk_swap_mib")
    low, high = swap_range(memory)
    share = None if swap is None else swap / memory
    notes = (*warning_if(memory > NO_RULE_ABOVE_MIB, "swap_no_rule"), Note("swap_contradiction"))
    if share is not None:
        notes = (*warning_if(not SWAP_LOW <= share <= SWAP_HIGH, "swap_outside", share=f"{share:.2f}"), *notes)
    return Answer({"swap_low_mib": low, "swap_high_mib": high, "swap_share": share}, notes)


_MEMORY = Input("memory_mib", 16384, "MiB", 1, 2**30)

CALCULATORS = (
    Calculator(
        "dnlc",
        (
            Input("maxusers", 1024, "", 1, 1_000_000, whole=True),
            Input("max_nprocs", 16394, "", 1, 10_000_000, whole=True),
            Input("current_ncsize", "", "entries", 1, 1e9, whole=True, optional=True),
            Input("planned_ncsize", "", "entries", 1, 1e9, whole=True, optional=True),
            Input("nfs_server", "no", choices=("no", "yes")),
        ),
        (Output("ncsize", "entries"), Output("ufs_ninode", "entries")),
        ("SF-101", "SF-102", "SF-103", "SF-104", "C-05"),
        _dnlc,
    ),
    Calculator(
        "lotsfree",
        (
            _MEMORY,
            Input("page_bytes", 8192, "bytes", 512, 2**30, whole=True),
            Input("free_mib", "", "MiB", 0, 2**30, optional=True),
        ),
        (Output("lotsfree_mib", "MiB", 1), Output("lotsfree_pages", "pages")),
        ("SF-400", "SF-401"),
        _lotsfree,
    ),
    Calculator(
        "swap_size",
        (_MEMORY, Input("disk_swap_mib", "", "MiB", 0, 2**30, optional=True)),
        (Output("swap_low_mib", "MiB"), Output("swap_high_mib", "MiB"), Output("swap_share", "times", 2)),
        ("SF-406", "C-13", "M-LINUX-SWAP"),
        _swap,
    ),
)
