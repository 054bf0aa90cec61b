"""Every statistical method by name: numbers in, numbers out, so that anybody can compute again what a report prints."""
