"""Cells come back from the clipboard as they went there, and as spreadsheets put them there."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tunebench.domain.tabbed_text import from_tabbed, to_html, to_tabbed

CELL = st.text(
    st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from("\t\n\"'= "), max_size=12
)  # line ends are \n in every text that was cleaned
AREA = st.integers(1, 5).flatmap(lambda width: st.lists(st.lists(CELL, min_size=width, max_size=width), min_size=1))


@given(AREA)
def test_any_area_comes_back(rows: list[list[str]]) -> None:
    assert from_tabbed(to_tabbed(rows)) == rows


@pytest.mark.parametrize(
    ("copied", "cells"),
    [
        ("maxcontig\t16\t128\r\nmaxphys\t\t1048576\r\n", [["maxcontig", "16", "128"], ["maxphys", "", "1048576"]]),
        ("a\tb\nc\td", [["a", "b"], ["c", "d"]]),  # LibreOffice on Linux: no last line end
        ('"first\nsecond"\tx\r\n', [["first\nsecond", "x"]]),
        ('"say ""yes"""\tx\r\n', [['say "yes"', "x"]]),
        ('5" disk\tx\r\n', [['5" disk', "x"]]),
        ('"quoted"\tx\r\n', [['"quoted"', "x"]]),  # Excel quotes no cell for marks alone
        ('"open\tx\r\n', [['"open', "x"]]),
        ("a\tb\r\nc\r\n", [["a", "b"], ["c"]]),
        ("", []),
        ("\r\n", [[""]]),
        ("단위\t초\r\n", [["단위", "초"]]),
    ],
)
def test_what_spreadsheets_copy_is_read(copied: str, cells: list[list[str]]) -> None:
    assert from_tabbed(copied) == cells


def test_the_table_flavour_makes_every_cell_text() -> None:
    page = to_html([["=cmd|' /C calc'!A0", "<b>\n둘"]])
    assert page.count('mso-number-format:"\\@"') == 2
    assert "&lt;b&gt;<br" in page and "<b>" not in page
