"""Oracle's reports: AWR, Statspack and their like."""
