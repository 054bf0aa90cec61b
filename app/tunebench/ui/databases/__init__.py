"""Databases in the window: which is compared, its statements, its profile."""
