"""One sample of ``sadf -j``, from its time stamp on.

        "timestamp": {"date": "2026-11-21", "time": "07:10:15", "utc": 1, "interval": 2},
        "cpu-load": [
            {"cpu": "all", "user": 38.30, "nice": 0.77, "system": 11.57, "iowait": 4.88, "steal": 0.26, "idle": 44.22}
        ],
        "network": {
            "net-dev": [
                {"iface": "lo", "rxpck": 0.00, ...
        }
    },

``utc`` is 0 with -t and -T and has become ``"tz": "UTC"`` in sysstat 12.7. sadf does not escape what it prints,
prints nan where a sensor has nothing to say, and sysstat 11 a decimal comma where the locale has one
(``"pgpgin": 4,97, "pgpgout": 7,53``), so a JSON parser would refuse documents of its own.
"""

from __future__ import annotations

import re
from dataclasses import field

from tunebench.sdk import lazy_pattern, record

from .sketch import NUMBER, Member, Sketch

MARK = lazy_pattern(rb'"timestamp"\s*:\s*\{')
_TOKEN = lazy_pattern(
    rb'"(?P<string>(?:[^"\\\n]|\\.)*)"(?P<colon>\s*:)?|(?P<bracket>[{}\[\]])|(?P<comma>-?[0-9]+,[0-9]+(?![^\s{}\[\]:,"]))'
    rb'|(?P<word>[^\s{}\[\]:,"]+)'
)
_AFTER = lazy_pattern(rb"[\s,]*\{?\s*")
_STAMP = "timestamp"


class Malformed(Exception):
    """The text is no sample."""


@record(frozen=False)
class _Frame:
    name: str
    bracket: bytes
    members: list[Member] = field(default_factory=list)


def read_sample(text: bytes) -> Sketch:
    """The sample that begins with `text`; `Sketch.end` is behind its closing brace and the next one's opening.

    Raises:
        Malformed: the brackets do not fit, a number has no name, or what begins as one is none (``1,5e3``).
    """
    sketch = Sketch()
    stack = [_Frame("", b"{")]
    name = ""
    for match in _TOKEN.finditer(text):
        bracket = match["bracket"]
        if bracket is None:
            name = _take_value(stack[-1], name, match)
            sketch.has_commas |= match["comma"] is not None
        elif bracket in b"{[":
            stack.append(_Frame(name or stack[-1].name, bracket))
            name = ""
        else:
            _close(sketch, stack, bracket)
            if not stack:
                return _ended(sketch, text, match.end())
    return sketch


def _take_value(frame: _Frame, name: str, match: re.Match[bytes]) -> str:
    """Adds a value to its object; gives the name that waits for a value."""
    text = match["string"]
    if text is not None and match["colon"] is not None:
        return text.decode("utf-8", "replace")
    value = text if text is not None else match["word"] or match["comma"].replace(b",", b".")
    is_number = NUMBER.fullmatch(value) is not None
    if text is None and value.lstrip(b"-")[:1].isdigit() and not (name and is_number):  # in quotes may stand any words
        raise Malformed
    frame.members.append(Member(name, value, match.start(match.lastgroup or 0)))
    return ""


def _close(sketch: Sketch, stack: list[_Frame], bracket: bytes) -> None:
    frame = stack.pop()
    if (frame.bracket == b"{") != (bracket == b"}"):
        raise Malformed
    if frame.bracket == b"[":
        return
    if frame.name == _STAMP:
        sketch.stamp(frame.members)
    elif frame.members:
        around = [member for outer in stack for member in outer.members]
        sketch.add([outer.name for outer in [*stack, frame]], frame.members, around)


def _ended(sketch: Sketch, text: bytes, end: int) -> Sketch:
    sketch.closed = True
    after = _AFTER.match(text, end)
    sketch.end = len(text) if after is not None and after.end() == len(text) else end
    return sketch
