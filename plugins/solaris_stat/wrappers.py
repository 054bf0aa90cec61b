"""What stands around a tool's output: the prompt with the command, and lines that tell the time.

root@svrdb1 # iostat -x 5                       the command gives tool, interval and host
Tue Apr 19 21:16:01 2011                        -T d, or `date` in a loop (then with a zone)
Tuesday, April 19, 2011 09:16:01 PM KST         -T d in an en_US locale of Solaris 10
2011년 04월 19일 (화) 오후 09시 16분 01초           -T d in ko_KR
1303247761                                      -T u
@tunebench at 2026-11-21T02:48:00Z              above each round of a loop that TuneBench captured
"""

from __future__ import annotations

import re
from datetime import datetime

from tunebench.families.page_reading import MARK
from tunebench.families.runs import ToolCommand
from tunebench.sdk import RoundStamp, decode_text, is_plausible, lazy_pattern, read_stamp

_COMMAND = lazy_pattern(
    rb"^(?P<prompt>[^#$%>]{0,60}[#$%>])\s*(?:\w+=\S+\s+)*(?:\S*/)?(?P<tool>iostat|vmstat|sar|mpstat|prstat|kstat)\b"
    rb"(?P<arguments>[^|>;&]*)"
)
_HOST = lazy_pattern(rb"@(?P<host>[\w.-]+)")
_MONTHS = {
    name: index + 1
    for index, name in enumerate(
        (b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec")
    )
}
_DATE = lazy_pattern(
    rb"^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\s+(?P<month>[A-Z][a-z]{2})\s+(?P<day>\d{1,2})\s+"
    rb"(?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d)(?:\s+(?P<zone>[A-Z]{2,5}))?\s+(?P<year>\d{4})$"
)
_LONG_DATE = lazy_pattern(
    rb"^\w+day,\s+(?P<month>[A-Z][a-z]{2})[a-z]*\s+(?P<day>\d{1,2}),\s+(?P<year>\d{4})(?:\s+at)?\s+"
    rb"(?P<hour>\d{1,2}):(?P<minute>\d\d):(?P<second>\d\d)(?:\s+(?P<half>[AP])M)?(?:\s+(?P<zone>[A-Z]{2,5}))?$"
)
_KOREAN_DATE = lazy_pattern(
    "^(?P<year>\\d{4})년 +(?P<month>\\d{1,2})월 +(?P<day>\\d{1,2})일[^\\d]*?(?P<half>오전|오후)? *"
    "(?P<hour>\\d{1,2})시 *(?P<minute>\\d{1,2})분 *(?P<second>\\d{1,2})초(?: +(?P<zone>[A-Z]{2,5}))?$".encode()
)
_EPOCH = lazy_pattern(rb"^\d{9,10}$")
_LONGEST_INTERVAL_S = 7 * 86_400


def read_command(text: bytes) -> ToolCommand | None:
    """The command of a line that shows a prompt and one of the stat tools."""
    match = _COMMAND.match(text)
    if match is None:
        return None
    words = match["arguments"].split()
    numbers = [
        word
        for before, word in zip([b"", *words], words, strict=False)
        if re.fullmatch(rb"\d+(\.\d+)?", word) and before != b"-l"  # iostat -l n: how many disks
    ]
    host = _HOST.search(match["prompt"])
    return ToolCommand(
        match["tool"].decode(),
        float(numbers[0]) if numbers and float(numbers[0]) <= _LONGEST_INTERVAL_S else None,
        host["host"].decode() if host else "",
        b"".join(word[1:] for word in words if word.startswith(b"-")).decode("ascii", "replace"),
    )


def read_date_line(text: bytes) -> RoundStamp | None:
    """A line that is nothing but a time: local to the host, or UTC where it counts from 1970 or is our own."""
    if _EPOCH.match(text) or text.startswith(MARK):
        return read_stamp(text)
    if not text.isascii():
        text = decode_text(text).encode()  # EUC-KR of an old Korean locale
    match = _DATE.match(text) or _LONG_DATE.match(text) or _KOREAN_DATE.match(text)
    if match is None:
        return None
    part = match.groupdict()
    month = _MONTHS.get(part["month"]) or (int(part["month"]) if part["month"].isdigit() else 0)
    hour = int(part["hour"])
    half = part.get("half")
    if half:
        hour = hour % 12 + (12 if half in (b"P", "오후".encode()) else 0)
    try:
        moment = datetime(int(part["year"]), month, int(part["day"]), hour, int(part["minute"]), int(part["second"]))
    except ValueError:
        return None
    return RoundStamp(moment, (part["zone"] or b"").decode()) if is_plausible(moment) else None


def stamp_of(text: bytes) -> RoundStamp | None:
    """A line in one of Solaris' own ways to print a time; those of `tunebench.sdk.round_stamps` are not asked for."""
    stamp = read_date_line(text)
    return None if stamp is None or stamp.moment.tzinfo is not None else stamp
