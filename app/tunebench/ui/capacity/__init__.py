"""Parts of the capacity page."""
