"""How two windows of one series are made ready, compared and judged."""
