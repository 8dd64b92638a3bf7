"""Training: examples with truth → the small data files that methods read."""
