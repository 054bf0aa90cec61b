"""Chapters of the documents, each a function from the case to blocks."""
