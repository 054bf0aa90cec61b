"""What the verbs need besides a project; put together once, by `app.bootstrap`."""

from __future__ import annotations

from dataclasses import dataclass

from app.plughost.catalogue import MetricCatalogue
from app.plughost.host import PluginHost


@dataclass(frozen=True, slots=True)
class Services:
    plugins: PluginHost
    catalogue: MetricCatalogue


_installed: list[Services] = []


def install(services: Services) -> None:
    """Called by the composition root before any verb runs."""
    _installed[:] = [services]


def current() -> Services:
    if not _installed:
        raise RuntimeError("app.bootstrap has not installed the services")
    return _installed[0]
