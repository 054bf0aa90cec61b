"""The reference: entries, search, worksheets."""
