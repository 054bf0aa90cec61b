"""The lines that let the commands of a plan, and nothing else, run through sudo without a password."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from datetime import datetime, timedelta

from app.domain.capturing.budget import runs
from app.domain.capturing.plan import CapturePlan, PlannedCommand, PlannedHost, Rights, ScheduleKind

GRACE_DAYS = 1
TOOL_FOLDERS = ("/usr/bin", "/usr/sbin")
"""Where a tool without a path is looked for: sudoers takes full paths only."""
_SPECIAL = re.compile(r"([\\,:=#*?\[\]])")
"""What means something to sudoers in an argument; escaped, it stands for itself."""


def sudoers_lines(plan: CapturePlan, host: PlannedHost, commands: Sequence[PlannedCommand]) -> tuple[str, ...]:
    """Empty where no command of `host` needs them. The last day is in the comment."""
    lines = [
        f"{host.user or 'USER'} ALL=(root) NOPASSWD: {path}"
        for command in commands
        if command.rights is Rights.SUDO
        for path in _exact(command.tool_line)
    ]
    if not lines:
        return ()
    return (f"# TuneBench cap{plan.nonce}: remove after {removal_date(plan)}", *dict.fromkeys(lines))


def removal_date(plan: CapturePlan) -> str:
    """ISO day on which the plan is surely over."""
    starts = plan.schedule.at if plan.schedule.kind is not ScheduleKind.NOW and plan.schedule.at else plan.created_at
    repeated_s = plan.schedule.every_s * (runs(plan) - 1)
    ends = datetime.fromisoformat(starts) + timedelta(seconds=repeated_s + plan.duration_s, days=GRACE_DAYS)
    return ends.date().isoformat()


def _exact(tool_line: str) -> list[str]:
    """The command with its full path and exactly these arguments; ``""`` stands for "no arguments"."""
    tool, *arguments = shlex.split(tool_line)
    shown = " ".join(_SPECIAL.sub(r"\\\1", argument) for argument in arguments) or '""'
    paths = [tool] if tool.startswith("/") else [f"{folder}/{tool}" for folder in TOOL_FOLDERS]
    return [f"{path} {shown}" for path in paths]
