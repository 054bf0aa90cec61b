"""Pages of the window; they do not know each other. What they share is in the workspace."""
