"""What two windows say first: a verdict for each resource, which of them are named, and what many of a kind did."""
