"""Text reports with the columns of their release: Statspack 9i to 19c, AWR 10g to 21c."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tests.made.awr.model import Event, Statement, Workload
from tests.made.awr.paper import END, Column, Paper, ruled, ruled_row
from tests.made.awr.text_after_statements import sections_after_statements

OLD_HASH = {"old": "Old\nHash Value", "plain": "Hash Value"}

_LISTS = (
    ("elapsed", "elapsed_s", "SQL ordered by Elapsed Time"),
    ("cpu", "cpu_s", "SQL ordered by CPU Time"),
    ("gets", "block_gets", "SQL ordered by Gets"),
    ("reads", "block_reads", "SQL ordered by Reads"),
    ("executions", "executions", "SQL ordered by Executions"),
    ("parse", "parse_calls", "SQL ordered by Parse Calls"),
)
_HEADS = {
    "elapsed_s": "Elapsed\nTime (s)",
    "cpu_s": "CPU\nTime (s)",
    "block_gets": "Buffer Gets",
    "block_reads": "Physical Reads",
    "executions": "Executions",
    "parse_calls": "Parse Calls",
    "rows": "Rows Processed",
}
_WITH = {
    "elapsed": ("executions", "cpu_s", "block_reads"), "cpu": ("executions", "elapsed_s", "block_gets"), "gets": ("executions", "cpu_s", "elapsed_s"),
    "reads": ("executions", "cpu_s", "elapsed_s"), "executions": ("rows",), "parse": ("executions",),
}  # fmt: skip
"""What the rows of a list print beside the figure they are ordered by."""


def text_report(paper: Paper, work: Workload) -> tuple[str, dict[str, tuple[str, ...]]]:
    lists, shown = _lists(paper, work)
    lines = [
        "STATSPACK report for" if paper.kind == "statspack" else "WORKLOAD REPOSITORY report for",
        "",
        *_head(paper, work),
        "",
        *_snapshots(paper, work),
        "",
        *_caches(paper),
        "",
        *_load(paper, work),
        "",
        *_efficiency(paper),
        "",
        *_top(paper, work),
        *_host_cpu(paper),
        "",
        *_time_model(paper, work),
        *_waits(paper, work),
        *lists,
        *sections_after_statements(paper, work),
        "",
        "End of Report ( report.lst )",
    ]
    text = "\n".join(lines) + "\n"
    return ("\n".join(_tabbed(line) for line in text.split("\n")) if paper.tabs else text), shown


def _tabbed(line: str) -> str:
    """Blanks up to a multiple of eight as a tabulator, as SQL*Plus writes them unless told otherwise."""
    parts = [line[at : at + 8] for at in range(0, len(line), 8)]
    return "".join(part.rstrip(" ") + "\t" if len(part) == 8 and part.endswith("  ") else part for part in parts)


def _head(paper: Paper, work: Workload) -> list[str]:
    style = paper.style
    started, clustered = style.moment(work.started, seconds=False), "NO"
    number = str(work.instance_number)
    if paper.version == "9.2" or (paper.kind, paper.version) == ("awr", "10.2"):
        columns = [
            ("DB Name", 12, "<"),
            ("DB Id", 11, ">"),
            ("Instance", 12, "<"),
            ("Inst Num", 8, ">"),
            ("Release", 11, "<"),
            ("RAC", 3, "<"),
            ("Host", 12, "<"),
        ]
        return ruled(columns, [[work.db_name, work.db_id, work.instance, number, paper.release, clustered, work.host]])
    tail: list[Column] = [
        ("DB Id", 11, ">"),
        ("Instance", 12, "<"),
        ("Inst Num", 8, ">"),
        ("Startup Time", 15, "<"),
        ("Release", 11, "<"),
        ("RAC", 3, "<"),
    ]
    row = [work.db_id, work.instance, number, started, paper.release, clustered]
    if paper.kind == "statspack":
        lines = ruled([("Database", 8, "<"), *tail], [["", *row]], last_open=True)
        lines[1] = "~" * 8 + lines[1][8:]
        if paper.version == "10.2":
            return [
                *lines,
                "",
                f"Host  Name:   {work.host}          Num CPUs:    {work.cpus}        Phys Memory (MB):   {style.number(work.memory_gb * 1024)}",
                "~~~~",
            ]
        host = ruled(
            [
                ("Host", 4, "<"),
                ("Name", 16, "<"),
                ("Platform", 22, "<"),
                ("CPUs", 5, ">"),
                ("Cores", 5, ">"),
                ("Sockets", 7, ">"),
                ("Memory (G)", 12, ">"),
            ],
            [
                [
                    "",
                    work.host,
                    work.platform,
                    str(work.cpus),
                    str(work.cores or ""),
                    str(work.sockets or ""),
                    style.number(work.memory_gb, 1),
                ]
            ],
        )
        return [*lines, "", host[0], "~~~~" + host[1][4:], host[2]]
    lines = ruled([("DB Name", 12, "<"), *tail], [[work.db_name, *row]], last_open=True)
    host = ruled(
        [
            ("Host Name", 16, "<"),
            ("Platform", 32, "<"),
            ("CPUs", 4, ">"),
            ("Cores", 5, ">"),
            ("Sockets", 7, ">"),
            ("Memory(GB)", 10, ">"),
        ],
        [
            [
                work.host,
                work.platform,
                str(work.cpus),
                str(work.cores or ""),
                str(work.sockets or ""),
                style.number(work.memory_gb, 2),
            ]
        ],
    )
    if paper.version == "19c":
        lines = ruled(
            [
                ("DB Name", 12, "<"),
                ("DB Id", 11, ">"),
                ("Unique Name", 11, "<"),
                ("DB Role", 16, "<"),
                ("Edition", 7, "<"),
                ("Release", 10, "<"),
                ("RAC", 3, "<"),
                ("CDB", 3, "<"),
            ],
            [[work.db_name, work.db_id, work.unique_name, "PRIMARY", "EE", paper.release, clustered, "NO"]],
        )
        lines += [
            "",
            *ruled(
                [("Instance", 12, "<"), ("Inst Num", 8, ">"), ("Startup Time", 18, "<")],
                [[work.instance, number, started]],
            ),
        ]
    return [*lines, "", *host]


def _snapshots(paper: Paper, work: Workload) -> list[str]:
    style = paper.style
    lines = [
        "              Snap Id      Snap Time      Sessions Curs/Sess",
        "            --------- ------------------- -------- ---------",
    ]
    ends = (
        ("Begin", work.begin_snapshot, work.begin, work.sessions[0]),
        ("  End", work.end_snapshot, work.end, work.sessions[1]),
    )
    lines += [
        f"{name} Snap: {snap:>9} {style.moment(time):<18} {sessions:>9} {style.number(5.5, 1):>9}"
        for name, snap, time, sessions in ends
    ]
    lines.append(f"   Elapsed: {style.number(work.elapsed_s / 60, 2):>20} (mins)")
    if paper.version != "9.2":
        lines.append(f"   DB Time: {style.number(work.db_time_s / 60, 2):>20} (mins)")
    return lines


def _caches(paper: Paper) -> list[str]:
    if paper.version == "9.2":
        return [
            "Cache Sizes (end)",
            "~~~~~~~~~~~~~~~~~",
            "               Buffer Cache:       512M      Std Block Size:         8K",
        ]
    return [
        "Cache Sizes                       Begin        End",
        "~~~~~~~~~~~                  ---------- ----------",
        "               Buffer Cache:    12,288M    12,416M  Std Block Size:         8K",
    ]


def _load(paper: Paper, work: Workload) -> list[str]:
    style = paper.style
    names = [
        ("Redo size", "redo size"),
        ("Logical reads", "session logical reads"),
        ("Physical reads", "physical reads"),
        ("User calls", "user calls"),
        ("Parses", "parse count (total)"),
        ("Hard parses", "parse count (hard)"),
        ("Executes", "execute count"),
        ("Logons", "logons cumulative"),
    ]
    lines = [
        "Load Profile              Per Second    Per Transaction   Per Exec   Per Call",
        "~~~~~~~~~~~~         ---------------    --------------- ---------- ----------",
    ]
    if paper.version not in ("9.2", "10.2"):
        lines.append(
            f"{'DB Time(s):':>16} {style.number(work.db_time_s / work.elapsed_s, 1):>19} {style.number(0.9, 1):>18} {style.number(0.09, 2):>10} {style.number(0.68, 2):>10}"
        )
    lines += [
        f"{name + ':':>16} {style.number(work.activity[statistic] / work.elapsed_s, 1):>19} {style.number(2.5, 1):>18}"
        for name, statistic in names
    ]
    return [
        *lines,
        f"{'W/A MB processed:':>16} {style.number(0.2, 1):>19}",
        f"{'Transactions:':>16} {style.number(24.9, 1):>19}",
    ]


def _efficiency(paper: Paper) -> list[str]:
    number = paper.style.number
    return [
        "Instance Efficiency Percentages (Target 100%)",
        "~" * 45,
        f"            Buffer Nowait %:  {number(99.99, 2)}       Redo NoWait %:  {number(100, 2)}",
        "",
        " Shared Pool Statistics        Begin    End",
        "                              ------  ------",
        f"             Memory Usage %:   {number(84.48, 2)}   {number(87.07, 2)}",
    ]


def _top(paper: Paper, work: Workload) -> list[str]:
    style = paper.style
    if paper.kind == "statspack":
        columns: list[Column] = [
            ("Event", 41, "<"),
            ("Waits", 12, ">"),
            ("Time (s)", 11, ">"),
            ("wait\n(ms)", 6, ">"),
            ("Call\nTime", 6, ">"),
        ]
        lines = ruled(
            columns,
            [[one.name, style.number(one.waits), style.number(one.time_s), "1", "1.0"] for one in work.events[:4]],
        )
        cpu = f"{'CPU time':<54} {style.number(work.db_cpu_s):>11}        88.6"
        lines = [*lines[:3], cpu, *lines[3:]]
        return [
            "Top 5 Timed Events                                                    Avg %Total",
            "~~~~~~~~~~~~~~~~~~",
            *lines,
            END,
        ]
    columns = [
        ("Event", 30, "<"),
        ("Waits", 12, ">"),
        ("Time(s)", 11, ">"),
        ("wait\n(ms)", 6, ">"),
        ("% DB\ntime", 6, ">"),
        ("Wait Class", 10, "<"),
    ]
    rows = [["DB CPU", "", style.number(work.db_cpu_s), "", "12.5", ""]]
    rows += [
        [one.name, style.number(one.waits), style.number(one.time_s), "1", "1.0", one.wait_class]
        for one in work.events[:4]
    ]
    return ["Top 5 Timed Foreground Events", "~" * 29, *ruled(columns, rows)]


def _host_cpu(paper: Paper) -> list[str]:
    """Follows without a line between, as it does in 11g."""
    if paper.version in ("9.2", "10.2"):
        return []
    return [
        "Host CPU (CPUs:    2 Cores:    2 Sockets:    1)",
        "~~~~~~~~         Load Average",
        "               Begin       End     %User   %System      %WIO     %Idle",
        "           --------- --------- --------- --------- --------- ---------",
        "                7.15     17.70       9.4       4.6      80.5      84.7",
    ]


def _time_model(paper: Paper, work: Workload) -> list[str]:
    if paper.version == "9.2":
        return []
    style = paper.style
    is_awr = paper.kind == "awr"
    columns = [
        ("Statistic Name" if is_awr else "Statistic", 42 if is_awr else 35, "<"),
        ("Time (s)", 18, ">"),
        ("% of DB Time" if is_awr else "% DB time", 12, ">"),
    ]
    rows = [
        [name, style.number(value, 1), "" if name == "DB time" else style.number(value / work.db_time_s * 100, 1)]
        for name, value in work.time_model.items()
    ]
    title = paper.title("Time Model Statistics" if is_awr else "Time Model System Stats", work)
    return [
        title,
        "-> Total time in database user-calls (DB Time): 8484.3s",
        '-> Statistics including the word "background" measure background process',
        "   time, and so do not contribute to the DB time statistic",
        "",
        *ruled(columns, rows),
        END,
        "",
    ]


def _waits(paper: Paper, work: Workload) -> list[str]:
    if paper.version in ("9.2", "10.2"):
        return _events(paper, work, "Wait Events", [*work.events, *work.background]) + _events(
            paper, work, "Background Wait Events", work.background
        )
    both = (
        [] if paper.kind == "awr" else _events(paper, work, "Wait Events (fg and bg)", [*work.events, *work.background])
    )
    classes = []
    if paper.kind == "awr":
        style = paper.style
        columns = [
            ("Wait Class", 20, "<"),
            ("Waits", 16, ">"),
            ("%Time\n-outs", 5, ">"),
            ("Total Wait\nTime (s)", 16, ">"),
            ("%DB time", 9, ">"),
        ]
        names = sorted({one.wait_class for one in work.events})
        ones = {name: [one for one in work.events if one.wait_class == name] for name in names}
        rows = [
            [name, style.number(sum(e.waits for e in of)), "0", style.number(sum(e.time_s for e in of)), "1.0"]
            for name, of in ones.items()
        ]
        classes = [
            paper.title("Foreground Wait Class", work),
            "-> s  - second, ms - millisecond",
            "",
            *ruled(columns, [*rows, ["DB CPU", "", "", style.number(work.db_cpu_s), "1.0"]]),
            END,
            "",
        ]
    return [
        *classes,
        *_events(paper, work, "Foreground Wait Events", work.events),
        *_events(paper, work, "Background Wait Events", work.background),
        *both,
    ]


def _events(paper: Paper, work: Workload, name: str, events: Sequence[Event]) -> list[str]:
    style = paper.style
    width = 26 if paper.kind == "awr" else 28
    exact = paper.version == "9.2"
    columns = [
        ("Event", width, "<"),
        ("Waits", 12, ">"),
        ("Timeouts", 10, ">") if exact else ("%Time\n-outs", 5, ">"),
        ("Total Wait\nTime (s)", 10, ">"),
        ("wait\n(ms)", 6, ">"),
        ("Waits\n/txn", 8, ">"),
        ("% DB\ntime" if paper.kind == "awr" else "%Total\nCall\nTime", 6, ">"),
    ]
    if exact:
        columns = columns[:-1]
    rows = [
        [
            one.name,
            style.number(one.waits),
            str(one.timeouts_pct),
            style.number(one.time_s),
            style.number(one.avg_s * 10**6),
            "1.0",
            "1.0",
        ][: len(columns)]
        for one in events
    ]
    lines = [
        paper.title(name, work),
        "-> ordered by wait time desc, waits desc (idle events last)",
        "",
        *ruled(columns, rows),
    ]
    return [*lines, END, ""]


# -- statements ---------------------------------------------------------------------------------------


def id_of(paper: Paper, one: Statement) -> str:
    """Statspack prints the old hash value; any number of ten digits that is the statement's own serves."""
    return one.id if paper.kind == "awr" else str(int.from_bytes(one.id.encode()[:6], "big") % 4_294_967_295)


