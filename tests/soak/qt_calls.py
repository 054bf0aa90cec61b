"""Calls void methods of Qt and emits signals until a reference leak would have killed the interpreter.

    python -m tests.soak.qt_calls CALLS

Prints the number of calls made; an interpreter that loses references to None aborts before that.
"""

from __future__ import annotations

import sys

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication, QImage, QPainter, QPen


class Emitter(QObject):
    fired = Signal(int)


def paint(calls: int) -> None:
    image = QImage(64, 64, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    pen = QPen(Qt.GlobalColor.black)
    for _ in range(calls):
        painter.setPen(pen)
        painter.drawLine(0, 0, 63, 63)
    painter.end()


def emit(calls: int) -> int:
    emitter = Emitter()
    received: list[int] = []
    emitter.fired.connect(received.append)
    for number in range(calls):
        emitter.fired.emit(number)
    return len(received)


def main() -> int:
    calls = int(sys.argv[1])
    application = QGuiApplication([])
    paint(calls)
    received = emit(calls)
    application.quit()
    print(received)
    return 0 if received == calls else 1


if __name__ == "__main__":
    raise SystemExit(main())
