"""Findings of the rules: found, said in words, taken over into the cycle."""
