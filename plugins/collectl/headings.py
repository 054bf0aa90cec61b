"""Headings of collectl's terminal output.

#<--------CPU--------><-----------Memory----------->      groups, above the headings they span
#cpu sys inter  ctxsw Free Buff Cach Inac Slab  Map
#Time     Name       KBytes Merged  IOs Size  Wait  KBytes Merged ...
#Date    Time      KBRead RMerged  Reads SizeKB ...
#         Udp   Raw                                       two lines of groups without brackets
#Used  Inuse Orphan    Tw  Alloc   Mem  Inuse Inuse  Inuse   Mem
"""

from __future__ import annotations

import re
from functools import lru_cache

from tunebench.sdk import decode_text, lazy_pattern, record

_TITLE = lazy_pattern(r"^#\s?(?P<title>[A-Z][A-Z0-9 /:-]{3,60}?)\s*(?P<note>\(.*\))?(?:#.*)?$")
_GROUP = lazy_pattern(r"<-*(?P<name>[^<>]*?)-*>?(?=[<>|]|$|\s)")
_KEYS = {
    "Cpu": "cpu",
    "CPU": "cpu",
    "Name": "",
    "Num": "",
    "Node": "group",
    "Id": "group",
    "PID": "process",
    "Slab": "group",
    "HCA": "device",
    "Filsys": "device",
}
_ATTRIBUTE_OF_TITLE = (("DISK", "device"), ("NETWORK", "interface"), ("CPU", "cpu"), ("PROCESS", "process"))
_TITLE_WORDS = ("STATISTICS", "SUMMARY", "CLIENT", "SERVER", "FRAGMENT", "INTERRUPT", "PROCESS", "SLAB")
_UNFRAMED = (["Udp", "Raw"], ["Pct"])  # group lines of old versions
_STAMP_WORDS = frozenset({"Date", "Time", "UTC"})


@record
class Heading:
    """Attributes:
    table: the section's title, ``brief`` for the one-line form.
    names: headings of the numbers.
    groups: per name, what stands above it.
    keys: how many words before the numbers name the row's thing.
    attribute: what that thing is; empty for a table without things.
    """

    table: str
    names: tuple[str, ...]
    groups: tuple[str, ...]
    keys: int = 0
    attribute: str = ""
    is_memory: bool = False


@lru_cache(maxsize=1024)  # the same lines stand above every page or record
def read_title(line: bytes) -> str | None:
    """``# DISK STATISTICS (/sec)`` -> ``DISK STATISTICS``."""
    match = _TITLE.match(decode_text(line[:200]).rstrip())
    if match is None or not any(word in match["title"] for word in _TITLE_WORDS):
        return None
    return " ".join(match["title"].split())


@lru_cache(maxsize=1024)
def is_group_line(line: bytes) -> bool:
    """Nothing but a frame around names, or blanks."""
    text = decode_text(line)[1:]
    return not text.strip() or ("<" in text and ("-" in text or ">" in text)) or text.split() in _UNFRAMED


@lru_cache(maxsize=256)
def read_heading(line: bytes, title: str, group_line: bytes) -> Heading | None:
    """The heading that `line` is below a section's `title` (empty for the brief form)."""
    text = decode_text(line).rstrip()
    words = [(match.start(), match.end(), match[0]) for match in re.finditer(r"[^\s#]+", text)]
    while words and words[0][2] in _STAMP_WORDS:
        words.pop(0)
    keys = 0
    while keys < len(words) and words[keys][2] in _KEYS and title:
        keys += 1
    numbers = words[keys:]
    if not numbers or not all(re.search("[A-Za-z]", word) for _, _, word in numbers):
        return None
    groups = tuple(_group_above(group_line, start, end) for start, end, _ in numbers)
    attribute = ""
    if keys:
        own = _KEYS[words[keys - 1][2]]
        attribute = own or next((name for word, name in _ATTRIBUTE_OF_TITLE if word in title), "group")
    is_memory = "MEMORY" in title or "SLAB" in title
    return Heading(title or "brief", tuple(word for _, _, word in numbers), groups, keys, attribute, is_memory)


def _group_above(group_line: bytes, start: int, end: int) -> str:
    """The group whose frame spans most of a heading."""
    text = decode_text(group_line)
    best, most = "", 0
    for match in re.finditer(r"<[^<>]*>?", text):
        shared = min(end, match.end()) - max(start, match.start())
        if shared > most:
            best, most = match[0].strip("<>-| ").strip(), shared
    return best
