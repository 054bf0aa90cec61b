"""A report of all instances of a cluster: headings of two rows, rows per instance, ``*`` for all of them."""

from __future__ import annotations

from collections.abc import Sequence

from tests.made.awr.instance import LISTS, Form
from tests.made.awr.markup import Cell, Style, text
from tests.made.awr.model import Event, Statement, Workload

_CLASSES = {
    "User I/O": "User I/O(s)",
    "System I/O": "Sys I/O(s)",
    "Application": "Applic (s)",
    "Commit": "Commit (s)",
    "Network": "Network (s)",
    "Concurrency": "Concurcy (s)",
    "Configuration": "Config (s)",
    "Cluster": "Cluster (s)",
}
_TOTALS = (
    ("Elapsed (s)", "elapsed_s"),
    ("CPU (s)", "cpu_s"),
    ("IOWait (s)", "io_wait_s"),
    ("Gets", "block_gets"),
    ("Reads", "block_reads"),
    ("Rows", "rows"),
    ("Cluster (s)", "cluster_wait_s"),
    ("Execs", "executions"),
)
_ORDERED = {
    "elapsed": "Elapsed Time",
    "cpu": "CPU Time",
    "io": "User I/O Time",
    "gets": "Gets",
    "reads": "Reads",
    "executions": "Executions",
    "cluster": "Cluster Wait Time",
}


def cluster_report(form: Form, work: Workload, instances: Sequence[Workload]) -> tuple[str, dict[str, tuple[str, ...]]]:
    style = form.style
    lists, shown = _lists(form, work)
    parts = [
        f"<html><head><title>AWR RAC Report for DB: {work.db_name}, Snaps: {work.begin_snapshot}-{work.end_snapshot}</title>\n</head>",
        '<body class="awr">\n<h1 class="awr">\nWORKLOAD REPOSITORY REPORT (RAC)\n</h1>\n',
        _summary(style, work, instances),
        _instances(form, instances),
        _hosts(style, instances),
        _time_model(style, work, instances),
        _classes(style, instances),
        _events(form, work, instances),
        lists,
        _texts(form, work),
        _loads(style, work, instances),
        _totals(style, work),
        _segments(style, work),
        _parameters(style),
        "End of Report\n</body></html>\n",
    ]
    return "".join(parts), shown


def _summary(style: Style, work: Workload, instances: Sequence[Workload]) -> str:
    heads: list[list[Cell]] = [
        [("Database", 8), ("Snapshot Ids", 2), ("Number of Instances", 2), ("Number of Hosts", 2), ("Report Total (minutes)", 2)],
        ["Id", "Name", "Unique Name", "Role", "Edition", "RAC", "CDB", "Block Size", "Begin", "End", "In Report", "Total", "In Report", "Total", "DB time", "Elapsed time"],
    ]  # fmt: skip
    count = str(len(instances))
    row = [
        work.db_id,
        work.db_name,
        work.unique_name,
        "PRIMARY",
        "EE",
        "YES",
        "NO",
        "8192",
        str(work.begin_snapshot),
        str(work.end_snapshot),
        count,
        count,
        count,
        count,
        style.number(work.db_time_s / 60, 2),
        style.number(work.elapsed_s / 60, 2),
    ]
    return style.table("Database Summary", heads, [row])


def _instances(form: Form, instances: Sequence[Workload]) -> str:
    style = form.style
    heads = [
        "I#",
        "Instance",
        "Host",
        "Startup",
        "Begin Snap Time",
        "End Snap Time",
        "Release",
        "Elapsed Time(min)",
        "DB time(min)",
        "Up Time(hrs)",
        "Avg Active Sessions",
        "Platform",
    ]
    rows = [
        [
            str(one.instance_number),
            one.instance,
            one.host,
            *(style.moment(moment, seconds=False) for moment in (one.started, one.begin, one.end)),
            form.release,
            style.number(one.elapsed_s / 60, 2),
            style.number(one.db_time_s / 60, 2),
            "1.00",
            "1.00",
            one.platform,
        ]
        for one in instances
    ]
    return style.table("Database Instances Included In Report. . Listed in order of instance number, I#", heads, rows)


