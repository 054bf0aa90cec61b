"""Our markers in a stream: what is the tool's, what is ours, and what is noise of the login.

A stream's artefact is everything its starts wrote, one after the other, as `tunebench.capture.wrapper` frames it:

    <noise of rc files and banners>
    @tunebench 1a2b3c4d begin id=db01/linux.vmstat pid=4711 interval=1 utc=... local=... zone=KST
    <bytes of the tool>
    @tunebench 1a2b3c4d end exit=0 utc=2026-11-21T03:48:00.120Z
    0m0.010s 0m0.002s
    0m0.120s 0m0.200s
    @tunebench 1a2b3c4d over

The newline before the end marker is the marker's. A start that was cut off has no end marker; the next begin
marker, a `cut_line` written by the capture between two starts, or the end of the bytes closes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from urllib.parse import unquote

from tunebench.core.patterns import lazy_pattern
from tunebench.core.records import record
from tunebench.domain.capturing.run import StreamSegment

MARK = b"@tunebench "
STAMP = b"@tunebench at "
_STAMP_LINE = lazy_pattern(rb"@tunebench at [^\n]*\n?")
_LONGEST_MARKER = 4096
_LONGEST_TAIL_LINE = 4096

SIGNALLED = 128
"""An exit status above it names the signal (POSIX shells): the tool may have been stopped in the middle of a line."""
_BEGIN = lazy_pattern(
    rb"@tunebench ([0-9a-f]{8}) begin id=(\S+) pid=(\d+) interval=(\S+) utc=(\S+) local=(\S*) zone=([^\r\n]*)\r?\n"
)
_END = lazy_pattern(rb"\n@tunebench ([0-9a-f]{8}) end exit=(\d+) utc=(\S+)\r?\n")
_CUT = lazy_pattern(rb"\n@tunebench ([0-9a-f]{8}) cut\r?\n")
_TIMES = lazy_pattern(rb"(\d+)m(\d+(?:[.,]\d*)?)s?")
_UTC = lazy_pattern(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?")


@record
class Preamble:
    """Bytes outside every start: rc noise, banners, what came after the over marker. Never parsed."""

    data: bytes
    first_byte: int


@record
class Begin:
    """A start. `first_byte` and `first_line` (1-based) are those of the tool's first byte, `marker_byte` of the marker.

    `began_ns` is the server's clock, UTC; None where its date could not be read.
    """

    nonce: str
    command_id: str
    pid: int
    interval_s: float | None
    began_ns: int | None
    local: str
    zone: str
    marker_byte: int
    first_byte: int
    first_line: int


@record
class Data:
    """Bytes of the tool (and our stamps in loops), exactly as they came; `line` is the 1-based line they begin in."""

    data: bytes
    first_byte: int
    line: int


@record
class End:
    """The end of a start. Everything is None and `torn` is true where its end marker never came.

    Attributes:
        end_byte: one past the tool's last byte.
        cpu_s: processor time of the wrapper, the tool and the tool's children, user + system; None where a signal
            ended the tool: no shell had waited for it then, and the printed sum leaves it out.
    """

    exit_status: int | None
    ended_ns: int | None
    cpu_s: float | None
    end_byte: int
    torn: bool = False


@record
class Over:
    """Our last line: nothing of this start is missing."""


Frame = Preamble | Begin | Data | End | Over


def cut_line(nonce: str) -> bytes:
    """What a capture writes into an artefact before another start that follows a torn one."""
    return b"\n@tunebench " + nonce.encode() + b" cut\n"


def read_utc(text: str) -> int | None:
    """UTC nanoseconds of ``2026-11-21T02:48:00[.123]Z``, None where it is none.

    A date without ``%N`` prints it as it stands (``.%3NZ`` of busybox, ``.3NZ``): such a fraction is left out.
    """
    match = _UTC.match(text)
    if match is None:
        return None
    *whole, fraction = match.groups()
    try:
        moment = datetime(*(int(part) for part in whole), tzinfo=UTC)  # type: ignore[misc,arg-type]
    except ValueError:
        return None
    digits = "" if fraction is None or not text[match.end() :].startswith("Z") else fraction
    return int(moment.timestamp()) * 1_000_000_000 + int(digits.ljust(9, "0"))


def cpu_seconds(times: bytes) -> float | None:
    """The sum over the lines of the POSIX builtin ``times`` (``0m0.010s 0m0.002s``); None where there is no figure."""
    figures = _TIMES.findall(times)
    if not figures:
        return None
    return sum(int(minutes) * 60 + float(seconds.replace(b",", b".")) for minutes, seconds in figures)


def is_framed(head: bytes) -> bool:
    """Whether the first bytes of a file hold a begin marker."""
    return _BEGIN.search(head) is not None


class FrameReader:
    """Takes a framed stream apart, in pieces of any size.

    Args:
        nonce: markers of other nonces are data. Empty: that of the first begin marker (an offline archive).
        eager: for live use. A newline at the end of a piece may belong to an end marker that is still on its way,
            and is held back until the next piece. Eager readers pass it on at once where it ends a line; the cost
            is that output which ends without a newline is given one. Offsets stay exact.
    """

    def __init__(self, nonce: str = "", *, eager: bool = False) -> None:
        self.nonce = nonce
        self._eager = eager
        self._held = b""
        self._byte = 0  # offset of the first held byte
        self._line = 1  # line that the first held byte is in
        self._last = b""  # last byte of the tool that was passed on
        self._owed = 0  # newlines passed on early and still held
        self._step = self._outside
        self._end: End | None = None
        self._tail = b""

    def feed(self, data: bytes) -> list[Frame]:
        self._held += data
        frames: list[Frame] = []
        while self._step(frames):
            pass
        return frames

    def cut(self) -> list[Frame]:
        """Closes a start whose end never came; the bytes that follow are another start, or there are none."""
        frames = self._close()
        self._step = self._outside
        return frames

    finish = cut

    def _close(self) -> list[Frame]:
        frames: list[Frame] = []
        if self._step == self._inside:
            self._emit_data(frames, len(self._held))
            frames.append(End(None, None, None, self._byte, torn=True))
        elif self._step == self._ending:
            self._tail += self._take(len(self._held))
            self._emit_end(frames)
        else:
            self._emit_preamble(frames, len(self._held))
        return frames

    # Each step consumes what it can and says whether another step may find more.

    def _outside(self, frames: list[Frame]) -> bool:
        match = self._find(_BEGIN)
        if match is None:
            self._emit_preamble(frames, self._safe_length(after_newline=False))
            return False
        self._emit_preamble(frames, match.start())
        self._begin(frames, match)
        return True

    def _inside(self, frames: list[Frame]) -> bool:
        hits = [hit for hit in map(self._find, (_END, _BEGIN, _CUT)) if hit is not None]
        marker = min(hits, key=lambda hit: hit.start(), default=None)
        if marker is None:
            self._emit_data(frames, self._safe_length(after_newline=True))
            if self._eager:
                self._emit_newline(frames)
            return False
        self._emit_data(frames, marker.start())
        self._owed = 0
        if marker.re == _END:
            self._end = End(int(marker[2]), read_utc(marker[3].decode("ascii", "replace")), None, self._byte)
            self._take(marker.end() - marker.start())
            self._step = self._ending
            return True
        frames.append(End(None, None, None, self._byte, torn=True))
        if marker.re == _BEGIN:
            self._begin(frames, marker)
        else:
            self._take(marker.end() - marker.start())
            self._step = self._outside
        return True

    def _ending(self, frames: list[Frame]) -> bool:
        """The two lines of `times` and the over marker; a begin marker means that the latter never came."""
        newline = self._held.find(b"\n")
        if newline < 0 and len(self._held) < _LONGEST_TAIL_LINE:
            return False
        line = self._held[: newline + 1] if newline >= 0 else self._held
        begun = self._find(_BEGIN)
        if begun is not None and begun.start() < len(line):
            self._emit_end(frames)
            self._step = self._outside
            return True
        self._take(len(line))
        if line.rstrip(b"\r\n") == MARK + self.nonce.encode() + b" over":
            self._emit_end(frames)
            frames.append(Over())
            self._step = self._outside
        else:
            self._tail += line
        return True

    def _begin(self, frames: list[Frame], marker: re.Match[bytes]) -> None:
        """Begins a frame; its marker is the first of the held bytes."""
        marker_byte = self._byte
        self._take(marker.end() - marker.start())
        self.nonce = self.nonce or marker[1].decode()
        frames.append(_begin_of(marker, marker_byte, self._byte, self._line))
        self._last = b"\n"
        self._step = self._inside

    def _find(self, marker: re.Pattern[bytes]) -> re.Match[bytes] | None:
        """The first marker of ours among the held bytes; None where there is none."""
        hits = marker.finditer(self._held)
        return next((hit for hit in hits if not self.nonce or hit[1].decode() == self.nonce), None)

    def _safe_length(self, *, after_newline: bool) -> int:
        """How many of the held bytes cannot be the beginning of one of our markers, which all lie in one line.

        `after_newline`: the newline before the last line may be part of a marker.
        """
        held = self._held
        last_line = held.rfind(b"\n") + 1
        if after_newline and last_line and self._may_be_ours(held[last_line : last_line + _LONGEST_MARKER + 1]):
            return last_line - 1
        position = held.find(b"@", max(last_line, len(held) - _LONGEST_MARKER))
        while position >= 0 and not self._may_be_ours(held[position:]):
            position = held.find(b"@", position + 1)
        return position if position >= 0 else len(held)

    def _may_be_ours(self, line: bytes) -> bool:
        marker = MARK + self.nonce.encode()
        return len(line) <= _LONGEST_MARKER and marker.startswith(line[: len(marker)])

    def _emit_preamble(self, frames: list[Frame], length: int) -> None:
        first_byte = self._byte
        if data := self._take(length):
            frames.append(Preamble(data, first_byte))

    def _emit_data(self, frames: list[Frame], length: int) -> None:
        first_byte, line, early = self._byte, self._line, min(self._owed, length)
        data = self._take(length)
        self._owed -= early
        if data[early:]:
            frames.append(Data(data[early:], first_byte + early, line + early))
            self._last = data[-1:]

    def _emit_newline(self, frames: list[Frame]) -> None:
        """A held newline that ends a line is passed on now; it stays held, so that a marker is still found."""
        if self._held.startswith(b"\n") and not self._owed and self._last != b"\n":
            frames.append(Data(b"\n", self._byte, self._line))
            self._owed, self._last = 1, b"\n"

    def _emit_end(self, frames: list[Frame]) -> None:
        end = self._end
        assert end is not None  # the step `_ending` is entered with one
        signalled = end.exit_status is not None and end.exit_status > SIGNALLED
        cpu_s = None if signalled else cpu_seconds(self._tail)
        frames.append(End(end.exit_status, end.ended_ns, cpu_s, end.end_byte))
        self._end, self._tail = None, b""

    def _take(self, length: int) -> bytes:
        data, self._held = self._held[:length], self._held[length:]
        self._byte += length
        self._line += data.count(b"\n")
        return data


def _begin_of(marker: re.Match[bytes], marker_byte: int, first_byte: int, first_line: int) -> Begin:
    nonce, command_id, pid, interval, utc, local, zone = (part.decode("utf-8", "replace") for part in marker.groups())
    return Begin(
        nonce,
        unquote(command_id),
        int(pid),
        _seconds(interval),
        read_utc(utc),
        local,
        zone.strip(),
        marker_byte,
        first_byte,
        first_line,
    )


def _seconds(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def without_stamps(data: bytes) -> bytes:
    """What a loop's tool itself wrote: the stamps before its rounds are ours."""
    return _STAMP_LINE.sub(b"", data)


def frames_of(pieces: Iterable[bytes]) -> Iterator[Frame]:
    reader = FrameReader()
    for piece in pieces:
        yield from reader.feed(piece)
    yield from reader.finish()


def segments(pieces: Iterable[bytes]) -> list[StreamSegment]:
    """Every start in the bytes of an artefact, in order."""
    frames = [frame for frame in frames_of(pieces) if isinstance(frame, Begin | End)]
    begins = [frame for frame in frames if isinstance(frame, Begin)]
    ends = [frame for frame in frames if isinstance(frame, End)]
    return [segment_of(number, *both) for number, both in enumerate(zip(begins, ends, strict=True))]


def segment_of(number: int, begin: Begin, end: End) -> StreamSegment:
    return StreamSegment(
        number=number,
        first_byte=begin.first_byte,
        end_byte=end.end_byte,
        first_line=begin.first_line,
        began_ns=begin.began_ns,
        ended_ns=end.ended_ns,
        exit_status=end.exit_status,
        cpu_s=end.cpu_s,
        pid=begin.pid,
    )
