"""The one place where texts are rewritten: names that were learnt and what is recognised by its form get stand-ins.

redactor.learn(NameKind.HOST, "bankdb01")
redactor.settle()
redactor.text("bankdb01 (10.1.2.3) is busy")  # "HOST-001 (ADDR-001) is busy"
"""

from __future__ import annotations

import ipaddress
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from tunebench.analysis.databases.text import literal_free, string_literals, without_literals
from tunebench.analysis.redaction.patterns import FORMS, TESTS, is_version, of_names
from tunebench.core.patterns import lazy_pattern
from tunebench.domain.redaction import NameKind, RedactionProfile, SqlTexts

ANYWHERE = 8
"""Letters from which on a name is found inside of longer words too."""
_LONGEST_IN_TREE = 120
_FEWEST_DIGITS = 9
"""A number shorter than that is a figure as likely as a name."""
_LEAST_LITERAL = 4
_NUMBER_LITERAL = lazy_pattern(r"(?<![\w.])\d{9,}(?![\w.])")
_SHORT_OF_DOMAIN = lazy_pattern(r"([A-Za-z][\w-]*)\.[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\Z")
"""A host is called by the first part of its full name as well."""
_HANGUL = lazy_pattern(r"[\uac00-\ud7a3]{2,}")
_SQL = lazy_pattern(
    r"(?<!\w)(?:select\s[\s\S]{1,4000}?\sfrom\s|insert\s+(?:/\*.*?\*/\s*)?into\s|update\s+[\w.\"$#]+\s+(?:\w+\s+)?set\s"
    r"|delete\s+(?:/\*.*?\*/\s*)?from\s|merge\s+into\s|with\s+\w+\s+as\s*\(|create\s+(?:unique\s+|bitmap\s+)?index\s"
    r"|create\s+(?:or\s+replace\s+)?(?:table|view)\s|alter\s+(?:table|index)\s|(?:begin|call|exec)\s+[\w$.]+\s*\()",
    re.IGNORECASE,
)
_BINDS = lazy_pattern(r"(\$\d+|:\w+)(\s*=\s*)('(?:[^']|'')*'|\d[\d.]*)")


