"""Words with numbers and names in the window's language; expected values by hand."""

from __future__ import annotations

from zoneinfo import ZoneInfo

from tunebench.ui.look import formats
from tunebench.ui.look.language import language

SEOUL = ZoneInfo("Asia/Seoul")
NINE_NS = 1_184_803_200 * 10**9
"""2007-07-19 00:00:00 UTC = 09:00 in Seoul."""


def test_days_with_their_weekday() -> None:
    language().switch("ko")
    assert (formats.format_day(NINE_NS, SEOUL), formats.format_day(NINE_NS, SEOUL, with_year=True)) == (
        "07-19 (목)",
        "2007-07-19 (목)",
    )


def test_a_host_that_nobody_named_is_called_so_in_both_languages() -> None:
    language().switch("ko")
    assert formats.host_words("unknown") == "이름 모르는 서버"
    language().switch("en")
    assert (formats.host_words("unknown"), formats.host_words("db01"), formats.host_words("")) == (
        "unnamed host",
        "db01",
        "",
    )
    assert formats.host_words("unknown (web01)") == "web01 (unnamed host)", "what tells it from others comes first"
