"""Writes a report document as one HTML file: no network, charts that zoom, evidence linked.

Equal documents give equal bytes.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator
from functools import singledispatchmethod
from html import escape
from pathlib import Path

from reportlab.graphics import renderSVG

from tunebench.core.messages import catalogue
from tunebench.core.paths import resources_folder
from tunebench.core.patterns import lazy_pattern
from tunebench.core.whole_files import write_whole
from tunebench.domain.visible_text import harmless
from tunebench.reporting.citing import KEY, explained_keys
from tunebench.reporting.document import (
    Badge,
    Block,
    Cell,
    Claim,
    CommandLine,
    Contents,
    Cover,
    Figure,
    Heading,
    KeyValueTable,
    MarkedCode,
    NextBox,
    Note,
    NumberedList,
    OnePage,
    Paragraph,
    ReportDocument,
    Table,
    TableHead,
    TextColumn,
    TextColumns,
    Together,
    Tone,
    Volume,
)
from tunebench.reporting.look import Look
from tunebench.reporting.pdf.figures import drawing_of
from tunebench.reporting.pdf.fonts import BOLD, REGULAR, GlyphGuard

_FRAME = lazy_pattern(r"<g .*</g>", re.DOTALL)


def write_html(document: ReportDocument, path: Path) -> None:
    write_whole(path, html_bytes(document))


def html_bytes(document: ReportDocument) -> bytes:
    style, script = (_resource(name) for name in ("page.css", "page.js"))
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    pictures = " img-src data:;" if document.look.logo else ""
    policy = f"default-src 'none'; style-src 'unsafe-inline';{pictures} script-src 'sha256-{digest}'"
    body = "\n".join(_Page(document).parts())
    return f"""<!DOCTYPE html>
