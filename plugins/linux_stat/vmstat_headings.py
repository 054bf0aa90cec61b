"""vmstat's headings, English and translated.

procps translates them (ko_KR: ``r b 스왑 가용 버퍼 캐시 입 출 입 출 in cs us sy id wa st``), and a translation
may repeat a word, so a translated heading is read by its order: procs, memory, swap, io, system and cpu
follow each other in every version.
"""

from __future__ import annotations

from tunebench.sdk import lazy_pattern

from .stamps import UNDETERMINED

GROUP_OF = {
    **dict.fromkeys(("r", "b", "w"), "procs"),
    **dict.fromkeys(("swpd", "free", "buff", "cache", "inact", "active"), "memory"),
    **dict.fromkeys(("si", "so"), "swap"),
    **dict.fromkeys(("bi", "bo"), "io"),
    **dict.fromkeys(("in", "cs"), "system"),
    **dict.fromkeys(("us", "sy", "id", "wa", "st", "gu"), "cpu"),
}
_BUFFERS = ("buff", "cache")
_ACTIVITY = ("inact", "active")
_FIXED = ("si", "so", "bi", "bo", "in", "cs", "us", "sy", "id", "wa", "st", "gu")
_FEWEST, _MOST = 15, 18  # without st and wa ... with gu
# -a in the languages procps is translated to: de sv, ko, pl, pt_BR, zh_CN; fr prints inact
_INACTIVE_WORDS = frozenset({"inact", "inakt", "비활", "nieakt", "inativ", "不活动"})
_ACTIVE_WORDS = frozenset(
    {
        "active",
        "aktiv",
        "activo",
        "actif",
        "აქტიური",
        "활성",
        "akt",
        "ativo",
        "activă",
        "aktivt",
        "активно",
        "hđộng",
        "活动",
    }
)
_LOCALE_OF_WORD = {
    "가용": "ko",
    "frei": "de",
    "libre": "fr",
    "空闲": "zh_CN",
    "wolna": "pl",
    "fritt": "sv",
    "livre": "pt_BR",
    "liber": "ro",
}
_LOCALE_OF_SIGN = (
    ("읽기", "ko"),
    ("메모리", "ko"),
    ("디스크", "ko"),
    ("Lesevorg", "de"),
    ("Schreib", "de"),
    ("speicher", "de"),
    ("lectures", "fr"),
    ("mémoire", "fr"),
)

_OLD_GROUPS = [b"procs", b"memory", b"swap", b"io", b"system", b"cpu"]  # procps 2
_ZONE = lazy_pattern(r"^(?:[A-Z]{2,5}|[+-]\d{2,4})$")


class VmstatHeading:
    """One heading line.

    Attributes:
        names: the number columns in English.
        zone: the zone's name where the heading has one (``-t``), else empty.
        locale: ``C``, or the language of a translated heading where its words tell.
    """

    def __init__(self, names: tuple[str, ...], zone: str, locale: str) -> None:
        self.names = names
        self.zone = zone
        self.locale = locale


def read_heading(words: list[str]) -> VmstatHeading | None:
    """A heading line's words (``r b swpd free ...``); None where it is none of Linux' vmstat."""
    if len(words) < _FEWEST or len(words) > _MOST + 2 or not words[0].isalpha() or words[0] == words[1]:
        return None
    zone = words[-1] if _ZONE.match(words[-1]) else ""
    names = words[:-1] if zone else words
    if "swpd" in names and {"r", "b", "si", "so", "bi", "bo"} <= set(names) and set(names) <= GROUP_OF.keys():
        return VmstatHeading(tuple(names), zone, "C")
    english = _by_order(names)
    return None if english is None else VmstatHeading(english, zone, _locale(names))


def _by_order(names: list[str]) -> tuple[str, ...] | None:
    if not all(name == "" or not name[0].isdigit() for name in names):
        return None
    rest = names[6:]
    english_cpu = sum(name == meant for name, meant in zip(rest, _FIXED, strict=False))
    if len(rest) not in (10, 11, 12) or english_cpu < 4:  # in cs us sy id are hardly ever translated
        return None
    activity = names[4] in _INACTIVE_WORDS or names[5] in _ACTIVE_WORDS
    return ("r", "b", "swpd", "free", *(_ACTIVITY if activity else _BUFFERS), *_FIXED[: len(rest)])


def _locale(names: list[str]) -> str:
    return next((_LOCALE_OF_WORD[name] for name in names if name in _LOCALE_OF_WORD), UNDETERMINED)


def locale_of_text(text: str) -> str:
    """The language of a translated label or group line; empty where it is English."""
    for sign, locale in _LOCALE_OF_SIGN:
        if sign in text:
            return locale
    return ""


def is_group_line(line: bytes) -> bool:
    """``procs -----------memory---------- ---swap-- ...``, the line above the heading."""
    if line.count(b"--") >= 8:
        return not any(48 <= byte <= 57 for byte in line)
    return line.split() == _OLD_GROUPS
