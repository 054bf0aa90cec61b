"""Parts of the page of experiments."""
