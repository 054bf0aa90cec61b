"""TuneBench: the workbench for performance-tuning engagements."""

import os
from pathlib import Path

# For products as short as ours it takes longer to wake another processor than to multiply: on a busy machine three
# quarters of a comparison went into waiting. Read when NumPy is first imported, which is after this.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# Logarithms and exponentials end in other last digits with AVX-512 than without, so that a report computed on another
# machine would differ; and on some processors that have it NumPy sorts three times slower by it.
os.environ.setdefault("NPY_DISABLE_CPU_FEATURES", "X86_V4")


def _has_avx2() -> bool:
    """Whether Linux says so; elsewhere nobody can be asked before NumPy is there."""
    try:
        with Path("/proc/cpuinfo").open(encoding="ascii", errors="replace") as file:
            return " avx2 " in file.read(8192)
    except OSError:
        return False


# So do sums of products, which OpenBLAS does by the kernel of each kind of processor: this one all of ten years have.
if _has_avx2():
    os.environ.setdefault("OPENBLAS_CORETYPE", "Haswell")

__version__ = "0.1.0"
