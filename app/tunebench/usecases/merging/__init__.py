"""Two consultants' copies of one engagement become one project again."""
