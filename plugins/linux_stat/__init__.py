"""Parsers of Linux' iostat, vmstat and mpstat."""
