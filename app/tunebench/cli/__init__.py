"""The verbs without a window; never loads Qt."""
