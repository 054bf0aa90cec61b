"""Facts of a capture as (section, name) -> value."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tunebench.sdk import ParseContext, Parser

Facts = dict[tuple[str, str], str]


@pytest.fixture
def fixtures() -> Path:
    return ROOT / "tests" / "fixtures" / "solaris_system"


@pytest.fixture
def facts_of() -> Callable[[type[Parser], bytes], Facts]:
    def parse(parser_class: type[Parser], data: bytes, piece: int = 11) -> Facts:
        parser = parser_class(ParseContext())
        for start in range(0, len(data), piece):
            list(parser.feed(data[start : start + piece]))
        list(parser.finish())
        assert parser.ledger().lines.balanced
        facts = {(fact.section, fact.name): fact.value for fact in parser.facts()}
        assert len(facts) == len(parser.facts())
        return facts

    return parse
