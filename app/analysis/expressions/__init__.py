"""Conditions written as text, such as ``svc_t >= 50 and pct_b >= 20``: read by a white list, judged on whole series.

Nothing of them is run as Python: `parse_expression` builds nodes of its own, and what is not on the list is refused.
"""

from app.analysis.expressions.faults import ExpressionFault
from app.analysis.expressions.figures import Figure, Figures
from app.analysis.expressions.judging import Judged, judge
from app.analysis.expressions.nodes import Kind
from app.analysis.expressions.parsing import Expression, parse_expression

__all__ = ["Expression", "ExpressionFault", "Figure", "Figures", "Judged", "Kind", "judge", "parse_expression"]
