"""Opens the window as `main.py` does and ends as soon as it is painted and idle; prints the seconds as JSON.

The clock starts when the operating system started this process, so the interpreter's own start counts.
"""

from __future__ import annotations

import json
import os
import tempfile
import time
from pathlib import Path


def process_age_s() -> float:
    """Seconds since this process was started (Linux; elsewhere the interpreter's start is not counted)."""
    stat = Path("/proc/self/stat")
    if not stat.exists():
        return time.process_time()
    ticks = int(stat.read_text(encoding="utf-8").rpartition(")")[2].split()[19])
    return time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")


def main() -> int:
    from tunebench.bootstrap import compose
    from tunebench.ui.application import dress, make_application, make_window
    from tunebench.ui.jobs_bridge import JobsBridge
    from tunebench.ui.settings import Settings
    from tunebench.ui.workspace import Workspace
    from tunebench.usecases.jobs import JobLanes

    compose()
    application = make_application()
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(Path(folder))
        dress(settings)
        lanes = JobLanes()
        window = make_window(Workspace(JobsBridge(lanes)), settings)
        window.show()
        application.processEvents()  # the first paint
        application.processEvents()  # what the first paint asked for
        print(json.dumps({"usable_s": process_age_s()}))
        window.close()
        lanes.close()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
