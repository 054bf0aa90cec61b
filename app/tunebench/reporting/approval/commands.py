"""The approval sheet's commands: the overview, how they end, and every line to the letter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tunebench.domain.capturing.budget import has_seams
from tunebench.domain.capturing.plan import CaptureMode, CommandKind, PlannedCommand, Rights
from tunebench.reporting.approval.context import CHAPTERS, CommandGroup, SheetContext, id_prefix
from tunebench.reporting.chapters.context import CODE, FIXED, NUMBER, TEXT
from tunebench.reporting.document import (
    Block,
    Cell,
    CommandLine,
    Heading,
    NumberedList,
    Paragraph,
    Table,
    TableHead,
    Tone,
)
from tunebench.transport.ssh.pulling import BLOCK_BYTES, pull_command

OVERVIEW_LENGTH = 100
"""Characters of a command in the overview."""
FRAME_PARTS = ("shell", "markers", "watcher", "command")


def command_chapter(context: SheetContext) -> Iterator[Block]:
    """One overview per group of hosts: first what captures, then the house's own commands."""
    overview = context.text("plan.sheet.overview", chapter=CHAPTERS.index("lines") + 1)
    yield Paragraph(overview)
    for group in context.groups:
        if len(context.groups) > 1:
            yield _group_heading(context, group, "commands")
        numbered = _numbered(group)
        captures = [item for item in numbered if item[1].kind is not CommandKind.HOUSE]
        house = [item for item in numbered if item[1].kind is CommandKind.HOUSE]
        note = context.text("plan.note.cost")
        caption = context.text("plan.caption.commands", count=len(captures))
        yield _overview(context, captures, caption, (note,))
        if house:
            caption = context.text("plan.caption.house", count=len(house))
            yield _overview(context, house, caption)


def _group_heading(context: SheetContext, group: CommandGroup, anchor: str) -> Heading:
    names = context.names([host.name for host in group.hosts])
    title = context.text("plan.group.title", letter=group.letter, hosts=names, count=len(group.hosts))
    return Heading(title, f"{anchor}-{group.letter}", 2)


def _numbered(group: CommandGroup) -> list[tuple[str, PlannedCommand]]:
    """Each command with the number that the sheet refers to it by: captures first."""
    ordered = sorted(group.commands, key=lambda command: command.kind is CommandKind.HOUSE)
    return [(f"{group.letter}{number}", command) for number, command in enumerate(ordered, 1)]


def _overview(
    context: SheetContext, numbered: Sequence[tuple[str, PlannedCommand]], caption: str, notes: tuple[str, ...] = ()
) -> Table:
    text = context.text
    columns = (
        TableHead("#", FIXED),
        TableHead(text("plan.column.command"), CODE, 3),
        TableHead(text("plan.column.purpose"), TEXT, 2.4),
        TableHead(text("plan.column.rights"), TEXT, 0.8),
        TableHead(text("plan.column.interval"), TEXT, 0.8),
        TableHead(text("plan.column.cpu"), NUMBER),
        TableHead(text("plan.column.rate"), NUMBER),
        TableHead(text("plan.column.files"), TEXT, 1.0),
        TableHead(text("plan.column.ends"), TEXT, 1.4),
    )
    rows = tuple(_overview_cells(context, number, command) for number, command in numbered)
    return Table(caption, columns, rows, notes=notes, dense=True)


def _overview_cells(context: SheetContext, number: str, command: PlannedCommand) -> tuple[Cell, ...]:
    text = context.text
    own = f"\n{text('plan.value.own_words')}" if command.own_words else ""
    sudo = command.rights is Rights.SUDO
    return (
        Cell(number),
        Cell(f"{command.probe}\n{_shortened(command.tool_line)}"),
        Cell(command.purpose(context.language) + own, tone=Tone.WARNING if own else Tone.PLAIN),
        Cell(text(f"plan.rights.{command.rights.value}"), tone=Tone.BAD if sudo else Tone.PLAIN),
        Cell(_interval(context, command)),
        Cell(context.percent(command.cpu_pct), command.cpu_pct),
        Cell(context.rate(command.bytes_per_s), command.bytes_per_s),
        Cell("\n".join(command.files) or text("plan.value.nothing")),
        Cell(_ends(context, command)),
    )


def _shortened(line: str) -> str:
    """The command cut to its place; the whole line stands in the chapter of the full lines."""
    return line if len(line) <= OVERVIEW_LENGTH else f"{line[: OVERVIEW_LENGTH - 1]}…"


