"""The only module that knows Dask: tasks on the workers of a scheduler, and the processes that such a cluster has.

Two tasks a thread are under way, and a result is let go of as soon as it was taken: so the memory of workers, scheduler
and client is that of few captures. Dask blames a worker's death on all tasks that were given to it; whoever was blamed
too often is therefore begun once more alone, in a process of this machine, before it is set aside.
"""

from __future__ import annotations

import asyncio
import os
import queue
import signal
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import AsyncExitStack, suppress
from dataclasses import replace
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Self

from tunebench.cluster.addresses import Address
from tunebench.cluster.fingerprint import Fingerprint, differences, digest_of
from tunebench.cluster.local import LocalEngine
from tunebench.cluster.work import Done, Event, OtherProgram, SetAside, Task, Unit, always, failed, key_of, perform
from tunebench.core.errors import UserError
from tunebench.core.records import record
from tunebench.core.worker_process import LOOK_S

if TYPE_CHECKING:
    from distributed import Client, Future, Security

CONNECT_S = 10.0
"""How long a scheduler, and then its first worker, is waited for."""
WORKERS_GONE_S = 60.0
"""So long all workers may be gone: whoever watches over them may start them again."""
_COUNT_S = 5.0  # how often the workers are counted
_GATHER_S = 10.0
_TASKS_PER_THREAD = 2
_RETRIES = 2
WORKER_BYTES = 1_000_000_000
"""Memory that a worker process may take."""
_START = "from tunebench.bootstrap import compose\n\ncompose()\n"
"""What a worker's process runs first."""


class DaskEngine:
    """The workers of a scheduler. Used in a ``with``.

    Args:
        own: gives the fingerprint of the program that calls it; also run on the workers.

    Raises:
        UserError: cluster_unreachable, cluster_without_workers, cluster_other_worker.
    """

    def __init__(self, address: Address, own: Callable[[], Fingerprint]) -> None:
        self._address, self._own = address, own
        self._fingerprint = own()
        self._client = _connected(address)
        try:
            self._check_workers()
        except BaseException:
            self._client.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self._client.close()

    def agree(self, unit: Unit, asked: object) -> bool:
        """See `Engine.agree`."""
        here = unit(asked)
        return all(value == here for value in self._client.run(unit, asked, on_error="return").values())

    def _check_workers(self) -> None:
        try:
            self._client.wait_for_workers(1, CONNECT_S)
        except TimeoutError:
            raise UserError("cluster_without_workers", address=self._address.url) from None
        names = {address: worker["name"] for address, worker in self._client.scheduler_info()["workers"].items()}
        for address, theirs in self._client.run(self._own, on_error="return").items():
            self._check(str(names.get(address, address)), theirs)

    def _check(self, worker: str, theirs: Fingerprint | BaseException) -> None:
        if isinstance(theirs, BaseException):
            reason = f"{type(theirs).__name__}: {theirs}"
            raise UserError("cluster_worker_without_program", worker=worker, reason=reason) from theirs
        if theirs != self._fingerprint:
            differs = "; ".join(map(str, differences(self._fingerprint, theirs)))
            raise UserError("cluster_other_worker", worker=worker, differs=differs)

    def run(self, unit: Unit, tasks: Iterable[Task], may_take: Callable[[], bool]) -> Iterator[Event]:
        """See `Engine.run`.

        Raises:
            UserError: cluster_lost, cluster_other_worker.
        """
        flight = _Flight(self._client, partial(perform, unit, self._own, self._fingerprint), self._address.url)
        of_program = digest_of(self._fingerprint)
        waiting = enumerate(tasks)
        try:
            while True:
                while flight.has_room() and (may_take() or not flight.begun):
                    following = next(waiting, None)
                    if following is None:
                        break
                    flight.begin(*following, key_of(unit, following[1], of_program))
                if not flight.begun:
                    return
                ended = flight.next_ended()
                if ended is None:
                    yield None
                else:
                    yield from self._event(unit, *ended)
        finally:
            flight.give_up()

    def _event(self, unit: Unit, begun: _Begun, outcome: object) -> Iterator[Event]:
        from distributed.scheduler import KilledWorker

        match outcome:
            case KilledWorker():
                yield from _alone(begun, unit)
            case OtherProgram():
                self._check(self._address.url, outcome.fingerprint)
            case BaseException():
                yield SetAside(begun.number, failed(begun.task, f"{type(outcome).__name__}: {outcome}"))
            case _:
                yield Done(begun.number, outcome)


