"""What stands between iostat's banner and its first block proves -y only where it is exactly two blank lines."""

from __future__ import annotations

import pytest

from tests.conftest import ROOT

BANNER = "Linux 6.1.0 (db1) \t11/21/26 \t_x86_64_\t(2 CPU)\n\n"
BLOCK = """avg-cpu:  %user   %nice %system %iowait  %steal   %idle
          37.46    0.01   16.73    0.63    0.26   44.92

Device             tps    kB_read/s    kB_wrtn/s    kB_read    kB_wrtn
sda              5.24         5.24         1.10     203305      42533

"""


@pytest.fixture(scope="module")
def iostat(load, read):
    parser = load("linux_stat", "iostat:IostatParser")
    return lambda data, **known: read(parser, data if isinstance(data, bytes) else data.encode(), **known)


def fixture(name: str) -> bytes:
    return (ROOT / "tests" / "fixtures" / "linux" / name).read_bytes()


def boots(reading, *series, **attributes) -> list[bool]:
    return [sample.since_boot for sample in reading.of(*series, **attributes)]


def double_spaced(text: str, keeps_blanks: bool) -> str:
    """As mail programs do: a blank line behind every line, or behind those that are not blank."""
    return "".join(line + "\n" * (1 if keeps_blanks and not line.strip() else 2) for line in text.splitlines())


def test_a_double_spaced_capture_begins_since_boot(iostat):
    """The block of 10:00:00 has r/s 0.00 and is the average; those that follow were measured."""
    reading = iostat(fixture("iostat-double-spaced.txt"))
    assert boots(reading, "device", "r/s", device="sda") == [True, False, False, False]
    assert reading.ledger.warnings == ("likely_since_boot",)


@pytest.mark.parametrize("keeps_blanks", [False, True])
@pytest.mark.parametrize("name", ["", "iostat-dxt-y.txt"])
def test_double_spacing_proves_no_y(iostat, name, keeps_blanks):
    text = fixture(name).decode() if name else BANNER + BLOCK * 3
    reading = iostat(double_spaced(text, keeps_blanks))
    for samples in reading.samples.values():
        assert [sample.since_boot for sample in samples] == [True] + [False] * (len(samples) - 1)
    assert "likely_since_boot" in reading.ledger.warnings


@pytest.mark.parametrize(
    "below",
    ["# before the change\n\n", "\n# before the change\n", "[12345.678901] sd 2:0:0:0: [sda] reset\n\n", "\n\n"],
)
@pytest.mark.parametrize("runs", [1, 2])
def test_other_lines_below_the_banner_prove_no_y(iostat, below, runs):
    reading = iostat((BANNER + below + BLOCK * 3) * runs)
    assert boots(reading, "device", "tps", device="sda") == [True, False, False] * runs
    assert "likely_since_boot" in reading.ledger.warnings


def test_the_usual_blank_line_is_no_doubt(iostat):
    assert "likely_since_boot" not in iostat(BANNER + BLOCK * 3).ledger.warnings
    assert "likely_since_boot" not in iostat(fixture("iostat-dxt-y.txt")).ledger.warnings


@pytest.mark.parametrize(
    ("command", "blanks", "since_boot"),
    [
        ("[root@db1 ~]# iostat -x 5 3", 2, True),  # a blank line too many says less than the command
        ("# iostat without -y, interval 5", 1, True),  # a sentence is no command
        ("# taken with iostat -x 5, no -y", 1, True),
        ("# iostat output of db1, 5 seconds", 2, False),
        ("[root@db1 ~]# iostat -xy 5 3", 1, False),
    ],
)
def test_the_command_tells_the_first_block_and_a_sentence_about_it_does_not(iostat, command, blanks, since_boot):
    banner = command + "\nLinux 6.1.0 (db1) \t11/21/26 \t_x86_64_\t(2 CPU)\n" + "\n" * blanks
    reading = iostat(banner + BLOCK * 3)
    assert boots(reading, "cpu", "%user") == [since_boot, False, False]
