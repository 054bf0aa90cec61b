"""Where work is done besides this process: on processes of this machine, or on the workers of a cluster."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from tunebench.cluster.addresses import Address, address_of, processes_of
from tunebench.cluster.cost import Cost, Load, cost_of
from tunebench.cluster.fingerprint import Fingerprint, fingerprint_of
from tunebench.cluster.local import LocalEngine
from tunebench.cluster.work import Engine
from tunebench.core.beside import ONE_THREAD, cores
from tunebench.core.records import record
from tunebench.plughost.host import PluginHost
from tunebench.usecases import services

__all__ = ["Cost", "Engine", "Load", "cost_of"]


@record
class Where:
    """`processes` of this machine, or the scheduler at `address`."""

    processes: int | None = None
    address: Address | None = None


def where(on: str, tls: Path | None) -> Where:
    """
    Args:
        on: ``local``, ``local:4``, ``tcp://127.0.0.1:8786``, ``tls://host:8786``.
        tls: the folder of the certificates.

    Raises:
        UserError: on_unknown, cluster_wants_tls, cluster_tls_files.
    """
    processes = processes_of(on, cores())
    return Where(processes) if processes is not None else Where(address=address_of(on, tls))


@contextmanager
def engine(at: Where) -> Iterator[Engine]:
    """
    Raises:
        UserError: as `DaskEngine`.
    """
    if at.address is None:
        with LocalEngine(at.processes or cores()) as local:
            yield local
        return
    from tunebench.cluster.engine import DaskEngine  # the library may be absent

    with DaskEngine(at.address, own_fingerprint) as cluster:
        yield cluster


def own_fingerprint() -> Fingerprint:
    """Of the program that runs this, here or on a worker; a unit."""
    return _fingerprint(services.current().plugins)


@cache
def _fingerprint(plugins: PluginHost) -> Fingerprint:
    return fingerprint_of(plugins)


def serve_scheduler(address: str, tls: Path | None, began: Callable[[str], None]) -> None:
    """Is a scheduler; see `tunebench.cluster.engine`."""
    from tunebench.cluster import engine as dask_engine

    dask_engine.serve_scheduler(address_of(address, tls), began)


def serve_workers(address: str, tls: Path | None, count: int, began: Callable[[str], None]) -> None:
    """Are workers; see `tunebench.cluster.engine`."""
    from tunebench.cluster import engine as dask_engine

    at = address_of(address, tls)
    before = os.environ.get(ONE_THREAD)
    os.environ[ONE_THREAD] = "1"  # there is a worker for each processor; its process takes this over
    try:
        dask_engine.serve_workers(at, count, began)
    finally:
        if before is None:
            del os.environ[ONE_THREAD]
