"""What a terminal obeys, and what nobody sees."""

from __future__ import annotations

import json

import pytest

from tunebench.domain.visible_text import harmless, harmless_json, visible

CLEAR, TITLE, CONTROL_SEQUENCE, DELETE = "\x1b[2J", "\x1b]0;root\x07", "\x9b31m", "\x7f"
TURNED, ISOLATED, MARK = "\u202e", "\u2066", "\u061c"
OBEYED = (CLEAR, TITLE, CONTROL_SEQUENCE, DELETE, TURNED, ISOLATED, MARK, "a\rb", "\x08", "\u2028", "\udcff")


@pytest.mark.parametrize("text", OBEYED, ids=ascii)
def test_nothing_that_a_terminal_obeys_is_left(text: str) -> None:
    assert "\ufffd" in harmless(text)
    for told in (harmless(text), harmless_json(json.dumps(text, ensure_ascii=False))):
        assert all(letter.isprintable() for letter in told), ascii(told)
        told.encode()


@pytest.mark.parametrize("text", OBEYED, ids=ascii)
def test_json_says_the_same(text: str) -> None:
    assert json.loads(harmless_json(json.dumps({"name": text}, ensure_ascii=False))) == {"name": text}


def test_what_people_read_stays() -> None:
    text = "가나다\tDisk 90 %\nµs — ✓ 👍"
    assert harmless(text) == text
    assert harmless("one\r\ntwo") == "one\ntwo"
    assert visible("a\x1b[31mb\u202e\r\n") == "a[31mb\n"
