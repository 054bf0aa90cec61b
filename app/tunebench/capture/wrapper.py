"""The one line that runs a tool on a server and leaves nothing of it behind.

What goes out is one line, ``exec env TUNEBENCH=cap<nonce> nice -n 5 sh -c '<script>' cap<nonce> '<watcher>' '<tool
line>'``, without a newline and without ``!`` inside quotes, so that every login shell passes it on alike, csh and tcsh
included. sshd starts it in a session of its own, so that signal 15 to process group 0 reaches all that the tool
started, and nothing else.

* The script prints the begin marker, starts the tool with stdin from /dev/null, waits for it, and prints the end
  marker with the tool's exit status, the lines of ``times`` and the over marker.
* The watcher (perl; a read loop of the shell where there is none) reads what the script got as stdin. At its end,
  or when no byte came for `lease_s` seconds (perl only), it sends 15 to the group; the script alone ignores it,
  prints its end, and goes. What is left after that is sent 9, and after six seconds everything is.
* Not by a timer in a subshell, and not by a remembered process id: mksh, yash and posh go on after a signal to the
  subshell, and a process id may by then be somebody else's.

What ran with `Rights.SUDO` belongs to root and cannot be signalled by us: such a tool ends by its own count, or when
it writes into the closed connection. Its tool line must be one simple command.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from urllib.parse import quote

from tunebench.domain.capturing.plan import CommandKind, Rights

SYSTEM_PATH = "/usr/xpg4/bin:/usr/bin:/bin:/usr/sbin:/sbin"
UNIX_WITH_OLD_SH = ("sunos", "")  # /bin/sh may be a Bourne shell there; an unknown system may be such a one
PICK_SHELL = 'S=sh;for s in /bin/ksh /usr/xpg4/bin/sh;do test -x $s&&S=$s;done;exec $S -c "$@"'

# It is told its parent, which may have ended before perl began.
_WATCHER = (
    "$c=q(cap{nonce});$m=$ARGV[1];"
    "eval{{$SIG{{ALRM}}=$SIG{{TERM}}=sub{{die}};alarm $ARGV[0];alarm $ARGV[0] while sysread STDIN,$_,64}};"
    "alarm 0;$SIG{{TERM}}=q(IGNORE);"
    "kill 15,0;for(1,2){{for(1..150){{getppid==$m or kill 9,0;select undef,undef,undef,.02}}kill q(USR1),$m}}kill 9,0"
)
# A script that is a zombie, because nobody asks for its status, is gone as well.
_SHELL_WATCHER = (
    'while read x;do :;done;trap "" 15;kill -15 0;'
    "for s in 1 2;do for x in 1 2 3 4 5 6 7 8 9;do kill -0 $$||kill -9 0;"
    'grep -q ") Z" /proc/$$/stat&&kill -9 0;'
    "sleep .3||sleep 1;done;kill -USR1 $$;done;"
    "kill -9 0"
)
# The shell ignores 15 while it waits: bash that is interrupted in a wait at the moment in which the child ends loses
# the child's status and waits for ever. USR1 comes only when the tool did not end within three seconds of a 15.
_SCRIPT = (
    ": cap{nonce};PATH=$PATH:{path};export PATH;"
    "u(){{ date -u +%Y-%m-%dT%H:%M:%S{fraction}Z;}};"
    "exec 3<&0 </dev/null;"
    'printf "@tunebench %s begin id=%s pid=%s interval=%s utc=%s local=%s zone=%s\\n" '
    '{nonce} "{id}" $$ {interval} "`u`" "`date +%Y-%m-%dT%H:%M:%S`" "`date +%Z`";'
    "({run}) 3<&- & p=$!;"
    'if perl -e 1 >/dev/null 2>&1;then exec perl -e "$1" {lease} $$ <&3 3<&- >/dev/null 2>&1 & '
    "else ({shell_watcher}) <&3 3<&- >/dev/null 2>&1 & fi;exec 3<&-;"
    'k=0;trap "" 15;trap "k=1;kill -9 $p" USR1;wait $p 2>/dev/null;r=$?;test $k -eq 1&&{{ wait $p 2>/dev/null;r=137;}};'
    "test $r -gt 256&&r=$((r%128+128));"
    'printf "\\n@tunebench %s end exit=%s utc=%s\\n" {nonce} $r "`u`";times;printf "@tunebench %s over\\n" {nonce};'
    "kill -15 0;exit $r"
)
_STAMP = 'printf "@tunebench at %s\\n" "`u`";(eval "$2");q=$?'
# Rounds keep the phase of the first: the sleep is what is left of the interval. A tool that is not there or may not
# run ends the loop; any other failure may pass.
_LOOP = (
    "{clock};n;b=$t;i=0;while :;do {stamp};i=$((i+1));test $i -ge {count}&&break;"
    "case $q in 126|127)break;;esac;n;d=$(({period}-(t-b)%{period}));{sleep};done;exit $q"
)
# The words of a trial's tool line. What it says stands between lines that begin with @trial; what prepares and undoes
# goes to stderr. Whatever happens, what `finally` and `file` noted is undone once, and not cut off while it is.
TRIAL_WORDS = (
    'd=;r=;h(){ printf "@trial %s\\n" "$*";};'
    'z(){ trap "" 15;(e=0;eval "$d"||e=$?;eval "$r";exit $e) </dev/null >&2;h undone $?;d=;r=;};trap "z;exit 143" 15;'
    'fail(){ h failed "$@";z;exit 0;};'
    "trial(){ h begins $1;};finally(){ d=$1;};"
    'prepare(){ (eval "$1") </dev/null >&2||fail prepare $?;};'
    'feed(){ c=$1;shift;printf "%s\\n" "$@"|(eval "$c") >&2||fail feed $?;};'
    'file(){ f=$1;shift;if test -f "$f";then test -f "$f.tunebench"||cp -p "$f" "$f.tunebench"||fail file "$f";'
    "r=\"cat '$f.tunebench' >'$f'&&rm -f '$f.tunebench';$r\";else r=\"rm -f '$f';$r\";fi;"
    'printf "%s\\n" "$@" >"$f"||fail file "$f";};'
    'drop(){ (eval "$1") </dev/null >&2||fail drop $?;};'
    'cold(){ drop "$1";sh -c \'test -r "$1"&&h=`cat "$1"|wc -c`&&while read a b;do '
    'test $a = read_bytes:&&h="$h $b";done </proc/$$/io;echo "@trial cold" $h\' cold "$2" 2>/dev/null;drop "$1";};'
    'measure(){ x=\'eval "$1" 2>&1;e=$?;printf "\\n@trial timed\\n";exit $e\';'
    "for s in bash ksh mksh sh;do $s -c 'time true' >/dev/null 2>&1&&break;done;"
    "case $s in sh)m='time -p';;*)m=time;;esac;h measures `u`;"
    '$s -c "$m sh -c \\"\\$1\\" timed \\"\\$2\\"" timed "$x" "$1" </dev/null 2>&1;'
    'e=$?;echo "@exit $e";h measured $e `u`;'
    "test $e -eq 0||{ z;exit 0;};};"
    'collect(){ h collects;(eval "$1") </dev/null 2>&1;e=$?;echo;h collected $e;};'
)
_MILLISECOND_CLOCK = "n(){ t=`date +%s%3N`;case $t in *%*)t=${t%%%*}000;;esac;}"
_MILLISECOND_SLEEP = 'sleep "`printf %d.%03d $((d/1000)) $((d%1000))`"||sleep $((d/1000+1))'
_SECOND_CLOCKS = {"freebsd": "n(){ t=`date +%s`;}"}
_SHELL_CLOCK = "n(){ t=${SECONDS%%[.,]*};t=${t:-0};}"  # ksh, and the sh of Solaris, AIX and HP-UX, count their seconds
_FOR_EVER = 999_999_999
OUR_ARGUMENTS = "[-]c : [c]ap{nonce};"
"""Finds the script's process in what ps prints, but neither the line that looks for it nor an ssh client here."""


