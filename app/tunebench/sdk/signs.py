"""Which of some hundred words stand in a text, found by its runs of three bytes instead of one search for each word."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

_RUN = 3
_SLOT_BITS = 20  # 64 KiB have few enough runs that hardly one word passes that is not there
_SPREAD = np.uint32(2_654_435_761)  # Knuth's multiplicative hash: 2^32 by the golden ratio


def folded(sign: str) -> bytes:
    """A word as it is compared: capitals and small letters are alike."""
    return sign.lower().encode()


class SignFinder:
    """Made for its words once."""

    def __init__(self, signs: Iterable[bytes]) -> None:
        """`signs`: `folded`, none of them empty."""
        self._signs = sorted(set(signs))
        runs = [_slots(sign)[: max(len(sign) - _RUN + 1, 0)] for sign in self._signs]
        self._slots = np.concatenate([np.zeros(0, np.uint32), *runs])
        self._last: tuple[bytes, frozenset[bytes]] = (b"", frozenset())
        self._of = np.repeat(np.arange(len(self._signs)), [len(slots) for slots in runs])

    def standing_in(self, text: bytes) -> frozenset[bytes]:
        """Those that stand in a text, in any encoding that writes ASCII as it is or, as UTF-16, with zeros between."""
        last, signs = self._last
        if text is not last:
            signs = self._standing_in(text.lower())
            self._last = (text, signs)
        return signs

    def _standing_in(self, text: bytes) -> frozenset[bytes]:
        if b"\0" in text:
            text += b"\n" + text.replace(b"\0", b"")
        there = np.zeros(1 << _SLOT_BITS, dtype=bool)
        there[_slots(text)] = True
        possible = np.ones(len(self._signs), dtype=bool)
        possible[self._of[~there[self._slots]]] = False
        return frozenset(
            sign
            for sign, is_possible in zip(self._signs, possible.tolist(), strict=True)
            if is_possible and sign in text
        )


def _slots(text: bytes) -> NDArray[np.uint32]:
    """uint32[bytes]: the place of the run that begins at each byte, zeros behind the last."""
    codes = np.frombuffer(text + bytes(_RUN - 1), dtype=np.uint8).astype(np.uint32)
    runs: NDArray[np.uint32] = codes[:-2] | codes[1:-1] << np.uint32(8) | codes[2:] << np.uint32(16)
    slots: NDArray[np.uint32] = runs * _SPREAD >> np.uint32(32 - _SLOT_BITS)
    return slots
