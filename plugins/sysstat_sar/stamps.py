"""The times that begin sar's lines.

16:10:15        all     38.30      0.77        LC_ALL=C, de, fr, S_TIME_FORMAT=ISO
04:10:15 PM     all     38.30      0.77        en_US; newer C libraries put U+202F before PM
16시 10분 15초     all     38.30      0.77        ko_KR (three words)
16時10分15秒     all     38.30      0.77        ja_JP, zh_TW
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_ZERO = ord("0")


@dataclass(frozen=True, slots=True)
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

    def matches(self, line: bytes) -> bool:
        return _PATTERNS[self].match(line) is not None

    def seconds_of(self, line: bytes) -> int:
        """Seconds of the day (or since 1970) of a line that `matches`."""
        matrix = np.frombuffer(line[: self.width], dtype=np.uint8).reshape(1, -1)
        return int(self.seconds_of_rows(matrix)[0][0])

    def seconds_of_rows(self, text: NDArray[np.uint8]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """text: uint8[n, width]. Returns int64[n] seconds and which rows have this form."""
        pattern = np.frombuffer(self.template, dtype=np.uint8)
        digit_columns = np.flatnonzero(pattern == _ZERO)
        literal_columns = np.flatnonzero((pattern != _ZERO) & (pattern != ord("?")))
        digits = text[:, digit_columns] - np.uint8(_ZERO)
        fits = (digits < 10).all(axis=1) & (text[:, literal_columns] == pattern[literal_columns]).all(axis=1)
        numbers = digits.astype(np.int64)
        if self.epoch:
            powers = 10 ** np.arange(len(digit_columns) - 1, -1, -1, dtype=np.int64)
            return numbers @ powers, fits
        hours = numbers[:, 0] * 10 + numbers[:, 1]
        marks = np.flatnonzero(pattern == ord("?"))
        if len(marks):
            half = text[:, marks[0]]
            fits &= (half == ord("A")) | (half == ord("P"))
            hours = hours % 12 + 12 * (half == ord("P"))
        minutes = numbers[:, 2] * 10 + numbers[:, 3]
        return hours * 3600 + minutes * 60 + numbers[:, 4] * 10 + numbers[:, 5], fits


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
_PATTERNS = {
    form: re.compile(re.escape(form.template).replace(b"0", b"[0-9]").replace(rb"\?", b"[AP]") + rb"(?=\s|$)")
    for form in _FORMS
}


def find_stamp_form(line: bytes) -> StampForm | None:
    """The form of the stamp that begins `line`, None where there is none."""
    if not line[:1].isdigit():
        return None
    return next((form for form in _FORMS if form.matches(line)), None)
