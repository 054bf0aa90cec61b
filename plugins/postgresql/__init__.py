"""Reader of PostgreSQL's statistics views, and the probes that capture them."""
