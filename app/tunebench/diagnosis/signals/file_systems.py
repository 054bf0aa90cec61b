"""File systems that are always full, or never: media that are only read, and what the kernel shows as files."""

from __future__ import annotations

from tunebench.core.patterns import lazy_pattern

_KINDS = frozenset(
    {"iso9660", "hsfs", "cdrfs", "udf", "udfs", "squashfs", "cramfs", "romfs", "erofs", "devfs", "devtmpfs", "ctfs",
     "objfs", "sharefs", "mntfs", "fd", "proc", "procfs", "sysfs", "autofs"}
)  # fmt: skip
_MOUNTS = lazy_pattern(
    r"/(snap|var/lib/snapd/snap)/.*|/(media/)?cdrom\d*(/.*)?|/proc(/.*)?|/sys(/.*)?|/dev|/dev/fd|/devices"
    r"|/system/(contract|object)|/etc/(mnttab|dfs/sharetab)"
)


def can_fill(mount: str, kind: str = "") -> bool:
    """Whether somebody can fill it: a CD at 100 % is no finding.

    Args:
        kind: type of the file system where an inventory tells it.
    """
    return kind not in _KINDS and _MOUNTS.fullmatch(mount) is None
