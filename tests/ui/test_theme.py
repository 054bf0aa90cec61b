"""Colours can be read on both surfaces, in both themes, and reach every widget."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication, QDialog, QLabel, QMenu

from tests.waiting import let_window_live
from tunebench.ui.frame.main_window import MainWindow
from tunebench.ui.look.icons import pixmap
from tunebench.ui.look.theme import DARK, LIGHT, Theme, ThemeMode, themes

READ = ("text", "muted", "accent", "before", "after", "ok", "watch", "warning", "critical")


def contrast(one: QColor, other: QColor) -> float:
    """WCAG 2.1 contrast ratio."""

    def luminance(colour: QColor) -> float:
        parts = []
        for value in (colour.redF(), colour.greenF(), colour.blueF()):
            parts.append(value / 12.92 if value <= 0.03928 else ((value + 0.055) / 1.055) ** 2.4)
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    brighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (brighter + 0.05) / (darker + 0.05)


def test_contrast_is_what_the_standard_says() -> None:
    assert contrast(QColor("#000000"), QColor("#FFFFFF")) == pytest.approx(21)
    assert contrast(QColor("#777777"), QColor("#FFFFFF")) == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda t: t.name)
@pytest.mark.parametrize("name", READ)
def test_words_keep_their_contrast(theme: Theme, name: str) -> None:
    colour = getattr(theme, name)
    for ground in (theme.background, theme.surface):
        assert contrast(colour, ground) >= 4.5


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda t: t.name)
def test_words_on_fills_keep_their_contrast(theme: Theme) -> None:
    assert contrast(theme.on_accent, theme.accent) >= 4.5
    assert contrast(theme.text, theme.selected) >= 4.5
    assert contrast(theme.muted, theme.selected) >= 4.5
    for line in theme.series:
        assert contrast(line, theme.surface) >= 3


def test_switching_reaches_palette_style_and_pages(window: MainWindow, qapp: QApplication) -> None:
    seen: list[Theme] = []
    themes().theme_changed.connect(seen.append)
    window.workspace.commands.action("view.theme.dark").trigger()
    assert seen == [DARK]
    assert qapp.palette().color(QPalette.ColorRole.Window) == DARK.background
    assert DARK.surface.name() in window.page("welcome").styleSheet()
    window.workspace.commands.action("view.theme.light").trigger()
    assert qapp.palette().color(QPalette.ColorRole.Window) == LIGHT.background
    assert window.settings.theme_mode is ThemeMode.LIGHT


def test_a_hidden_page_changes_its_sheet_when_it_is_seen_again(opened: MainWindow) -> None:
    """Its labels have their colour from the sheet, not from the palette of the application."""
    page, shown = opened.page("captures"), opened.page("welcome")
    muted = next(shown for shown in page.findChildren(QLabel) if shown.property("role") == "muted")
    opened.show_page("help")
    themes().set_mode(ThemeMode.DARK)
    assert page.styleSheet() == shown.styleSheet() != opened.page("help").styleSheet()
    opened.show_page("captures")
    assert muted.palette().color(QPalette.ColorRole.WindowText) == DARK.muted
    themes().set_mode(ThemeMode.LIGHT)
    assert muted.palette().color(QPalette.ColorRole.WindowText) == LIGHT.muted


def test_a_window_of_its_own_wears_the_theme(opened: MainWindow) -> None:
    """A dialog over the window, and one over a page."""
    themes().set_mode(ThemeMode.DARK)
    for within in (opened, opened.page("captures")):
        dialog = QDialog(within)
        words = QLabel("words", dialog)
        words.setProperty("role", "muted")
        dialog.open()
        assert words.palette().color(QPalette.ColorRole.WindowText) == DARK.muted
        assert words.textFormat() is Qt.TextFormat.PlainText
        dialog.close()


def test_a_menu_that_is_made_anew_leaves_none_behind(opened: MainWindow) -> None:
    for page_id in ("findings", "cycle"):
        opened.show_page(page_id)
        let_window_live(0.02, "its commands come into the menus")
    bar = opened.menuBar()
    menus = bar.findChildren(QMenu, options=Qt.FindChildOption.FindDirectChildrenOnly)
    assert sorted(menu.title() for menu in menus) == sorted(action.text() for action in bar.actions())


def test_the_theme_that_is_shown_is_not_laid_on_again(qapp: QApplication, look: Any) -> None:
    look("en", "light")
    seen: list[Theme] = []
    themes().theme_changed.connect(seen.append)
    for mode in (ThemeMode.LIGHT, ThemeMode.DARK, ThemeMode.DARK, ThemeMode.LIGHT):
        themes().set_mode(mode)
    assert seen == [DARK, LIGHT]
    assert themes().mode is ThemeMode.LIGHT


def test_window_is_painted_in_the_theme(window: MainWindow, look: Any, qtbot: Any) -> None:
    for mode, theme in (("dark", DARK), ("light", LIGHT)):
        look("en", mode)
        let_window_live(0.02, "the window is painted anew")
        corner = window.grab().toImage().pixelColor(700, 740 // 2 + 250)
        assert corner == theme.background


def test_icons_take_the_colour_they_are_given(qapp: QApplication) -> None:
    red = QColor("#FF0000")
    picture = pixmap("timeline", red, 20, 1.0).toImage()
    found = {
        picture.pixelColor(x, y).name() for x in range(20) for y in range(20) if picture.pixelColor(x, y).alpha() == 255
    }
    assert found == {"#ff0000"}