<html lang="{escape(document.language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="TuneBench">
<meta name="author" content="{_text(document.author)}">
<meta name="description" content="{_text(document.subject)}">
<meta name="keywords" content="{_text(document.keywords)}">
<title>{_text(document.title)}</title>
<style>{style}{_colours(document.look)}</style>
</head>
<body>
{body}
<footer>{_text(document.footer)}</footer>
<script>{script}</script>
</body>
</html>
""".encode()


def _colours(look: Look) -> str:
    own = {"--accent": look.accent, "--second": look.second}
    words = "".join(f"{name}:{colour};" for name, colour in own.items() if colour)
    return f":root{{{words}}}" if words else ""


def _logo(look: Look) -> str:
    kind = "png" if look.logo.startswith(b"\x89PNG") else "jpeg"
    data = base64.b64encode(look.logo).decode()
    return f'<img class="logo" alt="" src="data:image/{kind};base64,{data}">' if look.logo else ""


def _resource(name: str) -> str:
    return (resources_folder() / "report" / name).read_text(encoding="utf-8")


def _text(text: str) -> str:
    return escape(harmless(text))


class _Page:
    """Turns blocks into markup; tables and figures count as in the PDF."""

    def __init__(self, document: ReportDocument) -> None:
        self._document = document
        self._words = catalogue(document.language)
        self._table_number = 0
        self._figure_number = 0
        self._guard = GlyphGuard()  # registers the faces that the drawings are measured with
        self._mark = ""
        self._defined = explained_keys(document.blocks)

    def parts(self) -> Iterator[str]:
        yield _logo(self._document.look)
        for block in self._document.blocks:
            yield from self._markup(block)
        if self._mark:
            yield "</div>"

    @singledispatchmethod
    def _markup(self, block: Block) -> Iterator[str]:
        raise TypeError(f"no markup for {type(block).__name__}")

    @_markup.register
    def _(self, block: Volume) -> Iterator[str]:
        self._words, self._mark = catalogue(block.language), block.mark
        self._table_number = self._figure_number = 0
        yield f'<div lang="{block.language}">'

    def _prose(self, text: str) -> str:
        """A text with its evidence as links."""
        return KEY.sub(
            lambda match: (
                f'<a href="#{self._mark}{match[0]}">{match[0]}</a>' if match[0] in self._defined else match[0]
            ),
            _text(text),
        )

    @_markup.register
    def _(self, block: Cover) -> Iterator[str]:
        yield f'<p class="kicker">{_text(block.kicker)}</p><h1>{_text(block.title)}</h1>'
        yield f'<p class="subtitle">{_text(block.subtitle)}</p>'
        yield self._facts(block.facts)
        yield f'<p class="muted">{_text(block.control_title)}</p>{self._facts(block.control)}'
        if block.notice:
            yield f"<p>{_text(block.notice)}</p>"
        if block.versions:
            yield f'<p class="muted">{_text(block.versions.caption)}</p>{self._grid(block.versions)}'
        if block.sign_boxes:
            yield f'<p class="muted">{_text(block.sign_title)}</p>{_sign_boxes(block)}'

    @_markup.register
    def _(self, block: Contents) -> Iterator[str]:
        headings = [head for head in self._document.blocks if isinstance(head, Heading) and head.anchor]
        lines = "".join(
            f'<li{"" if head.level == 1 else " class=deeper"}><a href="#{_text(head.anchor)}">{_title(head)}</a></li>'
            for head in headings
        )
        yield f"<nav><h2>{_text(block.title)}</h2><ol>{lines}</ol></nav>"

    @_markup.register
    def _(self, block: Heading) -> Iterator[str]:
        rank = min(block.level + 1, 4)
        anchor = f' id="{_text(block.anchor)}"' if block.anchor else ""
        yield f"<h{rank}{anchor}>{_title(block)}</h{rank}>"

    @_markup.register
    def _(self, block: Claim) -> Iterator[str]:
        if block.question:
            yield f'<p class="question">{self._prose(block.question)}</p>'
        title = "".join(f'<span class="{run.role}">{_text(run.text)}</span>' for run in block.title)
        yield f'<p class="claim">{title}</p>'
        chips = " ".join(_chip(chip.text, chip.tone) for chip in block.chips)
        if chips or block.remark:
            yield f'<p class="remark">{chips} {self._prose(block.remark)}</p>'
        for line in block.lines:
            yield f"<p>{self._prose(line)}</p>"

    @_markup.register
    def _(self, block: TextColumns) -> Iterator[str]:
        yield f'<div class="columns">{"".join(map(self._column, block.columns))}</div>'

    def _column(self, column: TextColumn) -> str:
        paragraphs = "".join(f"<p>{self._prose(paragraph)}</p>" for paragraph in column.paragraphs)
        return f'<div class="column {column.tone}"><h4>{_text(column.heading)}</h4>{paragraphs}</div>'

    @_markup.register
    def _(self, block: NextBox) -> Iterator[str]:
        sentences = "".join(f"<p>{self._prose(sentence)}</p>" for sentence in block.sentences)
        command = f"<pre>{_text(block.command)}</pre>" if block.command else ""
        yield f'<div class="next">{sentences}{command}</div>'

    @_markup.register
    def _(self, block: Paragraph) -> Iterator[str]:
        yield f"<p{' class=muted' if block.muted else ''}>{self._prose(block.text)}</p>"

    @_markup.register
    def _(self, block: NumberedList) -> Iterator[str]:
        yield f"<ol>{''.join(f'<li>{self._prose(item)}</li>' for item in block.items)}</ol>"

    @_markup.register
    def _(self, block: KeyValueTable) -> Iterator[str]:
        yield self._facts(block.rows)

    def _facts(self, rows: tuple[tuple[str, str], ...]) -> str:
        cells = "".join(f"<tr><th>{_text(name)}</th><td>{self._prose(text)}</td></tr>" for name, text in rows)
        return f'<table class="facts">{cells}</table>' if cells else ""

    @_markup.register
    def _(self, block: Table) -> Iterator[str]:
        self._table_number += 1
        caption = self._words.text("report.caption.table", number=self._table_number, text=block.caption)
        yield f'<div class="scroll">{self._grid(block, f"<caption>{_text(caption)}</caption>")}</div>'
        for note in block.notes:
            yield f'<p class="note">{self._prose(note)}</p>'

    def _grid(self, block: Table, caption: str = "") -> str:
        body, totals = (
            "".join(
                f"<tr>{self._opening(block, row)}{''.join(map(self._cell, row[1:], block.columns[1:]))}</tr>"
                for row in part
            )
            for part in (block.rows, block.totals)
        )
        foot = f"<tfoot>{totals}</tfoot>" if totals else ""
        return f"<table>{caption}{_head(block.columns)}<tbody>{body}</tbody>{foot}</table>"

    def _opening(self, block: Table, row: tuple[Cell, ...]) -> str:
        """The first cell of a row; in a register texts lead to it."""
        cell, column = row[0], block.columns[0]
        if block.is_register:
            return f'<td class="{_classes(cell, column)}" id="{_text(self._mark + cell.text)}">{_text(cell.text)}</td>'
        return self._cell(cell, column)

    def _cell(self, cell: Cell, column: TableHead) -> str:
        if cell.is_chip and cell.text:
            return f'<td class="{column.kind}">{_chip(cell.text, cell.tone)}</td>'
        links = ", ".join(f'<a href="#{_text(link.anchor)}">{_text(link.text)}</a>' for link in cell.links)
        return f'<td class="{_classes(cell, column)}">{links or self._prose(cell.text)}</td>'

    @_markup.register
    def _(self, block: Figure) -> Iterator[str]:
        self._figure_number += 1
        caption = self._words.text("report.caption.figure", number=self._figure_number, text=block.caption)
        yield f"<figure>{self._chart(block)}<figcaption>{_text(caption)}</figcaption></figure>"

    def _chart(self, figure: Figure) -> str:
        """The chart as the PDF draws it, without the ids and faces that ReportLab gives every picture."""
        drawing = drawing_of(self._guard.whole(figure))
        frame = _FRAME.search(renderSVG.drawToString(drawing))
        inside = frame[0] if frame else ""
        inside = inside.replace(' id="group"', "", 1).replace(' style="clip-path: url(#clip)"', "", 1)
        inside = inside.replace(f"font-family: {BOLD};", "font-weight: 700;").replace(f"font-family: {REGULAR};", "")
        inside = re.sub(r"\n\s*", "\n", inside)
        return f'<svg viewBox="0 0 {drawing.width:g} {drawing.height:g}" fill-rule="evenodd" role="img">{inside}</svg>'

    @_markup.register
    def _(self, block: Badge) -> Iterator[str]:
        yield f'<p class="box {block.tone}"><b>{_text(block.label)}</b> {self._prose(block.text)}</p>'

    @_markup.register
    def _(self, block: Note) -> Iterator[str]:
        yield f'<p class="box {block.tone}">{self._prose(block.text)}</p>'

    @_markup.register
    def _(self, block: MarkedCode) -> Iterator[str]:
        lines = (
            f"<mark>{_text(line)}</mark>" if number in block.marked else f"{_text(line)}\n"
            for number, line in enumerate(block.text.split("\n"))
        )
        yield f'<p class="muted">{_text(block.title)}</p><pre>{"".join(lines)}</pre>'

    @_markup.register
    def _(self, block: CommandLine) -> Iterator[str]:
        yield f'<p class="muted">{_text(block.title)}</p><pre>{_text(block.text)}</pre>{self._facts(block.facts)}'

    @_markup.register
    def _(self, block: Together | OnePage) -> Iterator[str]:
        for inner in block.blocks:
            yield from self._markup(inner)


def _sign_boxes(cover: Cover) -> str:
    roles = "".join(f"<th>{_text(role)}</th>" for role in cover.sign_boxes)
    names = "".join(f"<td>{_text(name)}</td>" for name in cover.sign_names or ("",) * len(cover.sign_boxes))
    empty = "<td></td>" * len(cover.sign_boxes)
    lines = "".join(
        f"<tr><th>{_text(line)}</th>{names if index == 0 else empty}</tr>"
        for index, line in enumerate(cover.sign_lines)
    )
    return f'<table class="signs"><tr><th></th>{roles}</tr>{lines}</table>'


def _classes(cell: Cell, column: TableHead) -> str:
    return " ".join(filter(None, (column.kind.value, cell.tone.value if cell.tone is not Tone.PLAIN else "")))


def _chip(text: str, tone: Tone) -> str:
    return f'<span class="chip {tone}">{_text(text)}</span>'


def _title(heading: Heading) -> str:
    return _text(f"{heading.number} {heading.text}".strip())


def _head(columns: tuple[TableHead, ...]) -> str:
    headings = "".join(
        f'<th class="{column.kind}">{_text(column.heading)}'
        f"{f'<small>{_text(column.evidence)}</small>' if column.evidence else ''}</th>"
        for column in columns
    )
    return f"<thead>{_groups(columns)}<tr>{headings}</tr></thead>"


def _groups(columns: tuple[TableHead, ...]) -> str:
    if not any(column.group for column in columns):
        return ""
    spans: list[tuple[str, int]] = []
    for column in columns:
        if spans and spans[-1][0] == column.group:
            spans[-1] = column.group, spans[-1][1] + 1
        else:
            spans.append((column.group, 1))
    return f"<tr>{''.join(f'<th colspan={count}>{_text(group)}</th>' for group, count in spans)}</tr>"
