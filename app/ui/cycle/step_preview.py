"""What an edit would bring, to be read before it is done: every record with its words, quotations and caveats."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape

from PySide6.QtWidgets import QTextBrowser

from app.domain.cycle.book import CycleEdit, Record
from app.domain.cycle.records import Cause, Metric, Question, Step, Target
from app.domain.cycle.worksheet import Action, Impact
from app.ui.cycle.record_sources import source_words
from app.ui.look.language import language, text
from app.ui.look.theme import Theme, current_theme, themes
from app.usecases.cycle import facade as cycle

KINDS: tuple[type[Record], ...] = (Step, Question, Metric, Target, Cause, Action)
ARROWS = {2: "↑↑", 1: "↑", 0: "–", -1: "↓", -2: "↓↓"}


class EditPreview(QTextBrowser):
    """Groups by kind, each with its count; what watches a price is told apart from what is judged. Hidden where there
    is nothing to tell."""

    def __init__(self) -> None:
        super().__init__()
        self._edit: CycleEdit | None = None
        self.setOpenLinks(False)
        themes().theme_changed.connect(self._recolour)

    def show_edit(self, edit: CycleEdit | None) -> None:
        self._edit = edit
        self._recolour(current_theme())

    def _recolour(self, theme: Theme) -> None:
        kept = self.verticalScrollBar().value()
        told = "".join(_body(self._edit, theme)) if self._edit else ""
        self.setHtml(told)
        self.setVisible(bool(told))
        self.verticalScrollBar().setValue(kept)


def _body(edit: CycleEdit, theme: Theme) -> Iterator[str]:
    made = [change.after for change in edit.changes if change.before is None and change.after is not None]
    known = {record.id: record for record in made}
    told = {kind: [each for each in made if type(each) is kind and _is_told(each)] for kind in KINDS}
    if not any(told.values()):
        return
    yield f'<div style="color:{theme.text.name()}">'
    for kind, found in told.items():
        if found:
            name = text(f"ui.cycle.preview.{kind.__name__.lower()}", n=len(found))
            yield f'<p style="margin:10px 0 2px 0"><b>{escape(name)}</b></p>'
        for record in found:
            yield from _of_record(record, known, theme)
    yield "</div>"


def _is_told(record: Record) -> bool:
    return not isinstance(record, Step) or bool(record.notes.strip())


def _of_record(record: Record, known: Mapping[int, Record], theme: Theme) -> Iterator[str]:
    head, aside, body = _told(record, known)
    yield f'<p style="margin:4px 0 0 12px">{escape(head)}'
    if aside:
        yield f' <span style="color:{theme.muted.name()}">{escape(aside)}</span>'
    yield "</p>"
    if body.strip():
        lines = "<br>".join(escape(line) for line in body.strip().splitlines())
        yield f'<p style="margin:1px 0 0 28px;color:{theme.muted.name()}">{lines}</p>'


def _told(record: Record, known: Mapping[int, Record]) -> tuple[str, str, str]:
    """What a record is called, what stands beside that, and what it says."""
    code = language().code
    match record:
        case Step():
            return text(f"cycle.step_number.{int(record.number)}"), "", record.notes
        case Question():
            return record.text, text(f"cycle.step_number.{int(record.step)}"), ""
        case Metric():
            parts = (source_words(record.source), text(f"cycle.statistic.{record.statistic}"), record.unit)
            return record.name, " · ".join(filter(None, parts)), record.definition
        case Target():
            metric = known.get(record.metric_id)
            top = text("ui.cycle.priority.top") if record.priority == 1 else ""
            return metric.name if isinstance(metric, Metric) else "", top, record.note
        case Cause():
            about = f"{cycle.word(record.domain, code)} · {cycle.word(record.confidence, code)}"
            return record.title, about, record.text
        case Action():
            return _action(record)
    return "", "", ""


def _action(action: Action) -> tuple[str, str, str]:
    changes = ", ".join(f"{each.parameter} → {each.new}" if each.new else each.parameter for each in action.changes)
    effects = "  ".join(_effect(impact) for impact in action.impacts)
    notes = [f"{_effect(impact)} ({impact.source})\n{impact.note}" for impact in action.impacts if impact.source]
    return action.title, changes, "\n".join(filter(None, (effects, *notes, action.caveat)))


def _effect(impact: Impact) -> str:
    return f"{cycle.word(impact.resource, language().code)} {ARROWS.get(impact.direction, '')}"
