"""What a reader of an inventory gives."""

from __future__ import annotations

from app.sdk.readings import Reading, squeezed

__all__ = ["Reading", "squeezed"]
