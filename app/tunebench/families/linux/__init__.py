"""What Linux's tools tell of a machine."""
