"""The sections of a text report behind its statements: activity, host, files, memory, segments, parameters."""

from __future__ import annotations

from tests.made.awr.model import Workload
from tests.made.awr.paper import END, Column, Paper, ruled, ruled_row


def sections_after_statements(paper: Paper, work: Workload) -> list[str]:
    return [
        *_activity(paper, work),
        *_host(paper, work),
        *_volumes(paper, work),
        *_files(paper, work),
        *_pools(paper, work),
        *_unread(paper, work),
        *_segments(paper, work),
        *_parameters(paper, work),
    ]


def _activity(paper: Paper, work: Workload) -> list[str]:
    style = paper.style
    columns: list[Column] = [
        ("Statistic", 33, "<"),
        ("Total", 18, ">"),
        ("per Second", 14, ">"),
        ("per Trans", 12, ">"),
    ]
    rows = [
        [name, style.number(total), style.number(total / work.elapsed_s, 1), "1.0"]
        for name, total in work.activity.items()
    ]
    states: list[Column] = [("Statistic", 33, "<"), ("Begin Value", 15, ">"), ("End Value", 15, ">")]
    half = len(rows) // 2
    title = paper.title("Instance Activity Stats", work)
    return [
        title,
        "",
        *ruled(columns, rows[:half]),
        title,
        "",
        *ruled(columns, rows[half:]),
        END,
        "",
        title,
        "-> Statistics with absolute values (should not be diffed)",
        "",
        *ruled(states, [["logons current", style.number(153), style.number(151)]]),
        END,
        "",
    ]


def _host(paper: Paper, work: Workload) -> list[str]:
    if paper.version == "9.2":
        return []
    style, is_awr = paper.style, paper.kind == "awr"
    columns: list[Column] = [("Statistic", 25, "<"), ("Value" if is_awr else "Total", 22, ">"), ("End Value", 16, ">")]
    rows = [[name, style.number(value), ""] for name, value in work.os_times.items()]
    rows += [
        [name, style.number(begin), style.number(end) if end != begin else ""]
        for name, (begin, end) in work.os_states.items()
    ]
    title = paper.title("Operating System Statistics" if is_awr else "OS Statistics", work)
    detail = paper.title("Operating System Statistics - Detail" if is_awr else "OS Statistics - detail", work)
    return [
        title,
        "",
        *ruled(columns, rows),
        END,
        "",
        detail,
        "",
        *ruled([("Snap Time", 15, "<"), ("Load", 8, ">")], [["12-Feb 12:16:04", "7.1"]]),
        END,
        "",
    ]


def _volumes(paper: Paper, work: Workload) -> list[str]:
    if paper.version in ("9.2", "10.2"):
        return []
    name = "IOStat by Function summary" if paper.kind == "awr" else "IO Stat by Function - summary"
    columns: list[Column] = [
        ("Function", 15, "<"),
        ("Data\nVolume", 7, ">"),
        ("Requests\n/sec", 8, ">"),
        ("Data\nVol/sec", 8, ">"),
        ("Data\nVolume", 7, ">"),
        ("Requests\n/sec", 8, ">"),
        ("Data\nVol/sec", 8, ">"),
        ("Count", 6, ">"),
        ("Avg\nTm(ms)", 6, ">"),
    ]
    rows = [
        [name, read, "12.5", "9.3M", written, "3.2", "554.0", "28.7K", "0.7"]
        for name, (read, written) in work.volumes.items()
    ]
    above = "                ---------- Read --------- --------- Write -------- --- Wait ----"
    return [
        paper.title(name, work),
        "->Data Volume values suffixed with   M,G,T,P are in multiples of 1024,",
        "  other values suffixed with       K,M,G,T,P are in multiples of 1000",
        "",
        above,
        *ruled(columns, rows),
        END,
        "",
    ]


