"""Words without tuning meaning: errors, messages, paths, clock, settings, logging."""