def wrap(
    tool_line: str,
    *,
    command_id: str,
    nonce: str,
    os: str,
    kind: CommandKind,
    interval_s: float | None = None,
    count: int | None = None,
    lease_s: int = 90,
    nice: int = 5,
    environment: Mapping[str, str] | None = None,
    rights: Rights = Rights.USER,
) -> str:
    """The verbatim remote command line.

    Args:
        tool_line: one line of POSIX shell, as an administrator knows it.
        os: ``linux``, ``sunos`` ... or empty where not known.
        kind: ``stream`` runs the tool as it is; ``loop`` runs it `count` times with a stamp line before each round;
            ``once``, ``pull``, ``house``, ``trial`` run it once, ``once`` below a stamp line, ``trial`` with the words
            of a trial (`TRIAL_WORDS`).
        interval_s: between the rounds of a loop; else only told in the begin marker.

    Raises:
        ValueError: a control character in the tool line, or a loop without an interval.
    """
    tool = tool_text(tool_line, environment or {}, rights)
    interval = "-" if interval_s is None else f"{interval_s:g}"
    script = _SCRIPT.format(
        nonce=nonce,
        path=SYSTEM_PATH,
        fraction=".%3N" if os == "linux" else "",
        id=marker_id(command_id),
        interval=interval,
        lease=lease_s,
        run=running(kind, os, interval_s, count),
        shell_watcher=_SHELL_WATCHER,
    )
    words = (script, f"cap{nonce}", _WATCHER.format(nonce=nonce), tool)
    return f"exec env TUNEBENCH=cap{nonce} {niced(nice)}{_shell(os, nonce)}" + " ".join(quoted(word) for word in words)