def _lists(paper: Paper, work: Workload) -> tuple[list[str], dict[str, tuple[str, ...]]]:
    lines: list[str] = []
    shown = {}
    for name, figure, title in _LISTS:
        if paper.version == "9.2" and name in ("elapsed", "cpu"):
            continue
        ones = sorted((one for one in work.statements if one.figure(figure) > 0), key=lambda one: -one.figure(figure))[
            : paper.top
        ]
        shown[name] = tuple(id_of(paper, one) for one in ones)
        lines += _list(paper, work, (name, figure, title), ones)
    return lines, shown


def _list(paper: Paper, work: Workload, which: tuple[str, str, str], ones: Sequence[Statement]) -> list[str]:
    name, figure, title = which
    columns, make = _columns(paper, name, figure)
    top = [
        paper.title(title, work, second_form=name == "elapsed"),
        "-> Total DB Time (s):           1,187",
        f"-> Captured SQL account{'s' if paper.kind == 'statspack' else ''} for  {paper.style.number(62.5, 1)}% of Total DB Time",
        f"-> Captured PL/SQL account for   {paper.style.number(3.5, 1)}% of Total DB Time",
        *(
            [f"-> SQL reported below exceeded  {paper.style.number(1, 1)}% of Total DB Time"]
            if paper.kind == "statspack"
            else []
        ),
        "",
    ]
    heading = ruled(columns, [])
    body: list[str] = []
    for one in ones:
        body += [
            ruled_row(columns, make(one)),
            *([f"Module: {one.module}"] if one.module else []),
            *([f"   PDB: {one.container}"] if one.container else []),
            *(_wrapped(paper, one) if one.text_available else ["** SQL Text Not Available **"]),
            "",
        ]
    lines: list[str] = []
    for start in range(0, len(body), paper.page):  # wherever a page ends
        lines += [*top, *heading, *body[start : start + paper.page]]
    return [*lines, END, ""]


