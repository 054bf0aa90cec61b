"""What a binary sar file keeps of each activity: the counters' names, in the order of their bytes.

Since sysstat 11.7.1 (format 0x2175) an activity says how many long long, long and int it begins with; each kind takes
8, 8 and 4 bytes, words follow, and new counters are put behind those of their kind:

    disk   3,3,8   nr_ios wwn wwn_low | rd_sect wr_sect dc_sect | rd_ticks wr_ticks tot_ticks ... part_nr

Before that every counter had its own alignment, and the activity's magic number told which layout it was:

    disk   0x8b    Q16 nr_ios, L16 rd_sect, L8 wr_sect, I8 rd_ticks, I1 wr_ticks ...

``L`` is as wide as a long of the machine that wrote the file, in a place of 8 bytes.
"""

from __future__ import annotations

import numpy as np

from tunebench.core.patterns import lazy_pattern
from tunebench.core.records import record

BASE_MAGIC = 0x8A
IRQ_BY_PROCESSOR = BASE_MAGIC + 2
"""From here on interrupts are a matrix of processors and interrupts, and each has its name."""
_WIDTHS = {"Q": 8, "D": 8, "I": 4, "B": 1}
_LATER = {
    1: "guest gnice",
    3: "name",
    5: "pgprom pgdem",
    6: "dtps bdscd",
    7: "active inactive dirty anonpg slab kstack pgtbl vmused avail shared",
    9: "blocked",
    11: "wwn wwn2 dc_sect dc_ticks part",
    12: "speed duplex",
    34: "reserved surplus",
    37: "mount",
    39: "blg_len",
}
"""Counters that some versions do not have; without any other an activity cannot be read."""
_TOKEN = lazy_pattern(r"([QLDIBs])(\d+)(?:x(\d+))?")
_OLD_NAMES_OF_FILE_SYSTEMS = 160
_NEWEST = {
    **dict.fromkeys((1, 2, 6, 7, 8, 10, 34, 35, 37), 1),
    **dict.fromkeys((3, 9, 11, 13, 17, 18, 25, 26), 2),
    12: 3,
}
"""Activity -> its magic number today - 0x8A."""


@record
class Structure:
    """The counters of one activity.

    Attributes:
        kinds: names of the long long, the long and the int.
        words: what follows them: ``interface:16``, or ``duplex`` for one byte.
        old: magic number - 0x8A -> the layout before 11.7.1; `names` in their order where it was another one.
        names: of the layouts that had another order.
        real: its long long are floating-point numbers.
    """

    kinds: tuple[str, str, str]
    words: str = ""
    old: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    real: bool = False


_IP = "in_receives forwarded in_delivers out_requests reasm_requests reasm_oks"
_NFSD = "calls bad packets udp tcp hits misses reads writes accesses getattrs"
_PRESSURE = "some_10 some_60 some_300 full_10 full_60 full_300"

