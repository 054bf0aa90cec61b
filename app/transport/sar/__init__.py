"""Binary files of Linux sar, read by the published layouts of their records."""

from .document import SarText
from .formats import SaFormat, command_for_server, refusal, sa_format

__all__ = ["SaFormat", "SarText", "command_for_server", "refusal", "sa_format"]
