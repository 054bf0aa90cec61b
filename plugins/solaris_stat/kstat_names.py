"""What the statistics of kstat are: counters, gauges or words; and in which table one belongs.

From the kstat headers of Solaris (sys/sysinfo.h, sys/kstat.h, sys/dnlc.h, sys/vmem_impl.h) and kstat(3KSTAT): an I/O
kstat counts reads, writes and bytes, and sums the length of its two queues over time (wlentime, rlentime) and the
time they were not empty (wtime, rtime), in seconds.
"""

from __future__ import annotations

from tunebench.sdk import lazy_pattern, record

CLOCK = frozenset({"snaptime", "crtime", "class"})
"""When a statistic was taken and made, and of which class it is: kept with none of them."""

_BY_NAME = frozenset({"unix", "genunix", "zfs", "ufs", "nfs", "tcp", "udp", "ip", "icmp", "mm", "rpcmod"})
"""Modules whose statistics are told apart by their name; in all others the name is that of a device."""
_IO = frozenset({"nread", "nwritten", "reads", "writes", "wtime", "wlentime", "rtime", "rlentime"})
_COUNTERS: dict[str, frozenset[str]] = {
    "unix:dnlcstats": frozenset(
        {"hits", "misses", "negative_cache_hits", "enters", "double_enters", "purge_all", "purge_vp", "purge_vfs",
         "purge_fs1", "pick_free", "pick_heuristic", "pick_last", "dir_hits", "dir_misses", "dir_add_abort",
         "dir_add_max", "dir_add_no_memory", "dir_add_purge", "dir_entries_cached", "dir_purge_all", "dir_purge_vp",
         "dir_reclaim_any", "dir_reclaim_last", "dir_remove_entry_fail", "dir_remove_space_fail", "dir_update_fail"}
    ),
    "unix:ncstats": frozenset({"hits", "misses", "enters", "dbl_enters", "long_enters", "long_look", "move_to_front",
                               "purges"}),
    "unix:vminfo": frozenset({"freemem", "swap_alloc", "swap_avail", "swap_free", "swap_resv", "updates"}),
    "unix:sysinfo": frozenset({"runocc", "runque", "swpocc", "swpque", "waiting", "updates"}),
    "unix:system_pages": frozenset({"nalloc", "nalloc_calls", "nfree", "nfree_calls"}),
    "ufs:inode_cache": frozenset({"hits", "misses", "kmem allocs", "kmem frees", "puts at backlist",
                                  "puts at frontlist", "queues to free", "scans", "thread idles", "lookup idles",
                                  "vget idles", "cache allocs", "cache frees", "pushes at close", "maxsize reached"}),
    "zfs:arcstats": frozenset(
        {"hits", "misses", "demand_data_hits", "demand_data_misses", "demand_metadata_hits", "demand_metadata_misses",
         "prefetch_data_hits", "prefetch_data_misses", "prefetch_metadata_hits", "prefetch_metadata_misses",
         "mru_hits", "mru_ghost_hits", "mfu_hits", "mfu_ghost_hits", "deleted", "recycle_miss", "mutex_miss",
         "evict_skip", "l2_hits", "l2_misses", "l2_read_bytes", "l2_write_bytes", "memory_throttle_count"}
    ),
    "vmem": frozenset({"alloc", "free", "wait", "fail", "lookup", "search", "populate_wait", "populate_fail",
                       "contains", "contains_search"}),
}  # fmt: skip
_CPU_GAUGES = frozenset(
    {"wait", "clock_MHz", "state_begin", "chip_id", "core_id", "pg_id", "model", "family", "current_clock_Hz"}
)
_CPU_COUNTING = frozenset({"cpu_stat", "cpu:sys", "cpu:vm"})
_LINK = lazy_pattern(r"^(?:i|o|r)(?:packets|bytes|errors)(?:64)?$|^(?:collisions|ierrors|oerrors)$")
_NUMBERS_ARE_WORDS = frozenset({"Serial No", "Revision", "Product", "Vendor", "Size", "version"})
_OF_PROCESSOR = {"state": "", "cpu_type": "type", "fpu_type": "floating point", "clock_MHz": "MHz"}
OF_THE_MOMENT = ("_count", "_nsec", "state_begin")
"""Ends of statistics of words that are counts all the same (``pstates_nsec 0:0:6621``)."""
RATIO_OF_HITS = "cache hits"
"""The per cent of lookups that hit, under the words of vmstat -s."""


@record
class Place:
    """Where a statistic belongs: its table, and the thing (attribute, name) it is about."""

    table: str
    attribute: str | None = None
    thing: str = ""


def place_of(module: str, instance: str, name: str) -> Place:
    """``unix:0:system_pages`` is a table; ``sd:3:sd3`` is a device of the table ``sd``."""
    if module in ("cpu", "cpu_stat", "cpu_info"):
        own = name if module == "cpu" else ""
        return Place(f"{module}:{own}" if own else module, "cpu", instance)
    if module in _BY_NAME and not any(letter.isdigit() for letter in name.removeprefix("rfs")):
        table = f"{module}:{name}"
        return Place(table) if instance == "0" else Place(f"{table}#", "device", f"{name}:{instance}")
    device = name.removesuffix(",err")
    return Place(module, "device", device if instance in device or module == "vmem" else f"{device}:{instance}")


def is_counter(table: str, statistic: str) -> bool:
    """Whether its rise per second tells something; of errors the count does."""
    if table in _CPU_COUNTING:
        return statistic not in _CPU_GAUGES
    if table in _COUNTERS:
        return statistic in _COUNTERS[table]
    return statistic in _IO or _LINK.match(statistic) is not None


def is_words(module: str, statistic: str) -> bool:
    """Whether a statistic describes the system, though its value be a number."""
    return statistic in _NUMBERS_ARE_WORDS or (module == "cpu_info" and not statistic.startswith("current_"))


def words_place(module: str, instance: str, name: str, statistic: str) -> tuple[str, str]:
    """(section, name) of the fact that a statistic of words is, as psrinfo -v and iostat -E name it."""
    if module == "cpu_info":
        return "cpu", f"processor {instance} {_OF_PROCESSOR.get(statistic, statistic)}".strip()
    if name.endswith(",err"):
        return "disk", f"{name.removesuffix(',err')} {'Size bytes' if statistic == 'Size' else statistic}"
    return "kstat", f"{module}:{instance}:{name} {statistic}"
