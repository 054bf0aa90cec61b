"""What a host's profile can choose from: names of the ssh configuration, algorithms by exception, key files."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from tunebench.core.patterns import lazy_pattern
from tunebench.core.records import record
from tunebench.transport.ssh import algorithms, identities
from tunebench.transport.ssh.identities import Identity
from tunebench.transport.ssh.ssh_config import usable_lines

_HOST_LINE = lazy_pattern(r"\s*host(?:\s*=\s*|\s+)(.+)", re.IGNORECASE)
_PATTERN_SIGNS = frozenset("*?!")


@record
class WeakAlgorithm:
    """`reason_key` names the sentence why it is weak; `needs_openssh`: only the system's ssh can use it."""

    name: str
    reason_key: str
    needs_openssh: bool


def weak_algorithms() -> tuple[WeakAlgorithm, ...]:
    """All that are off unless a profile allows them."""
    foreign = set(algorithms.only_openssh(tuple(algorithms.WEAK)))
    return tuple(WeakAlgorithm(name, f"ssh.weak.{why}", name in foreign) for name, why in algorithms.WEAK.items())


def identity(path: str) -> Identity:
    """What the key file at `path` is, without a secret; never raises."""
    return identities.describe(path)


def configured_hosts() -> tuple[str, ...]:
    """The names that the user's ssh configuration has entries for, in its order; patterns are no names."""
    names: list[str] = []
    for line in usable_lines(Path.home() / ".ssh" / "config"):
        match = _HOST_LINE.match(line)
        names += shlex.split(match[1]) if match else []
    return tuple(dict.fromkeys(name for name in names if not _PATTERN_SIGNS & set(name)))
