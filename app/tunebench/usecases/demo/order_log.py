"""What JMeter's summariser would have logged of the demo's world, where it replays orders on the application server."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, time, timedelta

from tunebench.usecases.demo.host_texts import BEGIN_HOUR, END_HOUR
from tunebench.usecases.demo.world import World


def order_log(world: World, day: date) -> str:
    """A line for every minute of the office hours, and their sum."""
    return "".join(_lines(world, day))


def _lines(world: World, day: date) -> Iterator[str]:
    host, orders = world.facts["orders"]["host"], world.orders
    start = datetime.combine(day, time(BEGIN_HOUR))
    yield f"{start:%Y-%m-%d %H:%M:%S},102 INFO o.a.j.JMeter: IP: 10.20.1.31 Name: {host} FullName: {host}\n"
    done = failed = 0
    spent_ms, least_ms, most_ms = 0.0, float("inf"), 0.0
    for step in range(1, (END_HOUR - BEGIN_HOUR) * 60 + 1):
        moment = start + timedelta(minutes=step)
        minute = world.minute_of(moment) - 1
        count, errors = int(orders.completed[minute]), int(orders.failed[minute])
        mean, least, most = orders.mean_ms[minute], orders.least_ms[minute], orders.most_ms[minute]
        yield _summary(moment, "+", count, timedelta(minutes=1), (mean, least, most), errors)
        done, failed, spent_ms = done + count, failed + errors, spent_ms + count * mean
        least_ms, most_ms = min(least_ms, least), max(most_ms, most)
    whole = timedelta(hours=END_HOUR - BEGIN_HOUR)
    yield _summary(start + whole, "=", done, whole, (spent_ms / max(done, 1), least_ms, most_ms), failed)


def _summary(
    moment: datetime, sign: str, count: int, length: timedelta, times_ms: tuple[float, float, float], errors: int
) -> str:
    mean, least, most = (round(value) for value in times_ms)
    active = " Active: 24 Started: 24 Finished: 0" if sign == "+" else ""
    return (
        f"{moment:%Y-%m-%d %H:%M:%S},014 INFO o.a.j.r.Summariser: orders {sign} {count:6d} in {length!s:0>8}"
        f" = {count / length.total_seconds():6.1f}/s Avg: {mean:5d} Min: {least:5d} Max: {most:5d}"
        f" Err: {errors:5d} ({100 * errors / max(count, 1):.2f}%){active}\n"
    )
