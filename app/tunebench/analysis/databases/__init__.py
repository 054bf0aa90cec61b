"""Databases: periods out of snapshots, statements matched and compared, profiles; pure functions on tables."""
