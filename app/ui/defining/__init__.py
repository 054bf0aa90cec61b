"""Describing a simple text table in the window."""
