"""The answer in words, which every front lays out."""
