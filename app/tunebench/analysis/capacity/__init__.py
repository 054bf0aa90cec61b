"""When a limit is reached, and what a load would need: trends, bands, refusals, scenarios."""
