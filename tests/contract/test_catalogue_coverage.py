"""Every column the shipped parsers read out of the captures has a metric, or a reason why not."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from tests.conftest import CORPUS, ROOT
from tunebench.core.paths import builtin_plugins_folder
from tunebench.plughost.catalogue import MetricCatalogue
from tunebench.plughost.host import PluginHost
from tunebench.plughost.listing import Origin
from tunebench.plughost.parser_entry import HEAD_BYTES
from tunebench.plughost.plugin_folders import SearchFolder
from tunebench.sdk import ParseContext
from tunebench.sdk.testkit import SURE

UNMAPPED = {
    ("pgbench", "duration"): "a setting of the run, not a measurement",
    ("pgbench", "maximum number of tries"): "a setting of the run",
    ("pgbench", "number of threads"): "a setting of the run",
    ("pgbench", "number of transactions per client"): "a setting of the run",
    ("pgbench", "scaling factor"): "a setting of the run",
    ("pgbench", "sum_latency_2"): "a sum of squares: of use only for the deviation",
    ("pgbench", "sum_lag_2"): "a sum of squares: of use only for the deviation",
    ("mpstat", "CORE"): "the processor's place in the machine, not a measurement",
    ("mpstat", "SOCK"): "the processor's place in the machine",
    ("mpstat", "NODE"): "the processor's place in the machine",
    ("vmstat", "toolong"): "names too long for Solaris' directory name cache: of interest in no tuning",
    ("vmstat", "Num"): "slab caches: one table per cache, no metric common to other systems",
    ("vmstat", "Total"): "slab caches",
    ("vmstat", "Size"): "slab caches",
    ("vmstat", "Pages"): "slab caches",
    ("meminfo", "Hugepagesize"): "a setting of the machine",
    ("pidstat", "CPU"): "the processor the process last ran on, not a measurement",
    ("iostat", "bkread"): "blocks from the hosting server (AIX): of a size that the text does not tell",
    ("iostat", "bkwrtn"): "blocks to the hosting server (AIX)",
    ("iostat", "sps"): "seeks per second (HP-UX): what newer disks count there is not defined",
    ("iostat", "msps"): "always 1.0 since HP-UX 10",
    ("lparstat", "vcsw"): "counted per interval, not per second, and the interval is not always known",
    ("lparstat", "phint"): "counted per interval, not per second, and the interval is not always known",
    ("lparstat", "%utcyc"): "unaccounted turbo cycles (AIX): not documented",
    ("mpstat", "cs"): "AIX: counted per interval, not per second, and the interval is not always known",
    ("mpstat", "ics"): "AIX: counted per interval, not per second, and the interval is not always known",
    ("mpstat", "int"): "AIX: counted per interval, not per second, and the interval is not always known",
    ("mpstat", "lcs"): "AIX: counted per interval, not per second, and the interval is not always known",
    ("mpstat", "maj"): "AIX: counted per interval, not per second, and the interval is not always known",
    ("mpstat", "mig"): "AIX: counted per interval, not per second, and the interval is not always known",
    ("mpstat", "min"): "AIX: counted per interval, not per second, and the interval is not always known",
    ("mpstat", "mpc"): "AIX: counted per interval, not per second, and the interval is not always known",
    ("mpstat", "sysc"): "AIX: counted per interval, not per second, and the interval is not always known",
    ("mpstat", "lpa"): "share of redispatches inside one affinity domain (AIX): no metric common to other systems",
    ("mpstat", "%"): "a hardware thread's share of its core (AIX, mpstat -s)",
    ("svmon", "PoolSize"): "pages of the size that the row names",
    ("svmon", "inuse"): "pages of the size that the row names",
    ("svmon", "pgsp"): "pages of the size that the row names",
    ("svmon", "pin"): "pages of the size that the row names",
    ("svmon", "virtual"): "pages of the size that the row names",
    ("swapinfo", "PRI"): "a setting of the machine (HP-UX)",
    ("swapinfo", "RESERVE"): "a setting of the machine (HP-UX)",
    ("swapinfo", "START/LIMIT"): "a setting of the machine (HP-UX)",
    ("sar", "text-sz"): "always N/A since HP-UX 10",
    ("vmstat", "re"): "AIX: its pager's list, of which the manual does not tell the unit",
    ("vmstat", "de"): "the expected shortage of memory (HP-UX): the manual does not tell its unit",
    ("vmstat", "backtracks"): "faults taken again while one was handled (AIX): of interest in no tuning",
    ("vmstat", "extend XPT waits"): "waits for a page table's extension (AIX)",
    ("vmstat", "free frame waits"): "waits for a free frame since boot (AIX): no metric common to other systems",
    ("vmstat", "pending I/O waits"): "waits for a page that is being read (AIX)",
    ("vmstat", "lruable pages"): "pages that may be replaced (AIX): nearly the size of memory",
    ("vmstat", "maxclient percentage"): "a setting of the machine (AIX)",
    ("vmstat", "maxperm percentage"): "a setting of the machine (AIX)",
    ("vmstat", "maxpin percentage"): "a setting of the machine (AIX)",
    ("vmstat", "memory pools"): "a setting of the machine (AIX)",
    ("vmstat", "minperm percentage"): "a setting of the machine (AIX)",
    ("vmstat", "remote pageouts scheduled"): "page-outs to clients (AIX): no metric common to other systems",
    ("prstat", "PRI"): "a priority, larger is sooner in some classes and later in others",
    ("prstat", "NICE"): "a setting of the process",
    ("prstat", "VCX"): "counted per report: the manual does not say whether per second (Solaris)",
    ("prstat", "ICX"): "counted per report (Solaris)",
    ("prstat", "SCL"): "counted per report (Solaris)",
    ("prstat", "SIG"): "counted per report (Solaris)",
    ("mpstat", "set"): "the processor set the processor is in (Solaris)",
    ("mpstat", "sze"): "how many processors the set has (Solaris)",
    ("netstat", "Queue"): "always 0 where the driver keeps no queue (Solaris)",
    ("kstat", "freemem"): "a sum of one value per second: only its rise tells something (Solaris vminfo)",
    ("kstat", "swap_avail"): "a sum of one value per second: only its rise tells something (Solaris vminfo)",
    ("kstat", "current_cstate"): "a state of the processor, not a measurement",
    ("kstat", "current_pstate"): "a state of the processor, not a measurement",
    ("swapinfo", "Priority"): "a setting of the machine (OpenBSD)",
    ("sar", "blks/s"): "macOS: blocks of the device's own size, which is not told",
    ("vmstat", "bytes per page"): "a setting of the machine (FreeBSD)",
    ("vmstat", "page daemon wakeups"): "of interest in no tuning (FreeBSD)",
    ("top", "PRI"): "a priority, larger is sooner in some classes and later in others",
    ("top", "NICE"): "a setting of the process",
    ("top", "In"): "swapped in during the interval before the report, whose length is not told (FreeBSD)",
    ("top", "Out"): "swapped out during the interval before the report, whose length is not told (FreeBSD)",
    ("top", "Inuse"): "the share of swap in use, which Used tells as well (FreeBSD)",
    ("vm_stat", "faults"): "counted per interval, not per second (macOS)",
    ("vm_stat", "copy"): "counted per interval, not per second (macOS)",
    ("vm_stat", "0fill"): "counted per interval, not per second (macOS)",
    ("vm_stat", "reactive"): "counted per interval, not per second (macOS)",
    ("vm_stat", "purged"): "counted per interval, not per second (macOS)",
    ("vm_stat", "cmprssed"): "pages that the compressor holds, in their uncompressed size (macOS)",
    ("vm_stat", "dcomprs"): "counted per interval, not per second (macOS)",
    ("vm_stat", "comprs"): "counted per interval, not per second (macOS)",
    ("vm_stat", "pageins"): "counted per interval, not per second (macOS)",
    ("vm_stat", "pageout"): "counted per interval, not per second (macOS)",
    ("vm_stat", "swapins"): "counted per interval, not per second (macOS)",
    ("vm_stat", "swapouts"): "counted per interval, not per second (macOS)",
    ("vm_stat", "Pages purged"): "since boot: of interest in no tuning (macOS)",
    ("vm_stat", "Pages stored in compressor"): "pages that the compressor holds, in their uncompressed size (macOS)",
    ("vm_stat", "Decompressions"): "since boot: no metric common to other systems (macOS)",
    ("vm_stat", "Compressions"): "since boot: no metric common to other systems (macOS)",
    **{
        ("sadf", name): "sadf -r: a counter in ticks or sectors since boot, not the figure sar makes of it"
        for name in (
            "%user",
            "%nice",
            "%system",
            "%iowait",
            "%steal",
            "%idle",
            "tps",
            "rkB/s",
            "wkB/s",
            "dkB/s",
            "rd_ticks",
            "wr_ticks",
            "dc_ticks",
            "tot_ticks",
            "aqu-sz",
        )
    },
}
"""(tool, heading) -> why it has no metric."""

_NMON_VM = (
    "allocstall kswapd_inodesteal kswapd_steal nr_dirty nr_mapped nr_page_table_pages nr_slab nr_slab_reclaimable"
    " nr_unstable nr_writeback pageoutrun pgactivate pgalloc_dma pgalloc_high pgalloc_normal pgdeactivate pgfault pgfree"
    " pginodesteal pgmajfault pgpgin pgpgout pgrefill_dma pgrefill_high pgrefill_normal pgrotated pgscan_direct_dma"
    " pgscan_direct_high pgscan_direct_normal pgscan_kswapd_dma pgscan_kswapd_high pgscan_kswapd_normal pgsteal_dma"
    " pgsteal_high pgsteal_normal pswpin pswpout slabs_scanned"
)
UNMAPPED |= {
    **{("nmon", name): "counted per snapshot: nothing says whether per second (Linux VM)" for name in _NMON_VM.split()},
    **{
        ("nmon", name): "a setting of the machine (AIX)"
        for name in (
            "PhysicalCPUs",
            "Entitled Capacity",
            "virtualCPUs",
            "logicalCPUs",
            "poolCPUs",
            "entitled",
            "weight",
            "SharedCPU",
            "Capped",
            "Pool_id",
            "%minperm",
            "%maxperm",
            "%maxclient",
            "minfree",
            "maxfree",
            "lruable pages",
        )
    },
    ("nmon", "CPUs"): "a setting of the machine",
    ("nmon", "usedAllCPU%"): "a share of all processors of the machine, of which the file tells no more",
    ("nmon", "usedPoolCPU%"): "a share of the pool's processors",
    ("nmon", "Folded"): "virtual processors put aside (AIX): no metric common to other systems",
    ("nmon", "Swap-in"): "the manual does not say whether a rate or a queue (AIX)",
    ("nmon", "CharIO"): "bytes of read and write calls: nothing says over which time",
    ("nmon", "Paging"): "page faults of a process: nothing says over which time",
    ("nmon", "MajorFault"): "page faults of a process: nothing says over which time",
    ("nmon", "MinorFault"): "page faults of a process: nothing says over which time",
    ("nmon", "IOwaitTime"): "the unit is not told",
    ("njmon", "entitlement"): "a setting of the machine",
    ("njmon", "mtu"): "a setting of the machine",
    ("njmon", "size_mb"): "a disk's size: a setting of the machine",
    ("njmon", "runque"): "a sum since boot or a length, according to the version",
    ("njmon", "real_total"): "pages: a setting of the machine",
    ("njmon", "virt_total"): "pages: a setting of the machine",
    ("njmon", "backlog"): "milliseconds per second in some versions, milliseconds in others",
    ("njmon", "bsize"): "a size from the disk's start on, not of the interval",
    ("collectl", "CPUs"): "a setting of the machine",
    ("collectl", "HitPct"): "NUMA hits: no metric common to other systems",
    ("collectl", "Hugepagesize"): "a setting of the machine",
    **{("collectl", f"{protocol} mem"): "pages of the kernel's socket buffers" for protocol in ("TCP", "UDP")},
    ("collectl", "FRAG memory"): "bytes of the kernel's reassembly buffers",
    **{
        ("collectl", name): "a setting of the machine"
        for name in (
            "Ip DefaultTTL",
            "Ip Forwarding",
            "Tcp MaxConn",
            "Tcp RtoAlgorithm",
            "Tcp RtoMax",
            "Tcp RtoMin",
            "file handles limit",
        )
    },
    **{
        ("collectl", name): "of interest in no tuning" for name in ("dentry number", "file handles free", "inodes free")
    },
    **{
        ("collectl", name): "pages of a kernel list"
        for name in ("nr_shmem", "nr_shmem_hugepages", "nr_shmem_pmdmapped", "workingset_nodes")
    },
    **{("dstat", name): "System V IPC objects: no metric common to other systems" for name in ("msg", "sem", "shm")},
}

UNMAPPED |= {
    ("ps", "PRI"): "a priority",
    ("ps", "NI"): "a setting of the process",
    ("ps", "SZ"): "pages of a size that the text does not tell",
    **{("top", name): "a priority or a setting of the process" for name in ("PR", "NI", "OOMa", "OOMs")},
    ("top", "P"): "the processor the process last ran on, not a measurement",
    ("top", "DATA"): "data and stack that the process may use, not what it has in memory",
    ("top", "USED"): "resident and swapped memory together: both have columns of their own",
    ("top", "nDRT"): "dirty pages: always 0 since Linux 2.6",
    **{
        ("top", name): "page faults since the process began: no metric common to other tools"
        for name in ("nMaj", "nMin")
    },
    **{
        ("atop", name): "processor time of the interval in seconds (PRC): the share stands in the line CPU"
        for name in ("sys", "user")
    },
    ("atop", "nice"): "part of user, as the report counts it",
    ("atop", "softirq"): "part of irq, as the report counts it",
    ("atop", "CPU"): "share of a processor or of all, according to a setting of atop",
    ("atop", "CPUNR"): "the processor the process last ran on, not a measurement",
    **{
        ("atop", name): "waiting time of the interval in seconds: no metric common to other tools"
        for name in ("BDELAY", "RDELAY")
    },
    **{("atop", name): "growth within the interval: the sizes have metrics" for name in ("RGROW", "VGROW")},
    **{("atop", name): "part of the virtual size" for name in ("VDATA", "VSLIBS", "VSTEXT")},
    **{
        ("atop", name): "a setting of the machine"
        for name in ("numcpu", "numnode", "sp", "curscal", "huge page size", "huge pages", "huge pages free", "hptot")
    },
    **{("atop", name): "manual and source do not agree on its unit" for name in ("pgin/s", "pgout/s", "avq")},
    **{
        ("atop", name): "memory management of the kernel: no metric common to other tools"
        for name in ("compact/s", "migrate/s", "numamig/s", "oomkill/s", "stall/s", "steal/s", "frag")
    },
    **{
        ("atop", name): "counters of the processor: no metric common to other tools"
        for name in ("cycles/s", "instructions/s")
    },
    **{
        ("atop", name): "NFS server: no metric common to other tools"
        for name in ("autref/s", "bytes read/s", "bytes written/s", "netcnt/s", "nettcpcon/s", "rcnoca/s")
    },
    ("atop", "#exit/s"): "processes that ended: told only where accounting is on",
}

UNMAPPED |= {
    **{
        ("turbostat", name): "not on every processor: keeps its own name"
        for name in ("IRQ", "CPU%c1", "CPU%c6", "PkgWatt")
    }
}
_OF_VMSTAT = (
    "allocstall|balloon|compact|cow_ksm|direct_map|drop_|htlb|ksm|kswapd|nr|numa|oom_kill|pageoutrun|pg|slabs|swap_ra|swp"
    "|thp|unevictable|workingset|zone_reclaim|zswp"
)
UNMAPPED_LIKE = {
    ("nfsiostat", "errors|retrans"): "counted per interval, whose length is not always known",
    ("proc", r"ticks \w+"): "since boot: the shares of the interval have metrics",
    (
        "proc",
        r"(?:RX|TX) (?:colls|compressed|fifo|frame)(?:/s)?",
    ): "counters of the hardware: no metric common to other tools",
    ("proc", "softirq"): "the sum of those that have columns of their own",
    ("proc", rf"(?:{_OF_VMSTAT})\w*(?:/s)?"): "memory management of the kernel: no metric common to other tools",
}
"""The same, with a pattern of headings."""

PLACES = {
    "fixtures": ROOT / "tests" / "fixtures",
    "made": CORPUS / "made",
    "iostat": CORPUS / "wild" / "iostat-linux-x",
    "iostat-plain": CORPUS / "wild" / "iostat-linux",
    "mpstat": CORPUS / "wild" / "mpstat-linux",
    "sar": CORPUS / "wild" / "sar-linux",
    "sar-hpux": CORPUS / "wild" / "sar-hpux",
    "sar-solaris": CORPUS / "wild" / "sar-solaris",
    "iostat-solaris": CORPUS / "wild" / "iostat-solaris",
    "vmstat": CORPUS / "wild" / "vmstat-linux",
    "vmstat-d": CORPUS / "wild" / "vmstat-d",
    "vmstat-aix": CORPUS / "wild" / "vmstat-aix",
    "vmstat-solaris": CORPUS / "wild" / "vmstat-solaris",
    "pgbench": CORPUS / "wild" / "pgbench",
    "pidstat": CORPUS / "wild" / "pidstat",
    "df": CORPUS / "wild" / "df",
    "diskstats": CORPUS / "wild" / "diskstats",
    "time": CORPUS / "wild" / "time",
    "kstat": CORPUS / "wild" / "kstat",
    "vmstat-bsd": CORPUS / "wild" / "vmstat-bsd",
    "top": CORPUS / "wild" / "top-linux",
}
MOST_BYTES = 200_000  # the headings stand at the beginning of every section


@cache
def host() -> PluginHost:
    return PluginHost([SearchFolder(builtin_plugins_folder(), Origin.BUILTIN)])


@cache
def catalogue() -> MetricCatalogue:
    return MetricCatalogue.load(manifests=host().manifests())


def unknown_columns(path: Path) -> set[tuple[str, str]]:
    """(tool, heading) of the columns of one capture that the catalogue does not know."""
    data = path.read_bytes()[:MOST_BYTES]
    found = host().recognise(data[:HEAD_BYTES], path.name)
    if not found or found[0].confidence <= SURE:
        return set()
    parser = found[0].entry.create(ParseContext(file_name=path.name, zone=ZoneInfo("Asia/Seoul")))
    series = {key for batch in [*parser.feed(data), *parser.finish()] for key in batch.series}
    ledger = parser.ledger()
    return {
        (ledger.tool, key.native)
        for key in series
        if not catalogue()
        .describe(ledger.tool, ledger.os, key.table, key.native, dict(key.attributes), ledger.tool_version)
        .metric
    }


@pytest.mark.parametrize("name", PLACES)
def test_every_heading_maps_or_has_a_reason(name):
    if not PLACES[name].is_dir():
        pytest.skip("these captures are not beside the project")
    files = [path for path in sorted(PLACES[name].rglob("*")) if path.is_file()]
    unknown = set().union(*(unknown_columns(path) for path in files))
    like = {
        each for each in unknown for tool, names in UNMAPPED_LIKE if each[0] == tool and re.fullmatch(names, each[1])
    }
    assert unknown - UNMAPPED.keys() - like == set()
