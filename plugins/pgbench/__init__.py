"""Parsers of pgbench's outputs and of exports of pg_stat_statements."""
