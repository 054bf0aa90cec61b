"""Every command of a plan verbatim, one host at a time: code wraps, and everything can be marked and copied."""

from __future__ import annotations

from PySide6.QtGui import QFont, QTextBlockFormat, QTextCharFormat, QTextCursor, QTextOption
from PySide6.QtWidgets import QTextEdit

from tunebench.domain.capturing.plan import CapturePlan, CommandKind, PlannedCommand, PlannedHost, Rights
from tunebench.ui.look import fonts
from tunebench.ui.look.formats import format_interval
from tunebench.ui.look.language import language, text
from tunebench.ui.look.theme import SPACE_M, SPACE_S, current_theme


class PlanText(QTextEdit):
    """Read-only; the house's own commands come last, for an administrator looks for the others first."""

    def __init__(self) -> None:
        super().__init__()
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setTabChangesFocus(True)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self._plan: CapturePlan | None = None
        self._host = ""

    def show_plan(self, plan: CapturePlan | None, host: str) -> None:
        if plan is self._plan and host == self._host:
            return
        self._plan, self._host = plan, host
        self.rewrite()

    def commands_text(self) -> str:
        """The command lines alone, as they are sent, one a line."""
        return "\n".join(command.verbatim for command in self._commands())

    def _commands(self) -> list[PlannedCommand]:
        commands = self._plan.on(self._host) if self._plan is not None else ()
        return sorted(commands, key=lambda command: command.kind is CommandKind.HOUSE)

    def rewrite(self) -> None:
        """Writes the plan anew, in the window's language and colours."""
        self.clear()
        plan = self._plan
        host = next((host for host in plan.hosts if host.name == self._host), None) if plan is not None else None
        if plan is None or host is None:
            return
        writer = _Writer(QTextCursor(self.document()))
        for number, command in enumerate(self._commands(), start=1):
            _write_command(writer, number, command, plan)
        _write_ending(writer, host, self._commands())
        self.moveCursor(QTextCursor.MoveOperation.Start)


class _Writer:
    """Paragraphs in the few kinds that the view has."""

    def __init__(self, cursor: QTextCursor) -> None:
        self._cursor = cursor
        self._first = True
        self._colours = current_theme()

    def heading(self, words: str) -> None:
        self._add(words, fonts.font(bold=True), above=SPACE_M)

    def words(self, words: str, tone: str = "") -> None:
        self._add(words, fonts.font(), tone=tone)

    def small(self, words: str, tone: str = "muted") -> None:
        self._add(words, fonts.font(fonts.SMALL_PX), tone=tone, above=2)

    def code(self, words: str, strong: str = "") -> None:
        """Adds a line of code; `strong` is the part that an administrator types, the rest around it is muted."""
        before, middle, after = words.rpartition(strong) if strong else ("", words, "")
        self._add(before if middle else "", fonts.code_font(12), "muted", above=2, indent=True)
        self._go_on(middle or words, fonts.code_font(12), bold=bool(strong and middle))
        self._go_on(after if middle else "", fonts.code_font(12), "muted")

    def _go_on(self, words: str, font: QFont, tone: str = "text", *, bold: bool = False) -> None:
        """Adds words to the same paragraph."""
        shape = QTextCharFormat()
        shape.setFont(font)
        if bold:
            shape.setFontWeight(QFont.Weight.Bold)
        shape.setForeground(getattr(self._colours, tone))
        self._cursor.insertText(words, shape)

    def _add(self, words: str, font: QFont, tone: str = "", above: int = 0, indent: bool = False) -> None:
        block = QTextBlockFormat()
        block.setTopMargin(0 if self._first else above)
        if indent:
            block.setLeftMargin(SPACE_S)
            block.setBackground(self._colours.background)
        shape = QTextCharFormat()
        shape.setFont(font)
        shape.setForeground(getattr(self._colours, tone or "text"))
        if self._first:
            self._cursor.setBlockFormat(block)
            self._cursor.setBlockCharFormat(shape)
        else:
            self._cursor.insertBlock(block, shape)
        self._cursor.insertText(words, shape)
        self._first = False


def _write_command(writer: _Writer, number: int, command: PlannedCommand, plan: CapturePlan) -> None:
    writer.heading(f"{number}. {_short(command)}")
    writer.words(command.purpose(language().code))
    if command.own_words:
        writer.words(text("ui.capture.note.own.tip"), "warning")
    if command.rights is Rights.SUDO:
        writer.words(text("ui.capture.note.sudo.tip"), "watch")
    writer.small(_cost(command))
    writer.small(text("ui.capture.sheet.verbatim"))
    writer.code(command.verbatim, command.tool_line)
    writer.small(_ends(command, plan))
    if command.files:
        writer.small(text("ui.capture.sheet.files", files=", ".join(command.files)), "watch")


def _write_ending(writer: _Writer, host: PlannedHost, commands: list[PlannedCommand]) -> None:
    """What holds for the host as a whole."""
    writer.heading(text("ui.capture.sheet.stop"))
    for line in dict.fromkeys(command.stop_by_hand for command in commands if command.stop_by_hand):
        writer.code(line)
    writer.heading(text("ui.capture.sheet.files.title"))
    files = dict.fromkeys(path for command in commands for path in command.files)
    for path in files:
        writer.code(path)
    if not files:
        writer.words(text("ui.capture.sheet.files.none"))
    if host.sudoers:
        writer.heading(text("ui.capture.sheet.sudoers"))
        for line in host.sudoers:
            writer.code(line)
    if host.weak_algorithms:
        writer.heading(text("ui.capture.weak"))
        writer.words(", ".join(host.weak_algorithms), "warning")


def _short(command: PlannedCommand) -> str:
    """The command as an administrator knows it, or what a longer one of the house is called."""
    if command.kind is CommandKind.HOUSE:
        return text("ui.capture.sheet.house", name=command.probe.removeprefix("house."))
    line = " ".join(command.tool_line.split())
    return line if len(line) <= 90 else command.probe


def _cost(command: PlannedCommand) -> str:
    facts = []
    if command.interval_s is not None:
        facts.append(text("ui.capture.sheet.every", interval=format_interval(command.interval_s)))
    if command.cpu_pct is not None:
        facts.append(f"CPU {command.cpu_pct:.2f} %")
    if command.bytes_per_s is not None:
        facts.append(f"{command.bytes_per_s:,.0f} B/s")
    facts.append(text("ui.capture.sheet.files.none") if not command.files else "")
    return " · ".join(filter(None, facts))


def _ends(command: PlannedCommand, plan: CapturePlan) -> str:
    if command.kind in (CommandKind.STREAM, CommandKind.LOOP) and command.count is not None:
        return text(f"ui.capture.ends.{command.kind}", count=command.count, lease=plan.lease_s)
    return text(f"ui.capture.ends.{command.kind}")
