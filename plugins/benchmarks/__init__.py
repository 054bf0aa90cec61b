"""Results of benchmarks: one row of one table is one result."""
