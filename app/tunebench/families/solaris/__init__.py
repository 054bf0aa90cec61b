"""What Solaris's tools tell of a machine."""
