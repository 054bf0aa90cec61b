"""Readers of what ZFS reports of its pools."""
