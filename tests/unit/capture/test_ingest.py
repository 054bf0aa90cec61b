"""Which parser takes a file, and in which zone it was written."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

import pytest

from tunebench.capture.frames import Begin
from tunebench.capture.ingest import recognise
from tunebench.capture.readings import fixed_zone
from tunebench.core.errors import UserError
from tunebench.plughost.host import PluginHost
from tunebench.plughost.recognition import Recogniser


def _host(recognise_text: Callable[[bytes, str], list[SimpleNamespace]]) -> PluginHost:
    """Without plug-ins; what the parsers would answer is given."""
    host = PluginHost([])
    host._recogniser = Recogniser(host.parsers, host.ask, recognise_text)  # type: ignore[arg-type]
    return host


@pytest.mark.parametrize(
    ("confidences", "taken"), [([], False), ([0.29], False), ([0.3], True), ([0.31, 0.3], True), ([1.0, 0.9], True)]
)
def test_the_surest_parser_takes_a_file_if_it_is_sure_enough(confidences: list[float], taken: bool) -> None:
    """Three tenths: a head that merely looks like text of some tool is nobody's."""
    candidates = [SimpleNamespace(entry=f"parser {place}", confidence=sure) for place, sure in enumerate(confidences)]
    host = _host(lambda _head, _name: candidates)
    if taken:
        assert str(recognise(host, b"some words\n", "a.txt", "/a.txt")) == "parser 0"
        return
    with pytest.raises(UserError, match="file_unrecognised"):
        recognise(host, b"some words\n", "a.txt", "/a.txt")


@pytest.mark.parametrize(
    ("head", "taken"),
    [
        (b"09:00:00 device r/s\n09:00:01 ada0 1\n", "iostat"),  # looks like sar, whose rows begin with a time
        (b"09:00:00 CPU %user\n09:00:01 all 1\n", "sar"),
        ("09:00:00 device r/s\n".encode("utf-16"), "iostat"),
        ("09:00:00 device r/s\n".encode("utf-16-le"), "iostat"),
        (b"device r/s\n\0\0\0\nada0 1\n", "iostat"),
    ],
)
def test_what_stands_before_each_line_is_looked_through(head: bytes, taken: str) -> None:
    def recognise_text(text: bytes, _name: str) -> list[SimpleNamespace]:
        sure = {"sar": 0.8 * text.startswith(b"09:00:00 "), "iostat": 0.95 * text.startswith(b"device ")}
        found = [
            SimpleNamespace(entry=name, confidence=each) for name, each in sure.items() if each and b"\0" not in text
        ]
        return sorted(found, key=lambda one: -one.confidence)

    host = _host(recognise_text)
    assert str(recognise(host, head, "a.txt", "/a.txt")) == taken


NOON_NS = 1_795_262_400 * 10**9  # 2026-11-21T12:00:00Z


@pytest.mark.parametrize(
    ("began_ns", "local", "zone"),
    [
        (NOON_NS, "2026-11-21T12:00:00", "UTC"),
        (NOON_NS, "2026-11-21T21:00:00+0900", "Etc/GMT-9"),  # POSIX counts westwards
        (NOON_NS, "2026-11-21T07:00:00", "Etc/GMT+5"),
        (NOON_NS, "2026-11-21T21:05:00", "Etc/GMT-9"),  # the two were not asked in the same second
        (NOON_NS, "2026-11-22T02:00:00", "Etc/GMT-14"),
        (NOON_NS, "2026-11-21T00:00:00", "Etc/GMT+12"),
        (NOON_NS, "2026-11-22T03:00:00", None),
        (NOON_NS, "2026-11-20T23:00:00", None),
        (NOON_NS, "2026-11-21T17:30:00", None),  # no zone of that name: a half hour
        (NOON_NS, "Sat Nov 21", None),
        (NOON_NS, "", None),
        (None, "2026-11-21T21:00:00", None),
        (None, "", None),
    ],
)
def test_the_zone_of_a_start_follows_from_its_two_times(began_ns: int | None, local: str, zone: str | None) -> None:
    found = fixed_zone(Begin("ab", "a", 1, None, began_ns, local, "", 0, 0, 1))
    assert (found and found.key) == zone
