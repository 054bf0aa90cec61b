"""Numbers, times and dates as reports print them; expected values are worked out by hand."""

from __future__ import annotations

from datetime import datetime

import pytest

from tunebench.families.oracle.dates import read_moment
from tunebench.families.oracle.values import Numbers, numbers_of


@pytest.fixture(scope="module")
def numbers():
    return Numbers


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1,139.2", 1139.2),
        (".81", 0.81),
        ("-65.0", -65.0),
        ("0", 0.0),
        ("28.7K", 28_700.0),
        ("515815M", 515_815e6),
        ("11.8G", 11.8e9),
        ("2.2T", 2.2e12),
        ("2.3E+08", 2.3e8),
        ("1.0E+02", 100.0),
        ("0.0(123)", 0.0),
        ("99.98 %", 99.98),
        ("-3.59642166618E+13", -35_964_216_661_800.0),
        ("1,234", 1234.0),
        ("1,234,567", 1_234_567.0),
        ("554.061", 554.061),
    ],
)
def test_numbers(numbers, text, expected):
    assert numbers().read(text) == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "\xa0",
        "####",
        "############ns",
        "18.05 - 86.71",
        "1// 1",
        " / 1/ 1",
        "N/A",
        "nan",
        "inf",
        "1e999",
        "1_000",
        "٣",
        "DB CPU",
        "12..3",
        "9" * 5000,
    ],
)
def test_what_is_no_number(numbers, text):
    assert numbers().read(text) is None


def test_volumes_are_multiples_of_1024(numbers):
    assert numbers().bytes_of("11.8G") == 11.8 * 1024**3
    assert numbers().bytes_of("1,024") == 1024.0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1.139,2", 1139.2),
        (",81", 0.81),
        ("28,7K", 28_700.0),
        ("1.234", 1234.0),
        ("1.234.567,8", 1_234_567.8),
        ("1 139,2", 1139.2),
        ("60.02", 60.02),
        ("-,5", -0.5),
    ],
)
def test_decimal_commas(numbers, text, expected):
    assert numbers(decimal_comma=True).read(text) == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("733.58us", 733.58e-6),
        ("1,457.79us", 1457.79e-6),
        ("502.71ms", 0.50271),
        ("1283.77ms", 1.28377),
        (".00ns", 0.0),
        ("12.98 s", 12.98),
        ("1.5 m", 90.0),
    ],
)
def test_times_with_their_unit(numbers, text, seconds):
    assert numbers().seconds(text) == pytest.approx(seconds)


@pytest.mark.parametrize("text", ["############ns", "", "12.5", "ns", "&", "items"])
def test_what_is_no_time(numbers, text):
    assert numbers().seconds(text) is None


def test_counts_have_an_end(numbers):
    assert numbers().whole("73,343") == 73_343
    assert numbers().whole("12.5") is None
    assert numbers().whole("9" * 30) is None


def test_which_mark_a_report_uses():
    assert numbers_of(["1.139,2", "60,02 (mins)", "99,98", "1,234"]).decimal_comma
    assert not numbers_of(["1,139.2", "60.02 (mins)", "1,234", "11.2.0.4.0"]).decimal_comma
    assert not numbers_of([]).decimal_comma


@pytest.mark.parametrize(
    ("text", "expected", "language"),
    [
        ("17-Jan-23 10:00:12", datetime(2023, 1, 17, 10, 0, 12), ""),
        ("31-DEC-26 23:59", datetime(2026, 12, 31, 23, 59), ""),
        ("08-Ноя-17 16:11", datetime(2017, 11, 8, 16, 11), "ru"),
        ("05-Май-20 10:00", datetime(2020, 5, 5, 10, 0), "ru"),
        ("17-1월 -23 10:00", datetime(2023, 1, 17, 10, 0), "ko"),
        ("17-12월-23 10:00:05", datetime(2023, 12, 17, 10, 0, 5), "ko"),
        ("17-1月 -23 14:00:31", datetime(2023, 1, 17, 14, 0, 31), "ja"),
        ("01-MRZ-24 08:00", datetime(2024, 3, 1, 8, 0), "de"),
        ("01-Okt-24 08:00", datetime(2024, 10, 1, 8, 0), "de"),
        ("17-févr.-23 09:00", datetime(2023, 2, 17, 9, 0), "fr"),
        ("17-Août-23 09:00:01", datetime(2023, 8, 17, 9, 0, 1), "fr"),
        ("17-Ene-23 09:00", datetime(2023, 1, 17, 9, 0), "es"),
        ("17-Ago-23 09:00", datetime(2023, 8, 17, 9, 0), "es"),
        ("17-Gen-2023 09:00", datetime(2023, 1, 17, 9, 0), "it"),
        ("17-Ağu-23 09:00", datetime(2023, 8, 17, 9, 0), "tr"),
        ("17-Paź-23 09:00", datetime(2023, 10, 17, 9, 0), "pl"),
    ],
)
def test_months_of_many_languages(text, expected, language):
    found = read_moment(text)
    assert found is not None
    assert (found.local, found.language) == (expected, language)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "32-Jan-23 10:00",
        "17-Foo-23 10:00",
        "17-13월-23 10:00",
        "17-Jan-23",
        "17-Jan-23 25:00",
        "20-Jan 08:00:22",
        "(mins)",
    ],
)
def test_what_is_no_moment(text):
    assert read_moment(text) is None