def evaluated(verbatim: str) -> str:
    """The text that a line made by `wrap` gives to the shell as its tool: environment, rights and tool line."""
    return shlex.split(verbatim)[-1]


def niced(nice: int) -> str:
    return f"nice -n {nice} " if nice > 0 else ""


def _shell(os: str, nonce: str) -> str:
    if os not in UNIX_WITH_OLD_SH:
        return "sh -c "
    return f"sh -c {quoted(f': cap{nonce};{PICK_SHELL}')} cap{nonce} "


def marker_id(command_id: str) -> str:
    """Percent-encoded, so that it is one word for the shell and in our markers."""
    return quote(command_id, safe="/:._-@#=,+")


def tool_text(tool_line: str, environment: Mapping[str, str], rights: Rights) -> str:
    """What the shell evaluates: the environment, the rights, the tool line."""
    if any(ord(character) < 32 for character in tool_line):
        raise ValueError(f"control character in the tool line {tool_line!r}")
    settings = " ".join(f"{name}={shlex.quote(value)}" for name, value in environment.items())
    exported = f"export {settings};" if settings else ""
    return exported + ("sudo -n " if rights is Rights.SUDO else "") + tool_line


def quoted(word: str) -> str:
    """`word` in single quotes for every login shell; csh and tcsh would expand a ``!`` even inside them."""
    if word and all(character.isalnum() and character.isascii() or character in "./_-" for character in word):
        return word
    return "'" + word.replace("'", "'\\''").replace("!", "'\\!'") + "'"


def running(kind: CommandKind, os: str, interval_s: float | None, count: int | None) -> str:
    """The part of the script that runs ``"$2"``; it needs the function ``u`` (the time in UTC)."""
    if kind is CommandKind.ONCE:
        return f"{_STAMP};exit $q"
    if kind is CommandKind.TRIAL:
        return f'{TRIAL_WORDS}printf "@tunebench at %s\\n" "`u`";eval "$2";z;exit 0'
    if kind is not CommandKind.LOOP:
        return 'eval "$2"'
    if interval_s is None or interval_s <= 0:
        raise ValueError("a loop needs an interval")
    return _loop(os, interval_s, count or _FOR_EVER)


def _loop(os: str, interval_s: float, count: int) -> str:
    if os == "linux":
        clock, sleep, period = _MILLISECOND_CLOCK, _MILLISECOND_SLEEP, max(1, round(interval_s * 1000))
    else:
        clock, sleep, period = _SECOND_CLOCKS.get(os, _SHELL_CLOCK), "sleep $d", max(1, round(interval_s))
    return _LOOP.format(clock=clock, stamp=_STAMP, count=count, period=period, sleep=sleep)


def ps(os: str) -> str:
    """HP-UX knows the options of the standard only where UNIX95 is set."""
    return "UNIX95= ps" if os == "hp-ux" else "ps"


def stop_by_hand(nonce: str, os: str) -> str:
    """The line with which an administrator ends everything of one plan on a host.

    It asks ps for the process groups that carry our mark (the brackets keep the line from finding itself) and
    sends them 15.
    """
    return (
        f"{ps(os)} -A -o pgid= -o args= | grep '{OUR_ARGUMENTS.format(nonce=nonce)}' | awk '{{print $1}}' | sort -u"
        " | while read g; do kill -15 -$g; done"
    )
