"""Parsers of pgbench's outputs."""
