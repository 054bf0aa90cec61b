"""A host's profile: how it is reached. There is no field for a secret, here or anywhere."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QStringListModel, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QFrame, QLineEdit, QMenu, QRadioButton, QScrollArea, QWidget

from tunebench.core.errors import UserError
from tunebench.domain.connection import Backend, HostColour, HostProfile
from tunebench.ui.capturing.host_fields import FileField, IdentityField, JumpField, WeakModel
from tunebench.ui.capturing.host_panel import colour_words
from tunebench.ui.capturing.plan_settings import BOX_WIDTH, ChoiceField, NumberField
from tunebench.ui.look.language import error_text, text, translated
from tunebench.ui.look.theme import ROW_HEIGHT_DENSE, SPACE_L, SPACE_M, SPACE_S
from tunebench.ui.widgets.layouts import NamedFields
from tunebench.ui.widgets.parts import button, column, completer, label, panel, row, set_tone
from tunebench.ui.widgets.row_list import RowList
from tunebench.usecases.capturing import connections, host_choices

SYSTEMS = ("", "linux", "sunos", "aix", "hp-ux", "freebsd")
COLOURS = tuple(HostColour)
PLACES = {
    "address": (0, 0, 1),
    "name": (0, 1, 1),
    "user": (3, 0, 1),
    "port": (3, 1, 1),
    "os": (6, 0, 1),
    "colour": (6, 1, 1),
    "identity": (9, 0, 2),
    "jump": (11, 0, 2),
    "known_hosts": (13, 0, 2),
    "note": (15, 0, 2),
}
"""Line, column and width of a field's name; its field and what was refused of it are below."""
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
        self.os = ChoiceField([f"ui.capture.os.{os or 'unknown'}" for os in SYSTEMS])
        self.colour = ChoiceField([f"ui.capture.colour.{colour or 'none'}" for colour in COLOURS])
        self._config_names = QStringListModel(self)
        self.address.setCompleter(completer(self._config_names, self))
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
        self.refusals = {name: label(role="small", tone="critical", wrap=True) for name in FIELD_OF_REFUSAL.values()}
        self._refusal: UserError | None = None
        self.use_config = translated(QCheckBox(), "ui.capture.field.use_config")
        self.backends = {backend: translated(QRadioButton(), f"ui.capture.backend.{backend}") for backend in Backend}
        self._backend_words = {
            backend: translated(label(role="small", wrap=True), f"ui.capture.backend.{backend}.words")
            for backend in Backend
        }
        self._backend_title = translated(label(role="small"), "ui.capture.field.backend")
        self.weak = WeakModel()
        self.weak_list = translated(RowList(self.weak), accessibleName="ui.capture.weak")
        self.weak_list.setFixedHeight(6 * ROW_HEIGHT_DENSE)
        self._weak_title = button(kind="link", on_click=lambda: self._show_weak(self.weak_list.isHidden()))
        self._weak_words = translated(label(role="small", wrap=True), "ui.capture.weak.words")

    def _make_buttons(self) -> None:
        self.save = translated(button(kind="primary", on_click=lambda: self.submit(test=False)), "ui.capture.host.save")
        self.save_and_test = translated(
            button(on_click=lambda: self.submit(test=True)), "ui.capture.host.save_and_test"
        )
        self.cancel = translated(button(on_click=self.closed.emit), "ui.action.cancel")

    def _lay_out(self) -> None:
        inside = column(
            self._grid(), self.use_config, self._backend_title, margins=(SPACE_L, SPACE_S, SPACE_L, SPACE_S)
        )
        for backend in Backend:
            inside.addWidget(self.backends[backend])
            self._backend_words[backend].setContentsMargins(22, 0, 0, 0)
            inside.addWidget(self._backend_words[backend])
        inside.addWidget(self._weak_title, 0, Qt.AlignmentFlag.AlignLeft)
        inside.addWidget(self._weak_words)
        inside.addWidget(self.weak_list)
        inside.addStretch(1)
        area = QScrollArea()
        area.setWidget(panel(inside))
        area.setWidgetResizable(True)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # it follows the field that has it
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        chooser, buttons = row(self.from_config, 1), row(self.save, self.save_and_test, self.cancel, 1)
        for part in (self._title, self._secrets, chooser, buttons):
            part.setContentsMargins(SPACE_L, 0, SPACE_L, 0)
        self.setLayout(
            column(self._title, self._secrets, chooser, (area, 1), buttons, margins=(0, SPACE_M, 0, SPACE_M))
        )

    def _grid(self) -> NamedFields:
        grid = NamedFields("ui.capture.field", self.fields, PLACES)
        for name, refusal in self.refusals.items():
            line, side, _ = PLACES[name]
            grid.addWidget(refusal, line + 2, side)
        for field in (self.port, self.os, self.colour):
            field.setMinimumWidth(BOX_WIDTH)  # not that of their longest words: both columns are equally wide
        grid.stretch(1, 1)
        return grid

    def _connect(self) -> None:
        for edit in (self.name, self.address, self.user):
            edit.editingFinished.connect(self._tell)
            edit.returnPressed.connect(lambda: self.submit(test=False))
            edit.textEdited.connect(self._forgive)
        self.address.editingFinished.connect(self._take_apart)
        self.port.editingFinished.connect(self._tell)
        for field in (self.identity, self.known_hosts, self.jump):
            field.changed.connect(self._tell)
        self.weak.changed.connect(self._tell)
        self.use_config.toggled.connect(self._tell)
        for radio in self.backends.values():
            radio.clicked.connect(self._tell)

    # --- values
    def show_profile(self, profile: HostProfile | None, former: str = "") -> None:
        """Shows a profile, None an empty one; `former` is the saved name of an edited host, empty for a new one."""
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
        backend = next(backend for backend, radio in self.backends.items() if radio.isChecked())
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
        """Shows the refusal under the field that it is about."""
        self._refusal = error
        field = FIELD_OF_REFUSAL.get(error.key, "address")
        unnamed = field == "name" and not self.name.text().strip()  # then the address is the name
        self._refuse("address" if unnamed else field, error_text(error))

    def _refuse(self, name: str, words: str) -> None:
        self.refusals[name].setText(words)
        self.refusals[name].show()
        set_tone(self.fields[name], "wrong", "state")
        self.fields[name].setFocus()

    def _forgive(self) -> None:
        """Something else is being entered."""
        self._refusal = None
        for name, refusal in self.refusals.items():
            refusal.hide()
            set_tone(self.fields[name], "", "state")

    def _tell(self) -> None:
        if not self._filling:
            self.edited.emit(self.entered())

    def _take_apart(self) -> None:
        """``user@host:port``, as it is typed elsewhere, goes into its three fields."""
        try:
            profile = connections.profile_of(self.address.text().strip())
        except UserError:
            return
        if profile.user or profile.port:
            self.address.setText(profile.address)
            self.user.setText(profile.user or self.user.text())
            self.port.setValue(profile.port or self.port.value())
            self._tell()

    # --- names of the ssh configuration
    def _offer_config(self) -> None:
        """Offers the configured hosts, to a new host only."""
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
        for index, colour in enumerate(COLOURS):
            self.colour.setItemText(index, colour_words(colour) or text("ui.capture.colour.none"))
        if self._refusal is not None:
            self.show_refusal(self._refusal)
        for field in (self.identity, self.known_hosts):
            field.retranslate()
        self._name_weak()
