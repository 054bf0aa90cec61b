"""What `experiment` shows and changes."""
