"""The archive's tables: a public layout, which anything that reads Parquet may read.

``archive.json`` names the layout. ``log/00000042.json`` is a commit: the parts that it adds and the names of those that
it removes, its program and time; at least every 32nd tells all `parts` that count from then on. Rows lie in
``TABLE/part-DIGEST.parquet`` (zstd, statistics per row group), which never change; `engagement` and `content` are their
first two columns. Only parts that the log names count, and of these no rows of the engagements that they are `without`.
Moments are UTC nanoseconds (``_ns``); what is not measured is null. A `ratio`, with its interval of 95 % `low` to
`high`, is better above 1, and `at_least` that where only a bound is known; of a figure that is neither better nor worse
it is after / before.
"""

from __future__ import annotations

from collections.abc import Mapping

LAYOUT = 2
ENGAGEMENTS = "engagements"
WORDS = "words"

_THING = "host VARCHAR, tool VARCHAR, native VARCHAR, metric VARCHAR, attributes VARCHAR, unit VARCHAR"
_CHANGE = "ratio DOUBLE, low DOUBLE, high DOUBLE"

_DECLARED = {
    ENGAGEMENTS: (
        "title VARCHAR, customer VARCHAR, site VARCHAR, firm VARCHAR, zone VARCHAR, period_start VARCHAR, "
        "period_end VARCHAR, consent VARCHAR, profile VARCHAR, program VARCHAR, layout BIGINT, added_ns "
        "BIGINT"
    ),
    "systems": "kind VARCHAR, name VARCHAR, role VARCHAR, product VARCHAR, detail VARCHAR, host VARCHAR",
    "hosts": "host VARCHAR, os VARCHAR, os_version VARCHAR, zone VARCHAR",
    "runs": "run VARCHAR, phase VARCHAR, begin_ns BIGINT, end_ns BIGINT, hosts VARCHAR, files BIGINT",
    "windows": "name VARCHAR, phase VARCHAR, kept BOOLEAN, hosts VARCHAR, begin_ns BIGINT, end_ns BIGINT",
    "series": (
        f"{_THING}, run VARCHAR, kind VARCHAR, direction VARCHAR, to_base DOUBLE, base_unit VARCHAR, samples "
        "BIGINT, missing BIGINT, begin_ns BIGINT, end_ns BIGINT, interval_s DOUBLE"
    ),
    "days": (
        f"{_THING}, run VARCHAR, day VARCHAR, samples BIGINT, mean DOUBLE, minimum DOUBLE, median DOUBLE, "
        "p95 DOUBLE, maximum DOUBLE"
    ),
    "verdicts": (
        f"{_THING}, direction VARCHAR, before_samples BIGINT, after_samples BIGINT, before_mean DOUBLE, "
        f"after_mean DOUBLE, verdict VARCHAR, reason VARCHAR, {_CHANGE}, p_adjusted DOUBLE, load_ratio "
        "DOUBLE"
    ),
    "findings": (
        "key VARCHAR, rule VARCHAR, severity VARCHAR, phase VARCHAR, run VARCHAR, host VARCHAR, attributes "
        "VARCHAR, title VARCHAR, figures VARCHAR, share DOUBLE, samples BIGINT, explained_by VARCHAR, later "
        "VARCHAR"
    ),
    "causes": (
        "iteration BIGINT, domain VARCHAR, title VARCHAR, text VARCHAR, confidence VARCHAR, state VARCHAR, "
        "share_pct DOUBLE, finding VARCHAR"
    ),
    "actions": (
        "iteration BIGINT, outcome VARCHAR, number VARCHAR, title VARCHAR, state VARCHAR, changes VARCHAR, "
        "effect VARCHAR, causes VARCHAR, hypothesis VARCHAR, systems VARCHAR"
    ),
    "effects": (
        "iteration BIGINT, number VARCHAR, effect VARCHAR, changes VARCHAR, resources VARCHAR, price "
        "BOOLEAN, metric VARCHAR, unit VARCHAR, direction VARCHAR, margin_pct DOUBLE, change VARCHAR, "
        f"at_least BOOLEAN, {_CHANGE}, state VARCHAR"
    ),
    "targets": (
        "iteration BIGINT, metric VARCHAR, statistic VARCHAR, unit VARCHAR, direction VARCHAR, baseline "
        f"DOUBLE, target DOUBLE, result DOUBLE, change VARCHAR, at_least BOOLEAN, {_CHANGE}, state VARCHAR, "
        "descriptive BOOLEAN"
    ),
    "statements": (
        "database VARCHAR, statement VARCHAR, text VARCHAR, outcome VARCHAR, figure VARCHAR, "
        "before_executions DOUBLE, after_executions DOUBLE, before_each DOUBLE, after_each DOUBLE, verdict "
        f"VARCHAR, {_CHANGE}, impact DOUBLE, plan_changed BOOLEAN"
    ),
    "periods": (
        "database VARCHAR, run VARCHAR, phase VARCHAR, source VARCHAR, begin_ns BIGINT, end_ns BIGINT, "
        "length_s DOUBLE, db_time_s DOUBLE, used BOOLEAN"
    ),
    "experiments": (
        "title VARCHAR, response VARCHAR, unit VARCHAR, cache VARCHAR, cell VARCHAR, reference BOOLEAN, "
        f"trials BIGINT, median DOUBLE, {_CHANGE}, verdict VARCHAR"
    ),
    "evidence": (
        "key VARCHAR, file VARCHAR, sha256 VARCHAR, host VARCHAR, run VARCHAR, begin_ns BIGINT, end_ns "
        "BIGINT, samples BIGINT, parser VARCHAR, parser_version VARCHAR"
    ),
    WORDS: (
        "kind VARCHAR, what VARCHAR, state VARCHAR, detail VARCHAR, text VARCHAR, systems VARCHAR, changes VARCHAR"
    ),
}


def _columns(declared: str) -> dict[str, str]:
    return dict(map(str.split, declared.split(",")))


TABLES: Mapping[str, Mapping[str, str]] = {name: _columns(declared) for name, declared in _DECLARED.items()}
"""Columns of each table with their SQL types, beside `engagement` and `content`."""

SORTED_BY: Mapping[str, str] = {
    "days": "host, metric, native, attributes, day, engagement",
    "series": "host, metric, native, attributes, engagement",
    "verdicts": "native, host, attributes, engagement",
}
"""The order of a compacted part, where it is not that of engagements."""
