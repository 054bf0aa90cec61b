"""The composition root: the only place where the concrete parts meet."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tunebench.cli.verb_names import VERB_NAMES
from tunebench.core.errors import ExitCode
from tunebench.core.messages import catalogue, look_also, system_language
from tunebench.core.program_words import COMPUTE, READ_CAPTURES, READ_WORKBOOK, WORK
from tunebench.core.startup import check_platform
from tunebench.domain.visible_text import harmless
from tunebench.transport.local import FileClock, as_modified

if TYPE_CHECKING:
    from tunebench.usecases.services import Services

_OBJECTS_BEFORE_COLLECTING = 50_000
"""Python looks for cycles after every 700 new objects: of hundreds of modules, which stay, a twentieth of an import."""
_OBJECTS_OF_A_VERB = 200_000
"""A command that loads its modules and reads a small file makes fewer. In the window so many would be a stall."""
LEDGER_KEYS = "ledger."
"""Plug-ins bring sentences for ledger keys of their own, see `tunebench.sdk.manifest.MESSAGE_PREFIXES`."""


def main(words: Sequence[str] | None = None, file_clock: FileClock = as_modified) -> int:
    """Runs a verb, or opens the workbench where the first word is none; gives the exit code."""
    words = list(sys.argv[1:] if words is None else words)
    gc.set_threshold(_OBJECTS_BEFORE_COLLECTING)
    if len(words) == 1 and words[0] in (READ_CAPTURES, READ_WORKBOOK, COMPUTE, WORK):
        return _serve(words[0], file_clock)
    messages = catalogue(system_language())
    refusal = check_platform()
    if refusal is not None:
        sys.stderr.write(messages.error(refusal) + "\n")
        return ExitCode.REFUSED
    if words and (words[0] in VERB_NAMES or words[0].startswith("-")):
        gc.set_threshold(_OBJECTS_OF_A_VERB)
        compose(file_clock)
        from tunebench.cli.main import run

        return run(words)
    if words and not Path(words[0]).exists() and Path(words[0]).suffix != ".tune":
        sys.stderr.write(harmless(messages.text("cli.unknown_verb", word=words[0])) + "\n")
        return ExitCode.USAGE
    if not _has_display():
        sys.stderr.write(messages.text("cli.no_display") + "\n")
        return ExitCode.REFUSED
    compose(file_clock)
    from tunebench.ui.application import run_workbench  # Qt only where a window is wanted

    return run_workbench(Path(words[0]) if words else None)


def _serve(word: str, file_clock: FileClock) -> int:
    """Is the process beside another one that the word names."""
    if word == READ_CAPTURES:
        from tunebench.capture.reading_worker import serve
    elif word == READ_WORKBOOK:
        from tunebench.transport.tables.boxed import serve
    else:
        compose(file_clock)
        if word == COMPUTE:
            from tunebench.library.computing import serve
        else:
            from tunebench.cluster.local import serve
    return serve()


def compose(file_clock: FileClock = as_modified) -> None:
    """Puts the verbs' services together; plug-ins are looked for when somebody asks for one, or for its sentences."""
    from tunebench.usecases import services

    services.install(lambda: _services(file_clock))
    look_also(LEDGER_KEYS, lambda language: services.current().plugins.messages(language))


def _services(file_clock: FileClock) -> Services:
    from tunebench.core import toml_texts
    from tunebench.plughost.catalogue import MetricCatalogue
    from tunebench.plughost.host import PluginHost
    from tunebench.usecases.services import Services

    plugins = PluginHost()
    metrics = MetricCatalogue.load(manifests=plugins.manifests())
    toml_texts.renew()
    return Services(plugins, metrics, file_clock)


def _has_display() -> bool:
    """Qt ends the process where it finds no display; this is asked before, so that the user gets a sentence."""
    if sys.platform in ("win32", "darwin"):
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))
