"""TuneBench: the workbench for performance-tuning engagements."""

import os

# For products as short as ours it takes longer to wake another processor than to multiply: on a busy machine three
# quarters of a comparison went into waiting. Read when NumPy is first imported, which is after this.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

__version__ = "0.1.0"
