"""The lines around the rounds of a loop: the house's own marks, and the stamps of other people's loops.

@tunebench at 2026-11-21T02:48:00.123456789Z           before each round of a loop
@tunebench 4f1c begin id=db1/free pid=77 interval=5 utc=2026-11-21T02:48:00Z local=... zone=KST
@tunebench 4f1c end exit=0 utc=2026-11-21T02:53:00Z
@tunebench 4f1c over
zzz ***Wed Feb 29 11:01:52 EST 2012                    OSWatcher
zzz ***Tue Apr 16 10:00:10 KST 2024 Sample interval: 30 secs
zzz <04/16/2024 10:00:10> Count:720                    ExaWatcher
Linux OSWbb v8.1.2                                     its first line; v22.1.0AHF db01 since it names the host
Sat Nov 21 16:15:32 KST 2026                           date
Date:2024/05/28 15:30:00                               getperf
TS 1344561790.012145298 2012-08-09 21:23:10            pt-stalk, pt-diskstats
2026-11-21T16:15:32+09:00                              date -Is, also behind ### or ---
1795245021                                             date +%s
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from tunebench.core.patterns import lazy_pattern
from tunebench.core.records import record
from tunebench.sdk.dates import is_plausible

MARK = b"@tunebench "
_AT = lazy_pattern(rb"^@tunebench at (?P<moment>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z)\s*$")
_FRAME = lazy_pattern(rb"^@tunebench [\w-]+ (?P<kind>begin|end|over)\b(?P<facts>.*)$")
_INTERVAL_FACT = lazy_pattern(rb"\binterval=(\d{1,7}(?:\.\d+)?)(?:\s|$)")
_INTERVAL_WORDS = lazy_pattern(rb"[Ii]nterval\W{1,3}(\d{1,7}(?:\.\d+)?)\s*(?:s\b|sec)")
_DATE = lazy_pattern(
    rb"^(?:zzz\s+\*+\s*|[#=*-]{1,6}\s*)?(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),?\s+(?P<month>[A-Z][a-z]{2})\s+(?P<day>\d{1,2})\s+"
    rb"(?P<time>\d\d:\d\d:\d\d)(?:\s+(?P<zone>[A-Z]{2,5}|[+-]\d\d\d\d))?\s+(?P<year>\d{4})\b"
)
_ISO = lazy_pattern(
    rb"^(?:zzz\s+\*+\s*|[#=*-]{1,6}\s*)?"
    rb"(?P<moment>\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?\s?(?:Z|[+-]\d\d:?\d\d)?)\s*[#=*-]*\s*$"
)
_COLLECTOR = lazy_pattern(
    rb"^(?:Linux|SunOS|Solaris|AIX|HP-?UX|OSF1)\s+OSW(?:bb|atcher)?\s+[vV]?\d\S*(?:\s+(?P<host>[A-Za-z0-9][\w.-]*))?\s*$"
)
_EXAWATCHER = lazy_pattern(
    rb"^zzz\s+<(?P<month>\d\d)/(?P<day>\d\d)/(?P<year>\d{4})\s+(?P<time>\d\d:\d\d:\d\d)>(?:\s+Count:\s*\d+)?\s*$"
)
_DATE_COLON = lazy_pattern(rb"^Date:\s*(?P<year>\d{4})/(?P<month>\d\d)/(?P<day>\d\d)\s+(?P<time>\d\d:\d\d:\d\d)\s*$")
_TS = lazy_pattern(rb"^TS\s+(?P<whole>\d{9,10})(?:\.(?P<fraction>\d{1,9}))?(?:\s.*)?$")
_BARE_EPOCH = lazy_pattern(rb"^(?P<whole>\d{9,10})(?:\.(?P<fraction>\d{1,9}))?\s*$")
_MONTHS = {
    name: index
    for index, name in enumerate(
        (b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec"), 1
    )
}
_LONGEST_STAMP = 200
_FIRST_BYTES = b"0123456789@#=*-zMTWFSD"  # of all the patterns above; most lines of a capture are told by it
_FIRST_DIGITS = lazy_pattern(rb"\d{4}-|\d{9}")
_LONGEST_INTERVAL_S = 86_400.0


@record
class RoundStamp:
    """When a round was taken; a naive `moment` is local to the host. `zone` is an abbreviation or empty."""

    moment: datetime
    zone: str = ""
    interval_s: float | None = None
    own: bool = False  # the house's own stamp: every round has one


@record
class FrameMark:
    """A line of the frame around a tool's bytes; `kind` is ``begin``, ``end`` or ``over``."""

    kind: str
    interval_s: float | None = None


def read_frame(line: bytes) -> FrameMark | None:
    """The begin or end of a framed command's output that a line marks; None where it marks none."""
    match = _FRAME.match(line)
    if match is None:
        return None
    return FrameMark(match["kind"].decode(), _interval(_INTERVAL_FACT.search(match["facts"])))


def read_collector(line: bytes) -> str | None:
    """The host that the first line of OSWatcher's files names, empty where it names none; None for any other line."""
    match = _COLLECTOR.match(line)
    return None if match is None else (match["host"] or b"").decode()


def read_stamp(line: bytes) -> RoundStamp | None:
    """The stamp that a line is; None where it is none."""
    if not line or line[0] not in _FIRST_BYTES or len(line) > _LONGEST_STAMP:
        return None
    if line[:1].isdigit() and _FIRST_DIGITS.match(line) is None:
        return None
    own = _AT.match(line)
    if own is not None:
        moment = _iso(own["moment"])
        return None if moment is None else RoundStamp(moment, own=True)
    epoch = _TS.match(line) or _BARE_EPOCH.match(line)
    if epoch is not None:
        return _of_epoch(epoch)
    iso = _ISO.match(line)
    if iso is not None:
        moment = _iso(iso["moment"].replace(b",", b".").replace(b" +", b"+").replace(b" -", b"-"))
        return None if moment is None else RoundStamp(moment)
    in_parts = _EXAWATCHER.match(line) or _DATE_COLON.match(line)
    if in_parts is not None:
        moment = _iso(b"%b-%b-%bT%b" % in_parts.group("year", "month", "day", "time"))
        return None if moment is None else RoundStamp(moment)
    named = _DATE.match(line)
    return None if named is None else _of_date(named, line)


def _of_epoch(match: re.Match[bytes]) -> RoundStamp | None:
    micros = int((match["fraction"] or b"0").ljust(6, b"0")[:6])
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=int(match["whole"]), microseconds=micros)
    return RoundStamp(moment) if is_plausible(moment) else None


def _of_date(match: re.Match[bytes], line: bytes) -> RoundStamp | None:
    month = _MONTHS.get(match["month"], 0)
    zone = (match["zone"] or b"").decode()
    text = f"{int(match['year']):04}-{month:02}-{int(match['day']):02}T{match['time'].decode()}"
    moment = _iso((text + (zone if zone[:1] in ("+", "-") else "")).encode())
    if moment is None:
        return None
    interval_s = _interval(_INTERVAL_WORDS.search(line[match.end() :]))
    return RoundStamp(moment, zone if zone.isalpha() else "", interval_s)


def _iso(text: bytes) -> datetime | None:
    """The moment; None also for one that no loop of ours can have seen (64 bits of nanoseconds may not hold it)."""
    try:
        moment = datetime.fromisoformat(text.decode("ascii"))
    except ValueError:
        return None
    return moment if is_plausible(moment) else None


def _interval(match: re.Match[bytes] | None) -> float | None:
    seconds = float(match[1]) if match is not None else 0.0
    return seconds if 0.0 < seconds <= _LONGEST_INTERVAL_S else None
