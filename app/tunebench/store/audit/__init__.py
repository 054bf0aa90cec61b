"""The audit trail in the project file: written, chained, read, replayed."""
