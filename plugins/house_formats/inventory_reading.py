"""What a reader of an inventory gives."""

from __future__ import annotations

from app.families.readings import Reading, squeezed

__all__ = ["Reading", "squeezed"]
