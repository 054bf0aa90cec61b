"""Which probes are chosen, with what values; words for a plan come from here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from app.domain.capturing.plan import CommandKind
from app.domain.connection import HostProfile
from app.sdk.probes import ParameterKind, Probe

ASSUMED_OS = "linux"
REPEATING = (CommandKind.STREAM, CommandKind.LOOP)


def os_of(profile: HostProfile) -> str:
    return profile.os or ASSUMED_OS


def fits(probe: Probe, os: str) -> bool:
    return not probe.os or os in probe.os


def interval_of(probe: Probe, interval_s: float, duration_s: float) -> float | None:
    """Seconds between its samples in such a plan; None where it does not repeat."""
    if probe.kind not in REPEATING:
        return None
    return min(max(interval_s, probe.default_interval_s), duration_s)


def cost_of(probe: Probe, interval_s: float, duration_s: float) -> tuple[float | None, float | None]:
    """Expected (percent of a core, bytes a second); what runs at start and end is spread over the run."""
    rounds = 2 if probe.kind is CommandKind.ONCE else 1
    every_s = interval_of(probe, interval_s, duration_s) or duration_s / rounds
    cpu, size = probe.cpu_pct, probe.bytes_per_s
    return None if cpu is None else cpu / every_s, None if size is None else size / every_s


@dataclass(slots=True)
class ProbeChoices:
    """The default set, and what a person changed of it."""

    probes: tuple[Probe, ...] = ()
    _said: dict[str, bool] = field(default_factory=dict)
    _values: dict[str, dict[str, tuple[str, ...]]] = field(default_factory=dict)

    def is_chosen(self, probe: Probe) -> bool:
        return self._said.get(probe.id, probe.default)

    def choose(self, probe: Probe, chosen: bool) -> None:
        self._said[probe.id] = chosen

    def choose_default(self) -> None:
        self._said.clear()

    def choose_none(self) -> None:
        self._said = {probe.id: False for probe in self.probes}

    def values(self, probe: Probe, name: str) -> tuple[str, ...]:
        return self._values.get(probe.id, {}).get(name, ())

    def set_values(self, probe: Probe, name: str, values: Sequence[str]) -> None:
        self._values.setdefault(probe.id, {})[name] = tuple(value for value in values if value.strip())

    def lacks_value(self, probe: Probe) -> bool:
        """Whether a parameter that must be given is not."""
        return any(
            parameter.required and not parameter.default and not self.values(probe, parameter.name)
            for parameter in probe.parameters
        )

    def typed_by_hand(self, probe: Probe) -> bool:
        return any(
            parameter.kind is ParameterKind.COMMAND and self.values(probe, parameter.name)
            for parameter in probe.parameters
        )

    def fitting(self, hosts: Sequence[HostProfile]) -> tuple[Probe, ...]:
        """Those that at least one of the hosts can run, the default set first."""
        systems = {os_of(host) for host in hosts}
        found = [probe for probe in self.probes if any(fits(probe, os) for os in systems)]
        return tuple(sorted(found, key=lambda probe: not probe.default))

    def words(self, hosts: Sequence[HostProfile]) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Per host the words of its chosen probes, as a plan's draft takes them."""
        chosen = [probe for probe in self.probes if self.is_chosen(probe)]
        return tuple(
            (host.name, tuple(word for probe in chosen if fits(probe, os_of(host)) for word in self._words(probe)))
            for host in hosts
        )

    def _words(self, probe: Probe) -> list[str]:
        given = self._values.get(probe.id, {})
        found = [f"{probe.id}={name}={value}" for name, values in given.items() for value in values]
        return found or [probe.id]
