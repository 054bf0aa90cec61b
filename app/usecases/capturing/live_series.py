"""What the columns of a running capture are, before anything of it is in the project."""

from __future__ import annotations

from collections.abc import Sequence

from app.domain.capturing.plan import CapturePlan
from app.domain.series import SeriesInfo
from app.sdk.batches import SeriesKey
from app.usecases import services


def describe(plan: CapturePlan, stream_id: str, keys: Sequence[SeriesKey], first_id: int = 1) -> list[SeriesInfo]:
    """A `SeriesInfo` per column, numbered from `first_id`; counts and times are those of nothing stored yet."""
    installed, command = services.current(), plan.command(stream_id)
    entry = installed.plugins.parser(command.parser) if command.parser else None
    tool = command.tool if entry is None or command.tool in entry.tools else entry.tools[0]
    os = next((host.os for host in plan.hosts if host.name == command.host), "")
    found: list[SeriesInfo] = []
    for number, key in enumerate(keys, first_id):
        attributes = dict(key.attributes)
        traits = installed.catalogue.describe(tool, os, key.table, key.native, attributes)
        found.append(
            SeriesInfo(
                id=number,
                run_id=0,
                run=plan.run,
                host_id=0,
                host=command.host,
                artefact_id=0,
                clock_id=0,
                tool=tool,
                table=key.table,
                native=key.native,
                metric=traits.metric,
                unit=traits.unit,
                kind=traits.kind,
                direction=traits.direction,
                to_base=traits.to_base,
                base_unit=traits.base_unit,
                count=0,
                missing=0,
                first_ns=None,
                last_ns=None,
                interval_s=command.interval_s or plan.interval_s,
                attributes=attributes,
                implied=dict(traits.implied),
                definition=traits.definition,
            )
        )
    return found
