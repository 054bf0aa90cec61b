"""One sample of ``sadf -x``.

    <timestamp date="2026-11-21" time="07:10:15" utc="1" interval="2">
        <cpu-load>
            <cpu number="all" user="38.30" nice="0.77" system="11.57" iowait="4.88" steal="0.26" idle="44.22"/>
        </cpu-load>
        <memory unit="kB">
            <memfree>19019192</memfree>
            ...
    </timestamp>

sysstat 5 to 8 print neither ``utc`` nor ``tz``; ``utc`` is 0 with -t and -T; 12.7 has ``tz="UTC"`` instead. Old ones
print the numbers as the locale writes them: ``user="38,30"``.
"""

from __future__ import annotations

import re
from dataclasses import field

from tunebench.sdk import lazy_pattern, record

from .json_form import Malformed
from .sketch import NAMES, Member, Sketch

MARK = lazy_pattern(rb"<timestamp\s")
_TOKEN = lazy_pattern(
    rb"<(?P<close>/?)(?P<name>[A-Za-z_][\w:.-]*)(?P<attributes>(?:\s+[\w:.-]+\s*=\s*\"[^\"<]*\")*)\s*(?P<empty>/?)>"
    rb"|(?P<text>[^<>\s][^<>]*)"
)
_ATTRIBUTE = lazy_pattern(rb"(?P<name>[\w:.-]+)\s*=\s*\"(?P<value>[^\"]*)\"")
_ENTITIES = {"&quot;": '"', "&apos;": "'"}
_STAMP = "timestamp"


@record(frozen=False)
class _Element:
    name: str
    members: list[Member] = field(default_factory=list)
    text: Member | None = None


def read_sample(text: bytes) -> Sketch:
    """The sample that begins with `text`; see `json_form.read_sample`."""
    sketch = Sketch()
    stack: list[_Element] = []
    for match in _TOKEN.finditer(text):
        if match["text"] is not None:
            if stack:
                stack[-1].text = _member(stack[-1].name, match["text"].strip(), match.start("text"))
            continue
        name = match["name"].decode("ascii", "replace")
        if match["close"]:
            _close(sketch, stack, name)
        else:
            stack.append(_Element(name, _members(match)))
            if match["empty"]:
                _close(sketch, stack, name)
        if not stack:
            sketch.closed = True
            rest = text[match.end() :]
            sketch.end = len(text) if not rest or rest.isspace() else match.end()
            return sketch
    return sketch


def _members(match: re.Match[bytes]) -> list[Member]:
    shift = match.start("attributes")
    return [
        _member(one["name"].decode("ascii", "replace"), _plain(one["value"]), shift + one.start("value"))
        for one in _ATTRIBUTE.finditer(match["attributes"])
    ]


def _member(name: str, value: bytes, start: int) -> Member:
    """``user="38,30"`` as 38.30; names stay as they are."""
    return Member(name, value if name in NAMES else value.replace(b",", b"."), start)


def _plain(value: bytes) -> bytes:
    if b"&" not in value:
        return value
    from xml.sax.saxutils import unescape  # brings half of urllib along

    return unescape(value.decode("utf-8", "replace"), _ENTITIES).encode()


def _close(sketch: Sketch, stack: list[_Element], name: str) -> None:
    if not stack or stack[-1].name != name:
        raise Malformed
    element = stack.pop()
    if name == _STAMP:
        sketch.stamp(element.members)
    elif element.text is not None and stack:
        stack[-1].members.append(element.text)
    elif element.members:
        around = [member for outer in stack for member in outer.members]
        sketch.add([outer.name for outer in [*stack[1:], element]], element.members, around)
