"""What becomes of each file of the corpus, typed after a look at the file; the first pattern that fits counts."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase


@dataclass(frozen=True)
class Expected:
    """Attributes:
    parser: who reads it; ``""`` for a file that is refused.
    reason: key of the sentence (below ``error.``), also where a capture was read and holds nothing; ``""`` for none.
    name: what the sentence calls the file.
    """

    parser: str = ""
    reason: str = ""
    name: str = ""


def read(parser: str) -> Expected:
    return Expected(parser)


def empty(parser: str) -> Expected:
    """The tool's own output, in which the tool printed no figures."""
    return Expected(parser, "file_without_data")


def refused(group: str, name: str) -> Expected:
    return Expected("", f"file_is_{group}", name)


_TABLE: tuple[tuple[str, Expected], ...] = (
    ("made/MANIFEST.tsv", Expected("", "file_unrecognised")),  # the corpus' own list
    # what a benchmark printed when it was done
    ("*/bonnie/*", read("benchmarks.bonnie")),
    ("*/fio/fio-text.txt", refused("benchmark", "fio")),
    ("*/fio*/*", read("benchmarks.fio")),
    ("*/iozone/*", read("benchmarks.iozone")),
    ("*/sysbench/*-prepare.txt", refused("benchmark", "sysbench")),
    ("*/sysbench/*", read("benchmarks.sysbench")),
    ("*/misc/dd.txt", read("benchmarks.dd")),
    ("*/pgbench/pgbench-init.txt", refused("benchmark", "pgbench -i")),
    # reports of databases
    ("made/mysql/global-*", read("mysql.views")),
    ("made/mysql/mysqladmin-extended-*", read("mysql.views")),
    ("made/mysql/innodb-status-tab.txt", read("mysql.views")),
    ("made/mysql/innodb-status.txt", read("mysql.innodb_status")),
    ("made/mysql/processlist.txt", refused("database", "SHOW PROCESSLIST")),
    ("made/mysql/slow.log", read("mysql.slow_log")),
    ("wild/mysqladmin-i/*-defer", refused("database", "SHOW GLOBAL STATUS")),  # two rounds pasted side by side
    ("wild/mysqladmin-i/*", read("mysql.views")),
    ("wild/innodb-status/*sandbox_start-sandbox", refused("program", "script")),
    ("wild/innodb-status/*", read("mysql.innodb_status")),
    ("wild/pt-stalk/*-processlist", refused("database", "SHOW PROCESSLIST")),
    ("wild/pt-stalk/*-innodbstatus1", read("mysql.innodb_status")),
    ("wild/statspack/*", read("oracle.statspack")),
    # sysstat
    ("made/iostat/*.json", read("linux.iostat_json")),
    ("made/iostat/*", read("linux.iostat")),
    ("wild/iostat-json/*", read("linux.iostat_json")),
    ("wild/iostat-linux/*iostat-foo", empty("linux.iostat")),  # a device that is not there: headings alone
    ("wild/iostat-linux*/*", read("linux.iostat")),
    ("made/mpstat/*.json", read("linux.mpstat_json")),
    ("made/mpstat/*", read("linux.mpstat")),
    ("wild/mpstat-json/*sadf-j", read("linux.sadf_json")),
    ("wild/mpstat-json/*", read("linux.mpstat_json")),
    ("wild/mpstat-linux/*irqtop", refused("program", "script")),
    ("wild/mpstat-linux/*", read("linux.mpstat")),
    ("made/pidstat/*", read("linux.pidstat")),
    ("wild/pidstat/*expected.pidstat-C", empty("linux.pidstat")),  # no process of that name: headings alone
    ("wild/pidstat/*", read("linux.pidstat")),
    ("made/sar/sadf-d*", read("linux.sadf_delimited")),
    ("made/sar/sadf-[TU].txt", read("linux.sadf_delimited")),
    ("made/sar/sadf-p.txt", read("linux.sadf_per_value")),
    ("made/sar/sadf-r-raw.txt", read("linux.sadf_raw")),
    ("made/sar/sadf-x.xml", read("linux.sadf_xml")),
    ("made/sar/sadf-l-pcp-header.txt", refused("description", "sadf -H")),
    ("made/sar/sa21", read("linux.sadf_json")),
    ("made/sar/sar-F.txt", empty("linux.sar")),  # Requested activities not available
    ("made/sar/*", read("linux.sar")),
    ("wild/sa-binary/*-err", Expected("", "sa_unreadable")),  # made broken by sysstat's authors
    ("wild/sa-binary/*non-printable", Expected("linux.sadf_json", "sa_without_data")),  # a host's facts alone
    ("wild/sa-binary/*ukwn*", Expected("linux.sadf_json", "sa_not_all_read")),  # activities of no version, by the same
    ("wild/sa-binary/*", read("linux.sadf_json")),
    ("wild/sadf-d/*expected01.sadf-d", empty("linux.sadf_delimited")),  # three headings
    ("wild/sadf-d/*", read("linux.sadf_delimited")),
    ("wild/sadf-j/*cifsiostat*", refused("unread", "cifsiostat -o JSON")),
    ("wild/sadf-j/*pidstat*", read("linux.pidstat_json")),
    ("wild/sadf-j/*", read("linux.sadf_json")),
    ("wild/sadf-x/*", read("linux.sadf_xml")),
    ("wild/sar-linux/*", read("linux.sar")),
    # other tools of Linux
    ("made/collectl/collectl-P.txt", read("collectl.plot")),
    ("made/collectl/*", read("collectl.terminal")),
    ("wild/collectl/*", read("collectl.terminal")),  # pages of its manual with captures in them
    ("made/dstat/*.csv", read("dstat.csv")),
    ("made/dstat/*.txt", read("dstat.terminal")),
    ("wild/dstat-csv/*", read("dstat.csv")),
    ("made/misc/atop-text.txt", read("linux.atop")),
    ("made/misc/df-k.txt", read("linux.df")),
    ("made/misc/diskstats-3x.txt", read("linux.diskstats")),
    ("made/misc/free*.txt", read("linux.free")),
    ("made/misc/loop-date-iostat.txt", read("linux.iostat")),
    ("made/misc/loop-date-vmstat.txt", read("linux.vmstat")),
    ("made/misc/meminfo.txt", read("linux.meminfo")),
    ("made/misc/top-b.txt", read("linux.top")),
    ("made/misc/lscpu.txt", read("linux.configuration")),
    ("made/misc/uname-a.txt", read("linux.configuration")),
    ("wild/df/*", read("linux.df")),
    ("wild/diskstats/*", read("linux.diskstats")),
    ("wild/top-linux/*", read("linux.top")),
    ("*/time*/*", read("tunebench.timed_command")),
    ("made/vmstat/vmstat-D.txt", read("linux.vmstat_counters")),
    ("made/vmstat/vmstat-s.txt", read("linux.vmstat_counters")),
    ("made/vmstat/vmstat-d*.txt", read("linux.vmstat_tables")),
    ("made/vmstat/*", read("linux.vmstat")),
    ("wild/vmstat-d/*", read("linux.vmstat_tables")),
    ("wild/vmstat-linux/*", read("linux.vmstat")),
    ("*/nmon/*", read("nmon.nmon")),
    # PostgreSQL's benchmark reports over time
    ("made/pgbench/pg_stat_*", read("postgresql.views")),
    ("*/pgbench/*", read("pgbench.output")),
    # other systems
    ("wild/iostat-solaris/*", read("solaris.iostat")),
    ("wild/kstat/*", read("solaris.kstat")),
    ("wild/prtdiag/*", read("solaris.configuration")),
    ("wild/sar-solaris/*", read("solaris.sar")),
    ("wild/vmstat-solaris/*", read("solaris.vmstat")),
    ("wild/sar-hpux/*", read("hpux.sar")),
    ("wild/vmstat-aix/*", read("aix.vmstat")),
    ("wild/vmstat-bsd/*", read("bsd.vmstat")),
)


def expected_of(place: str) -> Expected | None:
    """For ``wild/df/name``; None where nobody has looked at such a file yet."""
    return next((each for pattern, each in _TABLE if fnmatchcase(place, pattern)), None)


def unused_patterns(places: list[str]) -> list[str]:
    return [pattern for pattern, _ in _TABLE if not any(fnmatchcase(place, pattern) for place in places)]
