"""Slides with charts that an office program edits."""
