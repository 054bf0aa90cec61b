"""Plans for this machine, as the planning would make them."""

from __future__ import annotations

import os
import secrets
from dataclasses import replace
from typing import Any

from tunebench.capture import house_commands
from tunebench.capture.wrapper import wrap
from tunebench.domain.capturing.plan import CapturePlan, CommandKind, PlannedCommand, PlannedHost

NONCE = secrets.token_hex(4)


def command(name: str, line: str, kind: CommandKind, **facts: Any) -> PlannedCommand:
    command_id = f"db01/{name}"
    verbatim = wrap(
        line,
        command_id=command_id,
        nonce=NONCE,
        os="linux",
        kind=kind,
        interval_s=facts.get("interval_s"),
        count=facts.get("count"),
        environment={"LC_ALL": "C"},
    )
    probe = name if name.startswith("house.") else f"linux.{name}"
    made = PlannedCommand(command_id, "db01", probe, kind, line, verbatim, f"{name} 수집", f"collects {name}")
    return replace(made, **facts)


def house() -> tuple[PlannedCommand, ...]:
    return (
        command("house.survey", house_commands.survey_line(NONCE), CommandKind.HOUSE),
        command("house.clock", house_commands.clock_line(NONCE, "linux"), CommandKind.HOUSE),
        command("house.overhead", house_commands.overhead_line(NONCE, "linux", 1), CommandKind.HOUSE),
        command("house.leftovers", house_commands.leftovers_line(NONCE, "linux"), CommandKind.HOUSE),
    )


def plan(*commands: PlannedCommand, duration_s: float = 4, name: str = "db01") -> CapturePlan:
    host = PlannedHost(name, os.uname().nodename, 22, "root", "linux", "assumed")
    return CapturePlan(
        NONCE,
        "2026-11-21T00:00:00Z",
        "before",
        "before",
        (host,),
        tuple(replace(one, host=name) for one in commands),
        1.0,
        duration_s,
    )