def _hosts(style: Style, instances: Sequence[Workload]) -> str:
    heads: list[list[Cell]] = [
        ["&#160;", ("CPU", 3), ("Load", 2), ("% CPU", 5), ("Time (s)", 3), "Memory", ("End Values", 4)],
        ["I#", "#CPUs", "#Core", "#Sckt", "Begin", "End", "%Busy", "%Usr", "%Sys", "%WIO", "%Idl", "Busy", "Idle", "Total", "MB", "#CPUs", "#Core", "#Sckt", "MB"],
    ]  # fmt: skip
    rows = [
        [
            str(one.instance_number),
            str(one.cpus),
            style.number(one.cores),
            style.number(one.sockets),
            "1.0",
            "2.0",
            "50.0",
            "40.0",
            "10.0",
            ".0",
            "50.0",
            "100.00",
            "100.00",
            "200.00",
            style.number(one.memory_gb * 1024),
            str(one.end_cpus) if one.end_cpus != one.cpus else "&#160;",
            "&#160;",
            "&#160;",
            "&#160;",
        ]
        for one in instances
    ]
    return style.table("OS Statistics By Instance. . Listed in order of instance number, I#", heads, rows)


def _time_model(style: Style, work: Workload, instances: Sequence[Workload]) -> str:
    heads = ["I#", "DB time (s)", "DB CPU (s)", "SQL Exec Ela (s)", "bg time (s)", "bg CPU (s)"]
    rows = [
        [
            name,
            style.number(one.db_time_s, 2),
            style.number(one.db_cpu_s, 2),
            style.number(one.time_model["sql execute elapsed time"], 2),
            "&#160;",
            "1.00",
        ]
        for name, one in [*((str(one.instance_number), one) for one in instances), ("Sum", work)]
    ]
    share_heads: list[list[Cell]] = [["", ("% DB time", 2)], ["I#", "DB CPU", "SQL Exec Ela"]]
    shares = style.table(
        "Time Model - % of DB time. . % Total [DB time/bg time]", share_heads, [["1", "50.00", "90.00"]]
    )
    return style.table("Time Model", heads, rows) + shares


def _classes(style: Style, instances: Sequence[Workload]) -> str:
    heads = ["I#", *_CLASSES.values(), "DB CPU (s)", "DB time"]
    rows = [
        [
            str(one.instance_number),
            *(style.number(sum(e.time_s for e in one.events if e.wait_class == name), 2) for name in _CLASSES),
            style.number(one.db_cpu_s, 2),
            style.number(one.db_time_s, 2),
        ]
        for one in instances
    ]
    return style.table("Foreground Wait Classes", heads, rows)


def _events(form: Form, work: Workload, instances: Sequence[Workload]) -> str:
    """The number of an instance is printed on its first row only."""
    heads: list[list[Cell]] = [
        [("Wait", 3), ("Event", 2), ("Wait Time", 3), ("Summary Avg Wait Time", 5)],
        [
            "I#",
            "Class",
            "Event",
            "Waits",
            "%Timeouts",
            "Total(s)",
            "Avg Wait",
            "%DB time",
            "Avg",
            "Min",
            "Max",
            "Std Dev",
            "Cnt",
        ],
    ]
    rows = []
    for name, one in [("*", work), *((str(one.instance_number), one) for one in instances)]:
        rows += [_event(form.style, name if place == 0 else "&#160;", event) for place, event in enumerate(one.events)]
    return form.style.table("This table displays foreground wait event information", heads, rows)


def _event(style: Style, number: str, event: Event) -> list[str]:
    return [
        number,
        event.wait_class,
        text(event.name),
        style.number(event.waits),
        str(event.timeouts_pct),
        style.number(event.time_s, 2),
        style.average(event.avg_s),
        "1.00",
        "1.00ms",
        "1.00ms",
        "1.00ms",
        ".00ns",
        "2",
    ]


