"""What is to be captured, what it may cost, what happened, and when."""
