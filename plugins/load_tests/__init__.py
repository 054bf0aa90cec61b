"""Results of load generators."""
