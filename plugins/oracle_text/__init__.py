"""Parsers of Oracle's text reports: AWR and Statspack."""
