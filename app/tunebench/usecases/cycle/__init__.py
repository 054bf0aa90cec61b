"""The six-step tuning cycle: edits, acts, gates, figures, worksheets and forms."""
