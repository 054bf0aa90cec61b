"""One word for each operating system: what `uname -s` prints, in small letters; and its name as people write it."""

from __future__ import annotations

_OTHER_WORDS = {"hpux": "hp-ux", "solaris": "sunos", "illumos": "sunos", "gnu/linux": "linux", "macos": "darwin"}
_NAMES = {
    "linux": "Linux",
    "sunos": "Solaris",
    "aix": "AIX",
    "hp-ux": "HP-UX",
    "freebsd": "FreeBSD",
    "openbsd": "OpenBSD",
    "netbsd": "NetBSD",
    "darwin": "macOS",
}


def os_word(text: str) -> str:
    """The system's word for any spelling of it (``hpux``, ``Solaris``); others as they are."""
    word = text.strip().lower()
    word = _OTHER_WORDS.get(word, word)
    return word if word in _NAMES else text


def os_name(word: str) -> str:
    """``HP-UX``; a system that is not known as it is spelt."""
    return _NAMES.get(os_word(word), word)
