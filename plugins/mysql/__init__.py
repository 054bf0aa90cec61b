"""Readers of what MySQL and MariaDB tell of themselves, and the probes that capture it."""
