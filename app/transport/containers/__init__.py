"""What customers pack captures into, read without unpacking to disk: folders, zip, tar, compressed files, nested."""

from app.transport.containers.limits import Limits as Limits
from app.transport.containers.limits import OverLimit as OverLimit
from app.transport.containers.members import Damaged as Damaged
from app.transport.containers.members import LeftOut as LeftOut
from app.transport.containers.members import Member as Member
from app.transport.containers.walking import Walk as Walk
