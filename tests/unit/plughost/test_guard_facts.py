"""Facts pass the guard only as facts; a parser without them has none."""

from __future__ import annotations

import pytest

from tunebench.core.errors import PluginError
from tunebench.plughost.guard import GuardedParser
from tunebench.sdk import LineParser, ParseContext, SystemFact


class Old:
    """A parser from before there were facts."""


class Broken(LineParser):
    def facts(self):
        raise RuntimeError("no facts today")


class Wrong(LineParser):
    def facts(self):
        return ["vm.swappiness"]


class Right(LineParser):
    def facts(self):
        return iter([SystemFact("kernel", "vm.swappiness", "60")])


def guard(parser, reports):
    return GuardedParser(parser, "test.plugin", "test.parser", reports.append)


def test_a_parser_without_facts_has_none():
    assert guard(Old(), []).facts() == ()
    assert guard(LineParser(ParseContext()), []).facts() == ()


def test_facts_pass():
    assert guard(Right(ParseContext()), []).facts() == (SystemFact("kernel", "vm.swappiness", "60"),)


@pytest.mark.parametrize("parser", [Broken, Wrong])
def test_what_is_no_fact_quarantines(parser):
    reports: list[object] = []
    with pytest.raises(PluginError):
        guard(parser(ParseContext()), reports).facts()
    assert len(reports) == 1
