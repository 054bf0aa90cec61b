"""Series in JSON, as monitoring services export them, as rows: time, name, value, and what else tells them apart.

{"metric": {"__name__": "node_load1", ...}, "values": [[1784538000, "1.0"], ...]}            Prometheus
{"Label": "CPUUtilization", "Timestamps": [...], "Values": [...]}                            CloudWatch, get-metric-data
{"Label": "CPUUtilization", "Datapoints": [{"Timestamp": ..., "Average": 1.0, ...}, ...]}    get-metric-statistics
{"result": [{"itemid": "23296", "clock": "1784538000", "value": "1.0", "ns": "0"}, ...]}     Zabbix, history.get

Numbers stay as they are spelt; a series is put into the order of its times.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from decimal import Decimal, InvalidOperation
from math import inf

from tunebench.core.errors import UserError
from tunebench.core.grouping import by_key
from tunebench.core.patterns import lazy_pattern

_MARKS = (
    ("Prometheus", lazy_pattern(rb'"resultType" *: *"matrix"')),
    ("CloudWatch", lazy_pattern(rb'"MetricDataResults" *:|"Datapoints" *:')),
    ("Zabbix", lazy_pattern(rb'"itemid" *: *"?\d+"?\s*,\s*"clock" *:')),
)
_TIMES = ("Timestamp", "timestamp", "clock", "time")
_NAMES = ("__name__", "Label", "metric", "key_", "itemid")
_NO_LABELS = frozenset({"status", "StatusCode", "resultType", "Unit", "ns", "jsonrpc", "id", "Id", "isPartial"})
_DEEPEST = 12

Labels = Mapping[str, str]
Point = tuple[str, str, str]
"""Time, what is said of the name (a statistic), value."""


def is_export(head: bytes) -> bool:
    return _kind(head) != ""


def _kind(head: bytes) -> str:
    if not head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"{", b"[")):
        return ""
    return next((name for name, mark in _MARKS if mark.search(head)), "")


def rows(data: bytes, path: str) -> Iterator[list[str]]:
    """The heading, whose first cell names the service, and a row for each value.

    Raises:
        UserError: json_unreadable.
    """
    try:
        document = json.loads(data.decode("utf-8-sig"), parse_float=str, parse_int=str, parse_constant=str)
    except (ValueError, RecursionError) as error:
        raise UserError("json_unreadable", path=path, reason=str(error)[:200]) from error
    together = by_key((tuple(labels.items()), points) for labels, points in _series(document, {}, 0))
    series = [(dict(labels), [point for points in every for point in points]) for labels, every in together.items()]
    named = list(dict.fromkeys(label for labels, _ in series for label in labels if label not in _NAMES))
    yield [f"time ({_kind(data)})", "name", "value", *named]
    for labels, points in series:
        name = next((labels[key] for key in _NAMES if labels.get(key)), "value")
        cells = [_one_line(labels.get(key, "")) for key in named]
        for time, statistic, value in sorted(points, key=lambda point: _moment(point[0])):
            yield [time, _one_line(f"{name} {statistic}".strip()), value, *cells]


def _series(node: object, labels: Labels, depth: int) -> Iterator[tuple[Labels, list[Point]]]:
    """Series of points, with the labels of all objects around them."""
    if depth > _DEEPEST:
        return
    if isinstance(node, list):
        for item in node:
            yield from _series(item, labels, depth + 1)
    if not isinstance(node, dict):
        return
    labels = {**labels, **_labels(node)}
    if points := _own_points(node):
        yield labels, points
        return
    at = next((key for key in _TIMES if isinstance(node.get(key), str)), None)
    if at is not None:
        stated = {key: text for key, text in labels.items() if key in _NAMES or not (key == at or _is_number(text))}
        values = [
            (key, text) for key, text in node.items() if key not in (at, *_NO_LABELS, *stated) and _is_number(text)
        ]
        yield stated, [(_plain(node[at]), "" if key == "value" else key, text) for key, text in values]
        return
    for inner in node.values():
        yield from _series(inner, labels, depth + 1)


def _labels(node: Mapping[str, object]) -> dict[str, str]:
    """The labels of a series: an object's texts, and those of an object of texts in it."""
    own = {key: text for key, text in node.items() if isinstance(text, str) and key not in _NO_LABELS}
    for inner in node.values():
        if isinstance(inner, dict) and inner and all(isinstance(text, str) for text in inner.values()):
            own |= {key: text for key, text in inner.items() if key not in _NO_LABELS}
    return own


def _own_points(node: Mapping[str, object]) -> list[Point]:
    times, values = node.get("Timestamps"), node.get("Values")
    if isinstance(times, list) and isinstance(values, list):
        return [(_plain(time), "", str(value)) for time, value in zip(times, values, strict=False)]
    pairs = node.get("values")
    if not isinstance(pairs, list) or not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
        return []
    return [(_plain(time), "", str(value)) for time, value in pairs]


def _is_number(text: object) -> bool:
    try:
        return isinstance(text, str) and bool(Decimal(text).is_finite())
    except InvalidOperation:
        return False


def _plain(time: object) -> str:
    """Seconds without an exponent; any other time as it is."""
    text = _one_line(str(time))
    return format(Decimal(text), "f") if _is_number(text) and "e" in text.lower() and len(text) < 40 else text


def _moment(time: str) -> float:
    """Seconds to sort by; what is no time stays at the end."""
    try:
        return float(time) if _is_number(time) else datetime.fromisoformat(time).timestamp()
    except (ValueError, OverflowError):
        return inf


def _one_line(text: str) -> str:
    return " ".join(text.split())
