"""The cheap part of the golden outputs is as seen.toml says; and a planted difference is noticed, of every kind of unit."""

from __future__ import annotations

from pathlib import Path

from tests.golden import outputs, units


def test_what_a_person_sees_of_the_demo_is_as_it_was(tmp_path: Path) -> None:
    now = units.digests(outputs.outputs([outputs.CHEAP], tmp_path)[outputs.CHEAP])
    lines = outputs.differences(outputs.CHEAP, outputs.read_seen()[outputs.CHEAP], now)
    assert not lines, outputs.complaint(lines)
