"""A host's profile: how it is reached. There is no field for a secret, here or anywhere."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QStringListModel, Qt, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QCompleter,
    QFrame,
    QGridLayout,
    QLineEdit,
    QMenu,
    QRadioButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.core.errors import UserError
from app.domain.connection import Backend, HostColour, HostProfile
from app.ui.capturing.host_fields import FileField, IdentityField, JumpField, WeakModel, weak_view
from app.ui.capturing.host_list import colour_words, os_words
from app.ui.capturing.plan_fields import BOX_WIDTH, ChoiceField, NumberField
from app.ui.look.language import error_text, text, translated
from app.ui.look.theme import SPACE_L, SPACE_M, SPACE_S, SPACE_XS
from app.ui.widgets.parts import button, label, row, set_tone

SYSTEMS = ("", "linux", "sunos", "aix", "hp-ux", "freebsd")
COLOURS = tuple(HostColour)
PAIRS = (("address", "name"), ("user", "port"), ("os", "colour"))
"""Fields that stand side by side; the others have the whole width."""
WIDE = ("identity", "jump", "known_hosts", "note")
FIELD_OF_REFUSAL = {
    "host_name_refused": "name",
    "host_profile_exists": "name",
    "host_address_refused": "address",
    "host_user_refused": "user",
    "host_port_refused": "port",
}


class HostForm(QFrame):
    """Signals:
    submitted: (profile, its former name, whether to test it).
    edited: the profile as it is now entered, for the view of what will be used.
    closed: without saving.
    """

    submitted = Signal(object, str, bool)
    edited = Signal(object)
    closed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("card", "true")
        self._former = ""
        self._filling = True
        self._make_fields()
        self._make_buttons()
        self._lay_out()
        self._connect()

    def _make_fields(self) -> None:
        self._title = label(role="section")
        self._secrets = translated(label(role="muted", wrap=True), "ui.capture.host.secrets")
        self.from_config = translated(
            button(kind="link", on_click=self._show_config_menu), "ui.capture.host.from_config"
        )
        self.config_menu = QMenu(self)
        self.name = translated(QLineEdit(), placeholderText="ui.capture.field.name.hint")
        self.address = QLineEdit()
        self.user = translated(QLineEdit(), placeholderText="ui.capture.field.user.hint")
        self.note = QLineEdit()
        self.port = translated(NumberField(0, 65535, 0), specialValueText="ui.capture.field.port.hint")
        self.os, self.colour = ChoiceField(len(SYSTEMS)), ChoiceField(len(COLOURS))
        self._config_names = QStringListModel(self)
        completer = QCompleter(self._config_names, self)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.address.setCompleter(completer)
        self.identity, self.known_hosts = IdentityField(), FileField("ui.capture.field.known_hosts")
        self.jump = JumpField()
        self.fields: dict[str, QWidget] = {
            "address": self.address,
            "name": self.name,
            "user": self.user,
            "port": self.port,
            "os": self.os,
            "colour": self.colour,
            "identity": self.identity,
            "jump": self.jump,
            "known_hosts": self.known_hosts,
            "note": self.note,
        }
        self._labels = {name: label(role="small") for name in self.fields}
        self.refusals = {name: label(role="small", tone="critical", wrap=True) for name in FIELD_OF_REFUSAL.values()}
        self._refusal: UserError | None = None
        self.use_config = translated(QCheckBox(), "ui.capture.field.use_config")
        self.backends = {backend: QRadioButton() for backend in Backend}
        self._backend_words = {backend: label(role="small", wrap=True) for backend in Backend}
        self._backend_group = QButtonGroup(self)
        for made in self.backends.values():
            self._backend_group.addButton(made)
        self._backend_title = translated(label(role="small"), "ui.capture.field.backend")
        self.weak = WeakModel()
        self.weak_list = translated(weak_view(self.weak), accessibleName="ui.capture.weak")
        self._weak_title = button(kind="link", on_click=self._fold_weak)
        self._weak_words = translated(label(role="small", wrap=True), "ui.capture.weak.words")

    def _make_buttons(self) -> None:
        self.save = translated(button(kind="primary", on_click=lambda: self.submit(test=False)), "ui.capture.host.save")
        self.save_and_test = translated(
            button(on_click=lambda: self.submit(test=True)), "ui.capture.host.save_and_test"
        )
        self.cancel = translated(button(on_click=self.closed.emit), "ui.action.cancel")

    def _lay_out(self) -> None:
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(SPACE_L, SPACE_S, SPACE_L, SPACE_S)
        column.setSpacing(SPACE_S)
        column.addLayout(self._grid())
        column.addWidget(self.use_config)
        column.addWidget(self._backend_title)
        for backend in Backend:
            column.addWidget(self.backends[backend])
            self._backend_words[backend].setContentsMargins(22, 0, 0, 0)
            column.addWidget(self._backend_words[backend])
        column.addWidget(self._weak_title, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self._weak_words)
        column.addWidget(self.weak_list)
        column.addStretch(1)
        area = QScrollArea()
        area.setWidget(inside)
        area.setWidgetResizable(True)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # it follows the field that has it
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, SPACE_M, 0, SPACE_M)
        outer.setSpacing(SPACE_S)
        for part in (self._title, self._secrets):
            part.setContentsMargins(SPACE_L, 0, SPACE_L, 0)
            outer.addWidget(part)
        chooser = row(self.from_config, 1)
        chooser.setContentsMargins(SPACE_L, 0, SPACE_L, 0)
        outer.addLayout(chooser)
        outer.addWidget(area, 1)
        buttons = row(self.save, self.save_and_test, self.cancel, 1)
        buttons.setContentsMargins(SPACE_L, 0, SPACE_L, 0)
        outer.addLayout(buttons)

    def _grid(self) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(SPACE_M)
        grid.setVerticalSpacing(SPACE_XS)
        down = 0
        for pair in PAIRS:
            for side, name in enumerate(pair):
                grid.addWidget(self._labels[name], down, side)
                grid.addWidget(self.fields[name], down + 1, side)
                if name in self.refusals:
                    grid.addWidget(self.refusals[name], down + 2, side)
            down += 3
        for name in WIDE:
            grid.addWidget(self._labels[name], down, 0, 1, 2)
            grid.addWidget(self.fields[name], down + 1, 0, 1, 2)
            down += 2
        for name, field in self.fields.items():
            self._labels[name].setBuddy(field)
        for field in (self.port, self.os, self.colour):
            field.setMinimumWidth(BOX_WIDTH)  # not that of their longest words: both columns are equally wide
        grid.setColumnStretch(0, 1)
        grid.setColumnStretch(1, 1)
        return grid

    def _connect(self) -> None:
        for edit in (self.name, self.address, self.user):
            edit.editingFinished.connect(self._tell)
            edit.returnPressed.connect(self._submit)
            edit.textEdited.connect(self._forgive)
        self.address.editingFinished.connect(self._take_apart)
        self.port.editingFinished.connect(self._tell)
        for field in (self.identity, self.known_hosts, self.jump):
            field.changed.connect(self._tell)
        self.weak.changed.connect(self._tell)
        self.use_config.toggled.connect(self._tell)
        self._backend_group.buttonClicked.connect(self._tell)

    # --- values
    def show_profile(self, profile: HostProfile | None, former: str = "") -> None:
        """`former`: the saved name of the one that is edited, empty for a new one; None begins an empty one."""
        self._filling = True
        self._former = former
        shown = profile or HostProfile("", "")
        for name in ("name", "address", "user", "note"):
            edit = self.fields[name]
            assert isinstance(edit, QLineEdit)
            edit.setText(str(getattr(shown, name)))
        self.port.setValue(shown.port)
        self.os.setCurrentIndex(SYSTEMS.index(shown.os) if shown.os in SYSTEMS else 0)
        self.colour.setCurrentIndex(COLOURS.index(shown.colour))
        self.identity.set_path(shown.identity)
        self.known_hosts.set_path(shown.user_known_hosts)
        self.jump.set_hops(shown.jump)
        self.use_config.setChecked(shown.use_config)
        self.backends[shown.backend].setChecked(True)
        self.weak.set_names(shown.weak_algorithms)
        self._show_weak(bool(shown.weak_algorithms))
        self._offer_config()
        self._forgive()
        self.retranslate()
        (self.name if former else self.address).setFocus()
        self._filling = False
        self._tell()

    def entered(self) -> HostProfile:
        """The profile as the fields say; a name that is left empty is the address."""
        address = self.address.text().strip()
        backend = next(backend for backend, made in self.backends.items() if made.isChecked())
        return HostProfile(
            name=self.name.text().strip() or address,
            address=address,
            port=self.port.value(),
            user=self.user.text().strip(),
            identity=self.identity.path(),
            jump=self.jump.hops(),
            backend=backend,
            weak_algorithms=self.weak.names(),
            colour=COLOURS[self.colour.currentIndex()],
            use_config=self.use_config.isChecked(),
            os=SYSTEMS[self.os.currentIndex()],
            note=self.note.text().strip(),
            user_known_hosts=self.known_hosts.path(),
        )

    def submit(self, *, test: bool) -> None:
        profile = self.entered()
        if profile.address:
            self._forgive()
            self.submitted.emit(profile, self._former, test)
        else:
            self._refuse("address", text("ui.capture.resolved.empty"))

    def show_refusal(self, error: UserError) -> None:
        """Under the field that it is about."""
        self._refusal = error
        field = FIELD_OF_REFUSAL.get(error.key, "address")
        unnamed = field == "name" and not self.name.text().strip()  # then the address is the name
        self._refuse("address" if unnamed else field, error_text(error))

    def _refuse(self, name: str, words: str) -> None:
        self.refusals[name].setText(words)
        self.refusals[name].show()
        set_tone(self.fields[name], "wrong", "state")
        self.fields[name].setFocus()

    def _forgive(self, *_: object) -> None:
        """Something else is being entered."""
        self._refusal = None
        for name, refusal in self.refusals.items():
            refusal.hide()
            set_tone(self.fields[name], "", "state")

    def _submit(self) -> None:
        self.submit(test=False)

    def _tell(self, *_: object) -> None:
        if not self._filling:
            self.edited.emit(self.entered())

    def _take_apart(self) -> None:
        """``user@host:port``, as it is typed elsewhere, goes into its three fields."""
        from app.usecases.capturing import connections

        try:
            found = connections.profile_of(self.address.text().strip())
        except UserError:
            return
        if found.user or found.port:
            self.address.setText(found.address)
            self.user.setText(found.user or self.user.text())
            self.port.setValue(found.port or self.port.value())
            self._tell()

    # --- names of the ssh configuration
    def _offer_config(self) -> None:
        """To a new host only: what an old one is called stays."""
        from app.usecases.capturing import host_choices

        names = () if self._former else host_choices.configured_hosts()
        self._config_names.setStringList(list(names))
        self.config_menu.clear()
        for name in names:
            self.config_menu.addAction(name.replace("&", "&&")).triggered.connect(partial(self._take_configured, name))
        self.from_config.setVisible(bool(names))

    def _show_config_menu(self) -> None:
        self.config_menu.popup(self.from_config.mapToGlobal(self.from_config.rect().bottomLeft()))

    def _take_configured(self, name: str, *_: object) -> None:
        """The alias alone: everything else is read from the configuration at each connection."""
        self.address.setText(name)
        self.use_config.setChecked(True)
        self._forgive()
        self._tell()
        self.name.setFocus()

    # --- weak algorithms
    def _fold_weak(self) -> None:
        self._show_weak(self.weak_list.isHidden())

    def _show_weak(self, shown: bool) -> None:
        self.weak_list.setVisible(shown)
        self._weak_words.setVisible(shown)
        self._name_weak()

    def _name_weak(self) -> None:
        sign = "▸" if self.weak_list.isHidden() else "▾"
        self._weak_title.setText(f"{sign} {text('ui.capture.field.weak', count=len(self.weak.names()))}")

    # --- words
    def retranslate(self) -> None:
        new = text("ui.capture.host.add")
        self._title.setText(text("ui.capture.host.edit_named", name=self._former) if self._former else new)
        for name, made in self._labels.items():
            made.setText(text(f"ui.capture.field.{name}"))
            self.fields[name].setAccessibleName(made.text())
        self.os.name_choices([os_words(os) for os in SYSTEMS])
        self.colour.name_choices([colour_words(colour) or text("ui.capture.colour.none") for colour in COLOURS])
        if self._refusal is not None:
            self.show_refusal(self._refusal)
        for field in (self.identity, self.known_hosts):
            field.retranslate()
        for backend in Backend:
            self.backends[backend].setText(text(f"ui.capture.backend.{backend}"))
            self._backend_words[backend].setText(text(f"ui.capture.backend.{backend}.words"))
        self._name_weak()
