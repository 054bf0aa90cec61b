"""What every chapter of the approval sheet is given: the plan, its hosts in groups, and ways to print figures."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import cached_property

from tunebench.core.grouping import by_key
from tunebench.core.records import record
from tunebench.domain.capturing.plan import CapturePlan, PlannedCommand, PlannedHost, ScheduleKind
from tunebench.domain.databases.choices import LicenceConfirmation
from tunebench.domain.engagement import Engagement
from tunebench.reporting.wording import Wording, grouped

CHAPTERS = ("scope", "hosts", "commands", "ending", "data", "exceptions", "lines", "statement")
NAMES_SHOWN = 6
KIB = 1024
_SIZES = (("GB", KIB**3), ("MB", KIB**2), ("KB", KIB))
_SPANS = (("days", 86_400), ("hours", 3600), ("minutes", 60), ("seconds", 1))


@record
class CommandGroup:
    """Hosts on which the same commands run; `commands` are those of the first host."""

    letter: str
    hosts: tuple[PlannedHost, ...]
    commands: tuple[PlannedCommand, ...]


class SheetContext:
    """`licences`: what people confirmed so far, oldest first."""

    def __init__(
        self,
        plan: CapturePlan,
        language: str,
        engagement: Engagement,
        program_version: str = "",
        licences: Sequence[LicenceConfirmation] = (),
    ) -> None:
        self.plan = plan
        self.language = language
        self.engagement = engagement
        self.program_version = program_version
        self.licences = tuple(licences)
        self.words = Wording(language, plan.zone)

    def text(self, key: str, **facts: object) -> str:
        """The sentence of a whole key."""
        return self.words.words.text(key, **facts)

    @cached_property
    def groups(self) -> tuple[CommandGroup, ...]:
        """Hosts with equal command lines together, in the order of the plan."""
        grouped = by_key((_command_set(self.plan.on(host.name)), host) for host in self.plan.hosts)
        return tuple(
            CommandGroup(_letter(index), tuple(hosts), self.plan.on(hosts[0].name))
            for index, hosts in enumerate(grouped.values())
        )

    def group_of(self, host: str) -> str:
        return next(group.letter for group in self.groups if any(member.name == host for member in group.hosts))

    def host_names(self) -> str:
        names = self.names([host.name for host in self.plan.hosts])
        return self.text("plan.value.hosts", names=names, count=len(self.plan.hosts))

    def names(self, hosts: Sequence[str]) -> str:
        """``db01, db02, db03 +97``."""
        shown = ", ".join(hosts[:NAMES_SHOWN])
        return f"{shown} +{len(hosts) - NAMES_SHOWN}" if len(hosts) > NAMES_SHOWN else shown

    def moment(self, iso: str) -> str:
        """An ISO moment in the engagement's zone; words that are no moment stay as they are."""
        try:
            local = datetime.fromisoformat(iso).astimezone(self.words.zoneinfo)
        except ValueError:
            return iso
        return f"{self.words.date(local.date().isoformat())} {local:%H:%M:%S} ({self.words.zone})"

    def schedule(self) -> str:
        """When the plan runs."""
        schedule = self.plan.schedule
        if schedule.kind is ScheduleKind.NOW:
            return self.text("plan.when.now")
        if schedule.kind is ScheduleKind.AT:
            return self.text("plan.when.at", at=self.moment(schedule.at))
        first = self.moment(schedule.at) if schedule.at else self.text("plan.when.now")
        return self.text("plan.when.every", first=first, every=self.span_text(schedule.every_s), times=schedule.times)

    def extent(self) -> str:
        """``1 hour, interval 1 s; linux.df 60 s``: the plan's, and what has an interval of its own."""
        interval = self.words.interval(self.plan.interval_s)
        extent = self.text("plan.value.extent", duration=self.span_text(self.plan.duration_s), interval=interval)
        own = [f"{probe} {self.words.interval(every_s)}" for probe, every_s in self.plan.own_intervals.items()]
        return f"{extent}; {self.names(own)}" if own else extent

    def span_text(self, seconds: float) -> str:
        """``2 hours 30 minutes``: whole units, those that are zero left out."""
        rest, parts = round(seconds), []
        for name, length in _SPANS:
            number, rest = divmod(rest, length)
            if number == 1:
                parts.append(self.text(f"plan.one.{name}"))
            elif number:
                parts.append(self.text(f"plan.many.{name}", count=number))
        return " ".join(parts)

    def percent(self, figure: float | None) -> str:
        if figure is None:
            return self.text("plan.value.not_known")
        return f"{grouped(figure, 2 if figure >= 0.01 or figure == 0 else 4)} %"

    def rate(self, bytes_per_s: float | None) -> str:
        return self.text("plan.value.not_known") if bytes_per_s is None else f"{self._sized(bytes_per_s)}/s"

    def size(self, size_bytes: float | None) -> str:
        return self.text("plan.value.not_known") if size_bytes is None else self._sized(size_bytes)

    def _sized(self, size_bytes: float) -> str:
        for name, unit in _SIZES:
            if size_bytes >= unit:
                return f"{grouped(size_bytes / unit, 1)} {name}"
        return f"{grouped(size_bytes, 0 if size_bytes >= 10 or size_bytes == 0 else 2)} B"


def _command_set(commands: Sequence[PlannedCommand]) -> tuple[object, ...]:
    """Equal for two hosts that run the same: all of every command but its id, which names the host."""
    return tuple(
        (
            command.probe,
            command.tool_line,
            command.verbatim.replace(id_prefix(command), "\0"),
            command.rights,
            command.files,
            command.stop_by_hand,
            command.remote_path,
            command.interval_s,
            command.count,
            command.cpu_pct,
            command.bytes_per_s,
        )
        for command in commands
    )


def id_prefix(command: PlannedCommand) -> str:
    """``db01/`` of ``db01/linux.vmstat``: the only part of a line that names the host."""
    return command.id.partition("/")[0] + "/"


def _letter(index: int) -> str:
    """A, B ... Z, A2, B2 ..."""
    letter = chr(ord("A") + index % 26)
    return letter if index < 26 else f"{letter}{index // 26 + 1}"
