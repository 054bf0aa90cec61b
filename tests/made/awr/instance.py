"""A report of one instance, with the columns of its release."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from tests.made.awr.markup import Style, heading, text
from tests.made.awr.model import Event, Statement, Workload

LISTS = (
    ("elapsed", "elapsed_s", "SQL ordered by Elapsed Time", "elapsed time"),
    ("cpu", "cpu_s", "SQL ordered by CPU Time", "CPU time"),
    ("io", "io_wait_s", "SQL ordered by User I/O Wait Time", "user I/O time"),
    ("gets", "block_gets", "SQL ordered by Gets", "buffer gets"),
    ("reads", "block_reads", "SQL ordered by Reads", "physical reads"),
    ("executions", "executions", "SQL ordered by Executions", "number of executions"),
    ("parse", "parse_calls", "SQL ordered by Parse Calls", "number of parse calls"),
    ("sharable", "sharable_bytes", "SQL ordered by Sharable Memory", "amount of shared memory used"),
    ("version", "version_count", "SQL ordered by Version Count", "version counts"),
    ("cluster", "cluster_wait_s", "SQL ordered by Cluster Wait Time", "cluster wait time"),
)
_FIGURE_COLUMN = {
    "elapsed_s": ("Elapsed Time (s)", "Elapsed Time per Exec (s)"), "cpu_s": ("CPU Time (s)", "CPU per Exec (s)"),
    "io_wait_s": ("User I/O Time (s)", "UIO per Exec (s)"), "block_gets": ("Buffer Gets", "Gets per Exec"),
    "block_reads": ("Physical Reads", "Reads per Exec"), "parse_calls": ("Parse Calls", ""), "sharable_bytes": ("Sharable Mem (b)", ""),
    "version_count": ("Version Count", ""), "cluster_wait_s": ("Cluster Wait Time (s)", ""), "executions": ("Executions", ""),
}  # fmt: skip


@dataclass(frozen=True)
class Form:
    """How this report is made; see `reports.report`."""

    version: str
    release: str
    style: Style
    instances: int
    pdb: str
    cdb: bool
    without: frozenset[str]
    top: int
    overflow: bool
    covered_pct: float

    @property
    def modern(self) -> bool:
        """12.2 and later: averages with their unit."""
        return self.version not in ("10.2", "11.2")

    def section(self, title: str, table: str, *notes: str) -> str:
        return heading(title, *notes) + ("" if title in self.without else table)


def instance_report(form: Form, work: Workload) -> tuple[str, dict[str, tuple[str, ...]]]:
    lists, shown = _lists(form, work)
    title = (
        f"AWR Report for DB: {work.db_name}, Inst: {work.instance}, Snaps: {work.begin_snapshot}-{work.end_snapshot}"
    )
    parts = [
        f'<html><head><title>{title}</title>\n<style type="text/css">\nbody.awr {{font:bold 10pt Arial;}}\n</style></head>',
        '<body class="awr">\n<h1 class="awr">\nWORKLOAD REPOSITORY report for\n</h1>\n<p />\n',
        _database(form, work),
        _host(form, work),
        _snapshots(form, work),
        "<h3 class='awr'>Report Summary</h3>\n",
        _load(form, work),
        _efficiency(form),
        _top_events(form, work),
        _classes(form, work),
        _caches(form),
        "<h2 class='awr'>Main Report</h2>\n<ul>\n<li class='awr'><a class='awr' href='#22'>Wait Events Statistics</a></li>\n</ul>\n",
        _time_model(form, work),
        _host_statistics(form, work),
        _events(
            form, work.events, "Foreground Wait Events", "Foreground Wait Events and their wait statistics", "% DB time"
        ),
        _events(form, work.background, "Background Wait Events", "background wait events statistics", "% bg time"),
        lists,
        _texts(form, work),
        _sampled(form, work),
        _activity(form, work),
        _volumes(form, work),
        _files(form, work),
        _pools(form, work),
        _advice(form),
        _segments(form, work),
        _parameters(form, work),
        "<br /><br />End of Report\n</body></html>\n",
    ]
    return "".join(parts), shown


def _database(form: Form, work: Workload) -> str:
    style, clustered = form.style, "YES" if form.instances > 1 else "NO"
    started = style.moment(work.started, seconds=False)
    summary = "This table displays database instance information"
    if not form.modern:
        heads = ["DB Name", "DB Id", "Instance", "Inst num", "Startup Time", "Release", "RAC"]
        row = [work.db_name, work.db_id, work.instance, str(work.instance_number), started, form.release, clustered]
        return style.table(summary, heads, [row])
    heads = ["DB Name", "DB Id", "Unique Name", "Role", "Edition", "Release", "RAC", "CDB"]
    row = [
        work.db_name,
        work.db_id,
        work.unique_name,
        "PRIMARY",
        "EE",
        form.release,
        clustered,
        "YES" if form.cdb else "NO",
    ]
    own = style.table(
        summary, ["Instance", "Inst Num", "Startup Time"], [[work.instance, str(work.instance_number), started]]
    )
    container = ""
    if form.pdb:
        heads_of_pdb = ["Container DB Id", "Container Name", "Open Time"]
        container = style.table(
            "This table displays pdb instance information", heads_of_pdb, [["99", form.pdb, started]]
        )
    return style.table(summary, heads, [row]) + own + container


def _host(form: Form, work: Workload) -> str:
    style = form.style
    heads = ["Host Name", "Platform", "CPUs", "Cores", "Sockets", "Memory (GB)"]
    counts = [style.number(value) for value in (work.cpus, work.cores, work.sockets)]
    return style.table(
        "This table displays host information",
        heads,
        [[work.host, work.platform, *counts, style.number(work.memory_gb, 2)]],
    )


def _snapshots(form: Form, work: Workload) -> str:
    style = form.style
    heads = ["&#160;", "Snap Id", "Snap Time", "Sessions", "Cursors/Session"]
    ends = [
        [
            "Begin Snap:",
            str(work.begin_snapshot),
            style.moment(work.begin),
            style.number(work.sessions[0]),
            style.number(2.1, 1),
        ],
        [
            "End Snap:",
            str(work.end_snapshot),
            style.moment(work.end),
            style.number(work.sessions[1]),
            style.number(2.0, 1),
        ],
    ]
    lengths = [
        [name, "&#160;", f"{style.number(seconds / 60, 2)} (mins)", "&#160;"]
        for name, seconds in (("Elapsed:", work.elapsed_s), ("DB Time:", work.db_time_s))
    ]
    return style.table("This table displays snapshot information", heads, [*ends, *lengths])


def _load(form: Form, work: Workload) -> str:
    style, seconds = form.style, work.elapsed_s
    old = form.version == "10.2"
    rates = [
        ("Redo size:" if old else "Redo size (bytes):", "redo size"),
        ("Logical reads:" if old else "Logical read (blocks):", "session logical reads"),
        ("Physical reads:" if old else "Physical read (blocks):", "physical reads"),
        ("User calls:", "user calls"),
        ("Parses:" if old else "Parses (SQL):", "parse count (total)"),
        ("Hard parses:" if old else "Hard parses (SQL):", "parse count (hard)"),
        ("Executes:" if old else "Executes (SQL):", "execute count"),
        ("Logons:", "logons cumulative"),
    ]
    rows = [] if old else [["DB Time(s):", style.number(work.db_time_s / seconds, 1), ".1", ".00", ".00"]]
    rows += [
        [name, style.number(work.activity[statistic] / seconds, 1), "1.0", "&#160;", "&#160;"]
        for name, statistic in rates
    ]
    rows += [] if old else [["SQL Work Area (MB):", style.number(34.4, 1), ".8", "&#160;", "&#160;"]]
    heads = ["&#160;", "Per Second", "Per Transaction", "Per Exec", "Per Call"]
    return form.section(
        "Load Profile",
        style.table(
            "This table displays load profile", heads[: 3 if old else 5], (row[: 3 if old else 5] for row in rows)
        ),
    )


def _efficiency(form: Form) -> str:
    number = form.style.number
    rows = [
        ["Buffer Nowait %:", number(100, 2), "Redo NoWait %:", number(99.98, 2)],
        ["Buffer Hit %:", number(97.5, 2), "In-memory Sort %:", number(100, 2)],
    ]
    return form.section(
        "Instance Efficiency Percentages (Target 100%)",
        form.style.table("This table displays instance efficiency percentages", [], rows),
    )


def _top_events(form: Form, work: Workload) -> str:
    """Processor time is rounded to three digits here."""
    style = form.style
    average = "Avg Wait" if form.modern else "Wait Avg(ms)"
    heads = ["Event", "Waits", "Total Wait Time (sec)", average, "% DB time", "Wait Class"]
    rows = [["DB CPU", "&#160;", f"{work.db_cpu_s / 1000:.1f}K", "&#160;", "55.5", "&#160;"]]
    rows += [
        [
            text(one.name),
            style.number(one.waits),
            style.number(one.time_s, 1),
            _average(form, one),
            style.number(one.time_s / work.db_time_s * 100, 1),
            one.wait_class,
        ]
        for one in work.events[:9]
    ]
    title = "Top 5 Timed Events" if form.version == "10.2" else "Top 10 Foreground Events by Total Wait Time"
    return form.section(title, style.table("This table displays top 10 wait events by total wait time", heads, rows))


def _average(form: Form, one: Event) -> str:
    if form.overflow:
        return "############ns"
    return form.style.average(one.avg_s) if form.modern else form.style.number(one.avg_s * 1000)


def _classes(form: Form, work: Workload) -> str:
    if form.version == "10.2":
        return ""
    style = form.style
    heads = [
        "Wait Class",
        "Waits",
        "%Time -outs",
        "Total Wait Time (s)",
        "Avg wait" if form.modern else "Avg wait (ms)",
        "%DB time",
    ]
    rows = [["DB CPU", "&#160;", "&#160;", style.number(work.db_cpu_s), "&#160;", "50.0"]]
    for name in sorted({one.wait_class for one in work.events}):
        ones = [one for one in work.events if one.wait_class == name]
        waits, seconds = sum(one.waits for one in ones), sum(one.time_s for one in ones)
        rows.append(
            [
                name,
                style.number(waits),
                "0",
                style.number(seconds),
                "1",
                style.number(seconds / work.db_time_s * 100, 2),
            ]
        )
    everything = [[row[0], "99", row[3], "1ms", row[5], "0.1"] for row in rows]
    all_heads = [
        "Wait Class",
        "Waits",
        "Total Wait Time (sec)",
        "Avg Wait Time" if form.modern else "Avg Wait (ms)",
        "% DB time",
        "Avg Active Sessions",
    ]
    return form.section(
        "Wait Classes by Total Wait Time",
        style.table("This table displays wait class statistics ordered by total wait time", all_heads, everything),
    ) + form.section(
        "Foreground Wait Class", style.table("This table displays foreground wait class statistics", heads, rows)
    )


def _caches(form: Form) -> str:
    summary = "This table displays cache sizes and other statistics for \n                    different types of cache"
    row = ["Buffer Cache:", "12,288M", "12,416M", "Std Block Size:", "8K"]
    return form.section("Cache Sizes", form.style.table(summary, ["&#160;", "Begin", "End", "&#160;", "&#160;"], [row]))


def _time_model(form: Form, work: Workload) -> str:
    style = form.style
    heads = ["Statistic Name", "Time (s)", "% of DB Time", *(["% of Total CPU Time"] if form.modern else [])]
    rows = [
        [
            name,
            style.number(value, 2),
            "" if name == "DB time" else style.number(value / work.db_time_s * 100, 2),
            *(["&#160;"] if form.modern else []),
        ]
        for name, value in work.time_model.items()
    ]
    summary = (
        "This table displays different time model statistics. For each statistic, time and % of DB time are displayed"
    )
    return form.section(
        "Time Model Statistics",
        style.table(summary, heads, rows),
        f"Total time in database user-calls (DB Time): {work.db_time_s}s",
    )


def _host_statistics(form: Form, work: Workload) -> str:
    style = form.style
    rows = [[name, style.number(value), "&#160;"] for name, value in work.os_times.items()]
    rows += [
        [name, style.number(begin), style.number(end) if end != begin else "&#160;"]
        for name, (begin, end) in work.os_states.items()
    ]
    summary = "This table displays operating systems statistics. For each statistic, actual value is displayed"
    heads = ["Statistic", "Total"] if form.version == "10.2" else ["Statistic", "Value", "End Value"]
    return form.section("Operating System Statistics", style.table(summary, heads, (row[: len(heads)] for row in rows)))


def _events(form: Form, events: Sequence[Event], title: str, summary: str, share: str) -> str:
    style = form.style
    heads = [
        "Event",
        "Waits",
        "%Time -outs",
        "Total Wait Time (s)",
        "Avg wait" if form.modern else "Avg wait (ms)",
        "Waits /txn",
        share,
    ]
    rows = [
        [
            text(one.name),
            style.number(one.waits),
            str(one.timeouts_pct),
            style.number(one.time_s),
            _average(form, one),
            "1.00",
            "1.00",
        ]
        for one in events
    ]
    if form.version == "10.2" and title.startswith("Fore"):
        title = "Wait Events"
    return form.section(title, style.table(f"This table displays {summary}", heads, rows))


def _lists(form: Form, work: Workload) -> tuple[str, dict[str, tuple[str, ...]]]:
    parts = [
        "<h2 class='awr'>SQL Statistics</h2>\n<ul>\n",
        *(f"<li class='awr'><a href='#x'>{title}</a></li>\n" for _, _, title, _ in LISTS),
        "</ul>\n",
    ]
    shown = {}
    for name, figure, title, words in LISTS:
        if (name == "cluster" and form.instances == 1) or (form.version == "10.2" and name == "io"):
            continue
        ones = sorted((one for one in work.statements if one.figure(figure) > 0), key=lambda one: -one.figure(figure))[
            : form.top
        ]
        shown[name] = tuple(one.id for one in ones)
        covered = f"Captured SQL account for {form.style.number(form.covered_pct, 1)}% of Total DB Time (s): 1,234"
        parts.append(
            form.section(
                title,
                _list(form, name, figure, words, ones),
                covered,
                "Captured PL/SQL account for 3.2% of Total DB Time (s): 1,234",
            )
        )
    return "".join(parts), shown


def _list(form: Form, name: str, figure: str, words: str, ones: Iterable[Statement]) -> str:
    style, (own, rate) = form.style, _FIGURE_COLUMN[figure]
    number = _number_of(form)
    columns: list[tuple[str, Callable[[Statement], str]]] = [(own, lambda one: number(one, figure))]
    if name == "executions":
        columns += [
            ("Rows Processed", lambda one: number(one, "rows")),
            ("Rows per Exec", lambda one: _per_execution(form, one, "rows")),
        ]
    else:
        columns.append(("Executions", lambda one: number(one, "executions")))
    if rate:
        rate = "Elap per Exec (s)" if form.version == "10.2" and figure == "elapsed_s" else rate
        columns.append((rate, lambda one: _per_execution(form, one, figure)))
    columns.append(("%Total", lambda one: style.number(12.34, 2)))
    if figure in ("cpu_s", "io_wait_s", "block_gets", "block_reads", "executions", "cluster_wait_s"):
        columns.append(
            (
                "Elapsed Time (s)" if figure != "cluster_wait_s" else "Elapsed Time(s)",
                lambda one: number(one, "elapsed_s"),
            )
        )
    columns += [
        ("SQL Id", lambda one: f"<a class='awr' href='#{one.id}'>{one.id}</a>"),
        ("SQL Module", lambda one: f" {text(one.module)} "),
    ]
    if form.cdb and form.modern:
        columns.append(("PDB Name", lambda one: text(one.container)))
    columns.append(("SQL Text", _short))
    return style.table(
        f"This table displays top SQL by {words}",
        [head for head, _ in columns],
        ([make(one) for _, make in columns] for one in ones),
    )


def _number_of(form: Form) -> Callable[[Statement, str], str]:
    return lambda one, figure: form.style.number(one.figure(figure), 2 if figure.endswith("_s") else 0)


def _per_execution(form: Form, one: Statement, figure: str) -> str:
    if not one.executions:
        return "&#160;"
    return form.style.number(one.figure(figure) / one.executions, 2)


def _short(one: Statement) -> str:
    if not one.text_available:
        return "** SQL Text Not Available **"
    flat = " ".join(one.text.split())
    return text(flat if len(flat) <= 30 else flat[:30] + "...")


def _texts(form: Form, work: Workload) -> str:
    rows = [
        [
            f"<a class='awr' name='{one.id}'></a>{one.id}",
            text(one.text) if one.text_available else "** SQL Text Not Available **",
        ]
        for one in work.statements
    ]
    summary = "This table displays the text of the SQL statements which have been\n      referred to in the report"
    return form.section("Complete List of SQL Text", form.style.table(summary, ["SQL Id", "SQL Text"], rows))


def _sampled(form: Form, work: Workload) -> str:
    if not form.modern:
        return ""
    heads = [
        "SQL ID",
        "Plan Hash",
        "Executions",
        "% Activity",
        "Event",
        "% Event",
        "Top Row Source",
        "% Row Source",
        "SQL Text",
    ]
    rows = [
        [one.id, one.plan, "1", "12.5", "CPU + Wait for CPU", "12.5", "TABLE ACCESS - FULL", "10.0", _short(one)]
        for one in work.statements
        if one.plan
    ]
    return form.section(
        "Top SQL with Top Events", form.style.table("This table displays the Top SQL by Top Wait Events", heads, rows)
    )


def _activity(form: Form, work: Workload) -> str:
    style, seconds = form.style, work.elapsed_s
    tail = "For each instance, activity total, activity per second, and activity per transaction are displayed"
    rows = [
        [name, style.number(total), style.number(total / seconds, 2), "1.00"] for name, total in work.activity.items()
    ]
    heads = ["Statistic", "Total", "per Second", "per Trans"]
    kind = "Instance" if form.modern else "non-key Instance"
    key = form.section(
        "Key Instance Activity Stats",
        style.table(f"This table displays Key Instance activity statistics. {tail}", heads, rows[:5]),
    )
    title = "Instance Activity Stats" if form.version == "10.2" else "Other Instance Activity Stats"
    return ("" if form.version == "10.2" else key) + form.section(
        title, style.table(f"This table displays {kind} activity statistics. {tail}", heads, rows)
    )


def _volumes(form: Form, work: Workload) -> str:
    if form.version == "10.2":
        return ""
    heads = [
        "Function Name",
        "Reads: Data",
        "Reqs per sec",
        "Data per sec",
        "Writes: Data",
        "Reqs per sec",
        "Data per sec",
        "Waits: Count",
        "Avg Time" if form.modern else "Avg Tm(ms)",
    ]
    rows = [
        [name, read, "12.50", "9.339M", written, "3.25", "554.061", "28.7K", "733.58us" if form.modern else "0.73"]
        for name, (read, written) in work.volumes.items()
    ]
    rows.append(["TOTAL:", "1G", "1.00", "1M", "1G", "1.00", "1M", "1", "1.00ms"])
    summary = (
        "This table displays the IO Statistics for different functions. IO stats includes amount of reads and writes"
    )
    return form.section("IOStat by Function summary", form.style.table(summary, heads, rows))


def _files(form: Form, work: Workload) -> str:
    style = form.style
    heads = [
        "Tablespace",
        "Reads",
        "Av Rds/s",
        "Av Rd(ms)",
        "Av Blks/Rd",
        "Writes",
        "Writes avg/s",
        "Buffer Waits",
        "Av Buf Wt(ms)",
    ]
    rows = [
        [
            one.tablespace,
            style.number(one.reads),
            "1.25",
            style.number(one.read_ms, 2),
            "1.00",
            style.number(one.writes),
            "2.50",
            style.number(one.buffer_waits),
            ".00",
            one.container,
        ]
        for one in work.files
    ]
    by_pdb = form.cdb and form.modern
    width = len(heads)
    about = "IO Statistics include amount of reads and writes, average read/write per second, average blocks per read, buffer waits"
    spaces = style.table(
        f"This table displays IO Statistics for different tablespaces. {about}",
        [*heads, *(["PDB Name"] if by_pdb else [])],
        (row[: width + by_pdb] for row in rows),
    )
    named = [[row[0], one.file, *row[1 : width + by_pdb]] for row, one in zip(rows, work.files, strict=True)]
    files = style.table(
        f"This table displays IO Statistics for different physical files. {about}",
        [heads[0], "Filename", *heads[1:], *(["PDB Name"] if by_pdb else [])],
        named,
    )
    return form.section("Tablespace IO Stats", spaces) + form.section("File IO Stats", files)


def _pools(form: Form, work: Workload) -> str:
    heads = [
        "P",
        "Number of Buffers",
        "Pool Hit%",
        "Buffer Gets",
        "Physical Reads",
        "Physical Writes",
        "Free Buff Wait",
        "Writ Comp Wait",
        "Buffer Busy Waits",
    ]
    number = form.style.number
    rows = [
        [name, "1,000", "99", number(gets), number(reads), number(writes), "0", "0", number(busy)]
        for name, (gets, reads, writes, busy) in work.pools.items()
    ]
    summary = (
        "This table displays buffer pool statistics for different types of buffers, such as default, keep, and recycle"
    )
    return form.section("Buffer Pool Statistics", form.style.table(summary, heads, rows))


def _advice(form: Form) -> str:
    """Two tables with one summary, neither of which is read: the second is about buffers."""
    summary = "This table displays MTTR advisory. It displays size for estimate, dirty limit, etc."
    first = form.style.table(summary, ["Size for Est (s)", "Dirty Limit"], [["1", "2"]])
    second = form.style.table(summary, ["P", "Size for Est (M)", "Size Factor"], [["D", "1,024", ".10"]])
    return form.section("MTTR Advisory", first) + form.section("Buffer Pool Advisory", second)


def _segments(form: Form, work: Workload) -> str:
    style, by_pdb = form.style, form.cdb and form.modern
    heads = [
        "Owner",
        "Tablespace Name",
        "Object Name",
        "Subobject Name",
        "Obj. Type",
        *(["Obj#", "Dataobj#"] if form.modern else []),
        "Logical Reads",
        "%Total",
    ]
    rows = [
        [
            one.owner,
            one.tablespace,
            one.name,
            text(one.subname),
            one.kind,
            *(["100", "100"] if form.modern else []),
            style.number(one.value),
            style.number(1.5, 2),
            *(["PDB1"] if by_pdb else []),
        ]
        for one in work.segments
    ]
    summary = "This table displays top segments by logical reads. Owner, tablespace name, object type, logical read, etc. are displayed for each segment"
    return form.section(
        "Segments by Logical Reads", style.table(summary, [*heads, *(["PDB Name"] if by_pdb else [])], rows)
    )


def _parameters(form: Form, work: Workload) -> str:
    heads = ["Parameter Name", "Begin value", "End value (if different)"]
    rows = [[name, text(begin), text(end)] for name, (begin, end) in work.parameters.items()]
    summary = {
        "19c": "This table displays name and value of the initialization parametersmodified by the current container",
        "12.2": "This table displays name and value of init.ora parameters",
    }.get(form.version, "This table displays name and value of the modified initialization parameters")
    several = form.style.table(
        "This table displays name and value of multi-valued init.ora parameters",
        heads,
        [["event", "10046 trace", "&#160;"], ["&#160;", "10053 trace", "&#160;"]],
    )
    return form.section("init.ora Parameters", form.style.table(summary, heads, rows)) + form.section(
        "init.ora Multi-Valued Parameters", several
    )
