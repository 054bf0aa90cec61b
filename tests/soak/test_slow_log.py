"""A slow log of a hundred megabytes: memory does not grow with it, and every event is counted."""

from __future__ import annotations

import random
import time
import tracemalloc
from collections.abc import Iterator
from zoneinfo import ZoneInfo

import pytest

from tunebench.core.paths import builtin_plugins_folder
from tunebench.plughost.host import PluginHost
from tunebench.plughost.listing import Origin
from tunebench.plughost.plugin_folders import SearchFolder
from tunebench.sdk import ParseContext

BYTES = 100 << 20
MOST_BYTES_HELD = 24 << 20
SLOWEST_MB_S = 2.0
EPOCH = 1_795_230_000
SHAPES = 400


def parts() -> Iterator[tuple[bytes, int]]:
    """(a megabyte or so, events in it); an hour for every 20,000 events."""
    chance, event = random.Random(7), 0
    while True:
        lines = []
        for _ in range(2000):
            event += 1
            shape = chance.randrange(SHAPES)
            lines.append(
                f"# User@Host: app[app] @  [10.0.0.5]\n# Thread_id: {event}  Schema: shop  QC_hit: No\n"
                f"# Query_time: 0.250000  Lock_time: 0.000010  Rows_sent: 1  Rows_examined: 100\n"
                f"# Pages_accessed: 40  Pages_read: 2  Pages_updated: 0  Old_rows_read: 0\n"
                f"SET timestamp={EPOCH + event * 3600 // 20_000};\n"
                f"SELECT c{shape} FROM orders o JOIN customers c ON c.id = o.customer_id\n"
                f"WHERE o.id IN ({event}, {event + 1}) AND c.name = 'name {event}' AND o.state = '{chance.random()}' LIMIT 10;\n"
            )
        yield "".join(lines).encode(), 2000


@pytest.mark.soak
def test_a_hundred_megabytes():
    plugins = PluginHost([SearchFolder(builtin_plugins_folder(), Origin.BUILTIN)])
    entry = plugins.parser("mysql.slow_log")
    assert entry is not None
    parser = entry.create(ParseContext(zone=ZoneInfo("UTC"), zone_source="host"))
    fed, events, counted, statements, spent_s = 0, 0, 0.0, 0, 0.0
    tracemalloc.start()
    base = peak = 0
    for data, count in parts():
        began = time.process_time()
        list(parser.feed(data))
        records = parser.take_records()
        spent_s += time.process_time() - began
        fed, events = fed + len(data), events + count
        counted += sum(record.table("statement").figure("executions").sum() for record in records)
        statements = max([statements, *(len(record.table("statement")) for record in records)])
        held = tracemalloc.get_traced_memory()[0]
        base, peak = base or held, max(peak, held)
        if fed >= BYTES:
            break
    list(parser.finish())
    tracemalloc.stop()
    counted += sum(record.table("statement").figure("executions").sum() for record in parser.take_records())
    assert counted == events and statements == SHAPES
    assert peak - base < MOST_BYTES_HELD, (base, peak)
    print(f"{fed / 1e6:.0f} MB, {fed / 1e6 / spent_s:.1f} MB/s while traced, {peak / 1e6:.0f} MB held at most")
    assert fed / 1e6 / spent_s > SLOWEST_MB_S, "while every allocation is traced"