STRUCTURES: dict[int, Structure] = {
    1: Structure(("user nice sys idle iowait steal irq soft guest gnice", "", ""), old=("Q16x10",)),
    2: Structure(("cswch", "proc", ""), old=("Q16 L16",)),
    3: Structure(("", "", "count"), "name:8", old=("Q16", "Q16")),
    4: Structure(("", "pswpin pswpout", ""), old=("L8x2",)),
    5: Structure(
        ("", "pgpgin pgpgout fault majflt pgfree pgscank pgscand pgsteal pgprom pgdem", ""), old=("L8x10",)
    ),
    6: Structure(("tps rtps wtps bread bwrtn dtps bdscd", "", ""), old=("I4x5", "Q8x5")),
    7: Structure(
        (("free buffers cached total swpfree swptotal swpcad commit active inactive dirty anonpg slab kstack pgtbl"
         " vmused avail shared"), "", ""),
        old=("L8x17",),
    ),
    8: Structure(("file inode dentry pty", "", ""), old=("I4x4",)),
    9: Structure(
        ("running blocked threads", "", "ldavg1 ldavg5 ldavg15"),
        old=("L8 I8 I4x3", "L8x2 I8 I4x3"),
        names=("running ldavg1 ldavg5 ldavg15 threads", "running blocked ldavg1 ldavg5 ldavg15 threads"),
    ),
    10: Structure(("", "", "rcvin xmtin framerr prtyerr brk ovrun line"), old=("I4x7",)),
    11: Structure(
        ("ios wwn wwn2", "rd_sect wr_sect dc_sect", "rd_ticks wr_ticks tot_ticks rq_ticks major minor dc_ticks part"),
        old=("Q16x2 L16 L8x4 I8 I4", "Q16 L16 L8 I8 I4x5"),
        names=(
            "rd_sect wr_sect rd_ticks wr_ticks tot_ticks rq_ticks ios major minor",
            "ios rd_sect wr_sect rd_ticks wr_ticks tot_ticks rq_ticks major minor",
        ),
    ),
    12: Structure(
        ("rxpck txpck rx_bytes tx_bytes rxcmp txcmp rxmcst", "", "speed"),
        "iface:16 duplex",
        old=("L8x7 s8", "Q16x7 s16", "Q16x7 I16 s4 B1"),
        names=(
            "rxpck txpck rx_bytes tx_bytes rxcmp txcmp rxmcst iface:16",
            "rxpck txpck rx_bytes tx_bytes rxcmp txcmp rxmcst iface:16",
            "rxpck txpck rx_bytes tx_bytes rxcmp txcmp rxmcst speed iface:16 duplex",
        ),
    ),
    13: Structure(
        ("coll rxerr txerr rxdrop txdrop rxfifo txfifo rxfram txcarr", "", ""), "iface:16", old=("L8x9 s8", "Q16x9 s16")
    ),
    14: Structure(("", "", "call retrans read write access getatt"), old=("I4x6",)),
    15: Structure(("", "", _NFSD), old=("I4x11",)),
    16: Structure(("", "", "total tcp tw udp raw frag"), old=("I4x6",)),
    17: Structure((f"{_IP} frag_oks frag_creates", "", ""), old=("L8x8", "Q16x8")),
    18: Structure(("ihdrerr iadrerr iukwnpr idisc odisc onort asmf fragf", "", ""), old=("L8x8", "Q16x8")),
    19: Structure(
        ("", "imsg omsg iech iechr oech oechr itm itmr otm otmr iadrmk iadrmkr oadrmk oadrmkr", ""), old=("L8x14",)
    ),
    20: Structure(
        ("", "ierr oerr idstunr odstunr itmex otmex iparmpb oparmpb isrcq osrcq iredir oredir", ""), old=("L8x12",)
    ),
    21: Structure(("", "active passive iseg oseg", ""), old=("L8x4",)),
    22: Structure(("", "atmptf estres retrans isegerr orsts", ""), old=("L8x5",)),
    23: Structure(("", "idgm odgm noport idgmerr", ""), old=("L8x4",)),
    24: Structure(("", "", "tcp6 udp6 raw6 frag6"), old=("I4x4",)),
    25: Structure((f"{_IP} in_mcast out_mcast frag_oks frag_creates", "", ""), old=("L8x10", "Q16x10")),
    26: Structure(
        ("ihdrer6 iadrer6 iukwnp6 i2big6 idisc6 odisc6 inort6 onort6 asmf6 fragf6 itrpck6", "", ""),
        old=("L8x11", "Q16x11"),
    ),
    27: Structure(
        ("", ("imsg6 omsg6 iech6 iechr6 oechr6 igmbq6 igmbr6 ogmbr6 igmbrd6 ogmbrd6 irtsol6 ortsol6 irtad6 inbsol6"
         " onbsol6 inbad6 onbad6"), ""),
        old=("L8x17",),
    ),
    28: Structure(
        ("", "ierr6 idtunr6 odtunr6 itmex6 otmex6 iprmpb6 oprmpb6 iredir6 oredir6 ipck2b6 opck2b6", ""),
        old=("L8x11",),
    ),
    29: Structure(("", "idgm6 odgm6 noport6 idgmer6", ""), old=("L8x4",)),
    30: Structure(("", "frequency", ""), old=("L8",)),
    31: Structure(("rpm rpm_min", "", ""), "device:20", old=("D8x2 s8",), real=True),
    32: Structure(("value low high", "", ""), "device:20", old=("D8x3 s8",), real=True),
    33: Structure(("value low high", "", ""), "device:20", old=("D8x3 s8",), real=True),
    34: Structure(("free total reserved surplus", "", ""), old=("L8x2",)),
    35: Structure(("time", "frequency", ""), old=("Q16 L16",)),
    36: Structure(("", "", "bus vendor product power"), "maker:24 name:48", old=("I4x4 s1 s1",)),
    37: Structure(("blocks free avail files ifree", "", ""), "name:128 mount:128", old=("Q16x5 s16 s1",)),
    38: Structure(("", "rxf txf rxw txw", ""), "name:16", old=("L8x4 s8",)),
    39: Structure(("", "", "total dropd squeezd rx_rps flw_lim blg_len"), old=("I4x6",)),
    40: Structure(("some_total", "some_10 some_60 some_300", "")),
    41: Structure(("some_total full_total", _PRESSURE, "")),
    42: Structure(("some_total full_total", _PRESSURE, "")),
    43: Structure(("", "", ""), "id capacity status"),
}  # fmt: skip


