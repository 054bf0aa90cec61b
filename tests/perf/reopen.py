"""Opens a project and reads what the first chart shows; prints the milliseconds of each step as JSON.

python -m tests.perf.reopen PROJECT
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

CHART_WIDTH_PX = 1_200


def main() -> int:
    begin_s = time.perf_counter()
    from tunebench.bootstrap import compose
    from tunebench.usecases import browse, projects

    compose()
    imported_s = time.perf_counter()
    project = projects.open_(Path(sys.argv[1]), read_only=True)
    series = [info for info in browse.list_series(project) if info.first_ns is not None and info.last_ns is not None]
    opened_s = time.perf_counter()
    longest = max(series, key=lambda info: info.count)
    assert longest.first_ns is not None
    assert longest.last_ns is not None
    envelope = browse.envelope(project, longest.id, longest.first_ns, longest.last_ns, CHART_WIDTH_PX)
    charted_s = time.perf_counter()
    ten = series[:10]
    for info in ten:
        assert info.first_ns is not None
        assert info.last_ns is not None
        browse.envelope(project, info.id, info.first_ns, info.last_ns, CHART_WIDTH_PX)
    ten_s = time.perf_counter()
    projects.close(project)
    print(
        json.dumps(
            {
                "load_ms": (imported_s - begin_s) * 1e3,
                "open_ms": (opened_s - imported_s) * 1e3,
                "first_chart_ms": (charted_s - opened_s) * 1e3,
                "ten_charts_ms": (ten_s - charted_s) * 1e3,
                "series": len(series),
                "points": longest.count,
                "bins": len(envelope.times_ns),
            }
        )
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
