"""Engagements put into an archive, and what an archive of many of them answers."""
