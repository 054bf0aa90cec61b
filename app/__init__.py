"""TuneBench: the workbench for performance-tuning engagements."""

import os

# Of products as short as ours a processor of its own is asked for and waited for longer than it works: on a busy machine
# three quarters of a comparison went into that. Read when NumPy is first imported, which is after this.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

__version__ = "0.1.0"
