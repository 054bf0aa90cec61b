"""TuneBench: the workbench for performance-tuning engagements."""

import os

# For products as short as ours it takes longer to wake another processor than to multiply: on a busy machine three
# quarters of a comparison went into waiting. Read when NumPy is first imported, which is after this.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# Logarithms and exponentials end in other last digits with AVX-512 than without, so that a report computed on another
# machine would differ; and on some processors that have it NumPy sorts three times slower by it.
os.environ.setdefault("NPY_DISABLE_CPU_FEATURES", "X86_V4")

__version__ = "0.1.0"
