"""Experiments: factors, trials, order, rules."""
