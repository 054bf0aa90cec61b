"""The six-step cycle in the window: the board, steps, records, worksheets, evidence."""
