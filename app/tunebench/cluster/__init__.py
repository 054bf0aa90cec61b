"""Work on more than one process and machine."""
