"""Names found in texts and replaced by stand-ins: pure functions of a text and what is known of it."""
