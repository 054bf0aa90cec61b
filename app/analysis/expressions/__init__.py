"""Conditions written as text, such as ``svc_t >= 50 and pct_b >= 20``: read by a white list, judged on whole series.

Nothing of them is run as Python: `parse_expression` builds nodes of its own, and what is not on the list is refused.
"""

from app.analysis.expressions.faults import ExpressionFault as ExpressionFault
from app.analysis.expressions.figures import Figure as Figure
from app.analysis.expressions.figures import Figures as Figures
from app.analysis.expressions.judging import judge as judge
from app.analysis.expressions.nodes import Kind as Kind
from app.analysis.expressions.parsing import Expression as Expression
from app.analysis.expressions.parsing import parse_expression as parse_expression
