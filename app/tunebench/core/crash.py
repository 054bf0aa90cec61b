"""What is written down when the program itself is at fault: the traceback, without anybody's data."""

from __future__ import annotations

import platform
import sys
import traceback
from datetime import UTC, datetime
from pathlib import Path

import tunebench
from tunebench.core.paths import user_log_folder


def redacted_traceback(error: BaseException) -> str:
    """File names relative to the program, lines and the kinds of the errors; no values, no messages.

    Messages are left out because they may quote a customer's file.
    """
    parts: list[str] = []
    link: BaseException | None = error
    while link is not None:
        parts.append(type(link).__qualname__)
        parts += [
            f"  {_short(frame.filename)}:{frame.lineno} {frame.name}"
            for frame in traceback.extract_tb(link.__traceback__)
        ]
        link = link.__cause__ or link.__context__
    return "\n".join(parts)


def _short(filename: str) -> str:
    parts = Path(filename).parts
    for anchor in ("tunebench", "plugins", "site-packages"):
        if anchor in parts:
            return "/".join(parts[len(parts) - 1 - parts[::-1].index(anchor) :])
    return parts[-1] if parts else filename


def write_report(error: BaseException) -> Path:
    """The path of a new report in the log folder; falls back to the current folder where that fails."""
    now = datetime.now(UTC)
    text = "\n".join(
        (
            f"TuneBench {tunebench.__version__}",
            f"Python {platform.python_version()} on {platform.platform()}",
            f"{now.isoformat(timespec='seconds')}  {Path(sys.argv[0]).name} {' '.join(sys.argv[1:2])}".rstrip(),
            "",
            redacted_traceback(error),
            "",
        )
    )
    name = f"crash-{now:%Y%m%d-%H%M%S}.txt"
    for folder in (user_log_folder(), Path.cwd()):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            path = folder / name
            path.write_text(text, encoding="utf-8")
        except OSError:
            continue
        return path
    return Path(name)
