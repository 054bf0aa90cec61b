"""The one style sheet; a theme fills it with its colours (`Themes.dress` lays it on).

Property hooks for widgets: ``role`` = ``title`` | ``section`` | ``muted`` | ``small`` | ``code`` | ``banner`` on
labels, ``kind`` = ``primary`` | ``quiet`` | ``link`` | ``danger`` on buttons, ``card`` = true on frames, ``locked`` on
fields and tables that are only read.

Labels, message boxes and tool tips take words as they are: Qt would read some of what captures, hosts and file names
say as HTML, and fetch the pictures that it names.
"""

from __future__ import annotations

from string import Template

SHEET = Template("""
QLabel, QToolTip { qproperty-textFormat: PlainText; }
QLabel[escaped="true"] { qproperty-textFormat: RichText; }
QMainWindow, QDialog, QMainWindow > QWidget { background: $background; }
QToolTip { background: $surface; color: $text; border: 1px solid $border; padding: 4px 6px; }

QLabel[role="title"] { font-size: 20px; font-weight: bold; }
QLabel[role="section"] { font-size: 16px; font-weight: bold; }
QLabel[role="strong"] { font-weight: bold; }
QLabel[role="muted"] { color: $muted; }
QLabel[role="small"] { color: $muted; font-size: 11px; }
QLabel[role="code"], QPlainTextEdit[role="code"] { font-family: $code; font-size: 12px; }
QLabel[tone="ok"] { color: $ok; }
QLabel[tone="watch"] { color: $watch; }
QLabel[tone="warning"] { color: $warning; }
QLabel[tone="critical"] { color: $critical; }
QLabel[tone="before"] { color: $before; }
QLabel[tone="after"] { color: $after; }
QLabel[tone="accent"] { color: $accent; }

QFrame[card="true"], QWidget[card="true"] { background: $surface; border: 1px solid $border; border-radius: 4px; }
QFrame[line="true"] { background: $border; border: none; max-height: 1px; min-height: 1px; }

QMenuBar { background: $background; padding: 2px 4px; }
QMenuBar::item { padding: 7px 8px; border-radius: 4px; background: transparent; }
QMenuBar::item:selected, QMenuBar::item:pressed { background: $hover; }
QMenu { background: $surface; border: 1px solid $border; padding: 4px; }
QMenu::item { padding: 5px 24px 5px 24px; border-radius: 4px; }
QMenu::item:selected { background: $selected; }
QMenu::item:disabled { color: $disabled; }
QMenu::separator { height: 1px; background: $border; margin: 4px 8px; }
QMenu::indicator { width: 14px; height: 14px; left: 5px; }
QMenu::indicator:checked { image: url("$check"); }
QAbstractItemView::indicator, QCheckBox::indicator {
  width: 12px; height: 12px; border: 1px solid $muted; border-radius: 2px; background: $surface; }
QAbstractItemView::indicator:checked, QCheckBox::indicator:checked { image: url("$check"); }

QPushButton, QToolButton {
  background: $surface; border: 1px solid $border; border-radius: 4px; padding: 4px 12px; min-height: 16px; }
QPushButton:hover, QToolButton:hover { background: $hover; }
QPushButton:pressed, QToolButton:pressed, QToolButton:checked { background: $pressed; }
QPushButton:focus, QToolButton:focus { border: 1px solid $accent; }
QPushButton:disabled, QToolButton:disabled { color: $disabled; background: $background; }
QPushButton[kind="primary"] { background: $accent; border-color: $accent; color: $on_accent; }
QPushButton[kind="primary"]:hover { background: $accent_hover; }
QPushButton[kind="primary"]:focus { border: 1px solid $text; }
QPushButton[kind="primary"]:disabled { background: $pressed; border-color: $border; color: $disabled; }
QPushButton[kind="quiet"], QToolButton[kind="quiet"] {
  background: transparent; border: 1px solid transparent; padding: 3px 8px; }
QPushButton[kind="quiet"]:hover, QToolButton[kind="quiet"]:hover { background: $hover; }
QPushButton[kind="quiet"]:focus, QToolButton[kind="quiet"]:focus { border: 1px solid $accent; }
QPushButton[kind="link"] {
  background: transparent; border: 1px solid transparent; padding: 1px 0; color: $accent; text-align: left; }
QPushButton[kind="link"]:hover { text-decoration: underline; }
QPushButton[kind="link"]:disabled { color: $disabled; }
QPushButton[kind="link"]:focus { border: 1px solid $accent; }
QPushButton[kind="danger"] { color: $critical; border-color: $critical; }
QFileDialog QToolButton { padding: 2px; min-width: 0; }
QToolButton[kind="icon"] { background: transparent; border: 1px solid transparent; padding: 2px; min-height: 0; }
QToolButton[kind="icon"]:hover { background: $hover; }
QToolButton[kind="icon"]:focus { border: 1px solid $accent; }
QToolButton::menu-indicator { image: none; width: 0; }

QLineEdit, QPlainTextEdit, QTextEdit, QComboBox, QSpinBox, QDoubleSpinBox, QDateEdit, QDateTimeEdit {
  background: $field; border: 1px solid $border; border-radius: 4px; padding: 3px 8px; min-height: 18px;
  selection-background-color: $accent; selection-color: $on_accent; }
QLineEdit:focus, QPlainTextEdit:focus, QTextEdit:focus, QComboBox:focus, QSpinBox:focus, QDoubleSpinBox:focus,
QDateEdit:focus, QDateTimeEdit:focus { border: 1px solid $accent; }
QLineEdit:disabled, QComboBox:disabled, QPlainTextEdit:disabled { color: $disabled; background: $background; }
QLineEdit[locked="true"], QPlainTextEdit[locked="true"], QTextEdit[locked="true"],
QAbstractItemView[locked="true"] { background: $background; }
QLineEdit[locked="true"]:focus, QPlainTextEdit[locked="true"]:focus, QTextEdit[locked="true"]:focus {
  border: 1px solid $border; }
QLineEdit[state="wrong"], QComboBox[state="wrong"], QPlainTextEdit[state="wrong"] { border: 1px solid $critical; }
QComboBox::drop-down { border: none; width: 20px; }
QComboBox::down-arrow { image: url("$chevron"); width: 12px; height: 12px; }
QComboBox QAbstractItemView {
  background: $surface; border: 1px solid $border; outline: none; selection-background-color: $selected;
  selection-color: $text; }
QSpinBox, QDoubleSpinBox, QDateEdit, QDateTimeEdit { padding: 1px 8px; min-height: 22px; max-height: 22px; }
QSpinBox::up-button, QDoubleSpinBox::up-button {
  border: none; width: 18px; subcontrol-origin: padding; subcontrol-position: top right; }
QSpinBox::down-button, QDoubleSpinBox::down-button {
  border: none; width: 18px; subcontrol-origin: padding; subcontrol-position: bottom right; }
QSpinBox::up-arrow, QDoubleSpinBox::up-arrow { image: url("$chevron_up"); width: 10px; height: 10px; }
QSpinBox::down-arrow, QDoubleSpinBox::down-arrow { image: url("$chevron"); width: 10px; height: 10px; }
QDateEdit::drop-down, QDateTimeEdit::drop-down {
  border: none; width: 20px; subcontrol-origin: padding; subcontrol-position: right center; }
QDateEdit::down-arrow, QDateTimeEdit::down-arrow { image: url("$chevron"); width: 12px; height: 12px; }

QCheckBox, QRadioButton { spacing: 6px; }
QRadioButton::indicator {
  width: 12px; height: 12px; border: 1px solid $muted; border-radius: 7px; background: $surface; }
QRadioButton::indicator:checked { width: 6px; height: 6px; border: 4px solid $accent; background: $surface; }
QCheckBox:focus, QRadioButton:focus { color: $accent; }

QAbstractItemView { background: $surface; border: 1px solid $border; border-radius: 4px; outline: none;
  alternate-background-color: $surface;
  selection-background-color: $selected; selection-color: $text; }
QTreeView::item, QListView::item { height: 26px; border: none; padding: 0 4px; }
QTableView { gridline-color: $border; }
QTableView::item { padding: 0 8px; border: none; }
QTreeView::item:hover, QListView::item:hover { background: $hover; }
QTreeView::item:selected, QListView::item:selected, QTableView::item:selected { background: $selected; color: $text; }
QTreeView::branch { background: transparent; }
QTreeView::branch:has-children:closed { image: url("$chevron_right"); }
QTreeView::branch:has-children:open { image: url("$chevron"); }
QHeaderView { background: $surface; }
QHeaderView::section {
  background: $surface; color: $muted; border: none; border-bottom: 1px solid $border; padding: 5px 8px;
  font-size: 11px; }
QTableCornerButton::section { background: $surface; border: none; }

QDockWidget { titlebar-close-icon: none; titlebar-normal-icon: none; }
QMainWindow::separator { background: $border; width: 1px; height: 1px; }
QSplitter::handle { background: $border; }
QSplitter[plain="true"]::handle { background: transparent; }
QSplitter::handle:horizontal { width: 1px; }
QSplitter::handle:vertical { height: 1px; }
QScrollArea { background: transparent; border: none; }
QScrollArea > QWidget > QWidget { background: transparent; }

QTabBar { background: transparent; }
QTabBar::tab {
  background: transparent; color: $muted; padding: 6px 12px; border: none;
  border-bottom: 2px solid transparent; }
QTabBar::tab:selected { color: $text; border-bottom: 2px solid $accent; }
QTabBar::tab:hover { color: $text; }
QTabBar::tab:focus { color: $accent; }
QTabBar::tab:disabled { color: $disabled; }
QTabWidget::pane { border: none; }
#viewtabs::tab { padding: 5px 10px 4px 10px; font-size: 14px; }
#viewtabs::tab:selected { font-weight: bold; }

QProgressBar { background: $pressed; border: none; border-radius: 3px; max-height: 6px; min-height: 6px; }
QProgressBar::chunk { background: $accent; border-radius: 3px; }

QScrollBar:vertical { background: transparent; width: ${scroll_bar}px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: ${scroll_bar}px; margin: 0; }
QScrollBar::handle { background: $scroll; border-radius: 3px; margin: 2px; min-height: 24px; min-width: 24px; }
QScrollBar::handle:hover { background: $muted; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }

QStatusBar { background: $background; border-top: 1px solid $border; }
QStatusBar::item { border: none; }
QStatusBar QLabel { color: $muted; font-size: 11px; }
#capturestatus { background: transparent; border: 1px solid transparent; border-radius: 4px; padding: 0 6px;
  min-height: 18px; max-height: 20px; color: $muted; font-size: 11px; }
#capturestatus:hover { background: $hover; }
#capturestatus:focus { border: 1px solid $accent; }
#capturestatus[tone="ok"] { color: $ok; }
#capturestatus[tone="warning"] { color: $warning; font-weight: bold; }
QPushButton[kind="quiet"]:checked { background: $selected; color: $accent; }
QPushButton[kind="quiet"][tone="before"] { color: $before; }
QPushButton[kind="quiet"][tone="after"] { color: $after; }

#rail { background: $background; border-right: 1px solid $border; }
#rail QToolButton { background: transparent; border: none; border-left: 3px solid transparent;
  border-radius: 0; color: $muted;
  font-size: 11px; padding: 6px 0 4px 0; }
#rail QToolButton:hover { background: $hover; color: $text; }
#rail QToolButton:checked { border-left: 3px solid $accent; color: $accent; background: transparent; }
#rail QToolButton:focus { background: $hover; }
#rail QToolButton:disabled { color: $disabled; }
#dock { background: $surface; }
#dock QTreeView, #dock QTreeWidget { border: none; border-radius: 0; }
#messages { border-radius: 4px; }
#messages[tone="error"] { background: $error_fill; border: 1px solid $critical; }
#messages[tone="info"] { background: $selected; border: 1px solid $accent; }
#messages[tone="warning"] { background: $warning_fill; border: 1px solid $warning; }
#dropzone { border: 1px dashed $muted; border-radius: 4px; background: transparent; }
#dropzone[over="true"] { border: 1px dashed $accent; background: $selected; }
#searchbutton { color: $muted; text-align: left; padding: 4px 12px; }
""")
