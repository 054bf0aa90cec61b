"""Waits that are no work: sessions waiting for their client or for something to do."""

from __future__ import annotations

IDLE_CLASSES = frozenset({"idle", "activity"})
IDLE_EVENTS = frozenset(
    {
        "sql*net message from client",
        "sql*net vector message from client",
        "jobq slave wait",
        "pl/sql lock timer",
        "pipe get",
        "class slave wait",
        "single-task message",
        "wait for unread message on broadcast channel",
        "streams aq: waiting for messages in the queue",
        "px deq: execution msg",
        "px deq: execute reply",
        "client:clientread",
        "clientread",
        "idle",
    }
)
"""Waiting for work, where the capture tells no class."""


def is_idle(name: str, group: str) -> bool:
    """Whether a wait event of this class is waiting for work."""
    return group.casefold() in IDLE_CLASSES or name.casefold() in IDLE_EVENTS
