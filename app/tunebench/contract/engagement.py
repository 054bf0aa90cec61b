"""JSON of what is in a project: a public contract."""

from __future__ import annotations

from dataclasses import asdict
from zoneinfo import ZoneInfo

from tunebench.contract.shapes import Shape, artefact, shape
from tunebench.usecases.projects import Overview


def overview_shape(overview: Overview, zone: ZoneInfo) -> Shape:
    names = {host.id: host.name for host in overview.hosts}
    return {
        "engagement": asdict(overview.engagement),
        "hosts": [shape(host, "name os os_version zone zone_source") for host in overview.hosts],
        "runs": [
            {
                **shape(view.run, "label phase"),
                "hosts": list(view.host_names),
                **shape(view.run, "first=first_ns last=last_ns", zone),
                "artefacts": [artefact(info, names.get(info.host_id or 0, ""), zone) for info in view.artefacts],
            }
            for view in overview.runs
        ],
        "reports": [
            shape(report, "file=path kind language issued written_at sha256 size_bytes") for report in overview.reports
        ],
        **shape(overview, "series samples size_bytes"),
    }
