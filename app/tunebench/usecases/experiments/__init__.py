"""Experiments: planned, run, typed in, analysed, exported."""
