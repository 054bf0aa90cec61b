"""When something runs out, and what more load would need."""
