"""Figures in forms that sadf itself does not print, or not everywhere, among plain ones: each way of reading agrees.

What each is: printf writes nan, inf and, in other locales, a decimal comma; 1e5, .5 and 5. are the doubles that strtod
and Python's float read; an underscore is Python's alone, and 1:00, 0x10 and 1.2.3 are no numbers anywhere.
"""

from __future__ import annotations

import math

import pytest

from tests.conftest import ROOT
from tests.unit.plugins.conftest import load_parser, read_capture

NUMBERS = {
    "-3.85": -3.85,
    "1,25": 1.25,
    "-0,5": -0.5,
    "1e5": 1e5,
    "1E-2": 0.01,
    ".5": 0.5,
    "5.": 5.0,
    "+7": 7.0,
    "007.50": 7.5,
    "0.30000000000000004": 0.1 + 0.2,
    "9007199254740993": 2.0**53,
    "123456789012345678901234567890": 123456789012345678901234567890.0,
}
NO_FIGURES = ("nan", "-nan", "inf", "-inf", "")
UNREADABLE = ("1_0", "1:00", "0x10", "12PM", "?", ".", "-", "1.2.3", "1,2,3", "1e999", "--1", "infinity")
FORMS = {
    "delimited:SadfDelimitedParser": "db;2;2026-11-21 07:10:%02d UTC;%s;2.00",
    "per_value:SadfPerValueParser": "db\t2\t2026-11-21 07:10:%02d UTC\t-\trunq-sz\t%s",
}
HEADINGS = {
    "-d": "# hostname;interval;timestamp;runq-sz;plist-sz\n",
    "-d -h": "# hostname;interval;timestamp;runq-sz;plist-sz;pgpgin/s;pgpgout/s\n",
}
LIKE = {"-d": "", "-d -h": ";3.00;4.00"}
WAYS = [("delimited:SadfDelimitedParser", name) for name in HEADINGS] + [("per_value:SadfPerValueParser", "-p")]


def reading_of(parser: str, form: str, figures: list[str]):
    lines = [FORMS[parser] % (second, figure) + LIKE.get(form, "") for second, figure in enumerate(figures, 10)]
    text = HEADINGS.get(form, "") + "\n".join([*lines, ""])
    return read_capture(load_parser("sysstat_sadf", parser), text.encode(), zone="UTC")


