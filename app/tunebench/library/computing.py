"""Figures are computed as everywhere, also where a script imported NumPy first.

The program switches parts of NumPy and of its library of linear algebra off before they are loaded: logarithms and sums
of products end in other last digits with them, and a report made elsewhere would differ. Where NumPy was there first it
is too late, so that what computes is done by another process of the program, which a script tells of once.
"""

from __future__ import annotations

import atexit
import pickle
import sys
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar, cast

import tunebench
from tunebench.core import worker_process
from tunebench.core.errors import UserError
from tunebench.core.messages import catalogue, system_language
from tunebench.core.processes import Died
from tunebench.core.program_words import COMPUTE
from tunebench.core.records import record
from tunebench.core.sealing import Key, hold
from tunebench.core.worker_process import WorkerProcess
from tunebench.usecases import projects
from tunebench.usecases.projects import Project

P = ParamSpec("P")
R = TypeVar("R")
Work = Callable[Concatenate[Project, P], R]


@record
class _Asked:
    """`work`: a function of a module, and what it is called with; `keys` of encrypted projects go no other way."""

    work: Callable[..., object]
    args: tuple[object, ...]
    kwargs: dict[str, object]
    keys: tuple[Key, ...]


@record
class _Answered:
    result: object = None
    refusal: UserError | None = None
    error: BaseException | None = None


def is_late() -> bool:
    """Whether NumPy was imported before `tunebench`, with other switches than the program's."""
    return tunebench.numpy_came_first


def computed(project: Project, work: Work[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """What the work makes of the project, which it only reads."""
    if not is_late():
        return work(project, *args, **kwargs)
    return computed_beside(project.path, project.key, True, work, *args, **kwargs)


def computed_beside(
    path: Path, key: Key | None, read_only: bool, work: Work[P, R], *args: P.args, **kwargs: P.kwargs
) -> R:
    """Likewise, in the other process, which opens the project for it."""
    result: R = _asked([key], _of_project, path, read_only, work, *args, **kwargs)
    return result


def called(paths: Iterable[Path], work: Callable[..., R], *args: object, **kwargs: object) -> R:
    """What the work gives, which opens for itself what it needs.

    Args:
        paths: of the projects among that. Those that are encrypted were opened before, with what opens them.
    """
    return work(*args, **kwargs) if not is_late() else _asked(map(_key_of, paths), work, *args, **kwargs)


def _key_of(path: Path) -> Key | None:
    with closing(projects.open_(path, read_only=True)) as project:
        return project.key


def _asked(keys: Iterable[Key | None], work: Callable[..., R], *args: object, **kwargs: object) -> R:
    held = tuple(key for key in keys if key is not None)
    return cast("R", _other_process().ask(_Asked(work, args, kwargs, held)))


def _of_project(path: Path, read_only: bool, work: Work[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    with closing(projects.open_(path, read_only=read_only)) as project:
        return work(project, *args, **kwargs)


class _OtherProcess:
    """Started when it is first asked, ended with this one."""

    def __init__(self) -> None:
        sentence = catalogue(system_language()).text("library.numpy_came_first")
        warnings.warn(sentence, UserWarning, stacklevel=_own_frames())
        self._one_at_a_time = threading.Lock()
        self._worker = WorkerProcess(COMPUTE, None, threading.Event())
        atexit.register(self._worker.stop)

    def ask(self, asked: _Asked) -> object:
        with self._one_at_a_time:
            try:
                self._worker.give(0, asked)
                answer, _ = self._worker.answers.get()
            except BaseException:  # who is interrupted takes no answer, and the next one must not get it
                self._give_up()
                raise
        if isinstance(answer, Died):
            self._give_up()
            raise UserError("library_process_ended")
        assert isinstance(answer, _Answered)
        if answer.refusal is not None or answer.error is not None:
            raise answer.refusal or answer.error or EOFError
        return answer.result

    def _give_up(self) -> None:
        _other_process.cache_clear()
        atexit.unregister(self._worker.stop)
        self._worker.stop()


def _own_frames() -> int:
    """How far above the caller the script is that asked."""
    frame, count = sys._getframe(1), 1  # noqa: SLF001  there is no other way to them
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("tunebench"):
        frame, count = frame.f_back, count + 1
    return count


@cache
def _other_process() -> _OtherProcess:
    return _OtherProcess()


def serve() -> int:
    """Computes until the script's end of the pipe is closed."""
    return worker_process.serve(lambda _setup: _answers, one_of_many=False)


def _answers(asked: object) -> Iterator[_Answered]:
    assert isinstance(asked, _Asked)
    yield _answer(asked)


def _answer(asked: _Asked) -> _Answered:
    for key in asked.keys:
        hold(key)
    try:
        return _Answered(asked.work(*asked.args, **asked.kwargs))
    except UserError as refusal:
        return _Answered(refusal=refusal)
    except Exception as error:  # noqa: BLE001  raised again where it was asked for
        return _Answered(error=_passable(error))


def _passable(error: Exception) -> Exception:
    try:
        pickle.dumps(error)
    except Exception:  # noqa: BLE001  whatever it holds, its words can go
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error
