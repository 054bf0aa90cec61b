"""An import that was cut off with the program: how much of it is in, and the command that goes on with it."""

from __future__ import annotations

from pathlib import Path

from tunebench.cli.console import Console
from tunebench.contract.shapes import Shape
from tunebench.usecases.importing.interrupted import CutOff


def shape(begun: CutOff | None) -> Shape | None:
    """The cut-off import; None where there is none."""
    if begun is None:
        return None
    return {"paths": [str(path) for path in begun.paths], "arrived": begun.arrived, "files": begun.files}


def say(begun: CutOff | None, project: Path, console: Console) -> None:
    """On stderr, beside the result; nothing where no import was cut off."""
    if begun is not None:
        paths = ", ".join(map(str, begun.paths))
        console.notice(
            "cli.import.cut_off", arrived=begun.arrived, files=begun.files, paths=paths, project=str(project)
        )
