"""The records of the tuning cycle in the project file."""
