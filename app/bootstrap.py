"""The composition root: the only place where the concrete parts meet."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from app.cli.verb_names import VERB_NAMES
from app.core.errors import ExitCode
from app.core.messages import catalogue, system_language
from app.core.startup import check_platform


def main(words: Sequence[str] | None = None) -> int:
    """Runs a verb, or opens the workbench where the first word is none; gives the exit code."""
    words = list(sys.argv[1:] if words is None else words)
    refusal = check_platform()
    if refusal is not None:
        sys.stderr.write(catalogue(system_language()).error(refusal) + "\n")
        return ExitCode.REFUSED
    compose()
    if _opens_window(words):
        from app.ui.application import run_workbench  # Qt only where a window is wanted

        return run_workbench(Path(words[0]) if words else None)
    from app.cli.main import run

    return run(words)


def compose() -> None:
    """Puts the verbs' services together."""
    from app.plughost.catalogue import MetricCatalogue
    from app.plughost.host import PluginHost
    from app.usecases import services

    plugins = PluginHost()
    services.install(services.Services(plugins, MetricCatalogue.load(manifests=plugins.manifests())))


def _opens_window(words: Sequence[str]) -> bool:
    return not words or (words[0] not in VERB_NAMES and not words[0].startswith("-"))
