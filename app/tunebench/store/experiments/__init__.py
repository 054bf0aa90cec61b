"""Experiments and trials in the project file."""
