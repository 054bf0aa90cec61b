"""A document of blocks as PDF, and its pages as pictures."""
