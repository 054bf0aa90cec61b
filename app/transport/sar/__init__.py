"""Binary files of Linux sar, read by the published layouts of their records."""

from .document import SarText as SarText
from .formats import SaFormat as SaFormat
from .formats import command_for_server as command_for_server
from .formats import refusal as refusal
from .formats import sa_format as sa_format
