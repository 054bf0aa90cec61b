"""The only module that knows zstandard: what the project file keeps packed, and what customers send packed."""

from __future__ import annotations

import threading

import zstandard

ZstdError = zstandard.ZstdError
_LARGEST_WINDOW_BYTES = 128 << 20
"""What ``zstd --long=27`` may ask for; a stream that wants more memory than this is refused."""


def compress(data: bytes, level: int) -> bytes:
    """The bytes as one frame with a checksum."""
    compressors = _COMPRESSORS.of_level
    if level not in compressors:
        compressors[level] = zstandard.ZstdCompressor(level=level, write_checksum=True)
    return compressors[level].compress(data)


class _Compressors(threading.local):
    """Kept from call to call, because their tables are larger than what they compress; each serves one thread."""

    def __init__(self) -> None:
        self.of_level: dict[int, zstandard.ZstdCompressor] = {}


_COMPRESSORS = _Compressors()


def decompress(blob: bytes, size_bytes: int) -> bytes:
    """The bytes of one frame, at most `size_bytes` of them.

    Raises:
        ZstdError: the frame is damaged or longer.
    """
    stated = zstandard.get_frame_parameters(blob).content_size
    if stated != zstandard.CONTENTSIZE_UNKNOWN and stated > size_bytes:  # the library would make room for what it says
        raise ZstdError(f"a frame of {stated} bytes where {size_bytes} are expected")
    return zstandard.ZstdDecompressor().decompress(blob, max_output_size=size_bytes)


class FrameReader:
    """One frame in pieces. Give it little at a time: 4 bytes may stand for 128 KiB."""

    def __init__(self) -> None:
        self._frame = zstandard.ZstdDecompressor(max_window_size=_LARGEST_WINDOW_BYTES).decompressobj()

    def decompress(self, data: bytes) -> bytes:
        """Raises ZstdError where the frame is damaged."""
        return self._frame.decompress(data)

    @property
    def eof(self) -> bool:
        """Whether the frame came to its end."""
        return bool(self._frame.eof)

    @property
    def unused_data(self) -> bytes:
        """The bytes behind the end of the frame."""
        return bytes(self._frame.unused_data)
