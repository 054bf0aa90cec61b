"""Judges the rules of the packs on what was measured: a share of samples over a window, never one sample's word."""
