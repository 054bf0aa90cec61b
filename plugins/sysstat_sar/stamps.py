"""The times that begin sar's lines.

16:10:15        all     38.30      0.77        LC_ALL=C, de, fr, S_TIME_FORMAT=ISO
04:10:15 PM     all     38.30      0.77        en_US; newer C libraries put U+202F before PM
16시 10분 15초     all     38.30      0.77        ko_KR (three words)
16時10分15秒     all     38.30      0.77        ja_JP, zh_TW
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tunebench.families.page_reading import Field
from tunebench.sdk import lazy_pattern

_DIGITS = lazy_pattern(rb"0+")
_NO_DIGITS = bytes.maketrans(b"0123456789", b"0" * 10)
_AFTERNOON = ord("P")
_HOUR, _MINUTE = 3600, 60


@dataclass(frozen=True)
class StampForm:
    """One way to print a time. `template` has a 0 for each digit and a ? for the A or P of AM and PM.

    Attributes:
        epoch: the stamp counts seconds since 1970.
        locale: the language or locale that prints times like this, ``""`` where many do.
    """

    template: bytes
    locale: str = ""
    epoch: bool = False

    @property
    def width(self) -> int:
        return len(self.template)

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        """Hour, minute and second, or the seconds since 1970: any digits, as a damaged stamp has them."""
        return tuple(Field(*match.span(), 10 ** len(match[0]) - 1) for match in _DIGITS.finditer(self.template))

    @cached_property
    def _pattern(self) -> re.Pattern[bytes]:
        text = re.escape(self.template).replace(b"0", b"[0-9]").replace(rb"\?", b"[AP]")
        return re.compile(text + rb"(?=\s|$)")

    def matches(self, line: bytes) -> bool:
        return self._pattern.match(line) is not None

    def running(self, line: bytes) -> bytes:
        """The stamp of a line that `matches`, with 0 for each digit: as of every line of the same half of a day."""
        return line[: self.width].translate(_NO_DIGITS)

    def seconds_of(self, line: bytes) -> int:
        """Seconds of the day (or since 1970) of a line that `matches`."""
        numbers = [int(line[field.start : field.stop]) for field in self.fields]
        return int(self.seconds(np.asarray(numbers), self.running(line)))

    def seconds(self, numbers: NDArray[np.int64], running: bytes) -> NDArray[np.int64]:
        """numbers: int64[..., at least the fields], of stamps that are all `running`. Returns int64[...]."""
        hours = numbers[..., 0]
        if self.epoch:
            return hours
        half = self.template.find(b"?")
        if half >= 0:
            hours = hours % 12 + 12 * (running[half] == _AFTERNOON)
        return hours * _HOUR + numbers[..., 1] * _MINUTE + numbers[..., 2]


_FORMS = (
    StampForm(b"00:00:00 ?M", "en_US"),
    StampForm("00:00:00\u202f?M".encode(), "en_US"),
    StampForm(b"00:00:00"),
    StampForm("00시 00분 00초".encode(), "ko_KR"),
    StampForm("00시00분00초".encode(), "ko_KR"),
    StampForm("00時00分00秒".encode(), "ja_JP"),
    StampForm("00时00分00秒".encode(), "zh_CN"),
    StampForm(b"00.00.00"),
    StampForm(b"0000000000", epoch=True),
)


def find_stamp_form(line: bytes) -> StampForm | None:
    """The form of the stamp that begins `line`, None where there is none."""
    if not line[:1].isdigit():
        return None
    return next((form for form in _FORMS if form.matches(line)), None)