def _lists(form: Form, work: Workload) -> tuple[str, dict[str, tuple[str, ...]]]:
    heads: list[list[Cell]] = [
        ["&#160;", ("Total", len(_TOTALS)), ("Per Execution", len(_TOTALS) - 1), ("Percentage of Total", 1), "&#160;"],
        ["SQL Id", *(head for head, _ in _TOTALS), *(head for head, _ in _TOTALS[:-1]), "DB time", "SQL Text"],
    ]
    parts, shown = [], {}
    for name, figure, _, _ in LISTS:
        if name not in _ORDERED:
            continue
        ones = sorted(work.statements, key=lambda one, figure=figure: -one.figure(figure))[: form.top]  # type: ignore[misc]
        shown[name] = tuple(one.id for one in ones)
        note = f"<li class='awr'>Captured SQL account for {form.style.number(form.covered_pct, 1)}% of Total DB Time (s)</li>\n"
        table = form.style.table(
            f"SQL ordered by {_ORDERED[name]} (Global). . % Total is a percentage",
            heads,
            [_row(form.style, one) for one in ones],
        )
        parts.append(f"<h3 class='awr'>SQL ordered by {_ORDERED[name]} (Global)</h3>\n<ul>\n{note}</ul>\n{table}")
    return "".join(parts), shown


def _row(style: Style, one: Statement) -> list[str]:
    totals = [style.number(one.figure(figure), 2 if figure.endswith("_s") else 0) for _, figure in _TOTALS]
    rates = [
        style.number(one.figure(figure) / one.executions, 2) if one.executions else "&#160;"
        for _, figure in _TOTALS[:-1]
    ]
    return [one.id, *totals, *rates, "1.00", text(" ".join(one.text.split())[:30] + "...")]


def _texts(form: Form, work: Workload) -> str:
    return form.style.table(
        "This table displays the text of the SQL statements",
        ["SQL Id", "SQL Text"],
        [[one.id, text(one.text)] for one in work.statements],
    )


def _totals(style: Style, work: Workload) -> str:
    rows = [[name, style.number(total), "1.00", "1.00"] for name, total in work.activity.items()]
    return style.table("System Statistics (Global)", ["Statistic", "Total", "per Second", "per Trans"], rows)


def _parameters(style: Style) -> str:
    rows = [
        ["cpu_count", "*", "16", "&#160;"],
        ["instance_number", "1", "1", "&#160;"],
        ["&#160;", "2", "2", "&#160;"],
        ["undo_retention", "*", "900", "3600"],
    ]
    return style.table(
        "This table displays values for init.ora parameters",
        ["Parameter Name", "I#", "Begin value", "End value (if different)"],
        rows,
    )


LOADS = {
    "Logical Reads": "session logical reads",
    "Physical Reads": "physical reads",
    "User Calls": "user calls",
    "Execs": "execute count",
}


def _loads(style: Style, work: Workload, instances: Sequence[Workload]) -> str:
    rows = [
        [
            name,
            *(style.number(one.activity[statistic]) for statistic in LOADS.values()),
            style.number(one.activity["redo size"] // 1024),
        ]
        for name, one in [*((str(one.instance_number), one) for one in instances), ("Sum", work), ("Avg", work)]
    ]
    rates = style.table("System Statistics - Per Second", ["I#", "Logical Reads/s"], [["1", "1.00"]])
    return style.table("System Statistics", ["I#", *LOADS, "Redo Size (k)"], rows) + rates


def _segments(style: Style, work: Workload) -> str:
    """The statistic is printed on the first row of its group."""
    heads = [
        "Statistic",
        "Owner",
        "Tablespace",
        "Object Name",
        "Subobject Name",
        "Obj Type",
        "Value",
        "%Total",
        "%Capture",
    ]
    rows = [
        [
            statistic if place == 0 else "&#160;",
            one.owner,
            one.tablespace,
            one.name,
            "&#160;",
            one.kind,
            style.number(one.value),
            "1.50",
            "2.50",
        ]
        for statistic in ("logical reads", "physical reads")
        for place, one in enumerate(work.segments)
    ]
    return style.table("Segment Statistics (Global). . Top 5 segments", heads, rows)
