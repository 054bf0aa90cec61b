"""Which parser takes a file."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest

from app.capture.ingest import recognise
from app.core.errors import UserError
from app.plughost.host import PluginHost


@pytest.mark.parametrize(
    ("confidences", "taken"), [([], False), ([0.29], False), ([0.3], True), ([0.31, 0.3], True), ([1.0, 0.9], True)]
)
def test_the_surest_parser_takes_a_file_if_it_is_sure_enough(confidences: list[float], taken: bool) -> None:
    """Three tenths: a head that merely looks like text of some tool is nobody's."""
    found = [SimpleNamespace(entry=f"parser {place}", confidence=sure) for place, sure in enumerate(confidences)]
    host = cast("PluginHost", SimpleNamespace(recognise=lambda _head, _name: found))
    if taken:
        assert str(recognise(host, b"some words\n", "a.txt", "/a.txt")) == "parser 0"
        return
    with pytest.raises(UserError, match="file_unrecognised"):
        recognise(host, b"some words\n", "a.txt", "/a.txt")
