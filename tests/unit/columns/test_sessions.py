"""Words of a session that was captured; expected values by hand."""

from __future__ import annotations

from tunebench.columns.capturing.sessions import duration_words, offset_words, zone_words
from tunebench.columns.column import Locale

S = 1_000_000_000


def test_figures_are_words() -> None:
    assert [duration_words(length, Locale("en")) for length in (None, 1_500_000_000, 65 * S, 7_440 * S)] == [
        "–",
        "1.5 s",
        "1 min 05 s",
        "2 h 04 min",
    ]
    assert offset_words(3 * S, 200_000_000) == ("+3 s", "± 0.2 s")
    assert offset_words(0, 1_000) == ("0 ms", "± 0.001 ms")
    assert [zone_words(*zone) for zone in (("", None), ("", -12_600), ("KST", 32_400))] == [
        "–",
        "UTC-03:30",
        "KST (UTC+09:00)",
    ]