def _interval(context: SheetContext, command: PlannedCommand) -> str:
    if command.interval_s is not None:
        return context.words.interval(command.interval_s)
    house = command.kind is CommandKind.HOUSE
    return context.text(f"plan.interval.{command.probe}" if house else f"plan.interval.{command.kind}")


def _ends(context: SheetContext, command: PlannedCommand) -> str:
    """How a command comes to its end without anybody's doing."""
    if command.limit_s is not None:
        return context.text("plan.ends.limit", span=context.span_text(command.limit_s))
    if command.interval_s is None:
        return context.text("plan.ends.at_once")
    if command.count is None:
        return context.text("plan.ends.with_capture")
    span = context.span_text(command.interval_s * command.count)
    key = "plan.ends.renewed" if has_seams(context.plan, command) else "plan.ends.count"
    return context.text(key, count=f"{command.count:,}", span=span)


def stop_chapter(context: SheetContext) -> Iterator[Block]:
    """How commands end, how to end them by hand, and what becomes of them when the connection breaks."""
    text, plan = context.text, context.plan
    names = ["bounded", "stopped", "proof"]
    if plan.mode is CaptureMode.LIVE:
        names += ["lost", "lease", "no_perl"]
    elif plan.mode is CaptureMode.DETACHED:
        names += ["detached"]
    else:
        names += ["offline"]
    if any(command.rights is Rights.SUDO for command in plan.commands):
        names.append("sudo")
    items = tuple(text(f"plan.ending.{name}", lease=plan.lease_s, mark=f"cap{plan.nonce}") for name in names)
    yield NumberedList(items)
    yield Paragraph(text("plan.sheet.stop"))
    for line, hosts in _stop_lines(context).items():
        yield CommandLine(text("plan.caption.stop", hosts=context.names(hosts)), line)


def _stop_lines(context: SheetContext) -> dict[str, list[str]]:
    """The lines with which an administrator ends everything, each with its hosts."""
    lines: dict[str, list[str]] = {}
    for group in context.groups:
        for line in dict.fromkeys(command.stop_by_hand for command in group.commands if command.stop_by_hand):
            lines.setdefault(line, []).extend(host.name for host in group.hosts)
    return lines


def line_chapter(context: SheetContext) -> Iterator[Block]:
    """Every line that is sent, wrapper included; those of a group of hosts once."""
    text, plan = context.text, context.plan
    facts = {"mark": f"cap{plan.nonce}", "nice": plan.nice, "lease": plan.lease_s}
    parts = (part if plan.nice or part != "shell" else "shell_not_nice" for part in FRAME_PARTS)
    trial = ("trial",) if any(command.limit_s is not None for command in plan.commands) else ()
    frame = NumberedList(tuple(text(f"plan.frame.{part}", **facts) for part in (*parts, *trial)))
    yield Paragraph(text("plan.sheet.lines"))
    yield frame
    several_stops = len(_stop_lines(context)) > len(context.groups)
    for group in context.groups:
        if len(context.groups) > 1:
            yield _group_heading(context, group, "lines")
        if len(group.hosts) > 1:
            yield Paragraph(_same_elsewhere(context, group))
        for number, command in _numbered(group):
            yield _line(context, number, command, with_stop=several_stops)


def _resume_line(path: str) -> str:
    """The line with which a file that was cut off is continued; N stands for the blocks that are there."""
    return pull_command(path, BLOCK_BYTES).command.replace("skip=1 ", "skip=N ", 1)


def _same_elsewhere(context: SheetContext, group: CommandGroup) -> str:
    first, second = (host.name for host in group.hosts[:2])
    prefixes = [id_prefix(context.plan.on(name)[0]) for name in (first, second)]
    hosts = ", ".join(host.name for host in group.hosts)
    return context.text("plan.sheet.same", host=first, prefix=prefixes[0], other=prefixes[1], hosts=hosts)


def _line(context: SheetContext, number: str, command: PlannedCommand, *, with_stop: bool) -> CommandLine:
    text = context.text
    facts = []
    if command.own_words:
        facts.append((text("plan.column.remark"), text("plan.value.own_words")))
    if command.limit_s is not None:
        facts.append((text("plan.column.command"), command.tool_line))
    if command.kind is CommandKind.PULL:
        facts.append((text("plan.column.file"), command.remote_path))
        facts.append((text("plan.column.resume"), text("plan.value.resume", line=_resume_line(command.remote_path))))
    if with_stop and command.stop_by_hand:
        facts.append((text("plan.column.stop"), command.stop_by_hand))
    return CommandLine(f"{number} · {command.probe}", command.verbatim, tuple(facts))
