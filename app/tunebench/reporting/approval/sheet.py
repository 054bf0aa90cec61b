"""The approval sheet: what a customer's administrator reads and signs before the first command is sent."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from tunebench.core.grouping import by_key
from tunebench.domain.capturing.budget import runs, totals, warnings
from tunebench.domain.capturing.plan import CaptureMode, CapturePlan, CommandKind, PlannedHost, Rights, ScheduleKind
from tunebench.domain.databases.choices import LicenceConfirmation
from tunebench.domain.engagement import Engagement
from tunebench.reporting.approval.commands import command_chapter, line_chapter, stop_chapter
from tunebench.reporting.approval.context import CHAPTERS, SheetContext
from tunebench.reporting.cases.case import SuccessCase
from tunebench.reporting.chapters.context import CODE, FIXED, NUMBER, TEXT
from tunebench.reporting.document import (
    Block,
    Cell,
    CommandLine,
    Cover,
    Heading,
    KeyValueTable,
    Note,
    NumberedList,
    Paragraph,
    ReportDocument,
    ReportSection,
    Table,
    TableHead,
    Tone,
)

SIGNERS = ("administrator", "owner", "consultant")
SIGN_LINES = ("name", "date", "signature")


def build_sheet(
    plan: CapturePlan,
    language: str,
    engagement: Engagement,
    program_version: str = "",
    licences: Sequence[LicenceConfirmation] = (),
) -> ReportDocument:
    """The sheet of `plan` in ``"ko"`` or ``"en"``; equal plans and confirmations give equal sheets."""
    context = SheetContext(plan, language, engagement, program_version, licences)
    title = context.text("plan.sheet.title")
    return ReportDocument(
        language=language,
        title=" · ".join(part for part in (title, engagement.title) if part),
        author=", ".join(part for part in (engagement.firm, *engagement.consultants) if part),
        subject=context.text("plan.sheet.subtitle"),
        keywords=context.text("plan.sheet.keywords"),
        issued=plan.created_at[:10],
        footer=" · ".join(part for part in (engagement.customer, title, f"SHA-256 {plan.digest[:16]}…") if part),
        case=SuccessCase(engagement=engagement),
        sections=tuple(_sections(context)),
    )


def _sections(context: SheetContext) -> list[ReportSection]:
    sections = [ReportSection("cover", context.text("plan.sheet.title"), (_cover(context),))]
    for number, name in enumerate(CHAPTERS, 1):
        title = context.text(f"plan.section.{name}")
        heading = Heading(title, name, 1, f"{number}.")
        sections.append(ReportSection(name, f"{number}. {title}", (heading, *_BUILDERS[name](context))))
    return sections


def _cover(context: SheetContext) -> Cover:
    text, engagement, plan = context.text, context.engagement, context.plan
    facts = (
        (text("plan.field.customer"), engagement.customer),
        (text("plan.field.site"), engagement.site),
        (text("plan.field.engagement"), engagement.title),
        (text("plan.field.firm"), engagement.firm),
        (text("plan.field.consultants"), ", ".join(engagement.consultants)),
        (text("plan.field.hosts"), context.host_names()),
        (text("plan.field.when"), context.schedule()),
        (text("plan.field.duration"), context.extent()),
    )
    control = (
        ("SHA-256", plan.digest),
        (text("plan.field.created"), context.moment(plan.created_at)),
        (text("plan.field.mark"), f"cap{plan.nonce}"),
        (text("plan.field.made_with"), f"TuneBench {context.program_version}".strip()),
    )
    return Cover(
        kicker=text("plan.sheet.kicker"),
        title=text("plan.sheet.title"),
        subtitle=text("plan.sheet.subtitle"),
        facts=tuple((name, value) for name, value in facts if value),
        control=control,
        control_title=text("plan.sheet.control"),
        sign_title=text("plan.sheet.sign"),
        sign_boxes=tuple(text(f"plan.sign.{role}") for role in SIGNERS),
        sign_lines=tuple(text(f"plan.sign.{line}") for line in SIGN_LINES),
        notice=text("plan.sheet.statement"),
    )


def _scope(context: SheetContext) -> list[Block]:
    text, plan = context.text, context.plan
    rows = [
        (text("plan.field.run"), f"{plan.run} ({text(f'plan.phase.{plan.phase}')})"),
        (text("plan.field.when"), context.schedule()),
        (text("plan.field.duration"), context.extent()),
        (text("plan.field.zone"), plan.zone),
        (text("plan.field.mode"), text(f"plan.mode.{plan.mode.value}")),
        (text("plan.field.nice"), text("plan.sheet.nice" if plan.nice else "plan.sheet.not_nice", nice=plan.nice)),
    ]
    facts = {"run": plan.run, "duration": context.span_text(plan.duration_s)}
    own = any(command.own_words for command in plan.commands)
    purpose = text("plan.sheet.purpose_own", **facts) if own else text("plan.sheet.purpose", **facts)
    return [Paragraph(purpose), KeyValueTable(tuple(rows)), *_warnings(context)]


def _warnings(context: SheetContext) -> list[Block]:
    """Each warning once, with the hosts it is about."""
    by_sentence = by_key(
        (context.text(warning.key, **warning.facts), warning.host) for warning in warnings(context.plan)
    )
    return [Note(f"{context.names(hosts)}: {sentence}", Tone.WARNING) for sentence, hosts in by_sentence.items()]


def _hosts(context: SheetContext) -> list[Block]:
    text = context.text
    grouped = len(context.groups) > 1
    columns = [
        TableHead("#", NUMBER),
        TableHead(text("plan.column.host"), TEXT, 1.3),
        TableHead(text("plan.column.address"), TEXT, 1.6),
        TableHead(text("plan.column.account"), TEXT),
        TableHead(text("plan.column.jump"), TEXT, 1.4),
        TableHead(text("plan.column.os"), TEXT, 1.2),
        TableHead(text("plan.column.mark"), FIXED),
    ]
    if grouped:
        columns.append(TableHead(text("plan.column.group"), FIXED))
    rows = tuple(
        _host_cells(context, number, host, grouped=grouped) for number, host in enumerate(context.plan.hosts, 1)
    )
    return [Table(text("plan.caption.hosts", count=len(rows)), tuple(columns), rows, dense=len(rows) > 12)]


def _host_cells(context: SheetContext, number: int, host: PlannedHost, *, grouped: bool) -> tuple[Cell, ...]:
    text = context.text
    production = host.colour == "production"
    cells = [
        Cell(str(number), number),
        Cell(host.name, tone=Tone.STRONG),
        Cell(f"{host.address}:{host.port}"),
        Cell(host.user or text("plan.value.not_said")),
        Cell(" → ".join(host.jump) or text("plan.value.direct")),
        Cell(f"{host.os} ({text(f'plan.os_source.{host.os_source}')})"),
        Cell(text(f"plan.colour.{host.colour or 'none'}"), tone=Tone.BAD if production else Tone.PLAIN),
    ]
    if grouped:
        cells.append(Cell(context.group_of(host.name)))
    return tuple(cells)


def _data(context: SheetContext) -> Iterator[Block]:
    text, plan = context.text, context.plan
    own = any(command.own_words for command in plan.commands)
    items = [text("plan.data.output_own") if own else text("plan.data.output")]
    pulled = sorted({command.remote_path for command in plan.commands if command.kind is CommandKind.PULL})
    if pulled:
        items.append(text("plan.data.files", paths=", ".join(pulled)))
    items += [text("plan.data.kept"), text("plan.data.secrets")]
    yield NumberedList(tuple(items))
    columns = (
        TableHead(text("plan.column.host"), TEXT, 2),
        TableHead(text("plan.column.cpu"), NUMBER),
        TableHead(text("plan.column.rate"), NUMBER),
        TableHead(text("plan.column.total"), NUMBER),
        TableHead(text("plan.column.files"), TEXT, 3),
    )
    rows = tuple(_cost_cells(context, group.hosts) for group in context.groups)
    note = text("plan.note.totals", runs=runs(plan))
    yield Table(text("plan.caption.totals"), columns, rows, notes=(note,))


def _cost_cells(context: SheetContext, hosts: tuple[PlannedHost, ...]) -> tuple[Cell, ...]:
    cost = totals(context.plan, hosts[0].name)
    name = context.names([host.name for host in hosts])
    label = name if len(hosts) == 1 else context.text("plan.value.each", hosts=name)
    return (
        Cell(label),
        Cell(context.percent(cost.cpu_pct), cost.cpu_pct),
        Cell(context.rate(cost.bytes_per_s), cost.bytes_per_s),
        Cell(context.size(cost.total_bytes), cost.total_bytes),
        Cell("\n".join(cost.files) or context.text("plan.value.nothing")),
    )


def _exceptions(context: SheetContext) -> Iterator[Block]:
    text, plan = context.text, context.plan
    weak = [(host.name, ", ".join(host.weak_algorithms)) for host in plan.hosts if host.weak_algorithms]
    if weak:
        columns = (TableHead(text("plan.column.host"), TEXT), TableHead(text("plan.column.algorithms"), CODE, 3))
        rows = tuple((Cell(name), Cell(names)) for name, names in weak)
        yield Table(text("plan.caption.weak"), columns, rows, notes=(text("plan.note.weak"),))
    else:
        yield Paragraph(text("plan.sheet.no_weak"))
    yield from _sudoers(context)
    yield from _licences(context)


def _sudoers(context: SheetContext) -> list[Block]:
    text, plan = context.text, context.plan
    lines = by_key((host.sudoers, host.name) for host in plan.hosts if host.sudoers)
    if not lines:
        sudo = any(command.rights is Rights.SUDO for command in plan.commands)
        return [] if sudo else [Paragraph(text("plan.sheet.no_sudo"))]
    return [
        Paragraph(text("plan.sheet.sudo")),
        *(
            CommandLine(text("plan.caption.sudoers", hosts=context.names(hosts)), "\n".join(sudoers))
            for sudoers, hosts in lines.items()
        ),
    ]


def _licences(context: SheetContext) -> Iterator[Block]:
    """What the plan reads that a customer must be licensed for, and who confirmed it."""
    text, plan = context.text, context.plan
    if not plan.licences:
        return
    columns = (
        TableHead(text("plan.column.host"), TEXT),
        TableHead(text("plan.column.licence"), TEXT, 1.4),
        TableHead(text("plan.column.confirmed"), TEXT, 1.6),
        TableHead(text("plan.column.evidence"), TEXT, 2),
        TableHead(text("plan.column.probe"), CODE, 1.4),
    )
    rows = tuple(_licence_cells(context, host, licence) for host, licence in plan.licences)
    yield Paragraph(text("plan.sheet.licence"))
    yield Table(text("plan.caption.licences"), columns, rows)
    if any(_confirmation_of(context, host, licence) is None for host, licence in plan.licences):
        yield Note(text("plan.note.licence_missing"), Tone.WARNING)


def _licence_cells(context: SheetContext, host: str, licence: str) -> tuple[Cell, ...]:
    text = context.text
    given = _confirmation_of(context, host, licence)
    probes = dict.fromkeys(command.probe for command in context.plan.on(host) if command.licence == licence)
    confirmed, evidence = text("plan.value.not_confirmed"), ""
    if given is not None:
        confirmed = text("plan.value.confirmed", by=given.confirmed_by, at=context.moment(given.confirmed_at))
        evidence = given.evidence
    tone = Tone.WARNING if given is None else Tone.PLAIN
    named = Cell(context.words.known(f"licence.{licence}", licence))
    return Cell(host), named, Cell(confirmed, None, tone), Cell(evidence), Cell(", ".join(probes))


def _confirmation_of(context: SheetContext, host: str, licence: str) -> LicenceConfirmation | None:
    fitting = [confirmation for confirmation in context.licences if confirmation.covers(licence, host)]
    return fitting[-1] if fitting else None


def _statement(context: SheetContext) -> Iterator[Block]:
    text, plan = context.text, context.plan
    rows = (
        (text("plan.field.commands"), text("plan.value.commands", count=len(plan.commands), hosts=len(plan.hosts))),
        ("SHA-256", plan.digest),
    )
    yield Paragraph(text("plan.sheet.statement"))
    yield Paragraph(text("plan.sheet.digest"), muted=True)
    if plan.schedule.kind is ScheduleKind.EVERY:
        yield Paragraph(text("plan.sheet.repeated", runs=runs(plan)))
    if plan.mode is not CaptureMode.LIVE:
        yield Paragraph(text("plan.sheet.offline"))
    yield KeyValueTable(rows)


_BUILDERS: dict[str, Callable[[SheetContext], Iterable[Block]]] = {
    "scope": _scope,
    "hosts": _hosts,
    "commands": command_chapter,
    "ending": stop_chapter,
    "data": _data,
    "exceptions": _exceptions,
    "lines": line_chapter,
    "statement": _statement,
}
