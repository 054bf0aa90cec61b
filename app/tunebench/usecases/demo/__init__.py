"""The demo engagement: a made-up world, captures of it, and the tuning cycle of its story."""
