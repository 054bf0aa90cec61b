"""What is worked on, and what comes of it, whoever works."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol

from tunebench.cluster.fingerprint import Fingerprint
from tunebench.core.errors import UserError
from tunebench.core.records import record

ATTEMPTS = 3
"""How often a task is begun beside others, before it is begun alone for the last time."""

Unit = Callable[[Any], object]
"""A function of a module: it rests on its argument alone, and says what is wrong with a capture by what it gives."""


@record
class Task:
    """One call of a unit.

    Attributes:
        name: of the capture, for sentences.
        size_bytes: of the capture, for the progress.
        digest: of everything on which the answer rests: bytes and hints.
        asked: the unit's argument.
    """

    name: str
    size_bytes: int
    digest: str
    asked: object


@record
class Done:
    """What the unit gave for the task with this number, counted from 0."""

    number: int
    value: object


@record
class SetAside:
    """The task was given up, with the sentence why; the others go on."""

    number: int
    error: UserError


Event = Done | SetAside | None
"""None where nothing came for a while: who waits asks whether it is still wanted."""


class Engine(Protocol):
    """Where units are run."""

    def run(self, unit: Unit, tasks: Iterable[Task], may_take: Callable[[], bool]) -> Iterator[Event]:
        """What comes of the tasks, as it comes.

        Args:
            tasks: asked for one after the other, each when there is room for it.
            may_take: while it says no, nothing new is begun; what is begun goes on.
        """
        ...

    def agree(self, unit: Unit, asked: object) -> bool:
        """Whether the unit gives here what it gives in every process of the engine: all see the same file."""
        ...


def always() -> bool:
    """A `may_take` of who stores results as they come."""
    return True


def key_of(unit: Unit, task: Task, of_program: str) -> str:
    """The same for the same bytes, unit, hints and program: the name of a result."""
    words = f"{unit.__module__}.{unit.__qualname__} {task.digest} {of_program}"
    return f"tunebench-{hashlib.sha256(words.encode()).hexdigest()[:32]}"


def died(task: Task) -> UserError:
    """The sentence for a task whose process ended every time, and alone too."""
    return UserError("work_died", path=task.name)


def failed(task: Task, reason: str) -> UserError:
    return UserError("work_failed", path=task.name, reason=reason)


class OtherProgram(Exception):
    """Raised where a worker that came later is another program."""

    def __init__(self, fingerprint: Fingerprint) -> None:
        super().__init__(fingerprint)
        self.fingerprint = fingerprint


def perform(unit: Unit, own: Callable[[], Fingerprint], expected: Fingerprint, asked: object) -> object:
    """What a worker runs.

    Raises:
        OtherProgram: this is not the program that asks.
    """
    if own() != expected:
        raise OtherProgram(own())
    return unit(asked)
