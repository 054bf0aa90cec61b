"""What somebody mailed of a Linux host's configuration."""