def _alone(begun: _Begun, unit: Unit) -> Iterator[Event]:
    """The task in a process of its own on this machine."""
    with LocalEngine(1, attempts=0) as engine:
        for event in engine.run(unit, [begun.task], always):
            yield replace(event, number=begun.number) if event is not None else None


@record
class _Begun:
    """A task under way."""

    number: int
    task: Task
    future: Future[object]


class _Flight:
    """The tasks that are under way."""

    def __init__(self, client: Client, performs: Callable[[object], object], address: str) -> None:
        self.begun: dict[str, _Begun] = {}
        self._client, self._performs, self._address = client, performs, address
        self._ended: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._threads = 0
        self._counted_s = self._seen_s = time.monotonic() - _COUNT_S

    def has_room(self) -> bool:
        return len(self.begun) < _TASKS_PER_THREAD * self._count_threads()

    def _count_threads(self) -> int:
        now = time.monotonic()
        if now - self._counted_s >= _COUNT_S:
            self._counted_s = now
            self._threads = self._ask_threads()
            self._seen_s = now if self._threads else self._seen_s
        if now - self._seen_s > WORKERS_GONE_S:
            raise UserError("cluster_workers_gone", address=self._address)
        return max(self._threads, 1)

    def _ask_threads(self) -> int:
        try:
            return sum(self._client.nthreads().values())
        except (OSError, TimeoutError) as error:
            raise UserError("cluster_lost", address=self._address) from error

    def begin(self, number: int, task: Task, key: str) -> None:
        """Two captures of the same bytes and hints are two tasks."""
        key = f"{key}-{number}" if key in self.begun else key
        future = self._client.submit(self._performs, task.asked, key=key, retries=_RETRIES, pure=False)
        self.begun[key] = _Begun(number, task, future)
        future.add_done_callback(lambda ended: self._ended.put(ended.key))

    def next_ended(self) -> tuple[_Begun, object] | None:
        """A task and its value, or what it raised; None where none ended for a while."""
        try:
            key = self._ended.get(timeout=LOOK_S)
        except queue.Empty:
            self._refuse_lost()
            return None
        begun = self.begun[key]
        try:
            outcome = self._outcome(begun.future)
        except TimeoutError:  # its worker is gone with the result, and another one makes it again
            self._ended.put(key)
            return None
        del self.begun[key]
        begun.future.release()
        return begun, outcome

    def _outcome(self, future: Future[object]) -> object:
        try:
            outcome: object = future.exception(_GATHER_S) if future.status == "error" else None
            outcome = outcome or future.result(LOOK_S if future.status == "lost" else _GATHER_S)
        except CancelledError as error:
            outcome = error
        if isinstance(outcome, CancelledError):  # nobody here did: the scheduler is gone
            raise UserError("cluster_lost", address=self._address)
        return outcome

    def _refuse_lost(self) -> None:
        """The scheduler is gone, or all workers are for long."""
        self._count_threads()
        if self._client.status not in ("running", "connecting"):
            raise UserError("cluster_lost", address=self._address)

    def give_up(self) -> None:
        """Nobody wants what is still under way."""
        futures = [begun.future for begun in self.begun.values()]
        self.begun.clear()
        if futures and self._client.status == "running":
            with suppress(Exception):  # the scheduler is gone, and everything with it
                self._client.cancel(futures, asynchronous=False)


# -- connecting ----------------------------------------------------------------------------------------


