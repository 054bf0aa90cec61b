"""The program as its command line has it, in this process, on a day that never changes.

Nothing here names a module of the program: it is run through `main.py`, and its window is looked at as Qt shows it.
So the same outputs can be had of a tree whose modules have other names and other places.
"""

from __future__ import annotations

import io
import json
import os
import re
import runpy
import sys
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from datetime import UTC, date, datetime, tzinfo
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
MOMENT = datetime(2026, 12, 1, 3, 0, tzinfo=UTC)
"""Now, for the program."""
FILES_WRITTEN_S = 1_796_000_000
"""When all files were written that the program takes in: 2026-11-29, and before `MOMENT`."""
_OF_THIS_MACHINE = ("LANG", "LANGUAGE", "LC_MESSAGES", "OPENBLAS_CORETYPE", "NPY_DISABLE_CPU_FEATURES")
_PROGRAM, _WORK, _VERSION = "<program>", "<work>", "TuneBench <version>"


class _ClockType(type):
    """The dates that C code makes are real ones, and shall count as these."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, datetime)


class _Clock(datetime, metaclass=_ClockType):
    @classmethod
    def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
        return MOMENT.astimezone(tz) if tz else MOMENT.astimezone().replace(tzinfo=None)

    @classmethod
    def today(cls) -> datetime:  # type: ignore[override]
        return cls.now()

    @classmethod
    def utcnow(cls) -> datetime:  # type: ignore[override]
        return MOMENT.replace(tzinfo=None)


class _CalendarType(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, date)


class _Calendar(date, metaclass=_CalendarType):
    @classmethod
    def today(cls) -> date:  # type: ignore[override]
        return MOMENT.date()


def stop_the_clock() -> None:
    """Must be called before the program, or anything that it uses, is imported.

    Digests chained over the audit trail, documents that say when they were made and pages that break where a moment
    no longer fits all follow from it: to take moments out of the outputs would not do.
    """
    import datetime as module

    for stopped, name in ((_Clock, "datetime"), (_Calendar, "date")):
        stopped.__module__, stopped.__name__, stopped.__qualname__ = module.__name__, name, name
        setattr(module, name, stopped)


def date_files(folder: Path) -> None:
    """Captures that tell no date take that of their file."""
    for path in [folder, *folder.rglob("*")]:
        if path.is_file() and path.stat().st_mtime != FILES_WRITTEN_S and os.access(path, os.W_OK):
            os.utime(path, (FILES_WRITTEN_S, FILES_WRITTEN_S))


def environment(home: Path) -> dict[str, str]:
    """What a program is started with that shall not depend on whose machine this is."""
    own = {name: str(home / name.lower()) for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")}
    fixed = {"TZ": "UTC", "LC_ALL": "C.UTF-8", "QT_QPA_PLATFORM": "offscreen", "HOME": str(home)}
    user = {"USER": "consultant", "LOGNAME": "consultant", "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring"}
    kept = {name: value for name, value in os.environ.items() if name not in _OF_THIS_MACHINE}
    return {**kept, **own, **fixed, **user, "XDG_CACHE_HOME": str(home / "cache")}


@dataclass(frozen=True)
class Answer:
    """What one verb printed, and its exit code."""

    code: int
    out: str
    err: str


def run(*words: object) -> Answer:
    """Runs one verb as `main.py` would, with the paths of this machine taken out of what it prints.

    Raises:
        AssertionError: the program has a bug there, or does not know the words.
    """
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = _main([str(word) for word in words])
    answer = Answer(code, portable(out.getvalue()), portable(err.getvalue()))
    assert answer.code not in (1, 2), f"{words}: {answer.err}"
    return answer


def done(*words: object) -> Answer:
    """As `run`, of a verb that must not refuse."""
    answer = run(*words)
    assert answer.code != 3, f"{words}: {answer.err}"
    return answer


def document(*words: object) -> Any:
    """The document that a verb prints with ``--json``."""
    answer = run(*words, "--json")
    return json.loads(answer.out) if answer.out else {"refused": answer.err}


def _main(words: Sequence[str]) -> int:
    sys.argv = ["main.py", *words]
    try:
        runpy.run_path(str(ROOT / "main.py"), run_name="__main__")
    except SystemExit as end:
        return int(end.code or 0)
    return 0


def portable(text: str) -> str:
    """A text without the paths of this machine and the version of the program."""
    for path, name in ((str(Path.cwd()), _WORK), (str(ROOT), _PROGRAM)):
        text = text.replace(path, name)
    return re.sub(r"TuneBench \d+\.\d+\.\d+", _VERSION, text)


def open_window(project: Path, language: str) -> int:
    """Opens the window as a person would whose settings say the language; gives the exit code."""
    settings = Path(os.environ["XDG_CONFIG_HOME"]) / "TuneBench" / "workbench.ini"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text(f"[General]\nlanguage={language}\ntheme=light\n", encoding="utf-8")
    return _main([str(project)])
