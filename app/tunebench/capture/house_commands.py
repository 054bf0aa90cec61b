"""TuneBench's own questions to a host, as command lines, and what the answers say.

Survey and clock stand alone: they may be sent as they are, to any login shell. All may be wrapped.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from tunebench.capture.frames import STAMP, read_utc
from tunebench.capture.wrapper import OUR_ARGUMENTS, PICK_SHELL, SYSTEM_PATH, ps, quoted
from tunebench.core.patterns import lazy_pattern
from tunebench.core.records import record

SURVEYED_TOOLS = (
    "vmstat", "iostat", "mpstat", "sar", "pidstat", "free", "df", "lsblk", "lscpu", "sysctl", "ip", "netstat", "ss",
    "prstat", "kstat", "fstyp", "mdb", "swap", "prtconf", "psrinfo", "lsattr", "lsps", "svmon", "lparstat", "swapinfo",
    "kmtune", "kctune", "gstat", "camcontrol", "perl", "sudo", "nohup", "setsid", "gzip", "cksum", "sqlplus",
)  # fmt: skip

OVERHEAD_PROBE = "house.overhead"
"""What our processes use on a server: the one command of the house that runs all the while."""
ANSWER = 's(){ printf "@survey %s=%s\\n" "$1" "$2";};'
"""Makes ``s NAME VALUE`` a line of an answer. Each carries a mark, because rc files may write between them."""
BOOT = "cat /proc/sys/kernel/random/boot_id 2>/dev/null||sysctl -n kern.boottime 2>/dev/null||who -b"
"""What is another text after each start of the host."""
_SURVEY = (
    ": cap{nonce};PATH=$PATH:{path};export PATH;LC_ALL=C;export LC_ALL;{answer}"
    's hostname "`uname -n`";s os "`uname -s`";s release "`uname -r`";s version "`uname -v`";s machine "`uname -m`";'
    'test -r /etc/os-release&&s os_release "`sed -n s/^PRETTY_NAME=//p /etc/os-release`";'
    'test -r /etc/release&&s os_release "`head -1 /etc/release`";'
    'command -v oslevel >/dev/null 2>&1&&s os_release "`oslevel -s 2>/dev/null`";'
    's cpus "`getconf _NPROCESSORS_ONLN 2>/dev/null||getconf NPROCESSORS_ONLN 2>/dev/null||'
    'psrinfo 2>/dev/null|wc -l`";'
    's shell "$0";s login_shell "$SHELL";s path "$PATH";s user "`id 2>/dev/null`";{clock}'
    "g=`sed 's/.*) [A-Za-z] [0-9]* //;s/ .*//' /proc/$$/stat 2>/dev/null||ps -o pgid= -p $$ 2>/dev/null`;g=`echo $g`;"
    'a=`tr "\\000" " " </proc/$g/cmdline 2>/dev/null||ps -o args= -p $g 2>/dev/null`;'
    'case "$a" in *cap{nonce}*)s group own;;?*)s group other;;esac;'
    's perl "`perl -e "print \\$]" 2>/dev/null`";'
    's tmp_kb "`(df -kP /tmp 2>/dev/null||df -k /tmp 2>/dev/null)|tail -1`";'
    's file_limit "`ulimit -f`";s open_limit "`ulimit -n`";s lang "$LANG";'
    's kills "`busctl get-property org.freedesktop.login1 /org/freedesktop/login1 org.freedesktop.login1.Manager '
    'KillUserProcesses 2>/dev/null||grep -h ^KillUserProcesses /etc/systemd/logind.conf 2>/dev/null`";'
    's linger "`ls /var/lib/systemd/linger 2>/dev/null|grep -x "${{LOGNAME:-$USER}}"`";'
    'for t in {tools};do w=`command -v $t 2>/dev/null`&&s tool.$t "$w";done;s end 1'
)
# The clock first and the rest after it, so that a slow look into files does not age the reading.
_CLOCK = (
    's utc "{now}";s local "`date +%Y-%m-%dT%H:%M:%S`";s zone "`date +%Z`";s tz "$TZ";'
    's localtime "`ls -l /etc/localtime 2>/dev/null`";s timezone "`cat /etc/timezone 2>/dev/null`";'
    's tzfile "`grep -h ^TZ= /etc/TIMEZONE /etc/default/init /etc/environment 2>/dev/null|head -1`";'
    's boot "`{boot}`";'
)
_NOW_LINUX = "`date -u +%Y-%m-%dT%H:%M:%S.%NZ`"
_NOW_ELSEWHERE = '`perl -MTime::HiRes -e "printf q(%.6f),Time::HiRes::time()" 2>/dev/null||date -u +%Y-%m-%dT%H:%M:%SZ`'
# The watcher of a command outlives it by a few milliseconds.
_PAUSE = "sleep .2 2>/dev/null||sleep 1;"
# Processes that carry our mark in their environment; the mark is inherited by all that a tool starts.
_LEFT_LINUX = (
    'me=`sed "s/.*) [A-Za-z] [0-9]* //;s/ .*//" /proc/$$/stat`;'
    "for e in `grep -l TUNEBENCH=cap{nonce} /proc/[0-9]*/environ 2>/dev/null`;do d=${{e%/environ}};"
    'set -- x `sed "s/.*) //" $d/stat 2>/dev/null`;case "$2" in ""|Z|X)continue;;esac;'
    'test "$4" = "$me"||echo "left pgid=$4 pid=${{d#/proc/}} `tr "\\\\000" " " <$d/cmdline 2>/dev/null`";done;'
    "echo left-end"
)
# Elsewhere the environment of a process cannot be asked for alike: those that carry the mark in their arguments, and
# whatever is in the process group of one. Cut short, for the rest of the script holds the text of our markers.
_OUR_GROUPS = (
    "{ps} -A -o pgid= -o pid= -o time= -o args=|"
    "awk '{{l[NR]=$0;g[NR]=$1;if($2==me)own=$1}}/{mark}/{{ours[$1]=1}}"
    'END{{for(i=1;i<=NR;i++)if(ours[g[i]]==1{but_own})print "{word}" substr(l[i],1,100)}}\' me=$$ -'
)
# /proc has it to the hundredth; ps rounds each process down to a second. The figure of each process holds that of the
# children it has waited for: nothing is counted twice, and what ended is not forgotten. Whole process groups, because
# what runs with sudo does not show its environment.
_OUR_TIMES_LINUX = (
    "o=`grep -l TUNEBENCH=cap{nonce} /proc/[0-9]*/environ 2>/dev/null|sed s/[^0-9]//g`;"
    'cat /proc/[0-9]*/stat 2>/dev/null|awk \'{{p=$1;n=$0;sub(/^[^(]*[(]/,"",n);sub(/[)] [^)]*$/,"",n);'
    'sub(/.*[)] /,"");g[NR]=$3;if(index(o," "p" "))ours[$3]=1;'
    'l[NR]=sprintf("%s %s 0:%.2f %s",$3,p,($12+$13+$14+$15)/h,n)}}'
    "END{{for(i=1;i<=NR;i++)if(ours[g[i]]==1)print l[i]}}' "
    'o=" `echo $o` " h="`getconf CLK_TCK 2>/dev/null||echo 100`" -'
)
_OVERHEAD = 'while :;do date -u "+@tunebench at %Y-%m-%dT%H:%M:%SZ";{groups};sleep {every_s};done'


@record
class OverheadReading:
    """Processor time that our processes there had used so far, at one moment of the server's clock (UTC ns).

    A process that ended is no longer counted, unless a shell of ours that goes on had waited for it: the sum may fall.
    """

    moment_ns: int
    processes: int
    cpu_s: float


def survey_line(nonce: str, tools: Sequence[str] = SURVEYED_TOOLS) -> str:
    """The command that asks what the host is, for `tunebench.capture.survey`. `tools`: names looked for in PATH."""
    clock = _CLOCK.format(now=_NOW_LINUX, boot=BOOT)
    return alone(_SURVEY.format(nonce=nonce, path=SYSTEM_PATH, answer=ANSWER, clock=clock, tools=" ".join(tools)))


def clock_line(nonce: str, os: str) -> str:
    """The command that asks a host for its clock, zone and boot."""
    now = _NOW_LINUX if os == "linux" else _NOW_ELSEWHERE
    return alone(f": cap{nonce};{ANSWER}{_CLOCK.format(now=now, boot=BOOT)}s end 1")


def overhead_line(nonce: str, os: str, every_s: float) -> str:
    """What our processes use there, until it is stopped."""
    if os == "linux":
        groups = _OUR_TIMES_LINUX.format(nonce=nonce)
    else:
        groups = _OUR_GROUPS.format(ps=ps(os), mark=_mark(nonce), but_own="", word="")
    return _OVERHEAD.format(groups=groups, every_s=max(1, round(every_s)))


def leftovers_line(nonce: str, os: str) -> str:
    """Which of our processes are there; those of the asking command itself are left out."""
    if os == "linux":
        return _PAUSE + _LEFT_LINUX.format(nonce=nonce)
    others = _OUR_GROUPS.format(ps=ps(os), mark=_mark(nonce), but_own="&&g[i]!=own", word="left ")
    return f"{_PAUSE}{others};echo left-end"


def cksum_line(path: str) -> str:
    """Checksum and size of a file there. Read from stdin: a name that begins with a dash is no option."""
    return f"cksum <{shlex.quote(path)}"


def _mark(nonce: str) -> str:
    return f"{OUR_ARGUMENTS.format(nonce=nonce)}|[-]e .c=q.[c]ap{nonce}"


def alone(script: str) -> str:
    """A line that any login shell takes, for a system whose ``sh`` may be a Bourne shell."""
    return f"sh -c {quoted(PICK_SHELL)} sh {quoted(script)}"


def read_leftovers(stdout: bytes) -> list[str] | None:
    """One line per process; None where the answer is not whole."""
    lines = stdout.decode("utf-8", "replace").splitlines()
    if "left-end" not in lines:
        return None
    return [line.removeprefix("left ").strip() for line in lines if line.startswith("left ")]


_PS_LINE = lazy_pattern(r"\s*\d+\s+\d+\s+((?:\d+-)?(?:\d+:)?\d+:\d+(?:\.\d+)?)\s")


def read_overhead(data: bytes) -> list[OverheadReading]:
    readings: list[OverheadReading] = []
    for block in data.split(STAMP)[1:]:
        stamp, *lines = block.decode("utf-8", "replace").splitlines()
        moment_ns = read_utc(stamp)
        times = [_cpu_s(match[1]) for match in map(_PS_LINE.match, lines) if match]
        if moment_ns is not None:
            readings.append(OverheadReading(moment_ns, len(times), sum(times)))
    return readings


def _cpu_s(time: str) -> float:
    """``[[dd-]hh:]mm:ss[.ss]`` of ps."""
    days, _, rest = time.rpartition("-")
    total = 0.0
    for part in rest.split(":"):
        total = total * 60 + float(part)
    return total + 86_400 * int(days or 0)
