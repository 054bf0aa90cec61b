"""Texts of statements made comparable, for plug-ins that have to tell statements apart themselves."""

from app.analysis.databases.text import folded, literal_free

__all__ = ["folded", "literal_free"]
