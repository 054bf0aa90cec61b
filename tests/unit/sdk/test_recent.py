"""What was worked out for a tuple is remembered for that very tuple."""

from __future__ import annotations

from tunebench.sdk.recent import Recent


def test_the_same_tuple_is_asked_about_once():
    asked: list[tuple[int, ...]] = []

    def count(thing: tuple[int, ...]) -> int:
        asked.append(thing)
        return len(asked)

    recent = Recent(count)
    one, other = (1, *range(2)), (1, *range(2))
    assert [recent(one), recent(one), recent(other), recent(one)] == [1, 1, 2, 1]
    assert len(asked) == 2


def test_only_the_last_few_are_held():
    asked: list[tuple[int, ...]] = []
    recent = Recent(asked.append, most=3)
    tuples = [(number,) for number in range(5)]
    for each in (*tuples, tuples[4], tuples[0]):
        recent(each)
    assert len(asked) == 6, "the first was forgotten, the last was not"


def test_a_list_is_looked_at_anew():
    recent = Recent(len)
    things = [1]
    assert recent(things) == 1
    things.append(2)
    assert recent(things) == 2
