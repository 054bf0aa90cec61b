"""What an expression may be: everything else is refused with its piece of the text, and nothing is ever run."""

from __future__ import annotations

import builtins
import sys
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tunebench.analysis.expressions.faults import ExpressionFault
from tunebench.analysis.expressions.nodes import Both, Comparison, Kind, Name, Number, Share
from tunebench.analysis.expressions.parsing import Expression, parse_expression

ALLOWED = [
    "svc_t >= 50 and pct_b >= 20",
    "(30 < svc_t < 50 and pct_b > 5) or (svc_t >= 50 and pct_b < 20)",
    "share(swap_out_pages_s >= 5, last 10) >= 0.3",
    "share(x > y, last 10m) >= 0.3 and share(x > y) < 1",
    "max(percpu_busy) > 95 and mean(percpu_busy) < 60",
    "sga_bytes > 8*2**30 and hugepages_total == 0",
    "rows <= 70e6",
    "not (0.5 <= disk_swap_total / physmem <= 1.5)",
    "disk_interface not in ('sata','sas')",
    "raid_state != 'optimal' or is_nfs_server",
    "util_pct > 95 and delta(aqu_sz) > 0",
    "cpu_busy/100 > rho2(ncpu)",
    "abs(-x) // 2 == 1 and min(a, b, 3) < max(a, -b)",
    "x > .5 and x < 5.",
    "x > 007",
]
REFUSED = {
    "": "empty",
    "   ": "empty",
    "x > 1 " + "or x > 1 " * 60: "too_long",
    "not " * 40 + "x > 1": "too_deep",
    "__import__('os').system('ls') > 0": "character",
    "__import__('os') > 0": "function",
    "eval('1') > 0": "function",
    "open('/etc/passwd') > 0": "function",
    "x.real > 0": "character",
    "x[0] > 0": "construct",
    "x[y] > 0": "table",
    "(lambda: 1)() > 0": "construct",
    "[1 for x in y] == 1": "construct",
    "(x := 3) > 1": "character",
    "f'{x}' == 'a'": "syntax",
    "f'x' == 'a'": "syntax",
    "b'x' == name": "syntax",
    "'a' 'b' == name": "syntax",
    "x if y else z": "construct",
    "x is None": "construct",
    "x > True": "construct",
    "await x": "construct",
    "x; y": "character",
    "x\\\ny": "character",
    "{1: 2}": "character",
    "x > 1 y": "syntax",
    "x >": "syntax",
    "((x > 1)": "syntax",
    "x": None,  # a flag
    "x + 1": "no_condition",
    "5": "no_condition",
    "max(x, 1)": "no_condition",
    "'word'": "kind",
    "x + (y > 3) > 5": "kind",
    "word == 'a' and word > 5": "kind",
    "word < 'a'": "kind",
    "x in (1, 2)": "kind",
    "x in y": "construct",
    "x / 0 > 1": "zero_division",
    "x // (1 - 1) > 1": "zero_division",
    "x ** 2 > 1": "construct",
    "9**99 > x": "number",
    "1e308 * 1e308 > x": "number",
    "1e999 > x": "number",
    "11111111111111111111111111111 > x": "number",
    "delta(x, y) > 1": "arguments",
    "max() > 1": "arguments",
    "max(*x) > 1": "arguments",
    "max(x, key=y) > 1": "character",
    "share(x > 1, 10) > 1": "arguments",
    "share(x > 1, last 0) > 1": "number",
    "share(x > 1, last 10d) > 1": "syntax",
    "share(x > 1, last(10, 'years')) > 1": "arguments",
    "share(x, last 10) > 1": None,  # share of a flag
    "last(10) > 1": "function",
    "x > 10m": "syntax",
    "x ≥ 5": "character",
    "x > 5 # comment": "character",
    "x\x00 > 5": "character",
}


@pytest.mark.parametrize("text", ALLOWED)
def test_what_the_rules_ask_is_allowed(text):
    assert isinstance(parse_expression(text), Expression)


@pytest.mark.parametrize(("text", "reason"), REFUSED.items(), ids=range(len(REFUSED)))
def test_everything_else_is_refused(text, reason):
    if reason is None:
        parse_expression(text)
        return
    with pytest.raises(ExpressionFault) as caught:
        parse_expression(text)
    assert caught.value.reason == reason


def test_what_is_read_is_what_was_written():
    root = parse_expression("svc_t >= 50 and 2 < pct_b < 8*2**3").root
    assert root == Both(
        (
            Comparison((Name("svc_t"), Number(50)), (">=",), frozenset({"svc_t"})),
            Comparison((Number(2), Name("pct_b"), Number(64)), ("<", "<"), frozenset({"pct_b"})),
        )
    )


def test_a_stretch_is_samples_or_time():
    def share(text: str) -> Share:
        root = parse_expression(text).root
        assert isinstance(root, Comparison)
        assert isinstance(root.terms[0], Share)
        return root.terms[0]

    assert share("share(x > 1, last 10) >= 0.3").samples == 10
    assert share("share(x > 1, last 20m) >= 0.3").span_s == 1200
    assert share("share(x > 1, last 90 s) >= 0.3").span_s == 90


def test_names_are_told_by_how_they_are_used():
    names = parse_expression(
        "max(percpu) > 1 and rate / 2 > limit[media] and flag and word in ('a', 'b')", ["limit"]
    ).names
    assert names == {
        "percpu": Kind.MEMBERS,
        "rate": Kind.NUMBER,
        "media": Kind.WORD,
        "flag": Kind.FLAG,
        "word": Kind.WORD,
    }
    assert parse_expression("max(x) > 1 and x > 2").names == {"x": Kind.NUMBER}


# --- any text at all


@given(st.text(max_size=200))
@example("__import__('os').system('touch /tmp/x')")
@example("(" * 200)
@example("-" * 399 + "x")
@example("not" * 100)
@example("'" * 7)
@example("last last 5 last")
def test_no_text_runs_or_breaks_anything(text):
    _is_read_or_refused(text)


_PIECES = st.sampled_from(
    [
        "x",
        "y",
        "__import__",
        "eval",
        "last",
        "share",
        "max",
        "rho2",
        "(",
        ")",
        ",",
        "[",
        "]",
        "and",
        "or",
        "not",
        "in",
        "==",
        "<",
        ">=",
        "+",
        "-",
        "*",
        "/",
        "//",
        "**",
        "5",
        "0",
        "1e9",
        "'a'",
        "'os'",
        "10m",
        "lambda",
        ":",
        ".",
        "=",
        "if",
        "else",
        "None",
        "%",
        "~",
        "@",
    ]
)


@given(st.lists(_PIECES, max_size=25), st.sampled_from(["", " "]))
def test_no_row_of_tokens_does_either(pieces, between):
    _is_read_or_refused(between.join(pieces))


def _is_read_or_refused(text: str) -> None:
    before = set(sys.modules)
    called: list[object] = []
    importing = builtins.__import__

    def noted(name: str, *args: Any, **kwargs: Any) -> Any:
        called.append(name)
        return importing(name, *args, **kwargs)

    builtins.__import__ = noted
    expression: object = None
    try:
        expression = parse_expression(text, ["warn"])
    except ExpressionFault as fault:
        expression = fault.reason
    finally:
        builtins.__import__ = importing
    assert expression
    assert called == []
    assert set(sys.modules) == before
