"""Findings: what the rules say of a run, the USE table, what could not be judged, and where the bottleneck lies."""
