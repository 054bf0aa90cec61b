"""What the verbs need besides a project; put together by `app.bootstrap` when it is first asked for."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.plughost.catalogue import MetricCatalogue
    from app.plughost.host import PluginHost


@dataclass(frozen=True, slots=True)
class Services:
    plugins: PluginHost
    catalogue: MetricCatalogue


_makers: list[Callable[[], Services]] = []
_made: list[Services] = []
_making = threading.RLock()


def install(make: Callable[[], Services]) -> None:
    """Called by the composition root before any verb runs; what was made before is forgotten."""
    with _making:
        _makers[:] = [make]
        _made.clear()


def current() -> Services:
    """Reads the plug-ins' manifests when it is first called: most verbs never need them."""
    with _making:
        if not _makers:
            raise RuntimeError("app.bootstrap has not installed the services")
        if not _made:
            _made.append(_makers[0]())
        return _made[0]
