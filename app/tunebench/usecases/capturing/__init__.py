"""Captures from hosts: planned, approved, connected, run."""
