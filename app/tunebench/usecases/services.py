"""What the verbs need besides a project; put together by `tunebench.bootstrap` when it is first asked for."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import field
from typing import TYPE_CHECKING

from tunebench.core.records import record
from tunebench.transport.local import FileClock

if TYPE_CHECKING:
    from tunebench.plughost.catalogue import MetricCatalogue
    from tunebench.plughost.host import PluginHost


@record
class Services:
    """What the use cases work with; `file_clock` tells which time a file is of that prints none."""

    plugins: PluginHost
    catalogue: MetricCatalogue
    file_clock: FileClock


@record(frozen=False)
class _Installed:
    make: Callable[[], Services] | None = None
    services: Services | None = None
    lock: threading.RLock = field(default_factory=threading.RLock)


_installed = _Installed()


def install(make: Callable[[], Services]) -> None:
    """Called by the composition root before any verb runs; services of before are forgotten."""
    with _installed.lock:
        _installed.make = make
        _installed.services = None


def are_installed() -> bool:
    return _installed.make is not None


def current() -> Services:
    """Reads the plug-ins' manifests when it is first called: most verbs never need them."""
    with _installed.lock:
        if _installed.services is None:
            if _installed.make is None:
                raise RuntimeError("tunebench.bootstrap has not installed the services")
            _installed.services = _installed.make()
        return _installed.services
