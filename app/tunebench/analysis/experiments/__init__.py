"""What an experiment's trials say: medians with intervals, ratios judged against the noise, interactions, curves."""
