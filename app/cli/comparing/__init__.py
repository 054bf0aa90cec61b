"""What `compare` prints."""
