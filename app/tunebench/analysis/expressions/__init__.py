"""Conditions written as text, such as ``svc_t >= 50 and pct_b >= 20``: read by a white list, judged on whole series.

Nothing of them is run as Python: `parse_expression` builds nodes of its own, and what is not on the list is refused.
"""
