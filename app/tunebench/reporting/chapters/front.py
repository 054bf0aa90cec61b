"""Cover, summary, issues, approach, method and outlook."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tunebench.analysis.comparing.improvement import Change
from tunebench.columns.answering.marks import plain
from tunebench.domain.engagement import Phase, Section
from tunebench.reporting.chapters.context import (
    FIXED,
    NUMBER,
    TEXT,
    Context,
    cut_note,
    evidence_text,
    figure_table,
    table_of,
)
from tunebench.reporting.chapters.judged import of_document
from tunebench.reporting.chapters.verdicts import by_measured, comparability, gate_blocks, method_blocks
from tunebench.reporting.document import (
    Block,
    Cell,
    Contents,
    Cover,
    KeyValueTable,
    Note,
    NumberedList,
    Table,
    TableHead,
    Tone,
)
from tunebench.reporting.figures import SUBJECTS, FigureRow, series_row, shown_of

HOSTS_NAMED = 20
_HOSTS = 3
"""Named at the head of a page; how many more there are is said."""
RESULTS_TOLD = 4
COVER_VERSIONS = 5
_LOAD = "C3"
OPTIONAL_SUBJECTS = ("response", "other")
"""Subjects whose absence is no gap worth telling."""


def cover(context: Context) -> list[Block]:
    case, text = context.case, context.text
    engagement = case.engagement
    absent = context.words.missing
    facts = [
        (text("cover.customer"), engagement.customer or absent),
        (text("cover.site"), engagement.site),
        (text("cover.firm"), engagement.firm or text("cover.not_given")),
        (text("cover.consultants"), ", ".join(engagement.consultants) or text("cover.not_given")),
        (text("cover.period"), context.words.period(engagement.period_start, engagement.period_end)),
    ]
    control = [
        (text("cover.edition"), context.edition),
        (text("cover.issued"), context.words.date(case.issued) if case.issued else text("cover.not_issued")),
        (text("cover.confidentiality"), engagement.confidentiality or text("cover.not_given")),
        (text("cover.zone"), context.words.zone),
        (text("cover.made_with"), f"TuneBench {case.program_version}".strip()),
    ]
    if case.untranslated:
        control.append((text("cover.records"), untranslated_text(context)))
    signers = context.look.signers
    lines = tuple(text(f"cover.sign.{line}") for line in ("name", "date", "signature"))
    return [
        Cover(
            text("cover.kicker"),
            engagement.title,
            text("cover.subtitle"),
            tuple((name, value) for name, value in facts if value),
            tuple(control),
            text("cover.control"),
            text("cover.sign"),
            tuple(context.role(signer) for signer in signers),
            lines,
            sign_names=tuple(signer.name for signer in signers),
            versions=version_table(context, COVER_VERSIONS) if context.look.versions else None,
        )
    ]


def version_table(context: Context, most: int) -> Table:
    """The versions of the document that were recorded, the last `most` of them."""
    text, versions = context.text, context.look.versions
    return table_of(
        text("caption.versions"),
        versions[-most:],
        (TableHead(text("column.version"), TEXT, 0.7), lambda version: version.number),
        (TableHead(text("cover.sign.date"), TEXT, 0.9), lambda version: context.words.date(version.date) or "–"),
        (TableHead(text("column.version_author"), TEXT, 1), lambda version: version.author or "–"),
        (TableHead(text("column.version_change"), TEXT, 4), lambda version: version.change or "–"),
        notes=cut_note(context, most, len(versions)),
    )


def of_what(context: Context) -> str:
    """What the document is about: customer, windows, hosts, date of issue; then how many texts are in another
    language."""
    case, words = context.case, context.words
    windows = (
        f"{context.text(f'phase.{window.phase.value}')} {window.name} "
        f"({words.span(window.occurrences[0].start_ns, window.occurrences[-1].end_ns)})"
        for window in case.windows
        if window.phase is not Phase.OTHER and window.occurrences
    )
    issued = words.date(case.issued) if case.issued else context.text("cover.not_issued")
    shown = [words.host(host.name) for host in case.hosts[:_HOSTS]]
    if len(case.hosts) > _HOSTS:
        shown.append(context.text("result.more", count=len(case.hosts) - _HOSTS))
    facts = " · ".join(filter(None, (case.engagement.customer, *windows, ", ".join(shown), issued)))
    return "\n".join(filter(None, (facts, untranslated_text(context))))


def untranslated_text(context: Context) -> str:
    """How many texts of records are in another language alone, and what became of them; empty where none is."""
    case = context.case
    if not case.untranslated:
        return ""
    key = "untranslated.left_out" if case.leaves_out else "untranslated.kept"
    return context.text(key, count=f"{len(case.untranslated):,}")


def summary(context: Context) -> Iterator[Block]:
    rows = context.figures.key_figures
    sentences = _story(context)
    if sentences:
        yield KeyValueTable(sentences)
    if rows:
        notes = [*load_notes(context), *host_notes(context), context.text("note.ratio")]
        if any(row.change.at_least for row in rows):
            notes.append(context.text("note.bounds"))
        caption = context.text("caption.key_figures")
        yield figure_table(context, rows, caption, notes=tuple(notes))
    if context.case.alone:
        yield collected(context)
    worse = "\n".join(worse_lines(context))
    if worse:
        yield Note(worse, Tone.WARNING)
    yield comparability(context, short=True)


def collected(context: Context) -> Table:
    """What there is of one side only: each series with its mean and its largest sample, else how much of what."""
    text, words = context.text, context.words
    rows = [series_row(series, name) for series in context.case.series for name in ("mean", "max")]
    if not rows:
        return _coverage_table(context)

    def value(row: FigureRow) -> Cell:
        figure = row.after if row.before is None else row.before
        return Cell(words.quantity(figure, row.unit, row.decimals), figure)

    return table_of(
        text("caption.collected"),
        rows,
        (TableHead(text("column.figure"), TEXT, 3), context.label),
        (TableHead(text("column.statistic"), TEXT, 1), context.statistic),
        (TableHead(text("case_experiment.value"), NUMBER), value),
        (
            TableHead("n", NUMBER),
            lambda row: words.count(row.samples_after if row.before is None else row.samples_before),
        ),
        (TableHead(text("column.interval"), FIXED), lambda row: words.interval(row.interval_s)),
        (TableHead(text("column.evidence"), TEXT, 1), lambda row: evidence_text(row.evidence)),
        notes=host_notes(context),
        dense=False,
    )


def worse_lines(context: Context) -> Iterator[str]:
    """What got worse as the answer has it: no gain is told without it."""
    if context.answer is not None and context.answer.worse:
        yield of_document(context, context.answer.worse_title)
        yield from (plain(worse.text) for worse in context.answer.worse)


def load_notes(context: Context) -> list[str]:
    """What the check of the load found: no figure is read rightly without it."""
    return [
        of_document(
            context,
            context.text("note.load", sentence=check.sentence)
            if check.state in ("adjust", "refuse")
            else check.sentence,
        )
        for check in context.case.analysis.gate
        if check.check == _LOAD
    ]


def load_line(context: Context, load: str) -> str:
    """What asked for the work; where no check could use the load that the runs tell, why not."""
    runs_tell = any(occurrence.load for window in context.case.windows for occurrence in window.occurrences)
    if not runs_tell or load != context.words.words.text("compare.load.untold"):
        return load
    return " ".join(load_notes(context))


def host_notes(context: Context) -> Iterator[str]:
    """How many hosts there are, and of each figure those that are not shown: no host is left out without a word."""
    case, text, name = context.case, context.text, context.words.host
    unchosen = dict.fromkeys(
        series.subject for series in case.series if series.among > 1 and series.before and series.after
    )
    if unchosen and not context.figures.cycle:
        yield text("note.unchosen", labels=", ".join(text(f"subject.{subject}") for subject in unchosen))
    hosts = [host.name for host in case.hosts]
    if len(hosts) < 2:
        return
    yield text("note.hosts", count=len(hosts), names=_names([name(host) for host in hosts]))
    for subject in dict.fromkeys(row.subject for row in context.figures.key_figures if row.captured and row.subject):
        key = shown_of(case, subject)[0].key
        shown = {host for series in case.series if series.key == key for host in series.hosts}
        left = case.further_hosts.get(key, ())
        absent = [host for host in hosts if host not in shown and host not in left]
        label = text(f"subject.{subject}")
        if left:
            yield text("note.hosts_further", label=label, count=len(left), names=_names([*map(name, left)]))
        if absent:
            yield text("note.hosts_absent", label=label, names=_names([*map(name, absent)]))


def _names(names: Sequence[str], count: int = 0) -> str:
    """All names of a few; of many, or of `count` in all, the first ones."""
    return ", ".join(names[:HOSTS_NAMED]) + (" …" if max(count, len(names)) > len(names[:HOSTS_NAMED]) else "")


def contents(context: Context) -> list[Block]:
    return [Contents(context.text("section.contents"))]


def _story(context: Context) -> tuple[tuple[str, str], ...]:
    """Problem, action, result, outlook: the first paragraph of each, with a count of the others."""
    text, case = context.text, context.case
    lines = [
        (text("story.problem"), _first(context, case.texts(Section.ISSUE))),
        (text("story.action"), _first(context, case.texts(Section.APPROACH))),
        (text("story.result"), _result(context)),
        (text("story.outlook"), _first(context, case.texts(Section.OUTLOOK))),
    ]
    return tuple((name, value) for name, value in lines if value)


def _first(context: Context, texts: tuple[str, ...]) -> str:
    if len(texts) < 2:
        return texts[0] if texts else ""
    return context.text("story.and_more", text=texts[0], count=len(texts) - 1)


def _result(context: Context) -> str:
    """The first figures; what got worse is among them, wherever it stands."""
    rows = [row for row in context.figures.key_figures if row.change.ratio is not None]
    worse = [row for row in rows if row.change.change is Change.REGRESSED]
    shown = {id(row) for row in (*worse, *rows)[:RESULTS_TOLD]}
    return "; ".join(context.phrase(row, context.full_name(row)) for row in rows if id(row) in shown)


def issues(context: Context) -> Iterator[Block]:
    yield NumberedList(context.case.texts(Section.ISSUE))
    yield from hosts(context)


def hosts(context: Context) -> Iterator[Block]:
    """The table of hosts; nothing where no host is known."""
    text, words = context.text, context.words
    if not context.case.hosts:
        return
    yield table_of(
        text("caption.hosts"),
        context.case.hosts,
        (TableHead(text("column.host"), TEXT, 1), lambda host: words.host(host.name)),
        (TableHead(text("column.os"), TEXT, 2), lambda host: f"{host.os} {host.os_version}".strip() or words.missing),
        (TableHead(text("column.zone"), TEXT, 1.3), lambda host: host.zone or words.missing),
        (
            TableHead(text("column.zone_source"), TEXT, 1),
            lambda host: words.known(f"report.source.{host.zone_source}", host.zone_source) or words.missing,
        ),
        dense=False,
    )


def narrative(context: Context, section: Section) -> list[Block]:
    return [NumberedList(context.case.texts(section))]


def improvements(context: Context) -> Iterator[Block]:
    texts = context.case.texts(Section.IMPROVEMENT)
    if texts:
        yield NumberedList(texts)
    if context.figures.key_figures:
        yield _detail_table(context)


def _detail_table(context: Context) -> Table:
    """When, how often and from where each figure was taken: what the summary has no room for."""
    text, words = context.text, context.words
    return table_of(
        text("caption.details"),
        context.figures.key_figures,
        (TableHead(text("column.figure"), TEXT, 2.2), lambda row: context.full_name(row)),
        (TableHead(text("column.before_date"), FIXED), lambda row: words.date(row.before_date) or text("unknown")),
        (TableHead(text("column.after_date"), FIXED), lambda row: words.date(row.after_date) or text("unknown")),
        (TableHead(text("column.n_before"), NUMBER), lambda row: words.count(row.samples_before)),
        (TableHead(text("column.n_after"), NUMBER), lambda row: words.count(row.samples_after)),
        (TableHead(text("column.interval"), FIXED), lambda row: words.interval(row.interval_s)),
        (
            TableHead(text("column.data"), TEXT, 1),
            lambda row: text("source.captured" if row.captured else "source.entered"),
        ),
        (TableHead(text("column.evidence"), TEXT, 1), lambda row: evidence_text(row.evidence)),
        notes=(text("note.details"),),
    )


def method(context: Context) -> Iterator[Block]:
    yield comparability(context)
    if _has_windows(context):
        yield windows_table(context)
    if context.case.runs:
        yield _runs_table(context)
    yield from gate_blocks(context)
    yield from method_blocks(context)
    yield _coverage_table(context)
    yield NumberedList(tuple(_limits(context)))


def _runs_table(context: Context) -> Table:
    text, words = context.text, context.words
    return table_of(
        text("caption.captured_runs" if _has_windows(context) else "caption.windows"),
        context.case.runs,
        (TableHead(text("column.phase"), TEXT, 1), lambda run: text(f"phase.{run.phase.value}")),
        (TableHead(text("column.run"), TEXT, 1.6), lambda run: run.label),
        (TableHead(text("column.window"), FIXED), lambda run: words.span(run.start_ns, run.end_ns)),
        (
            TableHead(text("column.hosts"), TEXT, 1.4),
            lambda run: ", ".join(map(words.host, run.hosts)) or words.missing,
        ),
        (TableHead(text("column.interval"), FIXED), lambda run: words.interval(run.interval_s)),
        (TableHead(text("column.files"), NUMBER), lambda run: f"{run.files:,}"),
        (TableHead(text("column.load"), TEXT, 1.2), lambda run: run.load or text("unknown")),
        notes=(text("note.zone", zone=words.zone),),
    )


def _has_windows(context: Context) -> bool:
    """Whether there is more to say of the windows than which runs they are."""
    return any(not window.covered_by_runs for window in context.case.windows)


def windows_table(context: Context) -> Table:
    """The windows that all figures are of, occurrence by occurrence."""
    text, words, case = context.text, context.words, context.case
    loads = any(occurrence.load for window in case.windows for occurrence in window.occurrences)
    columns = (
        TableHead(text("column.phase"), TEXT, 1),
        TableHead(text("column.window"), TEXT, 2),
        TableHead(text("column.occurrence"), FIXED),
        TableHead(text("column.excluded"), TEXT, 2.4),
        *((TableHead(text("column.load"), TEXT, 1.2),) if loads else ()),
    )
    rows = tuple(
        (
            Cell(text(f"phase.{window.phase.value}") if number == 1 else ""),
            Cell(window.name if number == 1 else ""),
            Cell(f"{number or '–'} · {words.span(occurrence.start_ns, occurrence.end_ns)}"),
            Cell("\n".join(f"{words.span(start, end)}: {reason}" for start, end, reason in occurrence.excluded) or "–"),
            *((Cell(occurrence.load or (text("unknown") if number else "–")),) if loads else ()),
        )
        for window in case.windows
        for number, occurrence in (
            *enumerate(window.occurrences, 1),
            *((0, occurrence) for occurrence in window.left_out),
        )
    )
    limited = (
        text("note.windows_hosts", window=window.name, hosts=", ".join(map(words.host, window.hosts)))
        for window in case.windows
        if window.hosts
    )
    notes = (
        text("note.windows", load=load_line(context, case.analysis.driver)).strip(),
        *limited,
        *context.clocks(),
        text("note.zone", zone=words.zone),
    )
    return Table(text("caption.windows"), columns, rows, notes=notes, dense=True)


def _coverage_table(context: Context) -> Table:
    """What this engagement has, and what it has not."""
    text, case = context.text, context.case
    columns = (TableHead(text("column.data"), TEXT, 1.4), TableHead(text("column.state"), TEXT, 2.6))
    entered = {row.subject for row in context.figures.measured}
    statements = sum(len(database.statements) for database in case.databases)
    is_asked = statements or context.figures.sql or not case.databases_alone
    rows = [(text("coverage.sql"), _state(context, statements, bool(context.figures.sql)))] if is_asked else []
    rows += [(name, text("coverage.alone")) for name in case.databases_alone]
    captured_by = dict(case.captured)
    for subject in SUBJECTS:
        captured = captured_by.get(subject, 0) or sum(1 for series in case.series if series.subject == subject)
        if captured or subject in entered or subject not in OPTIONAL_SUBJECTS:
            rows.append((text(f"subject.{subject}"), _state(context, captured, subject in entered)))
    if not case.alone:
        rows.append((text("coverage.comparison"), _state(context, len(by_measured(context)[0]), False)))
    rows.append((text("coverage.files"), _state(context, len(case.evidence), False)))
    cells = tuple((Cell(name), Cell(state)) for name, state in rows)
    return Table(text("caption.coverage"), columns, cells, dense=True)


def _state(context: Context, captured: int, entered: bool) -> str:
    states = []
    if captured:
        states.append(context.text("coverage.captured", count=f"{captured:,}"))
    if entered:
        states.append(context.text("coverage.entered"))
    return " · ".join(states) or context.words.missing


def _limits(context: Context) -> Iterator[str]:
    """What a reader must know before comparing; only what holds for this engagement."""
    text, case = context.text, context.case
    rows = context.figures.key_figures
    yield text("limit.descriptive")
    loads = [run.load for run in case.runs if run.phase is not Phase.OTHER]
    if not case.alone and case.analysis.load_ratio is None and not (loads and all(loads)):
        yield text("limit.load")
    if any(row.samples_before is None for row in rows):
        yield text("limit.samples")
    if any(row.interval_s is None and row.statistic in ("max", "mean", "p95") for row in rows):
        yield text("limit.interval")
    if any(row.change.at_least for row in rows):
        yield text("limit.bounds")
    if case.series or case.comparison:
        yield text("limit.autocorrelation")
