"""Which database, which window or run before and which after: the same choice on every page about databases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtWidgets import QComboBox, QSizePolicy

from tunebench.ui.databases.database_controller import DatabaseController
from tunebench.ui.look.language import text, translated
from tunebench.ui.look.theme import SPACE_S, SPACE_XS
from tunebench.ui.widgets.parts import Card, IconButton, label, row
from tunebench.ui.widgets.window_picker import WindowPicker
from tunebench.ui.workspace import Workspace
from tunebench.usecases.databases.choosing import Choice
from tunebench.usecases.databases.snapshots import Database

LEAST_PX = 90


class SidePickers(Card):
    """Follows the controller of the workspace and changes its choice."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._controller = DatabaseController.of(workspace)
        self._words = {
            "database": label(role="strong"),
            "before": label(role="strong", tone="before"),
            "after": label(role="strong", tone="after"),
        }
        self.database, self.after_database = QComboBox(), QComboBox()
        self.before, self.after = WindowPicker(), WindowPicker()
        for word in ("database", "before", "after", "after_database"):
            combo = translated(getattr(self, word), accessibleName=f"ui.databases.pick.{word}")
            combo.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
            combo.setMinimumWidth(LEAST_PX)
        translated(self.database, toolTip="ui.databases.pick.database.tip")
        translated(self.after_database, toolTip="ui.databases.pick.after_database.tip")
        self.swap = IconButton("compare", self._controller.swap, key="ui.databases.pick.swap")
        row(
            self._words["database"],
            (self.database, 3),
            self._words["before"],
            (self.before, 4),
            self._words["after"],
            (self.after, 4),
            (self.after_database, 3),
            self.swap,
            margins=(SPACE_S, SPACE_XS, SPACE_XS, SPACE_XS),
            of=self,
        )
        self.database.activated.connect(lambda _at: self._controller.choose_database(self.database.currentData()))
        self.before.picked.connect(lambda window: self._choose_window(before=window))
        self.after.picked.connect(lambda window: self._choose_window(after=window, after_database=""))
        self.after_database.activated.connect(
            lambda _at: self._controller.choose(
                replace(self._controller.choice, after_database=self.after_database.currentData())
            )
        )
        self._controller.changed.connect(self.refresh)

    def retranslate(self) -> None:
        for word, shown in self._words.items():
            sign = {"before": "— ", "after": "- - "}.get(word, "")
            shown.setText(sign + text(f"ui.databases.pick.{word}"))
        self.refresh()

    # --- what is chosen
    def refresh(self) -> None:
        controller, choice = self._controller, self._controller.choice
        labels = controller.labels()
        _fill(self.database, [(id_, name) for id_, name in labels.items()], choice.database)
        nothing = text("ui.databases.pick.nothing")
        for picker, chosen in ((self.before, choice.before), (self.after, choice.after)):
            picker.show_windows(controller.windows, controller.runs, chosen, nothing)
        there = self._there(choice)
        same = ("", text("ui.databases.pick.same"))
        _fill(self.after_database, [same, *((other.id, labels[other.id]) for other in there)], choice.after_database)
        both = choice.before is not None and choice.after is not None
        self.after_database.setVisible(both and self._may_differ(choice))
        self.swap.setEnabled(both)

    def _may_differ(self, choice: Choice) -> bool:
        """Whether after there is another database than before."""
        ids = [database.id for database in self._there(choice)]
        return bool(choice.after_database) or ids not in ([], [choice.database])

    def _there(self, choice: Choice) -> Sequence[Database]:
        """The databases of the side after."""
        return self._controller.known.get(choice.after, ()) if choice.after is not None else ()

    # --- choosing
    def _choose_window(self, **changes: object) -> None:
        choice = replace(self._controller.choice, **changes)  # type: ignore[arg-type]
        first = choice.before or choice.after
        if first is None:
            self.refresh()  # one of them is looked at, always
            return
        databases = self._controller.known.get(first, ())
        if databases and all(database.id != choice.database for database in databases):
            choice = replace(choice, database=databases[0].id, after_database="")
        self._controller.choose(choice)


def _fill(combo: QComboBox, items: list[tuple[object, str]], chosen: object) -> None:
    combo.clear()
    for value, words in items:
        combo.addItem(words, value)
    combo.setCurrentIndex(next((index for index, (value, _) in enumerate(items) if value == chosen), -1))
