"""What it costs to put a folder of captures into an archive, reckoned before anybody begins.

Every host is one task: it is imported, judged and compared by itself, and its days are written. The figures were
measured for one host of 1 to 365 days on two shared cores of 2026; another machine is faster or slower by a factor.
"""

from __future__ import annotations

from tunebench.core.records import record

_HOST_S = 0.14
_LOOK_S = 0.003  # a file whose kind was seen before
_S_PER_MB = 0.021
_S_PER_SERIES_DAY = 0.00038
_TASK_S = 0.004  # of the scheduler
_START_S = 3.0  # of the program that asks
_WORKER_BYTES = 180_000_000  # with all that a task imports
_BYTES_PER_SERIES_DAY = 2_150
_ROW_BYTES = 7.3  # of the table of days
_PARTS_BYTES = 20_000  # of the other tables, a host
_SCRATCH_SHARE = 0.4  # of the text, in a project for as long as its host is read
MOST_WORKER_BYTES = 1_000_000_000
"""What a worker may take (`engine.WORKER_BYTES`)."""
MOST_SERIES_OF_A_PROJECT = 50_000
"""More than this are no project any more that a comparison goes through in minutes: an archive holds them."""


@record
class Load:
    """
    Attributes:
        series: of one host.
        size_mb: of the text of one host and day.
    """

    hosts: int
    days: int
    series: int
    size_mb: float
    files_a_day: int = 1


@record
class Cost:
    """
    Attributes:
        core_s: processor seconds of all workers; `scheduler_s` of the scheduler.
        wall_s: with so many workers, none of which waits for the network.
        worker_bytes, scratch_bytes: memory of a worker at its most, and what it needs on disk meanwhile.
        archive_bytes: of the rows.
        bounds: keys of what is in the way, the first to fail first (``cluster.bound.…``).
    """

    core_s: float
    scheduler_s: float
    wall_s: float
    worker_bytes: int
    scratch_bytes: int
    archive_bytes: int
    bounds: tuple[str, ...]


def cost_of(load: Load, workers: int) -> Cost:
    """Pure; a host is never divided, so that no number of workers makes it faster than one host takes."""
    files = load.days * load.files_a_day
    series_days = load.series * load.days
    host_s = _HOST_S + files * _LOOK_S + load.days * load.size_mb * _S_PER_MB + series_days * _S_PER_SERIES_DAY
    worker_bytes = round(_WORKER_BYTES + series_days * _BYTES_PER_SERIES_DAY)
    rounds = -(-load.hosts // workers)
    return Cost(
        core_s=load.hosts * host_s,
        scheduler_s=load.hosts * _TASK_S * 2,
        wall_s=_START_S + rounds * host_s,
        worker_bytes=worker_bytes,
        scratch_bytes=round(load.days * load.size_mb * 1e6 * _SCRATCH_SHARE),
        archive_bytes=round(load.hosts * (series_days * _ROW_BYTES + _PARTS_BYTES)),
        bounds=tuple(_bounds(load, workers, worker_bytes)),
    )


def _bounds(load: Load, workers: int, worker_bytes: int) -> list[str]:
    bounds = {
        "memory": worker_bytes > MOST_WORKER_BYTES,
        "idle": load.hosts < workers,
        "project": load.hosts * load.series > MOST_SERIES_OF_A_PROJECT,
    }
    return [key for key, is_reached in bounds.items() if is_reached]
