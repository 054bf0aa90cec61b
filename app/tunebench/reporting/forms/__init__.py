"""Workbooks that people fill in and send back: the questionnaire and the trade-off worksheet."""
