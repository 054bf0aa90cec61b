"""Hosts and kinds are read from where a collector puts its files."""

from __future__ import annotations

import time

import pytest

from tunebench.capture.layouts import Expected, place_of, shipped_layouts, told_host

SOS = "sosreport-web01-2024-04-16-abcdefg"

CASES = [
    ("oswbb/archive/oswvmstat/db01_vmstat_24.04.16.1000.dat", "oswatcher", "oswvmstat", "yes", "db01"),
    ("a.zip/archive/oswiostat/db-01.x.com_iostat_24.04.16.1000.dat", "oswatcher", "oswiostat", "yes", "db-01.x.com"),
    ("x/dm02cel01.aim.com_iostat_12.02.29.1100.dat", "oswatcher", "iostat", "yes", "dm02cel01.aim.com"),
    ("oswbb/archive/oswprvtnet/db01_prvtnet_24.04.16.1000.dat", "oswatcher", "oswprvtnet", "perhaps", "db01"),
    ("oswbb/startOSWbb.sh", "oswatcher", "osw_program", "no", ""),
    ("osw_db01.tar.gz/oswbb/archive/oswlog/readme.me", "oswatcher", "osw_program", "no", ""),
    ("archive/oswvmstat/readme.me", "oswatcher", "osw_program", "no", ""),
    ("oswbb/docs/README", "oswatcher", "osw_program", "no", ""),
    ("captures/readme.me", "", "", "unknown", ""),
    ("oswbb/archive/oswps/readme_ps.out", "", "", "unknown", ""),
    (
        "archive/Iostat.ExaWatcher/2014_02_18_12_46_16_IostatExaWatcher_dm01cel01.x.com.dat",
        "exawatcher",
        "iostat",
        "yes",
        "dm01cel01.x.com",
    ),
    (f"{SOS}/var/log/sa/sa16", "sosreport", "sar", "yes", "web01"),
    (f"{SOS}.tar/{SOS}/sos_commands/sar/sar16", "sosreport", "sar", "yes", "web01"),
    (f"{SOS}/proc/meminfo", "sosreport", "system", "perhaps", "web01"),
    (f"{SOS}/etc/passwd", "sosreport", "settings", "no", ""),
    (f"{SOS}/etc/sysctl.conf", "sosreport", "system", "perhaps", "web01"),
    (f"{SOS}/var/log/messages", "sosreport", "logs", "no", ""),
    (f"{SOS}/installed-rpms", "sosreport", "packages", "no", ""),
    ("sosreport-db-7-03412345-2024-04-16-abcdefg/uptime", "sosreport", "system", "perhaps", "db-7"),
    ("stalk/2026_11_21_16_12_38-iostat", "pt_stalk", "iostat", "yes", ""),
    ("stalk/2026_11_21_16_12_38-iostat-overall", "pt_stalk", "iostat-overall", "perhaps", ""),
    ("nmon/aix01_240416_0000.nmon", "nmon", "nmon", "yes", "aix01"),
    ("logs/db1-20240416-000000.raw", "collectl", "raw", "yes", "db1"),
    ("backup/var/log/sa/sar16", "sa_folder", "sar", "yes", ""),
    ("site/db1/20240416/100000/iostat.txt", "daily_folders", "", "unknown", "db1"),
    ("db1/2024-04-16/vmstat.txt", "daily_folders", "", "unknown", "db1"),
    ("before/2024-04-16/vmstat.txt", "", "", "unknown", ""),
    ("captures/vmstat.txt", "", "", "unknown", ""),
]


@pytest.mark.parametrize(("place", "layout", "kind", "expected", "host"), CASES)
def test_a_member_is_sighted(place: str, layout: str, kind: str, expected: str, host: str) -> None:
    seen = shipped_layouts().sight(place)
    assert (seen.layout, seen.kind, seen.expected, seen.host) == (layout, kind, Expected(expected), host)


def test_the_report_tells_its_host_for_all_of_it() -> None:
    seen = shipped_layouts().sight(f"x.tar/{SOS}/etc/hostname")
    assert seen.tells_host and seen.root == f"x.tar/{SOS}/"
    assert not shipped_layouts().sight(f"x.tar/{SOS}/proc/meminfo").tells_host
    assert not shipped_layouts().sight("captures/vmstat.txt").tells_host


@pytest.mark.parametrize(
    ("text", "host"),
    [
        (b"db01.example.com\n", "db01.example.com"),
        (b"# comment\ndb01\n", "db01"),
        (b"two words\n", ""),
        (b"localhost\n", ""),
        (b"", ""),
        (b"\xff\xfe\x00", ""),
        (b"../etc\n", ""),
    ],
)
def test_what_a_hostname_file_tells(text: bytes, host: str) -> None:
    assert told_host(text) == host


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("/home/lee/a.tar.gz!/oswvmstat/x.dat", "/home/lee/a.tar.gz/oswvmstat/x.dat"),
        ("/home/lee/a.zip!/oswvmstat/x.dat.gz!/x.dat", "/home/lee/a.zip/oswvmstat/x.dat"),
        ("C:\\lee\\sa21.xz!/sa21", "C:/lee/sa21"),
        ("/home/lee/x.dat", "/home/lee/x.dat"),
        ("/home/lee/db01.tar!/db01", "/home/lee/db01"),
        ("/home/lee/db01.tar!/db01/x.dat", "/home/lee/db01.tar/db01/x.dat"),
        ("/home/lee/db.tar!/db01", "/home/lee/db.tar/db01"),
    ],
)
def test_the_place_is_found_again_from_the_path(path: str, place: str) -> None:
    assert place_of(path) == place


@pytest.mark.parametrize(
    ("host", "role"),
    [
        ("dm01cel01.example.com", "storage_server"),
        ("dm02celadm12", "storage_server"),
        ("dm01db01.example.com", "database_server"),
        ("exa1dbadm02", "database_server"),
        ("db01", ""),
        ("was1", ""),
    ],
)
def test_roles_that_names_tell(host: str, role: str) -> None:
    assert shipped_layouts().role(host) == role


def test_hostile_names_cost_no_time() -> None:
    began = time.process_time()
    for name in ("a/" * 500, "sosreport-" * 100, "x-" * 500 + "/", "osw" * 300, "1_" * 500, "a.b-" * 250, "osw/" * 250):
        shipped_layouts().sight(name)
    assert time.process_time() - began < 2
