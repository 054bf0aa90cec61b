"""Experiments in the window: plan, runs, results, figures."""
