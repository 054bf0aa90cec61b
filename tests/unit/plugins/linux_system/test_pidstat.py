"""pidstat: every form, values from the text."""

from __future__ import annotations

import pytest

from tests.conftest import CORPUS, ROOT

FIXTURES = ROOT / "tests" / "fixtures" / "linux_system"


@pytest.fixture
def pidstat(load, read):
    return lambda data, **context: read(load("linux_stat", "pidstat:PidstatParser"), data, zone="Asia/Seoul", **context)


def test_a_process_is_its_command_and_pid(pidstat):
    reading = pidstat((FIXTURES / "pidstat-12h.txt").read_bytes())
    assert reading.values("cpu", "%CPU", process="fio[22]")[:2] == [3.43, 3.50]
    assert reading.times("cpu", "%CPU", process="fio[22]")[:2] == ["2026-11-21 07:10:23", "2026-11-21 07:10:25"]
    assert reading.of("cpu", "%usr", process="collectl[266]")[0].line == 4  # the first of its time
    assert not reading.of("cpu", "%usr", process="collectl[266]")[0].since_boot
    assert "average" in reading.skipped()
    assert (reading.ledger.variant, reading.ledger.hostname) == ("-u", "dbtest01")


def test_every_activity_has_its_table(pidstat):
    reading = pidstat((FIXTURES / "pidstat-dur.txt").read_bytes())
    assert {key.table for key in reading.samples} == {"cpu", "memory", "io"}
    assert reading.values("memory", "RSS", process="mpstat[172]")[0] == 1684.0
    assert reading.values("memory", "minflt/s", process="pidstat[199]")[0] == 75.49


def test_decimal_commas(pidstat):
    reading = pidstat((FIXTURES / "pidstat-de_DE.txt").read_bytes())
    assert reading.values("io", "kB_rd/s", process="fio[22]")[0] == 4792.12
    assert reading.times("io", "kB_rd/s", process="fio[22]")[0] == "2026-11-21 07:10:23"


def test_threads_stand_in_their_own_table(pidstat):
    reading = pidstat((FIXTURES / "pidstat-t.txt").read_bytes())
    assert reading.values("cpu_threads", "%CPU", process="fio[22]")[0] == 3.40
    assert reading.values("cpu_threads", "%CPU", process="fio[22]/fio[22]")[0] == 3.88


def test_context_switches(pidstat):
    reading = pidstat((FIXTURES / "pidstat-w.txt").read_bytes())
    assert reading.values("switches", "cswch/s", process="fio[22]")[0] == 1326.24


HORIZONTAL = b"""Linux 6.1.0 (db1) \t2026-11-21 \t_x86_64_\t(2 CPU)

# Time        UID       PID    %usr %system  %guest   %wait    %CPU   CPU  minflt/s  majflt/s     VSZ     RSS   %MEM   kB_rd/s   kB_wr/s kB_ccwr/s iodelay  Command
12:00:05        0        10    0.20    1.00    0.00    0.00    1.20     1      0.00      0.00       0       0   0.00     -1.00     -1.00     -1.00       0  kworker/0:0H
12:00:05     1000      4711   50.00   10.00    0.00    2.50   60.00     0     12.00      1.00 9437184 3145728  12.50   1024.00     16.00      0.00       7  ora pmon

# Time        UID       PID    %usr %system  %guest   %wait    %CPU   CPU  minflt/s  majflt/s     VSZ     RSS   %MEM   kB_rd/s   kB_wr/s kB_ccwr/s iodelay  Command
12:00:10     1000      4711   40.00   10.00    0.00    2.50   50.00     0     12.00      1.00 9437184 3145728  12.50   1024.00     16.00      0.00       7  ora pmon
"""


def test_all_activities_in_one_table(pidstat):
    reading = pidstat(HORIZONTAL)
    assert reading.values("processes", "%CPU", process="ora pmon[4711]") == [60.0, 50.0]
    assert reading.values("processes", "RSS", process="ora pmon[4711]") == [3145728.0, 3145728.0]
    assert reading.of("processes", "kB_rd/s", process="kworker/0:0H[10]") == []  # -1.00: may not be read
    assert reading.times("processes", "%CPU", process="ora pmon[4711]") == [
        "2026-11-21 03:00:05",
        "2026-11-21 03:00:10",
    ]
    assert reading.ledger.warnings == ()


def test_a_single_horizontal_report_may_be_since_boot(pidstat):
    reading = pidstat(HORIZONTAL[: HORIZONTAL.rindex(b"\n# Time")])
    assert reading.ledger.warnings == ("maybe_since_boot",)


def test_a_report_with_the_heading_s_own_time_is_since_boot(pidstat):
    text = b"""Linux 3.10.0 (localhost) \t03/09/2022 \t_x86_64_\t(1 CPU)

12:06:39 PM   UID       PID    %usr %system  %guest    %CPU   CPU  Command
12:06:39 PM     0         1    0.00    0.05    0.00    0.05     0  systemd
"""
    reading = pidstat(text)
    (sample,) = reading.of("cpu", "%CPU", process="systemd[1]")
    assert (sample.value, sample.since_boot) == (0.05, True)
    assert reading.ledger.warnings == ("since_boot_only",)


