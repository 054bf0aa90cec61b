"""Finds, checks, loads and quarantines plug-ins; knows the metric catalogue."""
