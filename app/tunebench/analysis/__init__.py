"""Array-carrying values and pure functions on them."""
