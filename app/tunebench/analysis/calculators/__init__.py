"""Calculators of the reference: pure functions with named, bounded inputs and named outputs."""