class Redactor:
    """Learns names, then rewrites; the same original has the same stand-in everywhere.

    Args:
        words: words (folded) that every output has: a name that is one of them is replaced where it stands as a name,
            not where it stands in a sentence.
        everybodys: names (folded) that identify nobody, such as ``root``.
        stand_ins: original -> stand-in, of earlier outputs of the engagement; grows.
    """

    def __init__(
        self,
        profile: RedactionProfile,
        words: frozenset[str] = frozenset(),
        everybodys: frozenset[str] = frozenset(),
        stand_ins: Mapping[str, str] | None = None,
    ) -> None:
        self.profile = profile
        self.stand_ins: dict[str, str] = dict(stand_ins or {})
        self.counts: Counter[NameKind] = Counter()
        self.left: set[str] = set()
        """Names that are words of every output, and stay where they stand in sentences."""
        self.statements: set[str] = set()
        """Texts that were replaced as a whole."""
        self.engine = ""
        self._words = words
        self._kept = everybodys | {name.casefold() for name in profile.keep}
        self._learnt: dict[str, NameKind] = {}
        self._seen: dict[str, NameKind] = {}
        self._folded: dict[str, str] = {}
        self._last: Counter[str] = Counter()
        self._names: re.Pattern[str] | None = None
        self._everything: re.Pattern[str] | None = None
        for stand_in in self.stand_ins.values():
            prefix, _, number = stand_in.rpartition("-")
            self._last[prefix] = max(self._last[prefix], int(number) if number.isdecimal() else 0)
        for name in profile.names:
            self._add(NameKind.OBJECT, name)

    # -- learning --------------------------------------------------------------------------------------

    def learn(self, kind: NameKind, name: str) -> None:
        """Takes a name, where its kind is replaced; nothing that identifies nobody."""
        if kind in self.profile.kinds:
            self._add(kind, name)
            short = _SHORT_OF_DOMAIN.match(name.strip()) if kind is NameKind.HOST else None
            if short is not None:
                self._add(kind, short[1])

    def learn_statement(self, text: str, engine: str = "") -> None:
        """Takes the literals of a statement, which may stand elsewhere too."""
        if self.profile.sql is SqlTexts.KEEP or NameKind.VALUE not in self.profile.kinds:
            return
        for literal in string_literals(text, engine):
            if (len(literal) >= _LEAST_LITERAL or _HANGUL.search(literal)) and any(map(str.isalnum, literal)):
                self._add(NameKind.VALUE, literal.strip("%"))
        for number in _NUMBER_LITERAL.findall(text):
            if not number.endswith("000"):
                self._add(NameKind.VALUE, number)

    def _add(self, kind: NameKind, name: str) -> None:
        name = _composed(name.strip())
        folded = _folded(name)
        if not any(map(str.isalnum, name)) or folded in self._kept or name in self._learnt:
            return
        if (name.isdecimal() and len(name) < _FEWEST_DIGITS) or (folded in self._folded and kind is not NameKind.HOST):
            return
        self._learnt[name] = kind
        self._folded.setdefault(folded, name)

    def settle(self) -> None:
        """After the last name was learnt."""
        bounded: list[str] = []
        anywhere: list[str] = []
        for name in self._folded:
            if self._is_ordinary(name):
                self.left.add(name)
            elif len(name) <= _LONGEST_IN_TREE:
                (anywhere if len(name) >= ANYWHERE else bounded).append(name)
        names = of_names(bounded, anywhere)
        self._names = re.compile(names, re.IGNORECASE) if names else None
        forms = [f"(?P<{name}>{form})" for name, (kind, form) in FORMS.items() if kind in self.profile.kinds]
        # a form with a backreference of its own counts groups by name
        together = "|".join([*forms, *([f"(?P<name>{names})"] if names else [])])
        together = together.replace(r"\1", "(?P=joint)").replace("([:-])", "(?P<joint>[:-])")
        self._everything = re.compile(together, re.IGNORECASE) if together else None
        for name, kind in self._learnt.items():
            self._stand_in(kind, name)

    def _is_ordinary(self, folded: str) -> bool:
        return len(folded) < 2 or folded in self._words

    # -- rewriting -------------------------------------------------------------------------------------

    def text(self, text: str) -> str:
        """Any text: a sentence, a heading, the name of a file."""
        if not text or (self._everything is None and self.profile.sql is SqlTexts.KEEP):
            return text
        if self.profile.sql is not SqlTexts.KEEP:
            text = _BINDS.sub(r"\1\2?", text)
            match = _SQL.search(text)
            if match is not None:
                return self._plain(text[: match.start()]) + self._statement(text[match.start() :])
        return self._plain(text)

    def place(self, text: str) -> str:
        """What stands where names stand: a name as a whole, whatever word it is."""
        name = _composed(text.strip())
        if name in self._learnt or _folded(name) in self._folded:
            return self._replaced(name)
        return self.text(text)

    def statement(self, text: str) -> str:
        """A text that is known to be SQL, or an execution plan, of `engine`."""
        return self._statement(text) if text.strip() else text

    def _statement(self, text: str) -> str:
        match self.profile.sql:
            case SqlTexts.WHOLE:
                self.statements.add(text)
                shape = literal_free(text, self.engine) or text
                return self._stand_in(NameKind.STATEMENT, shape, counted=True)
            case SqlTexts.LITERALS:
                return self._plain(without_literals(text, self.engine))
            case _:
                return self._plain(text)

    def _plain(self, text: str) -> str:
        text = _composed(text)
        return self._everything.sub(self._answer, text) if self._everything is not None else text

    def _answer(self, match: re.Match[str]) -> str:
        words, form = match.group(), _form_of(match)
        if form is None:
            return self._replaced(words)
        end = words[-1] if form in ("path", "windows_path") and words[-1] in ".:," else ""
        words = words.removesuffix(end)
        if form == "ipv4" and is_version(match.string, match.start()):
            self.left.add(words)
        elif words.casefold() not in self._kept and (form not in TESTS or TESTS[form](words)):
            if _folded(words) in self._folded:
                return self._replaced(words) + end
            kind = FORMS[form][0]
            self._seen.setdefault(words, kind)
            return self._stand_in(kind, _as_one(form, words), counted=True) + end
        return self._only_names(words) + end

    def _only_names(self, words: str) -> str:
        """Replaces names only, inside what looks like an address or a path and is nobody's."""
        return self._names.sub(lambda inner: self._replaced(inner.group()), words) if self._names else words

    def _replaced(self, words: str) -> str:
        name = words if words in self._learnt else self._folded.get(_folded(words), words)
        return self._stand_in(self._learnt.get(name, NameKind.OBJECT), name, counted=True)

    def _stand_in(self, kind: NameKind, original: str, *, counted: bool = False) -> str:
        self._seen.setdefault(original, kind)
        if counted:
            self.counts[kind] += 1
        stand_in = self.stand_ins.get(original)
        if stand_in is None:
            stand_in = self.stand_ins[original] = self._unused(kind)
        return f"{stand_in}{_suffix(original)}" if kind is NameKind.FILE else stand_in

    def _unused(self, kind: NameKind) -> str:
        """No name of anything begins in it."""
        prefix = kind.value.upper()
        while True:
            self._last[prefix] += 1
            candidate = f"{prefix}-{self._last[prefix]:03d}"
            if self._names is None or self._names.search(candidate) is None:
                return candidate

    # -- what must not be found ------------------------------------------------------------------------

    def originals(self) -> Iterator[tuple[str, NameKind]]:
        """Everything that has a stand-in and is no word of every output."""
        for original, kind in self._seen.items():
            if original.casefold() not in self.left:
                yield original, kind

    @property
    def names(self) -> Mapping[NameKind, int]:
        """How many different ones have a stand-in."""
        return Counter(self._seen.values())


def _as_one(form: str, words: str) -> str:
    """One form of a name that may be written in several ways, so that it has one stand-in."""
    return str(ipaddress.ip_address(words)) if form == "ipv6" else words


def _composed(text: str) -> str:
    """File systems of macOS write Hangul in its letters."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def _folded(name: str) -> str:
    """A name is the same in other letters, and where a line ends in it."""
    return " ".join(name.casefold().split())


def _form_of(match: re.Match[str]) -> str | None:
    """Which form it has; None for a name that was learnt."""
    groups = match.groupdict()
    return next((name for name in FORMS if groups.get(name) is not None), None)


def _suffix(name: str) -> str:
    """The extension of a file's name, as ``.txt``, which gives nobody away; else empty."""
    ending = re.search(
        r"\.(?:txt|log|csv|html?|lst|out|nmon|xlsx|zip|tar|gz|tgz|pdf|sql|trc|json|xml)\Z", name, re.IGNORECASE
    )
    return ending.group() if ending else ""


def words_of(texts: Iterable[str]) -> frozenset[str]:
    """Every word of these texts, folded, whole and in its parts: ``system.cpu.time``, ``system``, ``cpu``, ``time``."""
    words: set[str] = set()
    for text in texts:
        for word in re.findall(r"[\w.%/$#-]+", text):
            words.add(word.casefold().strip("."))
            words.update(re.findall(r"[^\W_]+", word.casefold()))
    return frozenset(words)
