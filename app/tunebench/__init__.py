"""TuneBench: the workbench for performance-tuning engagements, and its engine as a library.

    import tunebench

    with tunebench.open("acme.tune") as project:
        print(project.compare("before", "after"))

`tunebench.library` has what is offered; names that are not listed here may change with any version.
"""

import os
import sys
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

__version__ = "0.1.0"
"""Semantic: its first number grows where something offered, or the JSON of a verb, changes its meaning."""


def _has_avx2() -> bool:
    """Whether Linux says so; elsewhere nobody can be asked before NumPy is there."""
    try:
        with Path("/proc/cpuinfo").open(encoding="ascii", errors="replace") as file:
            return " avx2 " in file.read(8192)
    except OSError:
        return False


def switches() -> dict[str, str]:
    """Environment variables that NumPy reads when it is first imported.

    For products as short as ours it takes longer to wake another processor than to multiply: on a busy machine three
    quarters of a comparison went into waiting. Logarithms and exponentials end in other last digits with AVX-512 than
    without, so that a report computed on another machine would differ; and on some processors that have it NumPy sorts
    three times slower by it. So do sums of products, which OpenBLAS does by the kernel of each kind of processor:
    Haswell's all of ten years have.
    """
    wanted = {"OPENBLAS_NUM_THREADS": "1", "NPY_DISABLE_CPU_FEATURES": "X86_V4"}
    return {**wanted, "OPENBLAS_CORETYPE": "Haswell"} if _has_avx2() else wanted


numpy_came_first = "numpy" in sys.modules and any(name not in os.environ for name in switches())
"""Whether NumPy was imported before, without these switches: then another process computes."""
for _name, _value in switches().items():
    os.environ.setdefault(_name, _value)

__all__ = [
    "Archive",
    "Comparison",
    "Diagnosis",
    "Imported",
    "Merge",
    "Project",
    "Refused",
    "Series",
    "Table",
    "create",
    "fingerprint",
    "merge",
    "open",
    "open_archive",
]


def __getattr__(name: str) -> Any:
    """What is offered is loaded when it is first named: the program itself never does."""
    if name in __all__:
        return getattr(_library(), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]


_NEEDED = ("library", "bootstrap", "usecases.services")


@cache
def _library() -> Any:
    """By its name: this package is below all of its rooms, and imports none."""
    library, bootstrap, services = map(import_module, map(f"{__name__}.{{}}".format, _NEEDED))
    if not services.are_installed():
        bootstrap.compose()
    return library
