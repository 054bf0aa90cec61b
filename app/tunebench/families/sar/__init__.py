"""sar in its two lines of descent."""
