"""``iostat -xt`` of a morning on either side of a change: correlated figures with stated seeds."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import numpy as np

MONDAY, TUESDAY, SUNDAY = datetime(2026, 7, 20, 9), datetime(2026, 7, 21, 9), datetime(2026, 7, 26, 9)
COLUMNS = ("r/s", "rkB/s", "w/s", "wkB/s", "await", "aqu-sz", "%util")


def morning(
    path: Path,
    start: datetime,
    seed: int,
    *,
    minutes: int = 180,
    devices: int = 6,
    faster: float = 1.0,
    request_kib: float = 8.0,
    busy_pct: float = 40.0,
    host: str = "db01",
    step_at: int | None = None,
    load: float = 1.0,
    step_s: int = 60,
) -> Path:
    """Every minute; `faster`: of the response times and utilisation; after `step_at` the disks are twice as busy.

    `load`: so many times the requests, at the same service time; `step_s`: the length of a minute.
    """
    random = np.random.default_rng(seed)
    state = random.standard_normal((devices + 1, 3))
    lines = [f"Linux 5.14.0-362.el9.x86_64 ({host}) \t{start:%Y-%m-%d} \t_x86_64_\t(4 CPU)", ""]
    for minute in range(minutes):
        state = 0.5 * state + np.sqrt(0.75) * random.standard_normal(state.shape)
        level = np.exp(0.2 * state)
        stamp = start + timedelta(seconds=step_s * minute)
        user = min(97.0, busy_pct * level[devices, 0] / faster)
        lines += [
            f"{stamp:%Y-%m-%dT%H:%M:%S}+0900",
            "avg-cpu:  %user   %nice %system %iowait  %steal   %idle",
            f"  {user:.2f} 0.00 2.00 0.00 0.00 {98 - user:.2f}",
            "",
            f"Device {' '.join(COLUMNS)}",
        ]
        step = load * (2.0 if step_at is not None and minute >= step_at else 1.0)
        for device in range(devices):
            reads, writes = 100 * step * level[device, 0], 40 * step * level[device, 1]
            wait = 6 * level[device, 2] / faster
            cells = (
                reads,
                reads * request_kib,
                writes,
                writes * request_kib,
                wait,
                (reads + writes) * wait / 1000,
                30 * step * level[device, 2] / faster,
            )
            lines.append(f"sd{chr(97 + device)} {' '.join(f'{cell:.2f}' for cell in cells)}")
        lines.append("")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
