"""What customers pack captures into, read without unpacking to disk: folders, zip, tar, compressed files, nested."""

from app.transport.containers.limits import Limits, OverLimit
from app.transport.containers.members import Damaged, LeftOut, Member
from app.transport.containers.walking import Walk

__all__ = ["Damaged", "LeftOut", "Limits", "Member", "OverLimit", "Walk"]
