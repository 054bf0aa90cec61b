"""The only module that knows Zstandard: what the project file keeps packed, and what customers send packed.

The library is the standard library's of Python 3.14, and its backport before: half a megabyte, where others take 24.
"""

from __future__ import annotations

import sys
import threading

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

ZstdError = zstd.ZstdError
_LARGEST_WINDOW_LOG = 27
"""128 MiB, what ``zstd --long=27`` may ask for; a stream that wants more memory than this is refused."""


def compress(data: bytes, level: int) -> bytes:
    """The bytes as one frame with a checksum."""
    compressors = _COMPRESSORS.of_level
    if level not in compressors:
        options: dict[int, int] = {
            zstd.CompressionParameter.compression_level: level,
            zstd.CompressionParameter.checksum_flag: 1,
        }
        compressors[level] = zstd.ZstdCompressor(options=options)
    compressors[level].set_pledged_input_size(len(data))
    return compressors[level].compress(data, zstd.ZstdCompressor.FLUSH_FRAME)


class _Compressors(threading.local):
    """Kept from call to call, because their tables are larger than what they compress; each serves one thread."""

    def __init__(self) -> None:
        self.of_level: dict[int, zstd.ZstdCompressor] = {}


_COMPRESSORS = _Compressors()


def decompress(blob: bytes, size_bytes: int) -> bytes:
    """The bytes of one frame, at most `size_bytes` of them.

    Raises:
        ZstdError: the frame is damaged or longer.
    """
    stated = zstd.get_frame_info(blob).decompressed_size
    if (stated or 0) > size_bytes:  # the library would make room for what it says
        raise ZstdError(f"a frame of {stated} bytes where {size_bytes} are expected")
    frame = zstd.ZstdDecompressor()
    data = frame.decompress(blob, size_bytes + 1)  # with room for no more, its end would stay unread
    if len(data) > size_bytes or not frame.eof:
        raise ZstdError(f"a frame that does not end within {size_bytes} bytes")
    return data


class FrameReader:
    """One frame in pieces. Give it little at a time: 4 bytes may stand for 128 KiB."""

    def __init__(self) -> None:
        self._frame = zstd.ZstdDecompressor(options={zstd.DecompressionParameter.window_log_max: _LARGEST_WINDOW_LOG})

    def decompress(self, data: bytes) -> bytes:
        """Raises ZstdError where the frame is damaged."""
        return self._frame.decompress(data)

    @property
    def eof(self) -> bool:
        """Whether the frame came to its end."""
        return self._frame.eof

    @property
    def unused_data(self) -> bytes:
        """The bytes behind the end of the frame."""
        return self._frame.unused_data
