"""What a window asks of the method before anybody acts: orders, gates, standings; nothing here changes anything."""

from __future__ import annotations
