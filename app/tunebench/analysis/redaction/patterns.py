"""What is recognised by its form alone: addresses, mail, paths, Korean personal numbers, identities of devices."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable

from tunebench.core.patterns import lazy_pattern
from tunebench.domain.redaction import NameKind

_BEFORE, _BEHIND = r"(?<![A-Za-z0-9])", r"(?![A-Za-z0-9])"

_PHONE = (
    r"(?<![A-Za-z0-9.])(?:\+82[-.\s]?\(?0?\)?|\(?0)(?:1[016789]\)?(?:[-.\s]?\d{3,4}[-.\s]?\d{4})"
    r"|(?:2|[3-6][1-5]|70|50\d)(?:\)[-.\s]?|[-.\s])\d{3,4}[-.\s]\d{4})(?![A-Za-z0-9])"
)
_DEVICE = (
    _BEFORE + r"(?:(?:wwn-|naa\.|eui\.|nguid\.|t10\.|scsi-|nvme-)[\w.]{8,}|c\d+t[0-9A-Fa-f]{16,}d\d+(?:s\d+)?"
    r"|3[0-9A-Fa-f]{32}|0x[0-9A-Fa-f]{16}|[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12})" + _BEHIND
)
_DOMAIN = (
    r"(?<![A-Za-z0-9.-])[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,8}\.(?:kr|com|net|org|gov|edu|biz|info|io|jp|cn|local|internal|intra"
    r"|corp|lan|home|localdomain)(?![A-Za-z0-9-]|\.[A-Za-z])"
)
FORMS: dict[str, tuple[NameKind, str]] = {
    "key": (NameKind.KEY, r"ssh-[a-z0-9-]+ AAAA[A-Za-z0-9+/]+=*|SHA256:[A-Za-z0-9+/]{43}"),
    "login": (NameKind.USER, r"(?<=://)[^\s/:@\"'<>]{1,64}(?::[^\s/@\"'<>]{0,64})?(?=@)"),
    "mail": (
        NameKind.MAIL,
        r"(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}",
    ),
    "resident": (
        NameKind.PERSONAL,
        _BEFORE + r"\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:\s?[-–]\s?|\s)?\d{7}" + _BEHIND,
    ),
    "phone": (NameKind.PERSONAL, _PHONE),
    "wide_name": (NameKind.DEVICE, rf"{_BEFORE}(?:[0-9A-Fa-f]{{2}}:){{7}}[0-9A-Fa-f]{{2}}(?![:0-9A-Fa-f])"),
    "mac": (
        NameKind.ADDRESS,
        r"(?<![:0-9A-Za-z-])[0-9A-Fa-f]{2}([:-])(?:[0-9A-Fa-f]{2}\1){4}[0-9A-Fa-f]{2}(?![:0-9A-Za-z-])",
    ),
    "ipv6": (NameKind.ADDRESS, r"(?<![\w:.])(?=[0-9A-Fa-f]*:[0-9A-Fa-f]*:)[0-9A-Fa-f:]{3,39}(?:\.\d+){0,3}(?![\w:])"),
    "ipv4": (NameKind.ADDRESS, r"(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?!\.?\d)"),
    "device": (NameKind.DEVICE, _DEVICE),
    "windows_path": (NameKind.PATH, rf"{_BEFORE}[A-Za-z]:\\[^\s\"'<>|*?,;]+|\\\\[\w.$-]+\\[^\s\"'<>|*?,;]+"),
    "path": (NameKind.PATH, r"(?<![\w./<)\]}*])/(?:[\w.+@:~$#-]+/)*[\w+@~$#-][\w.+@:~$#-]*/?"),
    "domain": (NameKind.HOST, _DOMAIN),
}
"""Name of the form -> whose names have it, and how it is written. Those that stand before others win."""

_SYSTEM = lazy_pattern(
    r"/(?:(?:proc|sys|usr|bin|sbin|lib|lib64)(?:/.*)?|dev(?:/(?:null|zero|shm|std\w+|tty\w*|[shv]d[a-z]+\d*|dm-\d+"
    r"|md\d+"
    r"|nvme\d+\w*|xvd[a-z]+\d*|hdisk\d+|fd/\d+))?|tmp|var|var/(?:log|tmp|run|lib)|etc"
    r"|etc/(?:passwd|fstab|hosts|os-release)"
    r"|home|opt|root|run|mnt|boot|boot/efi|export|u0\d|data|oradata|swap|net|s)/?"
)
_COMMON_DOMAINS = lazy_pattern(
    r"(?:^|[@.])(?:openssh\.com|libssh\.org|lysator\.liu\.se|oracle\.com|postgresql\.org|mysql\.com|mariadb\.(?:org|com)"
    r"|kernel\.org|redhat\.com|ubuntu\.com|debian\.org|github\.com|example\.(?:com|org|net))$",
    re.IGNORECASE,
)
_EVERYBODYS = frozenset({"127.0.0.1", "0.0.0.0", "255.255.255.255", "::1", "::"})  # noqa: S104 - nothing is bound
_VERSION_BEFORE = lazy_pattern(
    r"(?:release|version|\ubc84\uc804|\ub9b4\ub9ac\uc2a4|ver\.?|\bv)[\s:=\"]*\Z", re.IGNORECASE
)


def _is_address(text: str) -> bool:
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    return text not in _EVERYBODYS and not address.is_multicast


def _is_resident(text: str) -> bool:
    """Written apart it is one; thirteen digits alone may be milliseconds since 1970."""
    return not text.isdecimal() or text[:2] not in ("15", "16", "17", "18")


TESTS: dict[str, Callable[[str], bool]] = {
    "ipv4": _is_address,
    "ipv6": _is_address,
    "resident": _is_resident,
    "path": lambda text: _SYSTEM.fullmatch(text) is None,
    "mail": lambda text: _COMMON_DOMAINS.search(text) is None,
    "domain": lambda text: _COMMON_DOMAINS.search(text) is None,
}
"""What the form alone does not decide."""


def is_version(text: str, start: int) -> bool:
    """Whether the four numbers that begin there are a release, by the words around them."""
    return _VERSION_BEFORE.search(text, max(start - 16, 0), start) is not None


_NO_LETTER_BEFORE = (
    r"(?:(?<![A-Za-z0-9])(?=[A-Za-z0-9])|(?<![\uac00-\ud7a3])(?=[\uac00-\ud7a3])|(?=[^A-Za-z0-9\uac00-\ud7a3]))"
)
"""What follows Hangul may be a particle."""
_NO_LETTER_BEHIND = r"(?:(?![A-Za-z0-9])|(?<=[^A-Za-z0-9]))"


def of_names(bounded: list[str], anywhere: list[str]) -> str:
    """One expression for many names, longest first: a tree of their letters, so that it is as fast for thousands.

    Args:
        bounded: found where no letter or digit is beside them.
        anywhere: found inside of longer words too.
    """
    parts = []
    if anywhere:
        parts.append(_tree(anywhere))
    if bounded:
        parts.append(f"{_NO_LETTER_BEFORE}{_tree(bounded)}{_NO_LETTER_BEHIND}")
    return "|".join(parts)


def _tree(names: list[str]) -> str:
    root: dict[str, object] = {}
    for name in names:
        node = root
        for letter in name:
            node = node.setdefault(letter, {})  # type: ignore[assignment]
        node[""] = {}
    return _branch(root)


def _branch(node: dict[str, object]) -> str:
    below = sorted((letter, branch) for letter, branch in node.items() if letter)
    parts = [(r"\s+" if letter == " " else re.escape(letter)) + _branch(branch) for letter, branch in below]  # type: ignore[arg-type]
    if not parts:
        return ""
    if len(parts) == 1 and "" not in node:
        return parts[0]
    body = f"(?:{'|'.join(parts)})"
    return f"{body}?" if "" in node else body
