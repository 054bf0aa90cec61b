"""Which database, which run before and which after: the same choice on every page about databases."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtWidgets import QComboBox, QFrame, QHBoxLayout, QSizePolicy

from app.ui.databases.database_controller import Choice, DatabaseController
from app.ui.look.language import text, translated
from app.ui.look.theme import SPACE_S, SPACE_XS
from app.ui.widgets.parts import IconButton, label
from app.ui.workspace import Workspace

LEAST_PX = 90


class SidePickers(QFrame):
    """Follows the controller of the workspace and changes its choice."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._controller = DatabaseController.of(workspace)
        self.setProperty("card", "true")
        self._words = {
            "database": label(role="strong"),
            "before": label(role="strong", tone="before"),
            "after": label(role="strong", tone="after"),
        }
        self.database, self.before, self.after, self.after_database = (_combo() for _ in range(4))
        self.swap = IconButton("compare", self._controller.swap, key="ui.databases.pick.swap")
        self._lay_out()
        self.database.activated.connect(self._choose_database)
        self.before.activated.connect(self._choose_before)
        self.after.activated.connect(self._choose_after)
        self.after_database.activated.connect(self._choose_after_database)
        self._controller.changed.connect(self.refresh)
        for word, combo in (
            ("database", self.database),
            ("before", self.before),
            ("after", self.after),
            ("after_database", self.after_database),
        ):
            translated(combo, accessibleName=f"ui.databases.pick.{word}", toolTip=f"ui.databases.pick.{word}.tip")

    def _lay_out(self) -> None:
        line = QHBoxLayout(self)
        line.setContentsMargins(SPACE_S, SPACE_XS, SPACE_XS, SPACE_XS)
        line.setSpacing(SPACE_S)
        for word, combo, stretch in (("database", self.database, 4), ("before", self.before, 3)):
            line.addWidget(self._words[word])
            line.addWidget(combo, stretch)
        line.addWidget(self._words["after"])
        line.addWidget(self.after, 3)
        line.addWidget(self.after_database, 3)
        line.addWidget(self.swap)

    def retranslate(self) -> None:
        for word, made in self._words.items():
            sign = {"before": "— ", "after": "- - "}.get(word, "")
            made.setText(sign + text(f"ui.databases.pick.{word}"))
        self.refresh()

    # --- what is chosen
    def refresh(self) -> None:
        controller, choice = self._controller, self._controller.choice
        labels = controller.labels()
        _fill(self.database, [(id_, name) for id_, name in labels.items()], choice.database)
        runs = [(run.id, run.label) for run in controller.runs]
        nothing = (None, text("ui.databases.pick.nothing"))
        _fill(self.before, [*runs, nothing], choice.before_run)
        _fill(self.after, [*runs, nothing], choice.after_run)
        there = controller.known.get(choice.after_run, ()) if choice.after_run is not None else ()
        same = ("", text("ui.databases.pick.same"))
        _fill(self.after_database, [same, *((each.id, labels[each.id]) for each in there)], choice.after_database)
        both = choice.before_run is not None and choice.after_run is not None
        self.after_database.setVisible(both and self._may_differ(choice))
        self.swap.setEnabled(both)

    def _may_differ(self, choice: Choice) -> bool:
        """Whether the run after has another database than the one before."""
        there = self._controller.known.get(choice.after_run, ()) if choice.after_run is not None else ()
        return bool(choice.after_database) or [each.id for each in there] not in ([], [choice.database])

    # --- choosing
    def _choose_database(self, _place: int) -> None:
        self._controller.choose_database(str(self.database.currentData()))

    def _choose_before(self, _place: int) -> None:
        self._choose_run(before_run=self.before.currentData())

    def _choose_after(self, _place: int) -> None:
        self._choose_run(after_run=self.after.currentData(), after_database="")

    def _choose_run(self, **changes: object) -> None:
        choice = replace(self._controller.choice, **changes)  # type: ignore[arg-type]
        if choice.before_run is None and choice.after_run is None:
            self.refresh()  # one of them is looked at, always
            return
        known = self._controller.known.get(choice.before_run or -1, ())
        if known and all(each.id != choice.database for each in known):
            choice = replace(choice, database=known[0].id, after_database="")
        only = self._controller.known.get(choice.after_run or -1, ()) if choice.before_run is None else ()
        if only and all(each.id != choice.database for each in only):
            choice = replace(choice, database=only[0].id)
        self._controller.choose(choice)

    def _choose_after_database(self, _place: int) -> None:
        self._controller.choose(replace(self._controller.choice, after_database=str(self.after_database.currentData())))


def _combo() -> QComboBox:
    made = QComboBox()
    made.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
    made.setMinimumWidth(LEAST_PX)
    return made


def _fill(combo: QComboBox, items: list[tuple[object, str]], chosen: object) -> None:
    combo.clear()
    for value, words in items:
        combo.addItem(words, value)
    combo.setCurrentIndex(next((place for place, (value, _) in enumerate(items) if value == chosen), -1))
