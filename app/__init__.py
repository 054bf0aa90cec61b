"""TuneBench: the workbench for performance-tuning engagements."""

__version__ = "0.1.0"
