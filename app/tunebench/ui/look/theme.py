"""Colours, spacing and type of the window: one light and one dark set, chosen at run time.

Every colour in the program comes from a `Theme`: widgets through the palette and the style sheet, charts
and delegates by asking `current_theme()` and listening to `themes().theme_changed`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from weakref import WeakKeyDictionary

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QColor, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

from tunebench.core.paths import resources_folder
from tunebench.ui.look import fonts
from tunebench.ui.look.style import SHEET

SPACE_XS, SPACE_S, SPACE_M, SPACE_L, SPACE_XL = 4, 8, 12, 16, 24
RADIUS = 4
ROW_HEIGHT = 26
ROW_HEIGHT_DENSE = 22
SCROLL_BAR = 10
ICON_SIZE = 20
ICON_SIZE_SMALL = 16


class ThemeMode(StrEnum):
    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


@dataclass(frozen=True)
class Theme:
    """One set of colours. Text, muted and all meaning colours keep 4.5:1 on `background` and `surface`.

    Attributes:
        before, after: the two sides of every comparison (solid and dashed in charts).
        hover, pressed, selected: fills of interactive things.
        grid: chart grid, text colour at 12 %.
        series: line colours for series that carry no other meaning, to be used in this order.
    """

    name: str
    dark: bool
    background: QColor
    surface: QColor
    border: QColor
    text: QColor
    muted: QColor
    accent: QColor
    on_accent: QColor
    before: QColor
    after: QColor
    ok: QColor
    watch: QColor
    warning: QColor
    critical: QColor
    hover: QColor
    pressed: QColor
    selected: QColor
    field: QColor
    grid: QColor
    gap: QColor
    series: tuple[QColor, ...]

    def tint(self, colour: QColor, share: float = 0.12) -> QColor:
        """`colour` laid over the surface at `share` (0..1): opaque, so that text on it stays readable."""
        base = self.surface
        return QColor(
            round(base.red() + (colour.red() - base.red()) * share),
            round(base.green() + (colour.green() - base.green()) * share),
            round(base.blue() + (colour.blue() - base.blue()) * share),
        )

    def phase_colour(self, phase: str) -> QColor:
        return {"before": self.before, "after": self.after}.get(phase, self.text)


def faded(colour: QColor | str, share: float) -> QColor:
    """`colour` as what lies below shines through it, at `share` (0..1)."""
    paler = QColor(colour)
    paler.setAlphaF(share)
    return paler


LIGHT = Theme(
    name="light",
    dark=False,
    background=QColor("#F6F7F9"),
    surface=QColor("#FFFFFF"),
    border=QColor("#D9DEE5"),
    text=QColor("#1B1F24"),
    muted=QColor("#57606A"),
    accent=QColor("#0F6B66"),
    on_accent=QColor("#FFFFFF"),
    before=QColor("#B4531A"),
    after=QColor("#1F6FB2"),
    ok=QColor("#2B7330"),
    watch=QColor("#7A5F00"),
    warning=QColor("#A84A08"),
    critical=QColor("#B42318"),
    hover=QColor("#EDF0F3"),
    pressed=QColor("#E1E6EB"),
    selected=QColor("#E1F0EF"),
    field=QColor("#FFFFFF"),
    grid=faded("#1B1F24", 0.12),
    gap=QColor("#E1E4E8"),
    series=tuple(QColor(c) for c in ("#0F6B66", "#7A4FA3", "#A84A08", "#1F6FB2", "#6B6B00", "#A23B72", "#3F6B2A")),
)

DARK = Theme(
    name="dark",
    dark=True,
    background=QColor("#16191D"),
    surface=QColor("#1E2227"),
    border=QColor("#333A42"),
    text=QColor("#E6E9ED"),
    muted=QColor("#9AA4AF"),
    accent=QColor("#4FD1C5"),
    on_accent=QColor("#0D1F1E"),
    before=QColor("#F0985C"),
    after=QColor("#6FB3F2"),
    ok=QColor("#6CC070"),
    watch=QColor("#E0C050"),
    warning=QColor("#F5A04A"),
    critical=QColor("#FF7B72"),
    hover=QColor("#272C32"),
    pressed=QColor("#30363D"),
    selected=QColor("#21393A"),
    field=QColor("#1A1E22"),
    grid=faded("#E6E9ED", 0.12),
    gap=QColor("#333940"),
    series=tuple(QColor(c) for c in ("#4FD1C5", "#C3A1E8", "#F5A04A", "#6FB3F2", "#D3D04A", "#F08CC0", "#93CF7A")),
)


def palette_of(theme: Theme) -> QPalette:
    """The palette that Fusion draws everything from that the style sheet does not name."""
    palette = QPalette()
    role = QPalette.ColorRole
    colours = {
        role.Window: theme.background,
        role.WindowText: theme.text,
        role.Base: theme.surface,
        role.AlternateBase: theme.background,
        role.Text: theme.text,
        role.Button: theme.surface,
        role.ButtonText: theme.text,
        role.BrightText: theme.critical,
        role.ToolTipBase: theme.surface,
        role.ToolTipText: theme.text,
        role.PlaceholderText: theme.muted,
        role.Highlight: theme.selected,
        role.HighlightedText: theme.text,
        role.Link: theme.accent,
        role.LinkVisited: theme.accent,
        role.Accent: theme.accent,
        role.Light: theme.surface,
        role.Midlight: theme.hover,
        role.Mid: theme.border,
        role.Dark: theme.border,
        role.Shadow: theme.border,
    }
    for which, colour in colours.items():
        palette.setColor(which, colour)
    for which in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, which, _disabled(theme))
    return palette


def _disabled(theme: Theme) -> QColor:
    return theme.tint(theme.muted, 0.6)


def _style_sheet(theme: Theme, families: tuple[str, ...]) -> str:
    """The style sheet of the whole program in the colours of `theme`."""
    icons = resources_folder() / "icons"
    colours = {
        name: getattr(theme, name).name()
        for name in (
            "background",
            "surface",
            "border",
            "text",
            "muted",
            "accent",
            "on_accent",
            "before",
            "after",
            "ok",
            "watch",
            "warning",
            "critical",
            "hover",
            "pressed",
            "selected",
            "field",
        )
    }
    tone = "dark" if theme.dark else "light"
    return SHEET.substitute(
        colours,
        families=", ".join(f'"{name}"' for name in families),
        code=", ".join(f'"{name}"' for name in (*fonts.code_families(), *families)),
        scroll_bar=SCROLL_BAR,
        disabled=theme.tint(theme.muted, 0.55).name(),
        scroll=theme.tint(theme.muted, 0.35).name(),
        accent_hover=theme.accent.lighter(112).name() if theme.dark else theme.accent.darker(112).name(),
        error_fill=theme.tint(theme.critical, 0.10).name(),
        warning_fill=theme.tint(theme.warning, 0.12).name(),
        check=(icons / f"check-{tone}.svg").as_posix(),
        chevron=(icons / f"chevron-{tone}.svg").as_posix(),
        chevron_up=(icons / f"chevron-up-{tone}.svg").as_posix(),
        chevron_right=(icons / f"chevron-right-{tone}.svg").as_posix(),
    )


class Themes(QObject):
    """Which theme is shown. `theme_changed` carries the new `Theme`.

    The application has no sheet of its own: Qt would style all that a part holds again whenever the part is put into
    another, and every widget of all pages when the theme changes. Parts are put together plain, and dressed as a whole.
    """

    theme_changed = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._mode = ThemeMode.SYSTEM
        self._theme = LIGHT
        self._is_shown = False
        self._follows = False
        self._sheet = ""
        self._worn: WeakKeyDictionary[QWidget, str] = WeakKeyDictionary()

    @property
    def mode(self) -> ThemeMode:
        return self._mode

    @property
    def theme(self) -> Theme:
        return self._theme

    @contextmanager
    def painted_light(self) -> Iterator[None]:
        """What is painted within it is for paper; nobody else hears of it."""
        shown, self._theme = self._theme, LIGHT
        try:
            yield
        finally:
            self._theme = shown

    def follow(self, colour: Callable[[], object]) -> None:
        """Calls `colour` now, and whenever the theme has changed."""
        self.theme_changed.connect(colour)
        colour()

    def dress(self, part: QWidget) -> None:
        """`part`, and all that it holds or ever will, wears the sheet of the theme; while hidden it changes only before
        it is seen again."""
        if part not in self._worn:
            part.installEventFilter(self)
            self._put_on(part)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Show and isinstance(watched, QWidget):
            self._put_on(watched)
        return False

    def _put_on(self, part: QWidget) -> None:
        if self._worn.get(part) != self._sheet:
            self._worn[part] = self._sheet
            part.setStyleSheet(self._sheet)

    def set_mode(self, mode: ThemeMode) -> None:
        self._mode = mode
        if not self._follows:
            QGuiApplication.styleHints().colorSchemeChanged.connect(self._follow_system)
            self._follows = True
        self._show(self._wanted())

    def _wanted(self) -> Theme:
        if self._mode is ThemeMode.SYSTEM:
            return DARK if QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark else LIGHT
        return DARK if self._mode is ThemeMode.DARK else LIGHT

    def _follow_system(self) -> None:
        if self._mode is ThemeMode.SYSTEM:
            self._show(self._wanted())

    def _show(self, theme: Theme) -> None:
        if self._is_shown and theme is self._theme:
            return  # Qt would style every widget again, which takes seconds with all pages open
        self._theme, self._is_shown = theme, True
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.setPalette(palette_of(theme))
            app.setFont(fonts.font())
            self._sheet = _style_sheet(theme, fonts.families())
            for part in [part for part in self._worn if isValid(part) and part.isVisible()]:
                self._put_on(part)
        self.theme_changed.emit(theme)


@cache
def themes() -> Themes:
    return Themes()


def current_theme() -> Theme:
    return themes().theme


def tone_colour(tone: str) -> QColor:
    """The colour of a tone (``ok``, ``watch``, ``critical`` ...) in the theme of now; empty is that of text."""
    colour: QColor = getattr(current_theme(), tone or "text")
    return colour
