"""top of Linux in batch mode."""
