"""What is captured and was captured, in words and columns."""
