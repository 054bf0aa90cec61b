"""The command that sends a remote file from some byte on. POSIX sh, cat and dd only; works below csh as well."""

from __future__ import annotations

import shlex

from tunebench.core.records import record

BLOCK_BYTES = 1 << 16


@record
class Pull:
    """`command` verbatim; the first `skip_bytes` it sends come before the wanted offset."""

    command: str
    skip_bytes: int


def pull_command(path: str, offset: int) -> Pull:
    """`dd` skips whole blocks (one byte at a time would take hours); the shell's `<` names a missing file on stderr."""
    quoted = shlex.quote(path)
    if offset < BLOCK_BYTES:
        return Pull(f"exec sh -c 'exec cat <\"$0\"' {quoted}", offset)
    blocks, skip_bytes = divmod(offset, BLOCK_BYTES)
    line = f'exec dd bs={BLOCK_BYTES} skip={blocks} <"$0" 2>/dev/null'
    return Pull(f"exec sh -c '{line}' {quoted}", skip_bytes)
