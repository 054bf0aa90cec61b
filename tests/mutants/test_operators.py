"""The mutations are those of the table, at their places, and each is another program."""

from __future__ import annotations

import pytest

from tests.mutants.operators import is_another_program, mutants_of


@pytest.mark.parametrize(
    ("line", "becomes"),
    [
        ("a < b", ["a <= b", "a >= b"]),
        ("a >= b", ["a > b", "a < b"]),
        ("a == b != c", ["a != b != c", "a == b == c"]),
        ("a not in b", ["a in b"]),
        ("(a is b) is not c", ["(a is b) is c", "(a is not b) is not c"]),
        ("a + b // c", ["a - b // c", "a + b / c"]),
        ("'a' + b", []),
        ("a and b and c", ["a or b and c", "a and b or c"]),
        ("not a", ["(a)"]),
        ("-a", ["(a)"]),
        ("[0, 1, 12]", ["[1, 1, 12]", "[0, 2, 12]", "[0, 0, 12]", "[0, 1, 24]", "[0, 1, 6]"]),
        ("[0.0, 0.5]", ["[1.0, 0.5]", "[0.0, 1.0]", "[0.0, 0.25]"]),
        ("x = True", ["x = False"]),
        ("x = zip(a, b, strict=True)", []),
        ("x: Literal[1] = 2", ["x: Literal[1] = 3", "x: Literal[1] = 1"]),
        ("f(a)", ["pass"]),
        ("os.kill(a, 0)", ["pass"]),
        ("a += b", ["pass"]),
        ("raise a", ["pass"]),
        ("x = a if b else c", ["x = a if not (b) else c"]),
        ("assert a == 1", []),
        ("'''A text of 1 == 1.'''", []),
        ("f'{a + 1}'", []),
        ("def f(a=False): return a", ["def f(a=True): return a", "def f(a=False): return None"]),
        ("def f(): return None", []),
        ("class A(B, total=False): x = 0", ["class A(B, total=True): x = 0", "class A(B, total=False): x = 1"]),
        ("한 < 글", ["한 <= 글", "한 >= 글"]),
    ],
)
def test_one_line(line: str, becomes: list[str]) -> None:
    source = f"first\n{line}\n".encode()
    found = mutants_of("a.py", source)
    assert all(is_another_program(mutant, source) for mutant in found)
    assert [mutant.difference(source) for mutant in found] == [(line, other) for other in becomes]


def test_a_mutant_knows_the_function_whose_calls_run_it() -> None:
    source = b"""
A = 1 < 2
class B:
    c = 1 < 2
    def d(self, e=1 < 2):
        def f():
            return [g for g in self if 1 < 2]
        return f
"""
    found = {(mutant.line, mutant.owner) for mutant in mutants_of("a.py", source) if mutant.becomes == "<="}
    assert found == {(2, ""), (4, ""), (5, "B.d"), (7, "B.d.<locals>.f")}


def test_what_only_changes_the_layout_is_the_same_program() -> None:
    source = b"x = (1)\n"
    (mutant, *_) = mutants_of("a.py", source)
    same = type(mutant)("a.py", "", 1, 4, 7, "1")
    assert not is_another_program(same, source)
