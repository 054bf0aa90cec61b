"""Settling what captures leave open: their times, and what devices are called."""
