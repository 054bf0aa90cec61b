"""The headings of ``sadf -d``: which columns make which table, and what names a row.

    # hostname;interval;timestamp;CPU;%user;%nice;%system;%iowait;%steal;%idle
    # hostname;interval;timestamp;INTR;CPU*                                       one column per processor
    # hostname;interval;timestamp;FAN;DEVICE;rpm;drpm                             a column of words
    # hostname;interval;timestamp;manufact;product;BUS;idvendor;idprod;maxpower   rows begin with the bus
    # hostname;interval;timestamp;CPU;%user;...;%idle[...];runq-sz;plist-sz;...   -h: all in one line

``[...]`` means that the columns since the last key are repeated for each thing. Tables and attributes are named
as the parser of sar's text names them, so that one activity is one table whatever printed it.
"""

from __future__ import annotations

from collections.abc import Sequence

from tunebench.families.sar.figures import KEY_ATTRIBUTES, OTHER_KEY, TABLES
from tunebench.sdk import decode_text, record

INTERRUPTS = "INTR"
EVERY_CPU = "CPU*"
_REPEATED = "[...]"
_LABELS = frozenset({"DEVICE", "idvendor", "idprod", "manufact", "product"})
WORDS = _LABELS | {"status"}
_USB = ["manufact", "product", "BUS", "idvendor", "idprod", "maxpower"]

_ATTRIBUTE_OF = {
    "cpu": "cpu",
    "cpu_frequency": "cpu",
    "cpu_frequency_weighted": "cpu",
    "softnet": "cpu",
    "interface": "interface",
    "interface_errors": "interface",
}
_DEVICE_TABLES = frozenset(
    {"device", "tty", "fibre_channel", "filesystem", "fan", "temperature", "voltage", "battery", "usb"}
)


@record
class Group:
    """The columns of one activity, in the order of the rows.

    Attributes:
        key_attribute: what the first column names, None where the rows have no name.
        words: all columns behind the key.
        repeated: ``[...]``.
    """

    table: str
    key_attribute: str | None
    words: tuple[str, ...]
    repeated: bool = False

    @property
    def per_cpu(self) -> bool:
        return self.words == (EVERY_CPU,)

    @property
    def size(self) -> int:
        return len(self.words) + (self.key_attribute is not None)

    @property
    def natives(self) -> tuple[str, ...]:
        """The figures' headings."""
        return tuple(word for word in self.words if word not in WORDS)

    @property
    def labels(self) -> tuple[int, ...]:
        """The columns (counted behind the key) that belong into the row's name."""
        return tuple(index for index, word in enumerate(self.words) if word in _LABELS)

    @property
    def figures(self) -> tuple[int, ...]:
        return tuple(index for index, word in enumerate(self.words) if word not in WORDS)

    def places(self, cells: int) -> range | list[int]:
        """Which of the cells of a row are figures."""
        first = int(self.key_attribute is not None)
        return range(first, cells) if self.per_cpu else [first + index for index in self.figures]

    def columns_of(self, figures: int, processors: Sequence[bytes] | None) -> tuple[str, ...]:
        """Per figure its heading, or (below ``CPU*``) its processor: those that had a row, where there are as many."""
        if not self.per_cpu:
            return self.natives
        if processors is not None and len(processors) == figures - 1:
            return ("all", *map(decode_text, processors))
        return ("all", *map(str, range(figures - 1)))

    @property
    def has_status(self) -> bool:
        return "status" in self.words


def read_groups(words: list[str]) -> tuple[Group, ...]:
    """The groups of a heading's words behind ``timestamp``."""
    start = next((i for i in range(len(words)) if words[i : i + 3] == _USB[:3]), -1)
    if start >= 0:
        words = [*words[:start], *_USB[2:], *_USB[:2], *words[start + 6 :]]
    groups: list[Group] = []
    current: list[str] = []
    for word in words:
        repeated = word.endswith(_REPEATED)
        name = word.removesuffix(_REPEATED)
        if current and _begins(name, current):
            groups.append(_group(current, False))
            current = []
        current.append(name)
        if repeated:
            groups.append(_group(current, True))
            current = []
    if current:
        groups.append(_group(current, False))
    return tuple(groups)


def name_of(attribute: str, words: Sequence[bytes]) -> bytes:
    """What a row is about, of its key and its labels."""
    name = b" ".join([words[0], *filter(bytes.strip, words[1:])]).strip()
    return {"cpu": b"all", "state": b"sum"}.get(attribute, name) if name == b"-1" else name


def begins_table(word: str) -> bool:
    """Whether a figure of this name is the first of its table."""
    return word in TABLES or word == "tps"


def table_of(figure: str, has_key: bool) -> str:
    if figure == "tps":
        return "device" if has_key else "io"
    return TABLES.get(figure, figure)


def _begins(word: str, current: list[str]) -> bool:
    if is_key(word):
        return True
    behind_key = all(is_key(name) or name in WORDS for name in current)
    return begins_table(word) and not behind_key and word not in WORDS


def key_attribute_of(table: str) -> str:
    """The attribute that names the things of a table."""
    return _ATTRIBUTE_OF.get(table, "device" if table in _DEVICE_TABLES else OTHER_KEY)


def is_key(word: str) -> bool:
    return word in KEY_ATTRIBUTES or (word not in WORDS and word.isalpha() and word.isupper())


def _group(words: list[str], repeated: bool) -> Group:
    if not is_key(words[0]):
        return Group(table_of(words[0], False), None, tuple(words), repeated)
    key, rest = words[0], tuple(words[1:])
    figure = next((word for word in rest if word not in WORDS), key)
    table = "interrupts" if key == INTERRUPTS else table_of(figure, True)
    return Group(table, KEY_ATTRIBUTES.get(key, OTHER_KEY), rest, repeated)
