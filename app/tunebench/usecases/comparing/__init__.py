"""Two windows compared: what is read, whether it may be compared, and the verdicts in words."""
