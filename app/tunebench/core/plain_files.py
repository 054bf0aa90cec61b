"""Small files that the program believes: what stands in their place must be a file, and end."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

MOST_BYTES = 8 << 20


def read_plain(path: Path, most: int = MOST_BYTES, follows: bool = False) -> bytes:
    """The whole of a regular file. It is not waited for a pipe's other end.

    Args:
        follows: also by way of a link, where a person named the file: keys are often kept elsewhere.

    Raises:
        OSError: it cannot be read; it is a link, a pipe, a device or a folder; it has more than `most` bytes.
    """
    flags = ("O_NONBLOCK", "O_NOCTTY", "O_CLOEXEC", "O_BINARY", *(() if follows else ("O_NOFOLLOW",)))
    descriptor = os.open(path, sum((getattr(os, name, 0) for name in flags), os.O_RDONLY))
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "not a regular file", str(path))
        data = file.read(most + 1)
    if len(data) > most:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(path))
    return data
