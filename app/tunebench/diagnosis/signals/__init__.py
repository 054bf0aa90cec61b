"""What rules call a figure, found among what captures hold."""
