"""Garbage collection of Java virtual machines."""
