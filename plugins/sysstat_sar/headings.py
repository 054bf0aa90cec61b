"""What a sar heading says: the table's name, which column names the row, and the figures' names.

    CPU     %user     %nice   %system                 one row per CPU, the name first
    tps     rkB/s     wkB/s  ...  %util DEV           -h and --pretty put the name last
    INTR       all      CPU0      CPU1                one row per interrupt, one column per CPU
    runq-sz  plist-sz   ldavg-1                       one row per time
    BAT      %cap   cap/min    status                 a column of words

A heading that is not known is read the same way: a word in capitals at either end names the row.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tunebench.families.sar.figures import KEY_ATTRIBUTES, OTHER_KEY, TABLES
from tunebench.sdk import lazy_pattern

_INTERRUPTS = "INTR"

_WORD_COLUMNS = frozenset({"DEVICE", "status", "idvendor", "idprod", "manufact", "product"})
_LABEL_COLUMNS = frozenset({"DEVICE", "idvendor", "idprod", "manufact", "product"})
"""Words that tell which thing the row is about, so that they belong into its name (a status does not)."""

_HEADING_WORD = lazy_pattern(r"[A-Za-z%][\w%/.:-]*")
_CPU_COLUMN = lazy_pattern(r"all|CPU(\d+)")
_KIB, _MIB, _SECTOR = 1024.0, 1024.0**2, 512.0


@dataclass(frozen=True)
class Heading:
    """One heading. `key_index` is the column that names the row, -1 for the last, None where there is none.

    Attributes:
        natives: per figure, the heading in sysstat's words.
        attributes: per figure, attributes beside the row's own.
        suffix_base: per figure, see `tunebench.sdk.parse_cell`.
        word_columns: columns that hold words; such rows are split one by one.
    """

    words: tuple[str, ...]
    table: str
    key_attribute: str | None
    key_index: int | None
    natives: tuple[str, ...]
    attributes: tuple[tuple[tuple[str, str], ...], ...]
    suffix_base: tuple[float, ...]
    word_columns: frozenset[int] = field(default_factory=frozenset)

    @property
    def key_word(self) -> bytes:
        return b"" if self.key_index is None else self.words[self.key_index].encode()

    @property
    def is_known(self) -> bool:
        """Whether sysstat is known to print it; Solaris has figures of the same names in other company."""
        first, *others = self.natives
        if self.table == "cpu":
            return self.key_attribute == "cpu"
        if self.table == "load":
            return "plist-sz" in others
        if self.table == "tty":
            return self.key_index == 0
        return self.table in ("io", "device", "interrupts") or first in TABLES

    @property
    def columns(self) -> int:
        return len(self.natives)


def read_heading(words: list[str]) -> Heading | None:
    """The heading these words make, None where they are no heading."""
    if not words or not all(_HEADING_WORD.fullmatch(word) for word in words):
        return None
    if len(words) == 1 and not {"/", "%"} & set(words[0]):
        return None  # a row that is cut off after its name
    key_index = _key_index(words)
    word_columns = frozenset(i for i, word in enumerate(words) if word in _WORD_COLUMNS)
    left_out = word_columns | ({key_index % len(words)} if key_index is not None else set())
    figures = [word for i, word in enumerate(words) if i not in left_out]
    if not figures:
        return None
    key = None if key_index is None else words[key_index]
    if key == _INTERRUPTS:
        return _interrupts(words, figures)
    return Heading(
        words=tuple(words),
        table=_table(key, figures[0]),
        key_attribute=None if key is None else KEY_ATTRIBUTES.get(key, OTHER_KEY),
        key_index=key_index,
        natives=tuple(figures),
        attributes=_repeated(figures),
        suffix_base=tuple(_suffix_base(word) for word in figures),
        word_columns=word_columns,
    )


def _key_index(words: list[str]) -> int | None:
    if _is_key(words[0]):
        return 0
    return -1 if _is_key(words[-1]) and words[-1] not in _WORD_COLUMNS else None


def _is_key(word: str) -> bool:
    return word in KEY_ATTRIBUTES or (word.isalpha() and word.isupper())


def _table(key: str | None, figure: str) -> str:
    if figure == "tps":
        return "io" if key is None else "device"
    return TABLES.get(figure, figure if key is None else f"{key} {figure}")


def _interrupts(words: list[str], figures: list[str]) -> Heading:
    """sysstat 12.6 on gives interrupts per second and CPU; before, the one column was headed intr/s."""
    natives = tuple("intr/s" if _CPU_COLUMN.fullmatch(word) else word for word in figures)
    attributes = tuple(_cpu_of(word) for word in figures)
    return Heading(tuple(words), "interrupts", OTHER_KEY, 0, natives, attributes, (1.0,) * len(figures), frozenset())


def _cpu_of(word: str) -> tuple[tuple[str, str], ...]:
    match = _CPU_COLUMN.fullmatch(word)
    return (("cpu", match[1] or "all"),) if match else ()


def _repeated(figures: list[str]) -> tuple[tuple[tuple[str, str], ...], ...]:
    """A heading that stands twice in one line is told apart by its place."""
    return tuple(
        (("group", str(figures[: i + 1].count(word))),) if figures.count(word) > 1 else ()
        for i, word in enumerate(figures)
    )


def _suffix_base(word: str) -> float:
    if word.startswith("kb") or "kB" in word or word in {"areq-sz", "pgpgin/s", "pgpgout/s"}:
        return _KIB
    if word.startswith("MB"):
        return _MIB
    return _SECTOR if word in {"avgrq-sz", "rd_sec/s", "wr_sec/s"} else 1.0


def label_columns(heading: Heading) -> frozenset[int]:
    """The word columns that belong into the row's name."""
    return frozenset(i for i in heading.word_columns if heading.words[i] in _LABEL_COLUMNS)