def test_epoch_stamps_of_an_old_horizontal_report(pidstat):
    if not CORPUS.is_dir():
        pytest.skip("the corpus is not beside the project")
    path = next((CORPUS / "wild" / "pidstat").glob("*centos-7.7_pidstat-hdlrsuw-2-5.out"))
    reading = pidstat(path.read_bytes())
    assert reading.times("processes", "cswch/s", process="rcu_sched[9]")[0] == "2022-03-09 20:53:41"
    assert reading.values("processes", "cswch/s", process="rcu_sched[9]")[0] == 1.98


def test_old_pidstat_without_users_and_human_sizes(pidstat):
    text = b"""Linux 2.6.32 (db1) \t11/21/2026 \t_x86_64_\t(2 CPU)

03:42:44 PM       PID    %usr %system  %guest    %CPU   CPU  Command
03:42:46 PM      4711    2.00    1.00    0.00    3.00     1  oracle

03:42:46 PM   UID       PID  minflt/s  majflt/s     VSZ     RSS   %MEM  Command
03:42:48 PM  1000      4711      0.50      0.00    9.0G  36.8M   2.9%  oracle
"""
    reading = pidstat(text)
    assert reading.values("cpu", "%CPU", process="oracle[4711]") == [3.0]
    assert reading.values("memory", "RSS", process="oracle[4711]") == [pytest.approx(36.8 * 1024)]
    assert reading.values("memory", "%MEM", process="oracle[4711]") == [2.9]
    assert "rounded_units" in reading.ledger.warnings


def test_human_sizes_that_may_not_be_read(pidstat):
    text = (
        b"Linux 6.1.0 (db1) \t2026-11-21 \t_x86_64_\t(2 CPU)\n\n"
        b"12:00:00         USER       PID   kB_rd/s   kB_wr/s kB_ccwr/s iodelay  Command\n"
        b"12:00:05         root        10     -1.0B     -1.0B     -1.0B       0  kworker/0:0H\n"
        b"12:00:05       oracle      4711      1.5M     16.0k      0.0B       7  ora_pmon_db1\n"
    )
    reading = pidstat(text)
    assert reading.values("io", "kB_rd/s", process="ora_pmon_db1[4711]") == [1536.0]
    assert reading.values("io", "kB_wr/s", process="ora_pmon_db1[4711]") == [16.0]
    assert reading.values("io", "kB_rd/s", process="kworker/0:0H[10]") == []
    assert reading.values("io", "iodelay", process="kworker/0:0H[10]") == [0.0]


def test_tables_in_turn_with_children(pidstat):
    """pidstat -T ALL -u -r: the tasks', their children's, then memory."""
    text = (
        b"Linux 6.1.0 (db1) \t11/21/26 \t_x86_64_\t(2 CPU)\n\n"
        b"19:14:08      UID       PID    %usr %system  %guest   %wait    %CPU   CPU  Command\n"
        b"19:14:09        0     10465   45.54    3.96    0.00   11.88   49.50     0  python\n\n"
        b"19:14:08      UID       PID    usr-ms system-ms  guest-ms  Command\n"
        b"19:14:09        0     10465       460        40         0  python\n\n"
        b"19:14:08      UID       PID  minflt/s  majflt/s     VSZ     RSS   %MEM  Command\n"
        b"19:14:09        0     10465    293.07      0.00  515364   83004   0.34  python\n"
    )
    reading = pidstat(text)
    assert reading.values("child_cpu", "usr-ms", process="python[10465]") == [460.0]
    assert reading.values("memory", "RSS", process="python[10465]") == [83004.0]
    assert not reading.of("cpu", "%CPU", process="python[10465]")[0].since_boot


def test_epochs_of_threads_under_h(pidstat):
    """pidstat -H -h -t: epochs, thread groups, a command with blanks."""
    text = (
        b"Linux 6.1.0 (db1) \t11/21/26 \t_x86_64_\t(2 CPU)\n\n"
        b"# Time        UID      TGID       TID    %usr %system  %guest   %wait    %CPU   CPU  Command\n"
        b"1795288444     1000      2393         -   39.60    0.00    0.00   15.84   39.60     0  ora pmon\n"
        b"1795288444     1000         -      2394   19.60    0.00    0.00   15.84   19.60     1  |__ora pmon\n"
    )
    reading = pidstat(text)
    assert reading.values("processes_threads", "%CPU", process="ora pmon[2393]") == [39.60]
    assert reading.values("processes_threads", "%CPU", process="ora pmon[2393]/ora pmon[2394]") == [19.60]
    assert reading.times("processes_threads", "%CPU", process="ora pmon[2393]") == ["2026-11-21 19:14:04"]


def test_short_lived_processes_are_bounded(pidstat):
    head = b"Linux 6.1.0 (db1) \t2026-11-21 \t_x86_64_\t(2 CPU)\n\n12:00:00   UID       PID    %usr %system  %guest    %CPU   CPU  Command\n"
    rows = b"".join(
        b"12:00:05     0  %8d    0.00    0.10    0.00    0.10     0  sh\n" % pid for pid in range(1000, 1400)
    )
    reading = pidstat(head + rows)
    assert len({dict(key.attributes)["process"] for key in reading.samples}) == 300
    assert reading.skipped() == {"too_many_processes": 100}
    assert reading.ledger.lines.balanced
