"""Who, for whom, when: the facts of the engagement, saved as they are typed."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from functools import partial
from typing import Any

from PySide6.QtWidgets import QCheckBox, QComboBox, QFrame, QLineEdit, QWidget

from tunebench.core.errors import UserError
from tunebench.core.messages import LANGUAGES
from tunebench.domain.engagement import Approvals, Engagement, TwoRoles
from tunebench.domain.schema import schema
from tunebench.domain.translations import is_translatable, other_language, with_translation
from tunebench.reporting.cycle_words import word_key
from tunebench.ui.look.language import text, translated
from tunebench.ui.look.theme import SPACE_L, SPACE_M, SPACE_XS
from tunebench.ui.reports.edits import edit_engagement
from tunebench.ui.typing import mark_stored, stored_soon
from tunebench.ui.widgets.layouts import two_beside
from tunebench.ui.widgets.parts import column, label, lock, set_tone
from tunebench.ui.widgets.zone_box import ZoneBox
from tunebench.ui.workspace import Change, Workspace

TEXT_FIELDS = (
    "customer",
    "site",
    "title",
    "confidentiality",
    "firm",
    "consultants",
    "period_start",
    "period_end",
    "holidays",
)
DATES = ("period_start", "period_end")
SECOND = tuple(name for name in TEXT_FIELDS if is_translatable(schema(Engagement)[name]))
"""Those with a line for the second language below."""


class DetailsForm(QFrame):
    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self.setProperty("card", "true")
        self._workspace = workspace
        self._shown: Engagement | None = None
        self._kept_back: dict[str, UserError | None] = {}  # fields by name; None: no date
        self.edits = {name: QLineEdit() for name in TEXT_FIELDS}
        self.zone = ZoneBox()
        self.language = QComboBox()
        self.language.addItems(list(LANGUAGES))
        self.two_roles = QComboBox()
        self.two_roles.addItems([member.value for member in TwoRoles])
        self.second_language = translated(
            QCheckBox(), text="ui.engagement.second_language.on", toolTip="ui.engagement.second_language.tip"
        )
        self.approvals = QComboBox()
        self.approvals.addItems([member.value for member in Approvals])
        choices = {"language": self.language, "two_roles": self.two_roles, "approvals": self.approvals}
        self._fields: dict[str, QWidget] = {**self.edits, "zone": self.zone, **choices}
        self.seconds = {name: QLineEdit() for name in SECOND}
        for name, second in self.seconds.items():
            self._fields[name] = _stacked(self.edits[name], second)
            translated(self.edits[name], accessibleName=f"ui.engagement.{name}")
        self._fields["holidays"] = self._fields.pop("holidays")  # below the zone that they come from
        self._fields["second_language"] = self.second_language
        self._hint = translated(label(role="small", wrap=True), "ui.engagement.saved_at_once")
        self._lay_out()
        for name, edit in (*self.edits.items(), *self.seconds.items()):
            stored_soon(edit, partial(self._store_field, name))
            edit.editingFinished.connect(self.save)
        line = self.zone.lineEdit()
        assert line is not None
        line.editingFinished.connect(self.save)
        self.zone.activated.connect(lambda _place: self.save())
        for choice in choices.values():
            choice.activated.connect(lambda _place: self.save())
        self.second_language.clicked.connect(lambda _on: self.save())
        translated(self.edits["holidays"], toolTip="ui.engagement.holidays.tip")
        translated(self.language, itemText=[f"ui.language.{code}" for code in LANGUAGES])
        translated(
            self.two_roles, itemText=[word_key(member) for member in TwoRoles], toolTip="ui.engagement.two_roles.tip"
        )
        translated(
            self.approvals, itemText=[word_key(member) for member in Approvals], toolTip="ui.engagement.approvals.tip"
        )

    def _lay_out(self) -> None:
        self.setLayout(
            column(two_beside("ui.engagement", self._fields), self._hint, 1, spacing=SPACE_M, margins=SPACE_L)
        )

    def show_engagement(self, engagement: Engagement, writable: bool) -> None:
        self._shown = engagement
        for name, edit in self.edits.items():
            value = ", ".join(engagement.consultants) if name == "consultants" else str(getattr(engagement, name))
            is_typed_in = edit.hasFocus() and _stored_words(name, edit.text()) == value
            if edit.text() != value and not is_typed_in and name not in self._kept_back:
                edit.setText(value)
            edit.setReadOnly(not writable)
            lock(edit, not writable)
            set_tone(edit, "wrong" if name in self._kept_back else "", "state")
            if name in DATES:
                edit.setPlaceholderText("2007-07-19" if writable else "")
            if name == "holidays":
                edit.setPlaceholderText(text("ui.engagement.holidays.example") if writable else "")
        for name, second in self.seconds.items():
            self._show_second(name, second, engagement, writable)
        self._hint.setText(text("ui.engagement.saved_at_once" if writable else "ui.locked.table"))
        self.zone.set_zone(engagement.zone)
        self.zone.setEnabled(writable)
        self.language.setCurrentIndex(LANGUAGES.index(engagement.language) if engagement.language in LANGUAGES else 0)
        self.language.setEnabled(writable)
        self.two_roles.setCurrentIndex(list(TwoRoles).index(engagement.two_roles))
        self.approvals.setCurrentIndex(list(Approvals).index(engagement.approvals))
        self.second_language.setChecked(engagement.second_language)
        for choice in (self.two_roles, self.approvals, self.second_language):
            choice.setEnabled(writable)

    def _show_second(self, name: str, second: QLineEdit, engagement: Engagement, writable: bool) -> None:
        code = other_language(engagement.language)
        words = _second_words(engagement, name, code)
        if second.text() != words and not (second.hasFocus() and _stored_words(name, second.text()) == words):
            second.setText(words)
        second.setVisible(engagement.second_language)
        second.setReadOnly(not writable)
        lock(second, not writable)
        second.setPlaceholderText(text(f"ui.language.{code}"))
        second.setAccessibleName(
            text("cycle.field_in", field=text(f"ui.engagement.{name}"), language=text(f"language.{code}"))
        )

    def forget(self) -> None:
        """What was kept back was of another project."""
        self._kept_back = {}

    def entered(self) -> Engagement:
        """What the fields say now."""
        assert self._shown is not None
        values: dict[str, Any] = {
            name: edit.text().strip() for name, edit in self.edits.items() if name != "consultants"
        }
        values |= {name: getattr(self._shown, name) for name in self._kept_back}
        words = _stored_words("consultants", self.edits["consultants"].text())
        names = tuple(words.split(", ")) if words else ()
        code = LANGUAGES[self.language.currentIndex()]
        values |= {"zone": self.zone.zone(), "language": code, "consultants": names}
        values["second_language"] = self.second_language.isChecked()
        values["two_roles"] = list(TwoRoles)[self.two_roles.currentIndex()]
        entered = replace(self._shown, **values, approvals=list(Approvals)[self.approvals.currentIndex()])
        return self._with_seconds(self._shown, entered)

    def _with_seconds(self, shown: Engagement, entered: Engagement) -> Engagement:
        """With what was typed in the second language; words that stayed are of the text that they were typed for."""
        code = other_language(shown.language)
        for name, second in self.seconds.items():
            words = _stored_words(name, second.text())
            if words != _second_words(shown, name, code):
                lines = words.replace(", ", "\n") if name == "consultants" else words
                entered = with_translation(entered, name, code, lines)
        return entered

    def save(self) -> None:
        """A field was left: writes what has changed; a date that is none is marked, said and kept back."""
        if self._shown is None or not self._workspace.writable:
            return
        self._look()
        self._say_wrong()
        self._write(self._shown)
        mark_stored(
            self.zone,
            *self.seconds.values(),
            *(edit for name, edit in self.edits.items() if name not in self._kept_back),
        )

    def _store_field(self, name: str) -> bool:
        """Stores a field while typing goes on; a wrong value is not reported yet."""
        if self._shown is not None and self._workspace.writable:
            self._look()
            self._write(self._shown)
        return name not in self._kept_back

    def _write(self, shown: Engagement) -> None:
        """All but what is kept back."""
        new = self.entered()
        if new != shown:
            edit_engagement(self._workspace, shown, new, self._put_back)

    def _look(self) -> None:
        """Keeps back, and marks, what is no date and no list of days off."""
        self._kept_back = {}
        for name in DATES:
            if not is_date(self.edits[name].text().strip()):
                self._kept_back[name] = None
        refusal = self._days_off_refused()
        if refusal is not None:
            self._kept_back["holidays"] = refusal
        for name, edit in self.edits.items():
            set_tone(edit, "wrong" if name in self._kept_back else "", "state")

    def _days_off_refused(self) -> UserError | None:
        from tunebench.usecases.days_off import read_days_off

        words = self.edits["holidays"].text()
        if words.strip():  # the countries are not worth loading for nothing
            try:
                read_days_off(words, self.zone.zone())
            except UserError as error:
                return error
        return None

    def _say_wrong(self) -> None:
        wrong = [name for name in DATES if name in self._kept_back]
        if wrong:
            self._workspace.say(
                text("ui.engagement.wrong_date", field=text(f"ui.engagement.{wrong[0]}")), "warning", Change.ENGAGEMENT
            )
        refusal = self._kept_back.get("holidays")
        if refusal is not None:
            self._workspace.say_error(refusal, Change.ENGAGEMENT)

    def _put_back(self) -> None:
        if self._shown is not None:
            self.show_engagement(self._shown, self._workspace.writable)


def _stacked(edit: QLineEdit, second: QLineEdit) -> QWidget:
    """A field with its line for the second language below it, as one part of the form."""
    part = QWidget()
    part.setLayout(column(edit, second, spacing=SPACE_XS))
    part.setFocusProxy(edit)
    return part


def _second_words(engagement: Engagement, name: str, code: str) -> str:
    translation = engagement.translation(name, code)
    return translation.text.replace("\n", ", ") if translation is not None else ""


def _stored_words(name: str, typed: str) -> str:
    """The words as they are shown once they are stored."""
    names = (person.strip() for person in typed.split(","))
    return ", ".join(person for person in names if person) if name == "consultants" else typed.strip()


def is_date(words: str) -> bool:
    """Empty, or an ISO date."""
    if not words:
        return True
    try:
        date.fromisoformat(words)
    except ValueError:
        return False
    return len(words) == len("2007-07-19")
