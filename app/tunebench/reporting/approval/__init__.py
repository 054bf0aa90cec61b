"""The approval sheet: what a customer's administrator reads and signs."""
