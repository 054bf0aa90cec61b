"""Words that follow the language, and how long they do."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication, QComboBox, QLabel, QLineEdit, QPushButton, QWidget

from tunebench.ui.look.language import language, translated


def test_words_follow_the_language(qapp: QApplication, look: Any) -> None:
    look("en")
    made = translated(QPushButton(), "ui.action.cancel", accessibleName="ui.tradeoffs.remove_line")
    assert (made.text(), made.accessibleName()) == ("Cancel", "Remove the line")
    look("ko")
    assert (made.text(), made.accessibleName()) == ("취소", "줄 삭제")


def test_words_of_entries_follow_the_language(qapp: QApplication, look: Any) -> None:
    look("en")
    box = QComboBox()
    box.addItems(["ko", "en"])
    translated(box, itemText=["ui.language.ko", "ui.language.en"])
    assert [box.itemText(place) for place in range(2)] == ["Korean", "English"]
    look("ko")
    assert [box.itemText(place) for place in range(2)] == ["한국어", "영어"]


def test_the_last_key_counts(qapp: QApplication, look: Any) -> None:
    made = translated(translated(QLabel(), "ui.action.cancel"), "ui.tradeoffs.remove_line")
    look("ko")
    look("en")
    assert made.text() == "Remove the line"


def test_who_hears_of_the_change_finds_the_new_words(qapp: QApplication, look: Any) -> None:
    look("en")
    made, heard = translated(QLabel(), "ui.action.cancel"), []
    listener = language().changed.connect(lambda _code: heard.append(made.text()))
    look("ko")
    language().changed.disconnect(listener)
    assert heard == ["취소"]


def test_deleted_widgets_are_left_alone(qapp: QApplication, look: Any) -> None:
    parent = QWidget()
    made = translated(QLabel(parent), "ui.action.cancel")
    parent.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    look("ko")
    with pytest.raises(RuntimeError):
        made.text()


def test_words_do_not_keep_a_widget_alive(qapp: QApplication) -> None:
    made = weakref.ref(translated(QLabel(), "ui.action.cancel"))
    gc.collect()
    assert made() is None


def test_words_that_a_widget_does_not_show_are_refused(qapp: QApplication) -> None:
    with pytest.raises(AttributeError):
        translated(QLineEdit(), title="ui.action.cancel")
