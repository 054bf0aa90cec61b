"""What a person said about a host's captures holds for the captures of that host that are imported later."""

from __future__ import annotations

from dataclasses import replace

from app.capture.ingest import Truths
from app.domain.engagement import is_unnamed
from app.store import artefacts, hosts, resolutions
from app.store.project import Project


def with_remembered(project: Project, host_name: str, tool: str, has_intervals: bool, truths: Truths) -> Truths:
    """The truths of one import, filled up with what was said of this host before.

    The host's zone is kept with the host itself. The order of day and month holds for all its captures, an interval
    for captures of the same tool that have intervals at all: of an average since boot it would make a measurement.
    """
    host = next((each for each in hosts.list_hosts(project) if each.name == host_name), None)
    if host is None or is_unnamed(host.name):  # unnamed captures that come later are of nobody knows which machine
        return truths
    tools = {each.id: each.ledger.tool for each in artefacts.list_artefacts(project) if each.host_id == host.id}
    for said in reversed(resolutions.list_resolutions(project, host.id)):
        if not said.in_force:
            continue
        told = Truths.from_text({k: v for k, v in said.said.items() if k in ("day_first", "interval_s")})
        if truths.day_first is None and told.day_first is not None:
            truths = replace(truths, day_first=told.day_first)
        same_tool = has_intervals and any(tools.get(change.artefact_id) == tool for change in said.changes)
        if truths.interval_s is None and told.interval_s is not None and same_tool:
            truths = replace(truths, interval_s=told.interval_s)
    return truths