def _connected(address: Address) -> Client:
    _quiet()
    import dask
    from distributed import Client

    dask.config.set({"distributed.diagnostics.computations.nframes": 0})  # no source text goes to the scheduler
    try:
        return Client(address.url, timeout=CONNECT_S, set_as_default=False, security=_security(address))
    except (OSError, TimeoutError) as error:
        raise UserError("cluster_unreachable", address=address.url, reason=_first_line(error)) from error


def _quiet() -> None:
    """Whoever asked gets sentences; asked for before Dask is imported, here and in the processes of workers."""
    os.environ.setdefault("DASK_LOGGING__DISTRIBUTED", "error")


def _security(address: Address) -> Security:
    """
    Raises:
        UserError: cluster_tls_unusable.
    """
    from distributed import Security

    security = Security(
        require_encryption=address.tls is not None,
        tls_ca_file=address.ca or None,
        **{f"tls_{role}_cert": address.certificate or None for role in _ROLES},
        **{f"tls_{role}_key": address.key or None for role in _ROLES},
    )
    try:
        for role in _ROLES:
            security.get_connection_args(role)
    except OSError as error:  # ssl.SSLError is one
        raise UserError("cluster_tls_unusable", folder=str(address.tls), reason=_first_line(error)) from error
    return security


_ROLES = ("client", "scheduler", "worker")


def _first_line(error: BaseException) -> str:
    return next(iter(str(error).splitlines()), "") or type(error).__name__


# -- the processes of a cluster ------------------------------------------------------------------------


def serve_scheduler(address: Address, began: Callable[[str], None]) -> None:
    """Is a scheduler until the process is told to end.

    Args:
        began: told the address once clients and workers can come.

    Raises:
        UserError: cluster_no_port, cluster_tls_unusable.
    """
    asyncio.run(_scheduler(address, began))


async def _scheduler(address: Address, began: Callable[[str], None]) -> None:
    _quiet()
    from distributed import Scheduler

    try:
        async with Scheduler(
            host=address.url,
            security=_security(address),
            dashboard=False,
            dashboard_address=_NO_PAGE,
            allowed_failures=_RETRIES,
        ) as scheduler:
            began(scheduler.address)
            await _until_told()
    except (OSError, RuntimeError) as error:  # Dask says of most failures that it failed, and why by its cause
        reason = _first_line(error.__cause__ or error)
        raise UserError("cluster_no_port", address=address.url, reason=reason) from error


def serve_workers(address: Address, count: int, began: Callable[[str], None]) -> None:
    """Are the workers of a scheduler until the process is told to end; one that dies is started again.

    Args:
        began: told the name of each.

    Raises:
        UserError: cluster_unreachable, cluster_tls_unusable.
    """
    asyncio.run(_workers(address, count, began))


async def _workers(address: Address, count: int, began: Callable[[str], None]) -> None:
    _quiet()
    from distributed import Nanny
    from distributed.comm.core import connect

    try:
        scheduler = await connect(address.url, CONNECT_S, **_security(address).get_connection_args("worker"))
    except (OSError, TimeoutError) as error:
        raise UserError("cluster_unreachable", address=address.url, reason=_first_line(error)) from error
    await scheduler.close()
    with tempfile.TemporaryDirectory(prefix="tunebench-worker-") as folder:
        async with AsyncExitStack() as stack:
            for _ in range(count):
                nanny = Nanny(
                    address.url,
                    nthreads=1,
                    memory_limit=WORKER_BYTES,
                    security=_security(address),
                    preload=[_START],
                    local_directory=folder,
                    death_timeout=CONNECT_S,
                    dashboard=False,
                    dashboard_address=_NO_PAGE,
                )
                try:
                    await stack.enter_async_context(nanny)
                except (OSError, TimeoutError, RuntimeError) as error:
                    raise UserError("cluster_unreachable", address=address.url, reason=_first_line(error)) from error
                began(nanny.worker_address)
            await _until_told()


_NO_PAGE = "127.0.0.1:0"
"""Dask's pages about itself are for nobody else."""


async def _until_told() -> None:
    ended = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError):  # Windows interrupts the wait itself
            asyncio.get_running_loop().add_signal_handler(number, ended.set)
    await ended.wait()
