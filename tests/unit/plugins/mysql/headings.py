"""Columns of the performance schema by version, and one made-up row.

Sources: MySQL Reference Manuals 5.6, 5.7, 8.0, 8.4 and 9 (Statement Summary Tables, Performance Schema release notes of
8.0.28 and 8.0.31), MariaDB documentation of events_statements_summary_by_digest.
"""

from __future__ import annotations

from collections.abc import Mapping

_SUMS = (
    "SCHEMA_NAME DIGEST DIGEST_TEXT COUNT_STAR SUM_TIMER_WAIT MIN_TIMER_WAIT AVG_TIMER_WAIT MAX_TIMER_WAIT SUM_LOCK_TIME"
    " SUM_ERRORS SUM_WARNINGS SUM_ROWS_AFFECTED SUM_ROWS_SENT SUM_ROWS_EXAMINED SUM_CREATED_TMP_DISK_TABLES"
    " SUM_CREATED_TMP_TABLES SUM_SELECT_FULL_JOIN SUM_SELECT_FULL_RANGE_JOIN SUM_SELECT_RANGE SUM_SELECT_RANGE_CHECK"
    " SUM_SELECT_SCAN SUM_SORT_MERGE_PASSES SUM_SORT_RANGE SUM_SORT_ROWS SUM_SORT_SCAN SUM_NO_INDEX_USED"
    " SUM_NO_GOOD_INDEX_USED"
)
_SEEN = " FIRST_SEEN LAST_SEEN"
_8_0 = " QUANTILE_95 QUANTILE_99 QUANTILE_999 QUERY_SAMPLE_TEXT QUERY_SAMPLE_SEEN QUERY_SAMPLE_TIMER_WAIT"
_8_0_31 = f"{_SUMS} SUM_CPU_TIME MAX_CONTROLLED_MEMORY MAX_TOTAL_MEMORY COUNT_SECONDARY{_SEEN}{_8_0}"
DIGEST: Mapping[str, str] = {
    "mysql 5.6": _SUMS + _SEEN,
    "mysql 5.7": _SUMS + _SEEN,
    "mysql 8.0.11": _SUMS + _SEEN + _8_0,
    "mysql 8.0.28": f"{_SUMS} SUM_CPU_TIME{_SEEN}{_8_0}",
    "mysql 8.0.31": _8_0_31,
    "mysql 8.4": _8_0_31,
    "mysql 9": _8_0_31,
    "mariadb 10.11": _SUMS + _SEEN,
    "mariadb 11": _SUMS + _SEEN,
}
ROW: Mapping[str, str] = {
    "SCHEMA_NAME": "shop", "DIGEST": "cc57b93692d14c63f1bf72f8e9b0d8af", "DIGEST_TEXT": "SELECT * FROM `t` WHERE `id` = ?",
    "COUNT_STAR": "7", "SUM_TIMER_WAIT": "1500500000000", "MIN_TIMER_WAIT": "10000000000", "AVG_TIMER_WAIT": "214357142857",
    "MAX_TIMER_WAIT": "900250000000", "SUM_LOCK_TIME": "25000000000", "SUM_ERRORS": "1", "SUM_WARNINGS": "2",
    "SUM_ROWS_AFFECTED": "3", "SUM_ROWS_SENT": "21", "SUM_ROWS_EXAMINED": "20000", "SUM_CREATED_TMP_DISK_TABLES": "4",
    "SUM_CREATED_TMP_TABLES": "5", "SUM_SELECT_FULL_JOIN": "31", "SUM_SELECT_FULL_RANGE_JOIN": "32",
    "SUM_SELECT_RANGE": "33", "SUM_SELECT_RANGE_CHECK": "34", "SUM_SELECT_SCAN": "6", "SUM_SORT_MERGE_PASSES": "8",
    "SUM_SORT_RANGE": "10", "SUM_SORT_ROWS": "35", "SUM_SORT_SCAN": "12", "SUM_NO_INDEX_USED": "9",
    "SUM_NO_GOOD_INDEX_USED": "36", "SUM_CPU_TIME": "300000000000", "MAX_CONTROLLED_MEMORY": "1048576",
    "MAX_TOTAL_MEMORY": "2097152", "COUNT_SECONDARY": "0", "FIRST_SEEN": "2026-11-20 00:00:00",
    "LAST_SEEN": "2026-11-21 12:00:00", "QUANTILE_95": "900000000000", "QUANTILE_99": "900000000000",
    "QUANTILE_999": "900000000000", "QUERY_SAMPLE_TEXT": "SELECT * FROM t WHERE id = 4711",
    "QUERY_SAMPLE_SEEN": "2026-11-21 12:00:00", "QUERY_SAMPLE_TIMER_WAIT": "900250000000",
}  # fmt: skip


def batch(columns: str, *rows: Mapping[str, str]) -> str:
    """As ``mysql --batch`` prints it."""
    names = columns.split()
    lines = ["\t".join(names), *("\t".join(row[name] for name in names) for row in rows)]
    return "".join(line + "\n" for line in lines)


def framed(columns: str, *rows: Mapping[str, str]) -> str:
    """As ``mysql --table`` prints it."""
    names = columns.split()
    widths = [max(len(name), *(len(row[name]) for row in rows)) for name in names]
    rule = "+" + "+".join("-" * (width + 2) for width in widths) + "+"
    cells = [names, *([row[name] for name in names] for row in rows)]
    body = [
        "|" + "|".join(f" {cell:<{width}} " for cell, width in zip(line, widths, strict=True)) + "|" for line in cells
    ]
    return "\n".join([rule, body[0], rule, *body[1:], rule]) + "\n"


def vertical(columns: str, *rows: Mapping[str, str]) -> str:
    """As ``\\G`` prints it."""
    text = ""
    for number, row in enumerate(rows, 1):
        text += f"*************************** {number}. row ***************************\n"
        names = columns.split()
        text += "".join(f"{name:>{max(map(len, names))}}: {row[name]}\n" for name in names)
    return text


def csv(columns: str, *rows: Mapping[str, str]) -> str:
    names = columns.split()
    lines = [names, *([row[name] for name in names] for row in rows)]
    return "".join(",".join(f'"{cell}"' for cell in line) + "\n" for line in lines)


FORMS = {"batch": batch, "framed": framed, "vertical": vertical, "csv": csv}


def status(**values: object) -> str:
    return "Variable_name\tValue\n" + "".join(f"{name}\t{value}\n" for name, value in values.items())
