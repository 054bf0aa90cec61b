"""The demo engagement: what it is made of, and its tuning cycles."""
