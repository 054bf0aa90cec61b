"""Not more than a few log-ins at one server at a time: stock sshd begins to refuse at ten (MaxStartups 10:30:100)."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from tunebench.transport.ssh.link import Deadlines, LinkError

AT_ONCE = 5
_doors: dict[tuple[str, int], threading.BoundedSemaphore] = {}
_lock = threading.Lock()


@contextmanager
def at_door(address: str, port: int, deadlines: Deadlines) -> Iterator[None]:
    """Held from the first packet until the log-in is over; shared by every connector of the process.

    Raises:
        LinkError: ``deadline``: the log-in before ours took longer than one may.
    """
    wait_s = deadlines.opening_s + deadlines.person_s
    with _lock:
        door = _doors.setdefault((address, port), threading.BoundedSemaphore(AT_ONCE))
    if not door.acquire(timeout=wait_s):
        raise LinkError("deadline", seconds=f"{wait_s:g}")
    try:
        yield
    finally:
        door.release()
