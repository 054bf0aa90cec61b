"""Queueing theory of stations with one or more servers: pure functions on numbers and arrays."""
