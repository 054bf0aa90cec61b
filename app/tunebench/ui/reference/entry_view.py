"""An entry of the reference, as it is read: as rich text and as plain text."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from PySide6.QtGui import QResizeEvent, QTextCursor
from PySide6.QtWidgets import QTextBrowser

from tunebench.analysis.calculators.catalogue import CALCULATORS
from tunebench.domain.reference import Entry, EntryKind, Statement, Trust
from tunebench.ui.look import fonts
from tunebench.ui.look.language import language, text
from tunebench.ui.look.theme import Theme, current_theme
from tunebench.usecases.reference import entries as reference

_CALCULATOR_IDS = frozenset(each.id for each in CALCULATORS)
_TONES = {Trust.HIGH: "ok", Trust.MEDIUM: "watch", Trust.LOW: "warning"}
_SIGNS = {Trust.HIGH: "●", Trust.MEDIUM: "◐", Trust.LOW: "○"}
_TABLE = 'cellspacing="0" cellpadding="5" width="100%"'
MARGIN, LONGEST_LINE, BODY_PX = 18, 900, 14


def style_of(theme: Theme) -> str:
    return f"""
    p.title {{ font-size: 20px; font-weight: bold; margin: 0; line-height: 120%; }}
    p.head {{ font-size: 12px; font-weight: bold; color: {theme.muted.name()}; margin: 20px 0 6px 0; }}
    p {{ margin: 4px 0; line-height: 145%; }}
    p.kind, p.source {{ color: {theme.muted.name()}; font-size: 12px; }}
    p.gap {{ font-size: 6px; margin: 0; }}
    p.quotation {{ margin: 4px 0 0 0; }}
    p.caveat {{ color: {theme.watch.name()}; }}
    a {{ color: {theme.accent.name()}; text-decoration: none; }}
    th {{ color: {theme.muted.name()}; font-size: 11px; text-align: left; }}
    td.cell {{ border-bottom: 1px solid {theme.border.name()}; }}
    td.bar {{ background-color: {theme.accent.name()}; }}
    .ok {{ color: {theme.ok.name()}; }} .watch {{ color: {theme.watch.name()}; }}
    .warning {{ color: {theme.warning.name()}; }}
    """


def html_of(entry: Entry) -> str:
    code = language().code
    contradiction = entry.kind is EntryKind.CONTRADICTION
    kind = text(f"ui.reference.kind.{entry.kind.value}")
    parts = [
        f'<p class="title">{escape(entry.title[code])}</p>',
        f'<p class="kind">{escape(kind)} · {escape(entry.id)}</p>',
    ]
    what = f"<p>{escape(entry.text[code])}</p>"
    statements = [_statement_text(statement) for statement in entry.statements]
    if contradiction:
        parts += [_heading("ui.reference.statements"), *statements, _heading("ui.reference.what_we_do"), what]
    else:
        parts += [what, _rows(entry)]
    if entry.caveat is not None:
        parts += [_heading("ui.reference.caveat"), f'<p class="caveat">⚠ {escape(entry.caveat[code])}</p>']
    if statements and not contradiction:
        parts += [_heading("ui.reference.says"), *statements]
    if entry.attribution is not None:
        parts += [_heading("ui.reference.source"), f"<p>{escape(entry.attribution[code])}</p>"]
    return "".join([*parts, _trust(entry), *_links(entry)])


def _heading(key: str) -> str:
    return f'<p class="head">{escape(text(key))}</p>'


def _statement_text(statement: Statement) -> str:
    """A bar at the left, the words, and below them where they stand."""
    if statement.computed is not None:
        words, source = statement.computed[language().code], text("ui.reference.computed")
    else:
        words, source = f"“{statement.quotation}”", source_words(statement)
    return (
        f'<table cellspacing="0" cellpadding="0" width="100%"><tr><td class="bar" width="3"></td><td width="10"></td>'
        f'<td><p class="quotation">{escape(words)}</p><p class="source">{escape(source)}</p></td></tr></table>'
        '<p class="gap">&nbsp;</p>'
    )


def source_words(statement: Statement) -> str:
    title = reference.quoted_from(statement, language().code)
    if not statement.section:
        return title
    return text("ui.reference.section", title=title, section=statement.section)


def _rows(entry: Entry) -> str:
    if entry.columns is None or entry.rows is None:
        return ""
    head = "".join(f"<th>{escape(words)}</th>" for words in entry.columns[language().code])
    body = "".join(
        "<tr>" + "".join(f'<td class="cell">{escape(cell)}</td>' for cell in row) + "</tr>"
        for row in entry.rows[language().code]
    )
    return f"<p></p><table {_TABLE}><tr>{head}</tr>{body}</table>"


def _trust(entry: Entry) -> str:
    words = text(f"ui.reference.trust.{entry.trust.value}")
    sign = f'<span class="{_TONES[entry.trust]}">{_SIGNS[entry.trust]}</span> {escape(words)}'
    return f"{_heading('ui.reference.trust')}<p>{sign}</p>"


def _links(entry: Entry) -> Iterable[str]:
    if entry.calculators:
        links = [
            _link(f"calculator:{name}", text(f"calculator.{name}.title"))
            for name in entry.calculators
            if name in _CALCULATOR_IDS
        ]
        yield _heading("ui.reference.calculators") + "".join(links)
    if entry.rules:
        yield f"{_heading('ui.reference.rules')}<p>{escape(', '.join(entry.rules))}</p>"
    related = [reference.find(name) for name in entry.related if reference.known(name)]
    if related:
        titles = [_link(f"entry:{one.id}", one.title[language().code], one.id) for one in related]
        yield _heading("ui.reference.related") + "".join(titles)


def _link(address: str, words: str, aside: str = "") -> str:
    behind = f' <span style="font-size: 11px">{escape(aside)}</span>' if aside else ""
    return f'<p><a href="{escape(address)}">{escape(words)}</a>{behind}</p>'


def plain_text(entry: Entry) -> str:
    """The text for the clipboard: what a report or a mail would quote."""
    code = language().code
    lines = [f"{entry.title[code]} ({entry.id})", entry.text[code]]
    if entry.columns is not None and entry.rows is not None:
        lines += ["\t".join(row) for row in (entry.columns[code], *entry.rows[code])]
    if entry.caveat is not None:
        lines.append(f"{text('ui.reference.caveat')}: {entry.caveat[code]}")
    for statement in entry.statements:
        if statement.computed is not None:
            lines.append(f"{text('ui.reference.computed')}: {statement.computed[code]}")
        else:
            lines.append(f"“{statement.quotation}” – {source_words(statement)}")
    if entry.attribution is not None:
        lines.append(f"{text('ui.reference.source')}: {entry.attribution[code]}")
    return "\n".join(lines)


class EntryView(QTextBrowser):
    """Lines no longer than one reads with ease, however wide the window is."""

    def __init__(self) -> None:
        super().__init__()
        self.setOpenLinks(False)
        self.setLineWrapMode(QTextBrowser.LineWrapMode.FixedPixelWidth)

    def show_entry(self, entry: Entry) -> None:
        document = self.document()
        document.setDefaultFont(fonts.font(BODY_PX))
        document.setDocumentMargin(MARGIN)
        document.setDefaultStyleSheet(style_of(current_theme()))
        document.setHtml(html_of(entry))
        self._show_beginning()

    def _show_beginning(self) -> None:
        self.moveCursor(QTextCursor.MoveOperation.Start)
        self.verticalScrollBar().setValue(0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        at_beginning = self.verticalScrollBar().value() == 0
        super().resizeEvent(event)
        self.setLineWrapColumnOrWidth(min(self.viewport().width(), LONGEST_LINE))
        if at_beginning:
            self._show_beginning()