def current_layout(
    activity: int, magic: int, size: int, counts: tuple[int, int, int], order: str, long: int, *, is_first: bool
) -> np.dtype[np.void] | None:
    """The item of an activity of format 0x2175; None where its magic number or its counters are none of ours.

    Args:
        size: of an item, in bytes.
        is_first: written by 11.7.1, which had the new layout under the old magic numbers.
        counts: how many long long, long and int it begins with.
        order: ``<`` or ``>``.
        long: bytes of a long.
    """
    structure, newest = STRUCTURES[activity], BASE_MAGIC + _NEWEST.get(activity, 0)
    if magic != newest and not (is_first and magic == newest - 1) and not (activity == 3 and magic < newest):
        return None
    kinds = structure.kinds
    if activity == 3 and magic < IRQ_BY_PROCESSOR:
        kinds = ("count", "", "")
    codes = ("D" if structure.real else "Q", "L", "I")
    widths = (8, 8, 4)
    fields: list[tuple[str, str, int]] = []
    offset = 0
    for names, code, width, count in zip(kinds, codes, widths, counts, strict=True):
        for index, name in enumerate(names.split()[:count]):
            fields.append((name, _type(code, order, long), offset + index * width))
        offset += count * width
    for word in structure.words.split() if counts[0] + counts[1] + counts[2] or activity == 43 else ():
        name, _, length = word.partition(":")
        fields.append((name, f"S{length}" if length else "u1", offset))
        offset += int(length or 1)
    return _dtype(activity, fields, size)


def old_layout(activity: int, magic: int, size: int, order: str, long: int) -> np.dtype[np.void] | None:
    """The item of an activity of a format before 0x2175; None where nobody knows its magic number."""
    structure = STRUCTURES[activity]
    version = magic - BASE_MAGIC
    if not 0 <= version < len(structure.old):
        return None
    own = structure.names[version] if structure.names else " ".join([*structure.kinds, structure.words])
    names = ["count"] if activity == 3 else own.split()
    fields: list[tuple[str, str, int]] = []
    offset = 0
    for code, alignment, times in _TOKEN.findall(structure.old[version]):
        for _ in range(int(times or 1)):
            if not names:
                break
            name, _, length = names.pop(0).partition(":")
            if activity == 37 and size <= _OLD_NAMES_OF_FILE_SYSTEMS and length:
                length = "72"
            offset = -(-offset // int(alignment)) * int(alignment)
            fields.append((name, f"S{length}" if code == "s" else _type(code, order, long), offset))
            offset += int(length) if code == "s" else _WIDTHS.get(code, long)
    return _dtype(activity, fields, size)


def _type(code: str, order: str, long: int) -> str:
    return {"Q": f"{order}u8", "D": f"{order}f8", "I": f"{order}u4", "B": "u1", "L": f"{order}u{long}"}[code]


def _dtype(activity: int, fields: list[tuple[str, str, int]], size: int) -> np.dtype[np.void] | None:
    """The fields that an item of this size has room for; None where one is missing that every version has."""
    there = {name: (kind, offset) for name, kind, offset in fields if offset + np.dtype(kind).itemsize <= size}
    structure = STRUCTURES[activity]
    names = {word.partition(":")[0] for word in " ".join([*structure.kinds, structure.words]).split()}
    if names - there.keys() - set(_LATER.get(activity, "").split()):
        return None
    kinds, places = zip(*there.values(), strict=True)
    return np.dtype({"names": list(there), "formats": list(kinds), "offsets": list(places), "itemsize": size})
