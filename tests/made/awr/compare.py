"""A report that compares two periods, with the corners, half-empty rows and marks that such reports have."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from tests.made.awr.markup import COMMA, Style, heading, text
from tests.made.awr.model import Statement, Workload

LISTS = (
    ("elapsed", "elapsed_s", "elapsed time", "Elapsed Time % of DB time", "DB Time"),
    ("cpu", "cpu_s", "CPU time", "CPU Time % of DB CPU", "CPU Time"),
    ("gets", "block_gets", "buffer gets", "Buffer Gets % of Total Gets", "Buffer Gets"),
)
TOTALS = {"elapsed_s": 100_000.0, "cpu_s": 100_000.0, "block_gets": 1e11}
"""Printed beside the shares, so that a share of two decimals says a total to the tenth of a second."""
_BLANK = "&#160;"


def compare_report(style: Style, first: Workload, second: Workload, instances: int = 1, top: int = 8) -> str:
    """`instances` above one make it a report of a cluster."""
    title = f"AWR {'RAC ' if instances > 1 else ''}Compare Period Report for DB: {first.db_name}, Inst: {first.instance}, Snaps: {first.begin_snapshot}-{first.end_snapshot}"
    parts = [
        f"<html><head><title>{title}</title></head>\n<body class='awr'>\n<h1 class='awr'>WORKLOAD REPOSITORY COMPARE PERIOD REPORT</h1>\n",
        _databases(style, first, second),
        _snapshots(style, first, second, instances),
        _host(style, first, second),
        _load(style, first, second),
        _top(style, first, second),
        _time_model(style, first, second),
        _waits(style, first, second),
        *(_list(style, one, first, second, top) for one in LISTS),
        _texts(style, first, second),
        _unread(style),
        "End of Report\n</body></html>\n",
    ]
    return "".join(parts)


def grouped(
    style: Style,
    summary: str,
    left: Sequence[str],
    groups: Sequence[tuple[str, Sequence[str]]],
    right: Sequence[str],
    rows: Iterable[Sequence[str]],
) -> str:
    """Two rows of headings; the corners are cells of the body, and spans are written with a blank before them."""
    upper = "".join(f"<td>{_BLANK}</td>" for _ in left) + "".join(
        f'<th class="awrbg" colspan=" {len(names)}">{name}</th>\n' for name, names in groups
    )
    upper += "".join(f"<td>{_BLANK}</td>" for _ in right)
    lower = "".join(f"<th>{name}</th>" for name in (*left, *(name for _, names in groups for name in names), *right))
    body = "".join(
        "<tr>" + "".join(f"<td align='right'>{_marked(style, cell)}</td>" for cell in row) + "</tr>\n" for row in rows
    )
    return f'<table border="0" class="tdiff" summary="{summary}"><tbody><tr>\n{upper}</tr><tr>\n{lower}</tr>\n{body}</tbody></table>\n'


def _marked(style: Style, cell: str) -> str:
    """Figures that are the same in every report, with the decimal mark of this one."""
    return (
        cell.replace(".", ",") if style.locale in COMMA and re.fullmatch(r"-?\d*\.\d{1,2}(?:[a-z ].*)?", cell) else cell
    )


def _databases(style: Style, first: Workload, second: Workload) -> str:
    heads = [
        "Snapshot Set",
        "DB Name",
        "DB Id",
        "Unique Name",
        "DB Role",
        "Edition",
        "Release",
        "Cluster",
        "CDB",
        "Host",
        "Std Block Size",
    ]
    rows = [
        [
            f"{name}",
            one.db_name,
            one.db_id,
            one.unique_name,
            "PRIMARY",
            "EE",
            "19.0.0.0.0",
            "NO",
            "YES",
            one.host,
            "8192",
        ]
        for name, one in (("First (1st)", first), ("Second (2nd)", second))
    ]
    instances = [
        [name, one.instance, str(one.instance_number)]
        for name, one in (("First (1st)", first), ("Second (2nd)", second))
    ]
    summary = "This table displays database and instance information"
    return style.table(summary, heads, rows) + style.table(summary, ["Snapshot Set", "Instance", "Inst num"], instances)


def _snapshots(style: Style, first: Workload, second: Workload, instances: int) -> str:
    heads = [
        "Snapshot Set",
        *(["Instance"] if instances > 1 else []),
        "Begin Snap Id",
        "Begin Snap Time",
        "End Snap Id",
        "End Snap Time",
        "Avg Active Users",
        "Elapsed Time (min)",
        "DB time (min)",
    ]
    rows = []
    for name, one in (("1st", first), ("2nd", second)):
        for number in range(instances):
            rows.append(
                [
                    name if not number else _BLANK,
                    *([f"{one.instance}{number}"] if instances > 1 else []),
                    str(one.begin_snapshot),
                    f"{style.moment(one.begin)} (Fri)",
                    str(one.end_snapshot),
                    f"{style.moment(one.end)} (Fri)",
                    style.number(1.5, 1),
                    style.number(one.elapsed_s / 60, 1),
                    style.number(one.db_time_s / 60, 1),
                ]
            )
    rows.append(
        [
            "%Diff",
            *([_BLANK] if instances > 1 else []),
            *[_BLANK] * 4,
            style.number(-65, 1),
            style.number(1139.2, 1),
            style.number(334, 1),
        ]
    )
    summary = (
        "This table displays information about database instances included in this report"
        if instances > 1
        else "This table displays snapshot information"
    )
    return style.table(summary, heads, rows)


def _host(style: Style, first: Workload, second: Workload) -> str:
    rows = [
        ["Number of CPUs:", str(first.cpus), str(second.cpus), "40", "166.7"],
        ["Load at Start Snapshot:", "18.05 - 86.71", ".27", "-", "Std"],
        ["Physical Memory:", f"{first.memory_gb * 1024:.1f}M", f"{second.memory_gb * 1024:.1f}M", "515815M", "-50.0"],
    ]
    return style.table(
        "This table displays host configuration comparisons. It displays values",
        ["", "1st", "2nd", "Diff", "%Diff"],
        rows,
    )


def _load(style: Style, first: Workload, second: Workload) -> str:
    number = style.number
    names = [
        ("Redo size (bytes):", "redo size"),
        ("Logical read (blocks):", "session logical reads"),
        ("Executes (SQL):", "execute count"),
    ]
    rows = [
        [
            "DB time:",
            number(first.db_time_s / first.elapsed_s, 1),
            number(second.db_time_s / second.elapsed_s, 1),
            "1.0",
            "0.1",
            "0.1",
            "1.0",
        ]
    ]
    rows += [
        [
            name,
            number(first.activity[key] / first.elapsed_s, 1),
            number(second.activity[key] / second.elapsed_s, 1),
            "1.0",
            "2.5",
            "2.5",
            "1.0",
        ]
        for name, key in names
    ]
    return style.table(
        "This table displays load profile comparisons",
        ["", "1st per sec", "2nd per sec", "%Diff", "1st per txn", "2nd per txn", "%Diff"],
        rows,
    )


def _top(style: Style, first: Workload, second: Workload) -> str:
    """Two lists side by side; a dash before the name where the event leads on the other side only."""
    names = ["Event", "Wait Class", "Waits", "Time(s)", "Avg Time", "%DB time"]
    rows = [
        [
            "CPU time",
            _BLANK,
            "N/A",
            style.number(first.db_cpu_s, 1),
            _BLANK,
            "82.9",
            "CPU time",
            _BLANK,
            "N/A",
            style.number(second.db_cpu_s, 1),
            _BLANK,
            "80.9",
        ]
    ]
    for left, right in zip(first.events[:4], second.events[:4], strict=True):
        rows.append([*_event(style, left), *_event(style, right)])
    rows.append(
        [f"-{first.events[5].name}", *_event(style, first.events[5])[1:], "-", _BLANK, "N/A", "N/A", _BLANK, "N/A"]
    )
    return grouped(style, "This table displays top timed events", [], [("1st", names), ("2nd", names)], [], rows)


def _event(style: Style, one: object) -> list[str]:
    return [one.name, one.wait_class, style.number(one.waits), style.number(one.time_s, 1), "1.00ms", "1.0"]  # type: ignore[attr-defined]


def _time_model(style: Style, first: Workload, second: Workload) -> str:
    groups = [
        ("% of DB time", ("1st", "2nd", "Diff")),
        ("% of Total CPU time", ("1st", "2nd", "Diff")),
        ("Time (seconds)", ("1st", "2nd", "%Diff")),
    ]
    rows = [
        [
            name,
            "22.19",
            "8.43",
            "-13.76",
            _BLANK,
            _BLANK,
            _BLANK,
            style.number(value, 2),
            style.number(second.time_model[name], 2),
            "64.86",
        ]
        for name, value in first.time_model.items()
    ]
    return heading("Time Model Statistics") + grouped(
        style, "This table displays comparisons of time model statistics", ["Statistic Name"], groups, [], rows
    )


def _waits(style: Style, first: Workload, second: Workload) -> str:
    groups = [
        ("% of DB time", ("1st", "2nd", "Diff")),
        ("# Waits/sec (Elapsed Time)", ("1st", "2nd", "%Diff")),
        ("Total Wait Time (sec)", ("1st", "2nd", "%Diff")),
        ("Avg Wait Time", ("1st", "2nd", "%Diff")),
    ]
    later = {one.name: one for one in second.events}
    rows = [
        [
            one.name,
            one.wait_class,
            "1.0",
            "2.0",
            "1.0",
            "10.1",
            "20.2",
            "100.0",
            style.number(one.time_s, 2),
            style.number(later[one.name].time_s, 2),
            "1.0",
            "733.58us",
            ".00ns",
            "1.0",
        ]
        for one in first.events
    ]
    rows.append(
        [
            "smon timer",
            "Idle",
            _BLANK,
            "912.51",
            _BLANK,
            _BLANK,
            "1.0",
            _BLANK,
            _BLANK,
            "394,795.34" if style.locale == "en" else "394.795,34",
            _BLANK,
            _BLANK,
            "12.98 s",
            _BLANK,
        ]
    )
    return heading("Wait Events") + grouped(
        style, "This table displays comparisons of wait events statistics", ["Event", "Wait Class"], groups, [], rows
    )


def _list(style: Style, which: tuple[str, str, str, str, str], first: Workload, second: Workload, top: int) -> str:
    """One row for each statement; two half-empty ones where the databases differ."""
    _, figure, words, group, total = which
    sides = [
        {one.id: one for one in sorted(work.statements, key=lambda one: -one.figure(figure))[:top]}
        for work in (first, second)
    ]
    is_same = first.db_id == second.db_id
    pairs: list[tuple[str, Statement | None, Statement | None]] = []
    for name in dict.fromkeys((*sides[0], *sides[1])):
        left, right = sides[0].get(name), sides[1].get(name)
        pairs += (
            [(name, left, right)]
            if is_same
            else [(name, left, None)] * bool(left) + [(name, None, right)] * bool(right)
        )
    groups = [
        (group, ("1st", "1st Total", "2nd", "2nd Total", "Diff")),
        ("I/O Time (ms) per Exec", ("1st", "2nd")),
        ("#Executions", ("1st", "2nd")),
        ("#Plans", ("1st/2nd/Both",)),
    ]
    rows = [
        [
            f"<a href='#x'>{name}</a>",
            _share(style, left, figure),
            "12.0",
            _share(style, right, figure),
            "99.0",
            "1.0",
            "0",
            "0",
            _runs(style, left),
            _runs(style, right),
            f"{1 if left else ''}/{1 if right else ' '}/ 1",
            text((left or right).text[:30] + "..."),  # type: ignore[union-attr]
        ]
        for name, left, right in pairs
    ]
    unit = "" if figure == "block_gets" else " seconds"
    amount = style.number(TOTALS[figure], 0 if figure == "block_gets" else 2)
    notes = [
        f"Total {total}         First:          {amount}{unit}, Second:        {amount}{unit}",
        f"Captured SQL {total}  First:  1,002.35{unit}, Second:  4,448.25{unit}",
        f"Captured SQL as a % of Total {total}         First: 90.5%, Second: 121.95%",
    ]
    return heading(f"Top SQL Comparison by {words}", *notes) + grouped(
        style, f"This table displays top SQL comparisons by {words}", ["SQL Id"], groups, ["SQL Text"], rows
    )


def _share(style: Style, one: Statement | None, figure: str) -> str:
    return _BLANK if one is None else style.number(round(one.figure(figure) / TOTALS[figure] * 100, 2), 2)


def _runs(style: Style, one: Statement | None) -> str:
    return _BLANK if one is None else style.number(one.executions)


def _texts(style: Style, first: Workload, second: Workload) -> str:
    every = {one.id: one.text for work in (first, second) for one in work.statements}
    return heading("Complete List of SQL Text") + style.table(
        "This table displays the text of the SQL statements which have been referred to in the report",
        ["SQL Id", "SQL Text"],
        [[name, text(words)] for name, words in every.items()],
    )


def _unread(style: Style) -> str:
    groups = [("Get Requests", ("1st", "2nd", "%Diff"))]
    return heading("Latch Activity") + grouped(
        style,
        "This table displays latch comparsion",
        ["Latch Name"],
        groups,
        [],
        [["In memory undo latch", "1", "2", "100.0"]],
    )
