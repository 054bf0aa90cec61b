"""atop: what it prints, and its parseable output."""
