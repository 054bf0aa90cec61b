"""What `cycle` shows and changes."""
