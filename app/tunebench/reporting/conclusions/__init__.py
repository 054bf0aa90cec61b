"""The report that a director reads: a page for each conclusion, which is its title."""