def _columns(paper: Paper, name: str, figure: str) -> tuple[list[Column], Callable[[Statement], list[str]]]:
    style = paper.style
    heading = "SQL Id" if paper.kind == "awr" else OLD_HASH["plain" if paper.version == "9.2" else "old"]
    figures = [figure, *_WITH[name]]
    id_width = paper.cut_ids if paper.kind == "awr" and name in ("gets", "reads") else 13 if paper.kind == "awr" else 10
    columns: list[Column] = [(_HEADS[one], 15 if one.startswith(("block", "rows")) else 12, ">") for one in figures]
    columns += [("%Total", 6, ">"), (heading, id_width, "<" if paper.kind == "awr" else ">")]

    def make(one: Statement) -> list[str]:
        cells = [style.number(one.figure(each), 2 if each.endswith("_s") else 0) for each in figures]
        return [*cells, style.number(12.3, 1), id_of(paper, one)]

    return columns, make


def _wrapped(paper: Paper, one: Statement) -> list[str]:
    """Cut in the middle of words, blanks at the ends of lines lost, and only so many lines."""
    flat = one.text.replace("\n", " ")
    pieces = [flat[at : at + paper.width] for at in range(0, len(flat), paper.width)]
    return [piece.rstrip() for piece in pieces[: paper.pieces]]
