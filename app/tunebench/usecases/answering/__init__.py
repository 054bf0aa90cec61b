"""The answer of a project and two windows, which every front lays out."""
