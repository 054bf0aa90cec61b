"""Help inside the window: short topics from `resources/help/<language>`, in the window's language; and what this is,
which version, whose work it stands on."""

from __future__ import annotations

import platform
from pathlib import Path

from PySide6.QtCore import QSize, Qt, QUrl, qVersion
from PySide6.QtGui import (
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextFrameFormat,
    QTextTable,
)
from PySide6.QtWidgets import QDialog, QLabel, QListWidget, QListWidgetItem, QTextBrowser, QWidget

import tunebench
from tunebench.core.paths import resources_folder
from tunebench.ui.look import fonts
from tunebench.ui.look.icons import pixmap
from tunebench.ui.look.language import language, text, translated
from tunebench.ui.look.theme import ROW_HEIGHT, SPACE_L, SPACE_M, SPACE_XL, SPACE_XS, Theme, current_theme
from tunebench.ui.pages.base import Page
from tunebench.ui.widgets.parts import FactTable, button, column, label, row
from tunebench.ui.workspace import Workspace

_CODE = QTextFormat.Property.BlockCodeFence
TOPICS = (
    "first_steps",
    "import",
    "formats",
    "capture",
    "cycle",
    "timeline",
    "compare",
    "database",
    "statements",
    "findings",
    "capacity",
    "experiments",
    "report",
    "reference",
    "plugins",
    "merging",
    "archive",
    "cluster",
    "scripts",
    "own_parser",
    "keys",
)


class AboutDialog(QDialog):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(text("ui.command.help.about").rstrip("…"))
        mark = QLabel()
        mark.setPixmap(pixmap("app", current_theme().accent, 48))
        version = label(text("ui.about.version", version=tunebench.__version__), "muted")
        promise = label(text("ui.welcome.promise"), wrap=True)
        promise.setMinimumWidth(360)
        head = row(mark, (column(label("TuneBench", "title"), version, promise, spacing=SPACE_XS), 1), spacing=SPACE_L)
        head.setAlignment(mark, Qt.AlignmentFlag.AlignTop)
        table = FactTable(right=False)
        table.add("Python", platform.python_version())
        table.add("Qt", qVersion())
        table.add(text("ui.about.system"), platform.platform(terse=True))
        table.add(text("ui.about.parts"), text("ui.about.parts.value"))
        close = button(text("ui.action.close"), "primary", self.accept)
        margins = (SPACE_XL, SPACE_XL, SPACE_XL, SPACE_L)
        self.setLayout(column(head, table, row(1, close), spacing=SPACE_L, margins=margins))
        close.setFocus()


def topic_path(language_code: str, topic: str) -> Path:
    return resources_folder() / "help" / language_code / f"{topic}.md"


class HelpPage(Page):
    page_id = "help"
    title_key = "ui.page.help"
    icon = "help"

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self.topics = translated(QListWidget(), accessibleName="ui.help.topics")
        self.topics.setFixedWidth(190)
        self.topics.currentRowChanged.connect(self._show_row)
        self.browser = translated(QTextBrowser(openLinks=False), accessibleName="ui.page.help")
        self.browser.anchorClicked.connect(self._follow)
        body = row(self.topics, (self.browser, 1), spacing=SPACE_M)
        column(self.title(), (body, 1), spacing=SPACE_M, margins=(SPACE_L, SPACE_M), of=self)
        for _topic in TOPICS:
            item = QListWidgetItem()
            item.setSizeHint(QSize(0, ROW_HEIGHT))
            self.topics.addItem(item)
        self.start()
        self.topics.setCurrentRow(0)

    def show_argument(self, argument: object) -> None:
        if argument in TOPICS:
            self.topics.setCurrentRow(TOPICS.index(str(argument)))

    def enter(self) -> None:
        self.browser.setFocus()

    def retranslate(self, code: str) -> None:
        for at, topic in enumerate(TOPICS):
            self.topics.item(at).setText(text(f"ui.help.topic.{topic}"))
        self._show_row(self.topics.currentRow())

    def apply_theme(self, theme: Theme) -> None:
        self._show_row(self.topics.currentRow())

    def _show_row(self, row: int) -> None:
        if row >= 0:
            self._show_topic(TOPICS[row])

    def _show_topic(self, topic: str) -> None:
        theme = current_theme()
        document = self.browser.document()
        document.setDefaultFont(fonts.font(14))
        document.setDocumentMargin(20)
        document.setDefaultStyleSheet(f"a {{ color: {theme.accent.name()}; }}")
        words = topic_path(language().code, topic).read_text(encoding="utf-8")
        document.setMarkdown(words, QTextDocument.MarkdownFeature.MarkdownDialectGitHub)
        set_type(document, theme)
        self.browser.moveCursor(self.browser.textCursor().MoveOperation.Start)

    def _follow(self, url: QUrl) -> None:
        """``topic:compare`` inside the help; nothing else is opened from here."""
        if url.scheme() == "topic" and url.path() in TOPICS:
            self.topics.setCurrentRow(TOPICS.index(url.path()))


def set_type(document: QTextDocument, theme: Theme) -> None:
    """Space between lines, paragraphs and headings, and quiet tables: Markdown knows none of it."""
    block = document.begin()
    while block.isValid():
        _set_block(block, theme)
        block = block.next()


def _set_block(block: QTextBlock, theme: Theme) -> None:
    cursor = QTextCursor(block)
    table: QTextTable | None = cursor.currentTable()
    if table is not None:
        table_format = table.format()
        table_format.setBorderCollapse(True)
        table_format.setBorder(1)
        table_format.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
        table_format.setBorderBrush(theme.border)
        table_format.setCellPadding(6)
        table_format.setTopMargin(4)
        table_format.setBottomMargin(12)
        table.setFormat(table_format)
        return
    level = block.blockFormat().headingLevel()
    spacing = QTextBlockFormat()
    spacing.setLineHeight(100 if level else 145, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
    spacing.setTopMargin(18 if level > 1 else 0)
    spacing.setBottomMargin(2 if block.textList() is not None else 8)
    if block.blockFormat().hasProperty(_CODE):  # each line of a listing is a block
        within = block.next().isValid() and block.next().blockFormat().hasProperty(_CODE)
        spacing.setLineHeight(125, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        spacing.setBottomMargin(0 if within else 10)
    cursor.mergeBlockFormat(spacing)
    if level:
        cursor.select(QTextCursor.SelectionType.BlockUnderCursor)
        heading = QTextCharFormat()
        heading.setFont(fonts.font(fonts.TITLE_PX if level == 1 else fonts.SECTION_PX, bold=True))
        cursor.mergeCharFormat(heading)
