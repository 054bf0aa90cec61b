"""Engagements of a firm as open Parquet files, and DuckDB to ask them."""
