"""From bytes to evidence: stored verbatim first, then parsed into samples."""
