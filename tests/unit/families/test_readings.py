"""How readings of configuration become facts."""

from __future__ import annotations

from tunebench.domain.capturing.run import SystemFact
from tunebench.families.readings import MOST_FACTS, Reading, facts_of
from tunebench.families.solaris.readings import read_etc_system, read_swap


def test_each_fact_once_and_a_second_value_under_a_name_of_its_own():
    readings = [("disk", Reading("sda", "8:0")), ("disk", Reading("sda", "8:0")), ("disk", Reading("sda", "8:16"))]
    assert facts_of(readings) == [SystemFact("disk", "sda", "8:0"), SystemFact("disk", "sda #2", "8:16")]


def test_what_is_of_the_moment_stands_apart_with_its_section():
    assert facts_of([("memory", Reading("free", "3", volatile=True))]) == [SystemFact("volatile", "memory free", "3")]


def test_facts_are_bounded():
    readings = [("kernel", Reading(f"line {number}", "x")) for number in range(MOST_FACTS + 10)]
    assert len(facts_of(readings)) == MOST_FACTS


def test_operators_of_etc_system():
    lines = ["set a=1", "set b & 0x3", "set c|4", "set a = 1", "exclude: lofs", "* set d=5", "rubbish"]
    found = {one.name: one.value for one in read_etc_system(lines) if not one.volatile}
    assert found == {"a": "1", "b": "&0x3", "c": "|4", "exclude lofs": "lofs"}  # a was set to the same twice


def test_a_swap_file_without_free_blocks_is_shown_as_it_stands():
    assert [(one.name, one.value) for one in read_swap(["/dev/md/dsk/d1 85,1"])] == [("/dev/md/dsk/d1", "85,1")]
