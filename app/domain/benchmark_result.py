"""What a benchmark printed: one result, with the line it stands on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class BenchmarkResult:
    """
    Attributes:
        tool, table: as the reader of the capture names them.
        attributes: of what was measured (device, process ...).
        line: of the capture, from 1.
        time_ns: UTC.
        metrics: native heading -> (value, unit); what was not printed is not there.
    """

    artefact_id: int
    tool: str
    table: str
    attributes: tuple[tuple[str, str], ...]
    line: int
    time_ns: int
    metrics: Mapping[str, tuple[float, str]] = field(hash=False)
