"""The six-step cycle in the window: what is read and edited, the board, steps, worksheets, evidence."""