def _files(paper: Paper, work: Workload) -> list[str]:
    style = paper.style
    second: list[Column] = [
        ("Reads", 14, ">"),
        ("Av\nReads/s", 7, ">"),
        ("Av\nRd(ms)", 7, ">"),
        ("Av\nBlks/Rd", 7, ">"),
        ("Writes", 12, ">"),
        ("Av\nWrites/s", 8, ">"),
        ("Buffer\nWaits", 10, ">"),
        ("Av Buf\nWt(ms)", 6, ">"),
    ]
    rows = [
        [
            style.number(one.reads),
            "1",
            style.number(one.read_ms, 2),
            "1.0",
            style.number(one.writes),
            "2",
            style.number(one.buffer_waits),
            "",
        ]
        for one in work.files
    ]
    heading, below = ruled(second, [])[:-1], ruled(second, [])[-1]
    lines = [
        paper.title("Tablespace IO Stats", work),
        "->ordered by IOs (Reads + Writes) desc",
        "",
        "Tablespace",
        "-" * 30,
        *heading,
        below,
    ]
    for one, row in zip(work.files, rows, strict=True):
        lines += [one.tablespace, ruled_row(second, row)]
    lines += [
        END,
        paper.title("File IO Stats", work),
        "->ordered by Tablespace, File",
        "",
        "Tablespace               Filename",
        f"{'-' * 24} {'-' * 52}",
        *heading,
        below,
    ]
    for one, row in zip(work.files, rows, strict=True):
        name = one.file
        lines += [
            f"{one.tablespace:<24} {name[:52]}",
            *([" " * 25 + name[52:]] if len(name) > 52 else []),
            ruled_row(second, row),
            "",
        ]
    return [*lines, END, ""]


def _pools(paper: Paper, work: Workload) -> list[str]:
    number = paper.style.number
    columns: list[Column] = [
        ("P", 3, "<"),
        ("Buffers", 7, ">"),
        ("Pool\nHit%", 4, ">"),
        ("Buffer\nGets", 14, ">"),
        ("Physical\nReads", 12, ">"),
        ("Physical\nWrites", 11, ">"),
        ("Free\nBuffer\nWaits", 7, ">"),
        ("Writ\nComp\nWait", 4, ">"),
        ("Buffer\nBusy\nWaits", 10, ">"),
    ]
    rows = [
        [name, "8820", "99", number(gets), number(reads), number(writes), "0", "1", number(busy)]
        for name, (gets, reads, writes, busy) in work.pools.items()
    ]
    return [
        paper.title("Buffer Pool Statistics", work),
        "-> Standard block size Pools  D: default,  K: keep,  R: recycle",
        "",
        *ruled(columns, rows),
        END,
        "",
    ]


def _unread(paper: Paper, work: Workload) -> list[str]:
    columns: list[Column] = [("Latch", 24, "<"), ("Get\nRequests", 14, ">")]
    sums = [
        *ruled([("SGA regions", 30, "<"), ("Begin Size (Bytes)", 20, ">")], [["Fixed Size", "2,260,088"]]),
        " " * 31 + "-" * 20,
        f"{'sum':<30} {'1,068':>20}",
    ]
    empty = [
        paper.title("Wait Event Histogram Detail (4 min to 1 hr)", work),
        "",
        "                  No data exists for this section of the report.",
        END,
        "",
    ]
    return [
        paper.title("Latch Activity", work),
        '->"Get Requests" are statistics for willing-to-wait latch get requests',
        "",
        *ruled(columns, [["AQ deq hash table latch", "12"]]),
        END,
        "",
        paper.title("SGA Memory Summary", work),
        "",
        *sums,
        END,
        "",
        *empty,
    ]


def _segments(paper: Paper, work: Workload) -> list[str]:
    number = paper.style.number
    columns: list[Column] = [
        ("Owner", 10, "<"),
        ("Tablespace", 10, "<"),
        ("Object Name", 20, "<"),
        ("Subobject\nName", 12, "<"),
        ("Obj.\nType", 5, "<"),
        ("Logical\nReads", 12, ">"),
        ("Pct\nTotal" if paper.kind == "statspack" else "%Total", 6, ">"),
    ]
    rows = [
        [one.owner, one.tablespace, one.name, one.subname, one.kind, number(one.value), "1.5"] for one in work.segments
    ]
    return [
        paper.title("Segments by Logical Reads", work),
        "-> Pct Total shows % of logical reads for each top segment",
        "",
        *ruled(columns, rows),
        END,
        "",
    ]


def _parameters(paper: Paper, work: Workload) -> list[str]:
    columns: list[Column] = [
        ("Parameter Name", 29, "<"),
        ("Begin value", 33, "<"),
        ("End value\n(if different)", 14, "<"),
    ]
    rows = []
    for name, (begin, end) in work.parameters.items():
        parts = [begin[at : at + 33] for at in range(0, len(begin), 33)] or [""]
        rows += [[name if not place else "", part, end if not place else ""] for place, part in enumerate(parts)]
    return [paper.title("init.ora Parameters", work), "", *ruled(columns, rows), END]
