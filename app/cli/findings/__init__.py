"""What `diagnose` prints."""