@pytest.fixture(params=["compiled", "plain"])
def _scanner(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "plain":
        monkeypatch.setenv("TUNEBENCH_PLAIN_SCANNER", "1")


@pytest.mark.usefixtures("_scanner")
@pytest.mark.parametrize(("parser", "form"), WAYS, ids=lambda one: one)
def test_odd_figures_among_plain_ones(parser: str, form: str) -> None:
    """Each stands alone, and twice; bit for bit, with the sign of zero."""
    for text, number in NUMBERS.items():
        reading = reading_of(parser, form, ["1.00", text, "2.00", text, text, "-0.00", "4.00"])
        values = reading.values("load", "runq-sz")
        assert values == [1.0, number, 2.0, number, number, 0.0, 4.0], text
        assert math.copysign(1.0, values[5]) == -1.0
        assert reading.skipped() == {} and reading.ledger.lines.data == 7


@pytest.mark.usefixtures("_scanner")
@pytest.mark.parametrize(("parser", "form"), WAYS, ids=lambda one: one)
def test_what_says_that_there_is_no_figure(parser: str, form: str) -> None:
    """The row is read, and nothing is stored in its place."""
    for text in NO_FIGURES:
        reading = reading_of(parser, form, ["1.00", text, "2.00", text, text, "4.00", text])
        assert reading.values("load", "runq-sz") == [1.0, 2.0, 4.0], text
        assert [time[-2:] for time in reading.times("load", "runq-sz")] == ["10", "12", "15"]
        assert reading.skipped() == {} and reading.ledger.lines.data == 7


@pytest.mark.usefixtures("_scanner")
@pytest.mark.parametrize(("parser", "form"), WAYS, ids=lambda one: one)
def test_what_is_no_number_costs_its_row(parser: str, form: str) -> None:
    for text in UNREADABLE:
        reading = reading_of(parser, form, ["1.00", "2.00", text, "3.00", text, text, "4.00", "5.00"])
        assert reading.values("load", "runq-sz") == [1.0, 2.0, 3.0, 4.0, 5.0], text
        assert reading.skipped() == {"unreadable_numbers": 3}, text
        assert reading.ledger.lines.balanced


@pytest.mark.usefixtures("_scanner")
def test_a_row_with_all_activities_that_is_not_like_the_one_before() -> None:
    """A field of the stamp of other width, a negative one, another interval, host or thing: each read for what it is."""
    rows = [
        "db;2;2026-11-21 07:10:10 UTC;sda;1.00;eth0;5.00",
        "db;2;2026-11-21 07:10:12 UTC;sda;2.00;eth0;5.00",
        "db;2;2026-11-21 07:10:-4 UTC;sda;9.00;eth0;5.00",
        "db;2;2026-11-21 07:10:4 UTC;sda;9.00;eth0;5.00",
        "db;2;2026-11-21 07:60:14 UTC;sda;9.00;eth0;5.00",
        "db;2.5;2026-11-21 07:10:14 UTC;sda;3.00;eth0;5.00",
        "db;10;2026-11-21 07:10:24 UTC;sda;4.00;eth0;5.00",
        "db;10;2026-11-21 07:10:34 UTC;sdb;5.00;eth0;5.00",
        "db;-1;2026-11-21 07:10:40 UTC;COM halfway",
        "",
        "db;10;2026-11-21 07:10:44 UTC;sdb;6.00;eth0;5.00",
        "db;10;2026-11-22 07:10:44 UTC;sda;7.00;eth0;5.00",
    ]
    heading = "# hostname;interval;timestamp;DEV;tps[...];IFACE;rxpck/s[...]"
    parser = load_parser("sysstat_sadf", "delimited:SadfDelimitedParser")
    reading = read_capture(parser, "\n".join([heading, *rows, ""]).encode(), zone="UTC")
    assert reading.values("device", "tps", device="sda") == [1.0, 2.0, 3.0, 4.0, 7.0]
    assert reading.values("device", "tps", device="sdb") == [5.0, 6.0]
    assert reading.times("device", "tps", device="sda")[-1] == "2026-11-22 07:10:44"
    assert [sample.line for sample in reading.of("device", "tps", device="sda")] == [2, 3, 7, 8, 13]
    assert [sample.line for sample in reading.of("device", "tps", device="sdb")] == [9, 12]
    assert reading.skipped() == {"unreadable_numbers": 3}
    lines = reading.ledger.lines
    assert (lines.total, lines.data, lines.header, lines.blank, lines.skipped) == (13, 7, 2, 1, 3)


COMMAS = (ROOT / "tests" / "fixtures" / "sadf" / "sadf-decimal-commas.json").read_bytes()


@pytest.mark.parametrize("piece", [1 << 20, 7])
def test_decimal_commas_of_json(piece: int) -> None:
    """Ubuntu 16.04 in a locale with a decimal comma: the figures as they are printed, and never their whole part."""
    reading = read_capture(load_parser("sysstat_sadf", "sadf_json:SadfJsonParser"), COMMAS, piece)
    figures = {name: reading.values("paging", name) for name in ("pgpgin", "pgpgout", "fault", "majflt", "pgfree")}
    assert figures == {
        "pgpgin": [4.97, 7.12],
        "pgpgout": [7.53, 17.53],
        "fault": [61.66, 161.66],
        "majflt": [0.02, 0.12],
        "pgfree": [103.46, 203.46],
    }
    assert reading.times("paging", "pgpgin") == ["2016-10-17 07:15:01", "2016-10-17 07:25:01"]


def test_decimal_commas_beside_whole_numbers() -> None:
    text = COMMAS.replace(b'"majflt": 0,02', b'"majflt": 3').replace(b'"pgscand": 0,00', b'"pgscand":5,00')
    reading = read_capture(load_parser("sysstat_sadf", "sadf_json:SadfJsonParser"), text)
    assert reading.values("paging", "majflt") == [3, 0.12]
    assert reading.values("paging", "pgscand") == [5, 5]
    assert reading.values("paging", "pgpgout") == [7.53, 17.53]


@pytest.mark.parametrize("printed", [b"4 97", b"4,97,3", b"4, 97"])
def test_a_number_that_belongs_to_no_name_is_no_sample(printed: bytes) -> None:
    text = COMMAS.replace(b"4,97", printed)
    reading = read_capture(load_parser("sysstat_sadf", "sadf_json:SadfJsonParser"), text)
    assert reading.values("paging", "pgpgin") == [7.12]
    assert reading.skipped() == {"unreadable_numbers": 4}
